"""What the demo model says: from results, in the person's language, without making things up."""

from __future__ import annotations

import re
from typing import Any

from pagehand.demo.words import ideas, split_name

_ROWS = 8
_LONG = 600

_WORDS: dict[str, tuple[str, str]] = {
    "opened": ("I opened {url} for you.", "已为你打开 {url}。"),
    "done": ("Done.", "已完成。"),
    "refused": (
        "All right, I left it: you declined {tool}. Nothing was changed.",
        "好的，你没有同意“{tool}”，我没有做任何更改。",
    ),
    "failed": ("{tool} did not work: {reason}", "“{tool}”没有成功：{reason}"),
    "interrupted": (
        "{tool} was interrupted before it had a result. Say it again if you still want it.",
        "“{tool}”在得到结果之前被中断了。如果仍然需要，请再说一次。",
    ),
    "nothing": ("The result is empty.", "结果为空。"),
    "value": ("The result: {value}", "结果：{value}"),
    "count": ("{count} results", "共 {count} 条结果"),
    "more": ("… and {count} more.", "……另有 {count} 条。"),
    "you-are": ("You are signed in as {name}", "你当前登录的身份是 {name}"),
    "need": ("To use {tool} I need: {what}", "要使用“{tool}”，请告诉我：{what}"),
    "hello": (
        "Hello! I am the demo model: small, without a network, and I follow simple requests.",
        "你好！我是演示模型：很小、不联网，只能理解简单的请求。",
    ),
    "lost": (
        "I am a small demo model and found no tool for that request.",
        "我是一个小演示模型，没有找到适合这个请求的工具。",
    ),
    "thanks": ("You are welcome.", "不客气。"),
    "can": ("In this page I can use:", "在这个页面里我可以使用："),
    "cannot": (
        "This page offers me no tools at the moment.",
        "这个页面目前没有提供任何工具。",
    ),
    "examples": ("Try: {text}", "可以试试：{text}"),
}


def word(key: str, chinese: bool, **values: object) -> str:
    """One of our texts."""
    return _WORDS[key][chinese].format(**values)


def from_results(calls: list[dict[str, Any]], chinese: bool) -> str:
    """A text about the outcomes of a step's calls."""
    texts = [_from_call(call, chinese) for call in calls]
    seen: list[str] = []
    for text in texts:
        if text not in seen:
            seen.append(text)
    return "\n\n".join(seen) if any("\n" in text for text in seen) else _joined(seen, chinese)


def small_talk(text: str, tools: dict[str, dict[str, Any]], chinese: bool) -> str:
    """An answer to what asks for no tool: a greeting, thanks, or what can be done here."""
    if re.search(r"^\W*(?:thanks|thank you|thx|谢谢|多谢|感谢)", text, re.IGNORECASE):
        return word("thanks", chinese)
    greeting = re.search(
        r"^\W*(?:hi|hello|hey|good (?:morning|day|evening)|help|what can you)\b|"
        r"^\W*(?:你好|您好|嗨|早上好)|"
        r"你能做什么|你会什么|能做什么|who are you|你是谁|帮助",
        text,
        re.IGNORECASE,
    )
    return f"{word('hello' if greeting else 'lost', chinese)} {capabilities(tools, chinese)}"


def capabilities(tools: dict[str, dict[str, Any]], chinese: bool) -> str:
    """The offered tools as a list."""
    if not tools:
        return word("cannot", chinese)
    lines = [word("can", chinese), ""]
    for name, tool in tools.items():
        first = re.split(r"(?<=[.;。；])\s*", str(tool.get("description") or ""))[0].strip()
        lines.append(f"- `{name}`: {first[:160]}" if first else f"- `{name}`")
    return "\n".join(lines)


