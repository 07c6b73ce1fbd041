"""Which tool a clause asks for: the one whose name and description share most with it."""

from __future__ import annotations

import re
from math import log
from typing import Any

from pagehand.demo.fill import Filling, fill, takes_pairs, takes_url
from pagehand.demo.request import Clause, pairs
from pagehand.demo.words import (
    STATUSES,
    actions,
    ideas,
    is_chinese,
    is_general,
    split_name,
    stem,
    terms,
)

_ENOUGH = 1.5
_WELL_KNOWN = ("jump-url-tool", "get-user-info-tool")
"""Tools an integrator writes for himself by these names; they go before a built-in alike."""

_QUESTION = ("what", "which", "who", "how", "where", "list", "is", "are")


_CHANGING = {"fill", "set", "select", "tick", "create"}
_STATUS_TERMS = {f"={idea}" for idea in STATUSES}
_LOOKING = {"read", "list", "find", "count"}
_MOVING = {"go", "scroll"}

_MEMORY = r"remember|记(?:住|得)"
_ASKED = r"\bdo you\b|\bdid i\b|\bwhat\b|什么|吗"
_COMPARED = (
    r"\b(?:over|above|below|under|more than|less than|at least|at most|largest|highest|biggest|"
    r"smallest|lowest|newest|latest|oldest|cheapest|most expensive|first \d+|top \d+)\b|"
    r"大于|小于|超过|低于|高于|不超过|最大|最小|最高|最低|最多|最少|最新|前\d+"
)


class Choice:
    """A tool for a clause, with the arguments found. `missing` names what still has to be said."""

    def __init__(self, name: str, filling: Filling, score: float) -> None:
        self.name = name
        self.arguments = filling.arguments
        self.missing = filling.missing
        self.score = score


class Catalogue:
    """The offered tools, ready for comparing.

    Args:
        tools: Name to `{"description", "inputSchema"}`.
    """

    def __init__(self, tools: dict[str, dict[str, Any]]) -> None:
        self.tools = tools
        self._weights = {name: _weights(name, tool) for name, tool in tools.items()}
        counts: dict[str, int] = {}
        for weights in self._weights.values():
            for term in weights:
                counts[term] = counts.get(term, 0) + 1
        total = len(tools) + 1
        self._rarity = {term: 0.6 + 0.4 * log(total / (n + 0.5)) for term, n in counts.items()}

    def choose(self, clause: Clause) -> Choice | None:
        """The tool a clause asks for, or None if none fits well enough."""
        wanted = _wanted(clause)
        found: list[Choice] = []
        for name, tool in self.tools.items():
            score = self._score(name, wanted, clause)
            if score >= _ENOUGH:
                filling = fill(name, tool, clause)
                found.append(Choice(name, filling, score * 0.5 ** len(filling.missing)))
        best = max(found, key=lambda choice: choice.score, default=None)
        return best if best is not None and best.score >= _ENOUGH / 2 else None

    def starts_something(self, text: str) -> bool:
        """Whether a text begins with something to do."""
        if is_chinese(text[:6]):
            head = text[:5]
            return head.startswith(("把", "将", "告诉", "我是谁")) or bool(
                ideas(head[:2]) & actions() or ideas(head[:4]) & (actions() - {"set", "select"})
            )
        words = re.findall(r"[a-z']+", text.lower())[:2]
        if not words:
            return False
        return words[0] in _QUESTION or bool(
            ideas(words[0]) & actions()
            or self._is_name(words[0])
            or ideas(" ".join(words)) & actions()
        )

    def _is_name(self, word: str) -> bool:
        """Whether a tool's name begins with this word."""
        return any(
            stem(split_name(name).split(" ")[0]) == stem(word) for name in self.tools if name
        )

    def _score(self, name: str, wanted: dict[str, float], clause: Clause) -> float:
        weights = self._weights[name]
        score = 0.0
        things = False
        for term, factor in wanted.items():
            weight = weights.get(term, 0.0)
            score += weight * factor * self._rarity.get(term, 0.0)
            general = is_general(term[1:])
            things = things or (weight > 0 and not general and (weight >= 1.0 or term[0] == "="))
        tool = self.tools[name]
        if clause.urls() and takes_url(tool):
            score += 3.0
            things = True
        wanted_actions = {term[1:] for term in wanted} & actions()
        if takes_pairs(tool) and pairs(clause.text):
            score += 2.5
            things = things or bool(wanted_actions & _CHANGING)
        own_actions = _families(ideas(split_name(name)) & actions())
        if wanted_actions and own_actions and not _families(wanted_actions) & own_actions:
            score *= 0.4
        if name in _WELL_KNOWN:
            score *= 1.1
        return score if things else 0.0


def _wanted(clause: Clause) -> dict[str, float]:
    """The terms of a clause, with what goes without saying."""
    text = clause.about()
    wanted = dict(terms(text))
    if re.search(_MEMORY, text, re.IGNORECASE) and re.search(_ASKED, text, re.IGNORECASE):
        wanted.pop("=save", None)
        wanted |= {"=read": 1.2, "=storage": 1.0}
    compared = re.search(_COMPARED, text, re.IGNORECASE) or wanted.keys() & _STATUS_TERMS
    if compared and not wanted.keys() & {"=fill", "=set", "=select"}:
        wanted |= {"=find": 1.2, "=table": 0.5}
    if "=go" in wanted and not clause.urls() and not re.search(r"(?:^|\s)[/#]\w", text):
        wanted["=scroll"] = 0.8
    return wanted


def _families(names: set[str] | frozenset[str]) -> set[str]:
    """The ideas with their near kin: looking, changing and moving have many words."""
    found = set(names)
    for family in (_CHANGING, _LOOKING, _MOVING):
        if found & family:
            found |= family
    return found


def _weights(name: str, tool: dict[str, Any]) -> dict[str, float]:
    """Every term of a tool with its weight, by where it stands."""
    description = str(tool.get("description") or "")
    first = re.split(r"(?<=[.;。；])", description)[0]
    weights: dict[str, float] = {}

    def add(text: str, weight: float) -> None:
        for term in terms(text):
            weights[term] = max(weight, weights.get(term, 0.0))

    schema = tool.get("inputSchema") or {}
    properties = schema.get("properties") if isinstance(schema, dict) else None
    for key, property_ in (properties if isinstance(properties, dict) else {}).items():
        add(split_name(key), 0.8)
        if isinstance(property_, dict):
            add(str(property_.get("description") or ""), 0.5)
            choices = property_.get("enum")
            add(" ".join(map(str, choices)) if isinstance(choices, list) else "", 0.8)
    add(description, 1.0)
    add(first, 1.3)
    add(split_name(name), 3.0)
    return weights
