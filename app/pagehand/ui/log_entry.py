"""One call in the log: a line, and on demand each step, what was given, and what came of it."""

from __future__ import annotations

import re
from typing import Any

import js

from pagehand.html import (
    code,
    dd,
    details,
    div,
    dl,
    dt,
    h4,
    li,
    ol,
    p,
    pre,
    replace_children,
    scope,
    span,
    summary,
    time_,
)
from pagehand.ui.format import duration, one_line, raw, visible
from pagehand.ui.i18n import text as say
from pagehand.ui.icons import icon
from pagehand.ui.tool_names import name_of
from pagehand.ui.values import draw_value
from pagehand.ui.words import WORDS

_ICONS = {"output-available": "check", "output-error": "cross", "cancelled": "minus"}


class LogEntry:
    """Shows one record and follows it while the call runs."""

    def __init__(self, record: dict[str, Any], title: str | None, lang: str) -> None:
        self._lang = lang
        self._record: dict[str, Any] = {}
        self._icon = span(class_="ph-log-icon")
        self._state = span(class_="ph-log-state")
        self._preview = span(class_="ph-log-preview", dir="auto")
        self._took = span(class_="ph-log-took")
        self._body = div(class_="ph-log-details")
        began = js.Date.new(record["started_at"] * 1000)
        with scope() as self._scope:
            self._fold = details(
                summary(
                    self._icon,
                    span(name_of(record["tool_name"], title), class_="ph-log-name"),
                    self._preview,
                    self._state,
                    self._took,
                    time_(
                        str(began.toLocaleTimeString(lang)),
                        datetime=str(began.toISOString()),
                        title=str(began.toLocaleString(lang)),
                    ),
                ),
                self._body,
                on_toggle=lambda event: self._draw_body(),
            )
        self.element = div(
            self._fold,
            class_="ph-log-entry",
            role="listitem",
            data_log_call=record["tool_call_id"],
            data_log_tool=record["tool_name"],
        )
        self.update(record)

    def update(self, record: dict[str, Any]) -> None:
        """Draws what the record has by now."""
        if record == self._record:
            return
        self._record = record
        state = record["state"]
        self.element.dataset.logState = state
        declined = record.get("confirmation") == "denied"
        name = "minus" if declined else _ICONS.get(state)
        replace_children(self._icon, icon(name) if name else span(class_="ph-spinner"))
        self._state.textContent = say("tool.output-denied" if declined else f"log.state.{state}")
        given = record.get("input")
        self._preview.textContent = one_line(_short(given), 90) if given else ""
        took = record.get("duration_ms")
        self._took.textContent = "" if took is None else duration(took / 1000)
        self._draw_body()

    def close(self) -> None:
        """Takes the entry away."""
        self.element.remove()
        self._scope.close()

    def _draw_body(self) -> None:
        # Most are never opened, and a value of many rows costs more than all the lines.
        if self._fold.open:
            record = self._record
            replace_children(
                self._body,
                dl([_fact(key, value) for key, value in _facts(record)], class_="ph-rows"),
                h4(say("log.steps")),
                ol([_step(step) for step in record["steps"]], class_="ph-log-steps"),
                h4(say("tool.arguments")),
                _value(record.get("input"), "tool.no_arguments"),
                _outcome(record),
                details(
                    summary(say("tool.raw")),
                    pre(code(raw(record)), class_="ph-raw", tabindex=0),
                    class_="ph-raw-fold",
                ),
            )


def _facts(record: dict[str, Any]) -> list[tuple[str, str]]:
    """What is known beside the steps, as label keys and texts."""
    found: list[tuple[str, str]] = []
    by = record.get("confirmed_by")
    answer = record.get("confirmation")
    if by == "person":
        found.append(
            (
                "log.agreed",
                say("log.by.remembered" if record.get("remembered") else "log.by.person"),
            )
        )
    elif answer is not None:
        found.append(("log.agreed", _words("log.answer", answer)))
    elif by is not None:
        found.append(("log.agreed", say("log.by.policy")))
    risk = record.get("risk")
    if risk is not None:
        found.append(("log.risk", _words("confirmation", risk)))
    if record.get("masked"):
        found.append(("log.masked", str(record["masked"])))
    for name in ("artifact", "result"):
        if record.get(f"{name}_note"):
            found.append((f"log.{name}", record[f"{name}_note"]))
    if record.get("source"):
        found.append(("log.source", record["source"]))
    found.append(("log.call", record["tool_call_id"]))
    return found


def _fact(key: str, value: str) -> Any:
    return div(dt(say(key)), dd(visible(value), dir="auto"))


def _step(step: dict[str, Any]) -> Any:
    verdict = step["verdict"]
    return li(
        span(_words("log.step", step["step"]), class_="ph-log-step"),
        span(_words("log.verdict", verdict), class_="ph-log-verdict", dir="auto"),
        span(_milliseconds(step["ms"]), class_="ph-log-took"),
        data_ok=verdict.split(";")[0] in _FINE,
    )


_FINE = ("ok", "not needed", "granted", "answered by the person", "answered")


def _outcome(record: dict[str, Any]) -> Any:
    if record["state"] == "running":
        return None
    if "error_text" in record:
        text = visible(str(record["error_text"]))
        return [h4(say("tool.error")), p(text, class_="ph-tool-error", dir="auto")]
    return [h4(say("tool.result")), _value(record.get("output"), "tool.no_result")]


def _value(value: Any, empty: str) -> Any:
    if value in (None, "", {}):
        return p(say(empty), class_="ph-value-quiet")
    return draw_value(value)


def _words(group: str, key: str) -> str:
    """The words for a key of the engine; its own text where there are none."""
    full = f"{group}.{key}"
    # "ToolError: No stock." is read by people here: the name of the class tells them nothing.
    return say(full) if full in WORDS else visible(re.sub(r"^\w+Error: ", "", key))


def _milliseconds(value: float) -> str:
    return say("time.milliseconds", value=f"{value:.1f}" if value < 10 else round(value))


def _short(value: Any) -> str:
    """Arguments on one line: `status: pending, limit: 20`."""
    if not isinstance(value, dict):
        return raw(value)
    return ", ".join(
        f"{key}: {inner if isinstance(inner, str) else raw(inner)}" for key, inner in value.items()
    )
