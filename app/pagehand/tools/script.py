"""Runs JavaScript that the model wrote: only where the integrator opted in, and after a yes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import js
from pyodide.ffi import JsException

from pagehand.errors import MalformedEventError
from pagehand.tools.outcome import Outcome, TroubleError
from pagehand.tools.page import is_nothing, js_message
from pagehand.tools.secrets import mask_json
from pagehand.wire.jsontext import loads

if TYPE_CHECKING:
    from pagehand.toolkit.context import ToolContext
    from pagehand.tools.page import Page

_MOST_CHARACTERS = 20_000
_MOST_SHOWN = 1500


async def run_javascript(page: Page, ctx: ToolContext, code: str) -> Outcome:
    """The value of the code as JSON."""
    work = _compiled(code)
    try:
        value = await work()
        text = js.JSON.stringify(value)
    except JsException as error:
        raise TroubleError(
            "script_failed",
            f"The code failed: {js_message(error)}",
            f"代码出错：{js_message(error)}",
        ) from error
    if is_nothing(text):
        return Outcome("The code ran.", "代码已运行。", data={"value": None, "untrusted": True})
    return Outcome("The code ran.", "代码已运行。", data={**_shown(str(text)), "untrusted": True})


def _compiled(code: str) -> Any:
    """The code as an async function.

    Raises:
        TroubleError: `blocked_by_policy` where the page forbids making code of text, by its
            Content-Security-Policy or by Trusted Types; `bad_script` where it is no code.
    """
    maker = js.Reflect.getPrototypeOf(_async_function()).constructor
    try:
        return maker.new(code)
    except JsException as error:
        if str(error.name) == "SyntaxError":
            raise TroubleError(
                "bad_script",
                f"This is no JavaScript: {js_message(error)}",
                f"不是有效的 JavaScript：{js_message(error)}",
            ) from error
        raise _blocked(js_message(error)) from error


def _async_function() -> Any:
    """Some async function of the page: its constructor makes others."""
    import pagehand_shell

    return pagehand_shell.load


def _blocked(why: str) -> TroubleError:
    return TroubleError(
        "blocked_by_policy",
        f"The page's own policy forbids running code made of text, so this can never work here: "
        f"{why}",
        "此页面的安全策略禁止运行由文本生成的代码，因此无法执行。",
    )


def _shown(text: str) -> dict[str, Any]:
    if len(text) > _MOST_CHARACTERS:
        return {"text": text[:_MOST_CHARACTERS], "truncated": True, "characters": len(text)}
    try:
        return {"value": mask_json(loads(text))}
    except MalformedEventError:
        return {"text": text}


def ask_run(page: Page, code: str) -> str:
    """The code itself, whole where it is short."""
    shown = code if len(code) <= _MOST_SHOWN else f"{code[:_MOST_SHOWN]}…"
    more = len(code) - len(shown)
    head = page.say("Run this code in the page?", "在页面中运行这段代码？")
    rest = (
        page.say(f"\n(and {more} more characters)", f"\n（另有 {more} 个字符）") if more > 0 else ""
    )
    return f"{head}\n{shown}{rest}"
