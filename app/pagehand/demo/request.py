"""What a person asked for, cut into clauses, with the values that stand in them.

Addresses, mail addresses and quoted texts are first replaced by single characters from
Unicode's private area, so that cutting at dots, commas and "and" never cuts a value.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from pagehand.demo.words import is_chinese

# The patterns below look back and forth: they are made for sentences, not for books. What
# stands in quotes may be long, it counts as one character.
_LONGEST = 4_000
_LONGEST_MASKED = 600
_LONGEST_CLAUSE = 240
_MOST_CLAUSES = 8

_FIRST = 0xE000
_VALUES = (
    ("url", r"https?://[^\s\"'<>“”‘’「」，。；！？、（）)\u4e00-\u9fff]+"),
    ("email", r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}"),
    ("quote", r"“([^”]+)”|「([^」]+)」|『([^』]+)』|《([^》]+)》|\"([^\"]+)\"|`([^`]+)`"),
    ("quote", r"(?<![\w])'([^']+)'(?![\w])|‘([^’]+)’"),
    (
        "domain",
        r"\b(?:[a-z0-9-]{1,63}\.){1,5}(?:com|org|net|io|dev|cn|edu|gov|example|app|ai)\b(?:/[^\s，。]*)?",
    ),
)
_POLITE = (
    r"^(?:(?:please|pls|hey|hi|ok(?:ay)?|now|then|and|also|can you|could you|would you|will you|"
    r"help me(?: to)?|i(?:'d| would) like (?:you )?to|i (?:want|need) (?:you )?to|let's)\b"
    r"|(?:请问|请|麻烦|帮我|帮忙|给我|替我|能不能|可以|可不可以|我想要?|我要|你能|"
    r"然后|接着|再|并且|并|同时|顺便|另外))[\s,，]*"
)
_ENDS = r"(?<=[。！？；!?;\n])|(?<=\.)\s+(?=\S)"
_JOINTS = (
    r"\s*[,，]?\s*(?:\band then\b|\bthen\b|\bafter that\b|\band also\b|\band\b|\balso\b|\bplus\b|"
    r"然后|接着|并且|同时|随后|之后再|顺便|另外|再(?![次见])|并(?![不非]))\s*[,，]?\s*|\s*[,，]\s*"
)


class Clause:
    """One thing that was asked for.

    `text` has its values masked; `plain(text)` puts them back.
    """

    def __init__(self, text: str, values: list[tuple[str, str]]) -> None:
        self.text = text
        self._values = values

    def plain(self, text: str | None = None) -> str:
        """The text with its values in place."""
        text = self.text if text is None else text
        return "".join(
            self._values[ord(c) - _FIRST][1] if self._is_value(c) else c for c in text
        ).strip()

    def values(self, *kinds: str) -> list[str]:
        """The values of some kinds, in order."""
        return [value for kind, value in self._inside() if kind in kinds]

    def urls(self) -> list[str]:
        """The web addresses; a bare domain gets its scheme."""
        found = []
        for kind, value in self._inside():
            if kind == "url":
                found.append(value.rstrip(".,;:!?"))
            elif kind == "domain":
                found.append(f"https://{value.rstrip('.,;:!?')}")
            elif kind == "quote" and re.fullmatch(r"[a-z][a-z0-9+.-]*:\S+", value, re.IGNORECASE):
                found.append(value)
        return found

    def about(self) -> str:
        """The text for comparing with tools: addresses become their word."""
        words = {"url": " url ", "domain": " url ", "email": " ", "quote": None}
        out = []
        for c in self.text:
            if self._is_value(c):
                kind, value = self._values[ord(c) - _FIRST]
                word = words[kind]
                out.append(f" {value} " if word is None else word)
            else:
                out.append(c)
        return "".join(out)

    def _inside(self) -> list[tuple[str, str]]:
        return [self._values[ord(c) - _FIRST] for c in self.text if self._is_value(c)]

    def _is_value(self, character: str) -> bool:
        return 0 <= ord(character) - _FIRST < len(self._values)


def clauses(text: str, starts_something: Callable[[str], bool]) -> list[Clause]:
    """Cut a request into clauses.

    Args:
        text: What the person wrote.
        starts_something: Whether a piece of text begins with something to do; only there a
            comma or an "and" divides.
    """
    text = re.sub(r"[^\S\n]+", " ", text[:_LONGEST])
    masked, values = _mask(re.sub(r" ?\n\s*", "\n", text).strip())
    found: list[str] = []
    for sentence in re.split(_ENDS, masked[:_LONGEST_MASKED]):
        found.extend(_cut(sentence, starts_something))
    cleaned = [_without_courtesies(piece[:_LONGEST_CLAUSE]) for piece in found[:_MOST_CLAUSES]]
    return [Clause(piece, values) for piece in cleaned if piece]


def _cut(sentence: str, starts_something: Callable[[str], bool]) -> list[str]:
    pieces = [""]
    position = 0
    for joint in re.finditer(_JOINTS, sentence, re.IGNORECASE):
        before, after = sentence[position : joint.start()], sentence[joint.end() :][:80]
        if starts_something(_without_courtesies(after)) and (pieces[-1] + before).strip():
            pieces[-1] += before
            pieces.append("")
        else:
            pieces[-1] += before + joint.group()
        position = joint.end()
    pieces[-1] += sentence[position:]
    return pieces


def _mask(text: str) -> tuple[str, list[tuple[str, str]]]:
    values: list[tuple[str, str]] = []
    for kind, pattern in _VALUES:

        def keep(match: re.Match[str], kind: str = kind) -> str:
            inner = next((group for group in match.groups() if group), match.group())
            tail = ""
            if kind == "url":
                stripped = inner.rstrip(".,;:!?")
                inner, tail = stripped, inner[len(stripped) :]
            inner = "".join(
                values[ord(c) - _FIRST][1] if 0 <= ord(c) - _FIRST < len(values) else c
                for c in inner
            )
            values.append((kind, inner))
            return chr(_FIRST + len(values) - 1) + tail

        text = re.sub(pattern, keep, text, flags=re.IGNORECASE)
    return text, values


def _without_courtesies(text: str) -> str:
    """The clause without what is only polite, at both ends."""
    before = None
    while before != text:
        before = text
        text = re.sub(_POLITE, "", text.strip(), flags=re.IGNORECASE)
    text = re.sub(
        r"[\s,，]*(?:please|for me|谢谢|吧|好吗|可以吗|一下吧)?[\s.。!！?？;；,，]*$", "", text
    )
    return text.strip()


@lru_cache(32)
def pairs(text: str) -> list[tuple[str, str]]:
    """Names with values: `name: X`, `set X to Y`, `把X填成Y`, `with X Y`. Values stay masked."""
    found = _explicit_pairs(text)
    named = {name.lower() for name, _ in found}
    listed = [pair for pair in _listed_pairs(text) if pair[0].lower() not in named]
    return found + listed


_CHINESE_PAIR = (
    r"[在从](?P<place>[^，,。]+?)(?:里面?|中|内|上)?"
    r"(?:选择|选中|输入|填写?)(?P<put>[^，,、；;。]+)|"
    r"(?P<name>[\w\u4e00-\u9fff ]+?)\s*"
    r"(?:填写?[成为]|填上|写[成为]|设置?[成为]|改[成为]|更新为|选[成择]为?|"
    r"输入|等于|叫做?|是|为|[:：=])"
    r"\s*(?P<value>[^，,、；;。]+?)\s*(?=的(?!$)|并|且|而且|和[^，,]*[是为]|[，,、；;。]|$)"
)
_MY = r"(?:the\s+|my\s+)?"
_STOPS = r"(?=\s+and\b|[,;]|$)"
_ENGLISH_PAIR = "|".join(
    (
        rf"\b(?:set|change|update|put|turn|make|switch)\s+{_MY}(?P<a>[\w -]+?)"
        rf"\s+(?:to|as|into|=)\s+(?P<av>[^,;]+?){_STOPS}",
        rf"\b(?:enter|type|put|write|input|choose|select|pick)\s+(?P<bv>[^,;]+?)"
        rf"\s+(?:in|into|for|as|from)\s+{_MY}(?P<b>[\w -]+?)(?:\s+(?:field|box|list))?{_STOPS}",
        rf"\b(?:fill|and)\s+(?:in\s+)?{_MY}(?P<c>[\w -]+?)\s+(?:with|as)\s+(?P<cv>[^,;]+?){_STOPS}",
        r"(?P<d>[A-Za-z][\w -]*?)\s*(?:[:=]|\bis\b|\bequals\b|\bas\b)\s*(?P<dv>[^,;:=]+?)"
        r"(?=\s+and\s|[,;]|$)",
    )
)
_NO_NAMES = ("", "what", "which", "who", "it", "that", "this", "there", "here", "how", "where")


def _explicit_pairs(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    pattern = _CHINESE_PAIR if is_chinese(text) else _ENGLISH_PAIR
    for match in re.finditer(pattern, _after_head(text), re.IGNORECASE):
        groups = match.groupdict()
        for name, value in (
            ("name", "value"),
            ("place", "put"),
            ("a", "av"),
            ("b", "bv"),
            ("c", "cv"),
            ("d", "dv"),
        ):
            if groups.get(name) and groups.get(value):
                found.append((_clean_name(groups[name]), groups[value].strip(" .。")))
    return [(name, value) for name, value in found if value and name.lower() not in _NO_NAMES]


def _listed_pairs(text: str) -> list[tuple[str, str]]:
    """`name Zhang San, email a@b.c`: in a list after a colon, each first word names a field."""
    head = re.search(r"[:：]|\bwith\b", text)
    if head is None:
        return []
    found = []
    for item in re.split(r"[,，;；、]|\band\b", text[head.end() :]):
        match = re.match(
            rf"\s*({_TWO_WORDS}|[\w\u4e00-\u9fff-]+)\s+(\S.*)$", item.strip(), re.IGNORECASE
        )
        if match and not re.match(r"(?:is|as|to|=|:)\b", match[2]):
            found.append((match[1], match[2].strip(" .。")))
    return found


_TWO_WORDS = (
    r"(?:user|first|last|full|family|given|company|street|post|zip|phone|delivery|start|end|birth)\s+"
    r"(?:name|code|number|date|address|time|day)"
)


def _after_head(text: str) -> str:
    """Without `fill in the form:` before the fields."""
    head = re.match(
        r"^[^:：,，=]*(?:form|fields?|details|表单|信息|字段|资料)[^:：,，=]*[:：]\s*",
        text,
        re.IGNORECASE,
    )
    return text[head.end() :] if head else text


def _clean_name(name: str) -> str:
    """The field's name without what stands before it."""
    if is_chinese(name):
        parts = re.split(
            r"[把将的里中上内]|表单|订单(?=\S)|记录(?=\S)|表格|查询|查找|筛选|搜索|设置|修改|填写|在",
            name,
        )
        return parts[-1].strip()
    name = re.sub(
        r"^.*\b(?:with|where|whose|that have|having|and|the|my|whose|which|please|fill|in|form)\s+",
        "",
        name.strip(),
        flags=re.IGNORECASE,
    )
    return name.strip(" -")