def ask_for(name: str, tool: dict[str, Any], missing: list[str], chinese: bool) -> str:
    """A question for the arguments that are not there yet."""
    properties = tool["inputSchema"].get("properties", {})
    parts = []
    for key in missing:
        schema = properties.get(key)
        about = str(schema.get("description") or "") if isinstance(schema, dict) else ""
        choices = schema.get("enum") if isinstance(schema, dict) else None
        if isinstance(choices, list):
            about = " / ".join(map(str, choices))
        parts.append(f"{key} ({about})" if about else key)
    return word("need", chinese, tool=name, what="; ".join(parts))


def asks_back(text: str) -> bool:
    """Whether a text is a question that `ask_for` made."""
    return text.startswith(tuple(words.partition("{")[0] for words in _WORDS["need"]))


def _from_call(call: dict[str, Any], chinese: bool) -> str:
    name = str(call["type"]).removeprefix("tool-")
    state = call.get("state")
    if state == "output-denied":
        return word("refused", chinese, tool=name)
    if state == "output-error":
        reason = str(call.get("errorText") or "")
        if _is_refusal(reason):
            return word("refused", chinese, tool=name)
        if "interrupted" in reason.lower():
            return word("interrupted", chinese, tool=name)
        return word("failed", chinese, tool=name, reason=reason[:_LONG])
    output = call.get("output")
    if isinstance(output, dict) and _has_failed(output):
        return _failure(name, output, chinese)
    return _success(name, call, output, chinese)


def _success(name: str, call: dict[str, Any], output: Any, chinese: bool) -> str:
    arguments = call.get("input")
    url = arguments.get("url") if isinstance(arguments, dict) else None
    if isinstance(url, str) and ideas(split_name(name)) & {"open", "url"}:
        opened = output.get("url") if isinstance(output, dict) else None
        # A page often tells the address with a slash more; say it as the person did.
        other = isinstance(opened, str) and opened.rstrip("/") != url.rstrip("/")
        return word("opened", chinese, url=opened if other else url)
    if output is None or output is True or output == {}:
        return word("done", chinese)
    if isinstance(output, dict):
        return _object(output, chinese)
    if isinstance(output, list):
        return _list(output, chinese)
    return str(output)[:_LONG] if output != "" else word("nothing", chinese)


def _object(output: dict[str, Any], chinese: bool) -> str:
    """A result object: its summary, and what there is to tell."""
    person = _person(output)
    if person is not None:
        return _introduce(person, chinese)
    summary = _first_text(output, ("summary", "message", "text", "answer", "result"))
    data = output.get("data", output)
    rows = _rows(data)
    if rows is not None:
        head = summary or word("count", chinese, count=len(rows))
        return "\n".join([head, *_lines(rows, chinese)]) if rows else head
    if isinstance(data, str | int | float) and not isinstance(data, bool):
        return f"{summary} {data}".strip() if str(data) not in summary else summary
    facts = _facts(data if isinstance(data, dict) else output)
    if summary and (data is output or not facts):
        return summary
    if facts:
        return "\n".join(filter(None, [summary, "", *facts])) if summary else "\n".join(facts)
    return word("done", chinese)


def _facts(data: dict[str, Any]) -> list[str]:
    """The telling entries of an object, one a line."""
    skipped = {"success", "ok", "code", "summary", "message", "untrusted", "complete", "status"}
    lines = []
    for key, value in data.items():
        if key in skipped or isinstance(value, bool) or value in (None, "", [], {}):
            continue
        if isinstance(value, dict | list):
            text = _row(value) if isinstance(value, dict) else ", ".join(map(_cell, value[:_ROWS]))
        else:
            text = str(value)
        lines.append(f"- {key}: {_shortened(text)}")
    return lines[:_ROWS]


def _rows(data: Any) -> list[Any] | None:
    """The list of rows in a result, if there is one."""
    if isinstance(data, list):
        return data
    if isinstance(data, dict):
        for key in (
            "rows",
            "items",
            "results",
            "records",
            "entries",
            "data",
            "keys",
            "links",
            "tables",
            "list",
        ):
            if isinstance(data.get(key), list):
                return list(data[key])
        if any(data.get(key) == 0 for key in ("matched", "returned", "total", "count")):
            return []  # a tool may leave out a list that is empty
    return None


