"""Calls a tool's `render` with the call and the arguments it names.

    draw(tool, call, tool.compiled)    # jump_url(call, url="https://example.com")

The first parameter is the call. Further ones are arguments: a human tool's are
checked and converted like any other tool's, so its card is drawn when they are
complete; beside a stated schema they come as they are, also while they stream.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagehand.errors import ArgumentsError, ToolkitError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pagehand.toolkit.definition import Definition
    from pagehand.toolkit.parameters import Parameters


def draw(tool: Definition, call: Any, compiled: Callable[[], Parameters]) -> Any:
    """Draws, or returns None when an argument it needs has not arrived.

    Args:
        tool: What was called.
        call: The live call.
        compiled: Gives the tool's parameters; asked only for a card that takes checked ones.
    """
    render = tool.render
    if render is None:
        return _draw_view(tool, call)
    code = getattr(render, "__code__", None)
    if code is not None and code.co_argcount + code.co_kwonlyargcount <= 1:
        return render(call)
    arguments = call.args if isinstance(call.args, dict) else {}
    if tool.kind == "human" and tool.parameters is None:
        if call.state == "input-streaming":
            return None
        try:
            return render(call, **compiled().check(arguments).values)
        except ArgumentsError:
            return None
    return _draw_beside(tool, call, arguments)


def _draw_beside(tool: Definition, call: Any, arguments: dict[str, Any]) -> Any:
    from pagehand.toolkit.signature import read_signature

    render = tool.render
    signature = read_signature(tool, render, skip=1) if render is not None else None
    if render is None or signature is None:
        return None
    chosen = {name: arguments[name] for name in signature.names if name in arguments}
    waiting = [a for a in signature.arguments if not a.optional and a.name not in chosen]
    return None if waiting else render(call, **chosen)


def _draw_view(tool: Definition, call: Any) -> Any:
    """A tool that the person fulfils: the view of its Tool UI, with the arguments as the state."""
    if tool.ui is None or call.state == "input-streaming":
        return None
    view = call.view(tool.ui.tag)
    if view is None:
        from pagehand.toolkit.tool_ui import missing_view

        raise ToolkitError(missing_view(tool))
    done = call.status == "complete"
    answer = None if call.is_error else call.result
    return view.draw(call.args, call.add_result, busy=done, answer=answer, call=call)
