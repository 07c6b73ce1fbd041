"""What is left of a clause once the doing is taken off: the thing it is done to."""

from __future__ import annotations

import re

from pagehand.demo.request import Clause
from pagehand.demo.words import (
    actions,
    chinese_words,
    ideas,
    is_chinese,
    split_name,
    stem,
    word_set,
)

_PARTICLES = word_set(
    "to the a an my that this it me in on for into at of from with about up out down please us all",
    "by",
)
_NOUNS = word_set(
    "section part area button link tab element page field box item view table list entry"
)
_CHINESE_TAIL = r"(?:的)?(?:部分|区域|章节|板块|按钮|链接|元素|那里|那边|这里|处|位置|页面|标签)$"


def rest_of(clause: Clause, tool: str) -> str:
    """The words after the doing: `remember that I like tea` gives `I like tea`."""
    if is_chinese(clause.text):
        return clause.plain(_chinese_rest(clause.text, tool))
    after_colon = re.search(r":\s+(\S.*)$", clause.text)
    if after_colon:
        return clause.plain(after_colon[1])
    if re.match(r"(?:what|how|where|when|who|which|is|are|do|does)\b", clause.text, re.IGNORECASE):
        found = re.search(
            r".*\b(?:in|at|for|of|about|on)\s+(?:the\s+)?(.+)$", clause.text, re.IGNORECASE
        )
        return clause.plain(found[1]) if found else ""
    words = clause.text.split()
    own = {stem(word) for word in split_name(tool).lower().split()}
    start, done = 0, False
    while start < len(words) and _is_doing(words[start], own, done=done):
        done = done or bool(ideas(words[start]) & actions())
        start += 1
    end = len(words)
    while end > start and _is_place(words[end - 1], own):
        end -= 1
    rest = words[start:end] or words[start:]
    return clause.plain(" ".join(rest)).strip(" .,:;!?\"'")


def target_of(clause: Clause, tool: str) -> str:
    """The element that is meant: the rest without `section`, `button` and the like."""
    text = rest_of(clause, tool)
    if is_chinese(text):
        return re.sub(_CHINESE_TAIL, "", text).strip()
    words = text.split()
    while len(words) > 1 and words[-1].lower() in _NOUNS:
        words.pop()
    found = " ".join(words)
    plain = found.lower()
    # A direction or an end of the page is no element.
    if plain in ("up", "down", "top", "bottom", "left", "right", "end", "beginning", "start"):
        return ""
    return found


def number_near(key: str, text: str, *, required: bool) -> str | None:
    """The number that belongs to a parameter, by the words around it."""
    name = split_name(key).lower()
    text = re.sub(r"\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?", "", text)  # a date is no number
    around = {
        "seconds": r"(\d+(?:\.\d+)?)\s*(?:s\b|sec|秒)",
        "minutes": r"(\d+)\s*(?:min|分钟)",
        "limit": r"(?:first|top|last|at most|limit(?:ed)?(?: to)?|前|最多)\s*(\d+)|"
        r"(\d+)\s*(?:条|个|行|rows?\b|orders?\b|records?\b|results?\b|entries\b)",
    }
    number = r"(-?\d[\d,]*(?:\.\d+)?)"
    word = re.escape(name)
    pattern = around.get(name) or rf"{number}\s*{word}|{word}\D{{0,12}}?{number}"
    found = re.search(pattern, text, re.IGNORECASE)
    if found:
        return next(group for group in found.groups() if group)
    if not required:
        return None
    other = re.search(number, text) or re.search("[零一二两三四五六七八九十]", text)
    return other[0] if other else None


def superlative(text: str) -> tuple[str | None, bool]:
    """What to sort by and whether descending: `the largest amount`, `sort by date`."""
    found = re.search(
        r"(?:sort(?:ed)?|order(?:ed)?)\s+by\s+(?:the\s+)?([A-Za-z]+)", text, re.IGNORECASE
    )
    if found:
        return found[1], bool(re.search(r"desc|highest|largest|newest", text, re.IGNORECASE))
    found = re.search(r"按(?:照)?([\u4e00-\u9fff]{1,6}?)(?:的)?(?:升序|降序|排序|从)", text)
    if found:
        return found[1], "降序" in text or "从大到小" in text or "从高到低" in text
    found = re.search(
        r"\b(largest|highest|biggest|smallest|lowest|newest|latest|oldest)\s+([A-Za-z]+)",
        text,
        re.IGNORECASE,
    )
    if found:
        name = found[2]
        dated = found[1].lower() in ("newest", "latest", "oldest")
        column = "Date" if dated else "Amount" if "order" in name.lower() else name
        return column.capitalize(), found[1].lower() not in ("smallest", "lowest", "oldest")
    if re.search(r"\bmost expensive\b", text, re.IGNORECASE):
        return "Amount", True
    if re.search(r"\bcheapest\b", text, re.IGNORECASE):
        return "Amount", False
    found = re.search(r"([\u4e00-\u9fff]{2,4}?)(最大|最高|最多|最小|最低|最少)", text)
    if found:
        name = re.sub(r"^.*[的中里]", "", found[1])
        return ("金额" if "单" in name else name), found[2] in ("最大", "最高", "最多")
    return None, False


_CHINESE_QUESTION = r"怎么样|如何|是什么|什么|多少|吗|呢|？|有没有|怎样"


def _chinese_rest(text: str, tool: str) -> str:
    """After the first word of doing, or between 把 and it; in a question, what is left of it."""
    own = ideas(split_name(tool))
    end, word = -1, ""
    for candidate in chinese_words(actions()):
        at = text.find(candidate)
        if at >= 0 and (end < 0 or at < end):
            end, word = at, candidate
    if end < 0:
        for candidate in chinese_words(frozenset(own)):
            text = text.replace(candidate, "")
        return re.sub(_CHINESE_QUESTION, "", text).strip(" 的在，。")
    held = re.search(r"[把将](.+)$", text[:end])
    after = re.sub(
        r"^(?:一下|给|在|到|至|这个|那个|[：:，,\s])+", "", text[end + len(word) :]
    ).strip()
    if held and (not after or ideas(after) & own):
        return held[1].strip()
    tail = re.search(r"[到进至在](?:[^到进至在]*)$", after)
    if tail and tail.start() > 0 and ideas(tail[0]) & own:
        after = after[: tail.start()]
    return after.strip(" 。，：:")


def _is_doing(word: str, own: set[str], *, done: bool) -> bool:
    """Whether a word still belongs to the doing; `done` after the verb."""
    plain = re.sub(r"[^\w-]", "", word)
    if not plain:
        return not any(ord(c) >= 0xE000 for c in word)
    if plain.lower() in _PARTICLES:
        return True
    if done and plain[0].isupper():
        return False
    return stem(plain) in own or (not done and bool(ideas(plain) & actions()))


def _is_place(word: str, own: set[str]) -> bool:
    """Whether a last word only names the tool again: `copy this to the clipboard`."""
    plain = re.sub(r"[^\w-]", "", word).lower()
    return plain in ("to", "the", "in", "into", "on", "my", "please") or (
        stem(plain) in own and plain not in _NOUNS and bool(ideas(plain))
    )