def _list(rows: list[Any], chinese: bool) -> str:
    if not rows:
        return word("nothing", chinese)
    return "\n".join([word("count", chinese, count=len(rows)), *_lines(rows, chinese)])


def _lines(rows: list[Any], chinese: bool) -> list[str]:
    lines = ["", *(f"- {_shortened(_row(row))}" for row in rows[:_ROWS])]
    if len(rows) > _ROWS:
        lines.append(f"- {word('more', chinese, count=len(rows) - _ROWS)}")
    return lines


def _row(row: Any) -> str:
    if isinstance(row, dict):
        return " · ".join(_cell(value) for value in row.values() if value not in (None, "", [], {}))
    return _cell(row)


def _cell(value: Any) -> str:
    if isinstance(value, dict):
        named = value.get("name", value.get("label", value.get("key")))
        return str(named) if named is not None else ", ".join(map(str, value.values()))[:80]
    if isinstance(value, list):
        return ", ".join(_cell(item) for item in value[:10])
    return str(value)


def _person(output: dict[str, Any]) -> dict[str, Any] | None:
    """The user in a result that tells who is signed in."""
    for candidate in (output.get("user"), output.get("data"), output):
        if not isinstance(candidate, dict):
            continue
        inner = candidate.get("user")
        person = inner if isinstance(inner, dict) else candidate
        keys = {key.lower() for key in person}
        if keys & {"name", "username"} and keys & {"email", "mail", "department"}:
            return person
    return None


def _introduce(person: dict[str, Any], chinese: bool) -> str:
    known = {key.lower(): str(value) for key, value in person.items() if isinstance(value, str)}
    name = known.pop("name", "") or known.pop("username", "")
    wanted = ("email", "mail", "department", "role", "title")
    rest = [known[key] for key in wanted if known.get(key)]
    text = word("you-are", chinese, name=name)
    if rest:
        text += f"（{'，'.join(rest)}）" if chinese else f" ({', '.join(rest)})"
    return text + ("。" if chinese else ".")


def _has_failed(output: dict[str, Any]) -> bool:
    return (
        output.get("success") is False
        or output.get("ok") is False
        or any(output.get(key) is True for key in ("cancelled", "canceled", "declined", "denied"))
        or output.get("confirmed") is False
        or (bool(output.get("error")) and "success" not in output)
    )


def _failure(name: str, output: dict[str, Any], chinese: bool) -> str:
    reason = _first_text(output, ("error", "summary", "message", "reason"))
    flagged = any(
        output.get(key) is True for key in ("cancelled", "canceled", "declined", "denied")
    )
    if flagged or output.get("confirmed") is False or output.get("code") in _REFUSED_CODES:
        return word("refused", chinese, tool=name)
    if _is_refusal(reason):
        return word("refused", chinese, tool=name)
    text = word("failed", chinese, tool=name, reason=reason[:_LONG] or "?")
    data = output.get("data")
    rows = _rows(data)
    return "\n".join([text, *_lines(rows, chinese)]) if rows else text


_REFUSED_CODES = ("denied", "declined", "cancelled", "canceled", "user_cancelled")


def _is_refusal(reason: str) -> bool:
    return bool(
        re.search(
            r"\b(?:declined|denied by|said no|cancell?ed|rejected by the user|did not confirm)\b|"
            r"取消了?|拒绝|未确认|没有同意",
            reason,
            re.IGNORECASE,
        )
    )


def _first_text(output: dict[str, Any], keys: tuple[str, ...]) -> str:
    for key in keys:
        value = output.get(key)
        if isinstance(value, str) and value:
            return _shortened(value)
        if key == "error" and isinstance(value, dict) and isinstance(value.get("message"), str):
            return _shortened(value["message"])
    return ""


def _shortened(text: str) -> str:
    return text if len(text) <= _LONG else text[: _LONG - 1] + "…"


def _joined(texts: list[str], chinese: bool) -> str:
    return ("" if chinese else " ").join(texts)
