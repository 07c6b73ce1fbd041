"""Fills and submits forms; every field is read back, and the last fill can be undone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import js
from pyodide.ffi import to_js

from pagehand.tools.controls import Control
from pagehand.tools.outcome import Outcome, TroubleError
from pagehand.tools.page import prop, settle
from pagehand.tools.target import brief, candidates, find_form, resolve
from pagehand.tools.weight import check_window
from pagehand.tools.writing import active_element, bring_into_view, give_focus_back, write

if TYPE_CHECKING:
    from pagehand.toolkit.context import ToolContext
    from pagehand.tools.page import Page


class Step:
    """One field to fill: what was asked, the control found, the value before and after.

    `was`: it held the value already.
    """

    __slots__ = ("asked", "control", "old", "trouble", "value", "was")

    def __init__(self, asked: str, value: Any) -> None:
        self.asked = asked
        self.value = value
        self.control: Control | None = None
        self.old: Any = None
        self.was = False
        self.trouble: TroubleError | None = None

    @property
    def writes(self) -> bool:
        """Whether there is something to write."""
        return self.trouble is None and not self.was


def _plan(page: Page, asked: str, value: Any, scope: Any) -> Step:
    """Finds the control and checks the value, without writing."""
    step = Step(asked, value)
    try:
        step.control = find_control(page, asked, scope, value)
        step.control.refuse()
        step.value = step.control.convert(value)
        step.old = step.control.state()
        step.was = step.control.holds(step.value)
    except TroubleError as trouble:
        step.trouble = trouble
    return step


def find_control(page: Page, asked: str, scope: Any = None, value: Any = None) -> Control:
    """The control, or the group, that answers to a name.

    Where several do (a field "E-mail" and a box "E-mail"), the one that takes the value is meant,
    if it is the only one.

    Raises:
        TroubleError: `not_found` or `ambiguous`, with what there is.
    """
    found = candidates(page, asked, "control", scope)
    if len(found) > 1:
        if page.eyes.oneGroup(to_js(found)):
            return Control.of(page, found, asked)
        fitting = [control for one in found if (control := _fitting(page, one, asked, value))]
        if len(fitting) == 1:
            return fitting[0]
    return Control.of(page, [resolve(page, asked, "control", scope)], asked)


def _fitting(page: Page, element: Any, asked: str, value: Any) -> Control | None:
    """The control, if a tool may fill it and it takes the value."""
    try:
        control = Control.of(page, [element], asked)
        control.refuse()
        control.convert(value)
    except TroubleError:
        return None
    return control


async def fill_form_field(
    page: Page,
    ctx: ToolContext,
    fields: list[dict[str, Any]],
    formId: str = "",  # noqa: N803 - the model's name
) -> Outcome:
    """Fills fields and reads every one back."""
    form = find_form(page, formId)
    steps = _plans(page, fields, form)
    ready = [step for step in steps if step.writes]
    if ready:
        focus = active_element()
        page.undo = []
        for step in ready:
            await _carry_out(page, step, form)
        give_focus_back(focus)
        await settle()
    return _report(page, steps)


def _plans(page: Page, fields: list[dict[str, Any]], form: Any) -> list[Step]:
    return [_plan(page, field["name"], field["value"], form) for field in fields]


def ask_fill(page: Page, fields: list[dict[str, Any]], formId: str = "") -> str:  # noqa: N803
    """What is about to be written where."""
    steps = [step for step in _plans(page, fields, find_form(page, formId)) if step.writes]
    if not steps:
        return ""
    lines = [f"{step.control.label}: {_shown(step.value)}" for step in steps if step.control]
    count = len(lines)
    which = "field" if count == 1 else f"{count} fields"
    head = page.say(f"Fill in the {which}?", f"填写 {count} 个字段？")
    return "\n".join([head, " · ".join(lines)])


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "✓" if value else "✗"
    text = "、".join(value) if isinstance(value, list) else str(value)
    text = " ".join(text.split())
    return f"“{text[:120]}…”" if len(text) > 120 else f"“{text}”"


async def _carry_out(page: Page, step: Step, form: Any) -> None:
    """Writes one field, found again where the page drew it anew since the question."""
    try:
        if step.control is None or not step.control.element.isConnected:
            step.control = find_control(page, step.asked, form, step.value)
            step.control.refuse()
        page.undo.append((step.control, step.old))
        await write(step.control, step.value)
    except TroubleError as trouble:
        step.trouble = trouble


def _report(page: Page, steps: list[Step]) -> Outcome:
    """Reads every field back and says what became of it."""
    filled, unchanged, failed = [], [], []
    for step in steps:
        entry: dict[str, Any] = {"name": step.asked}
        if step.trouble is not None or step.control is None:
            failed.append(entry | _why(page, step))
            continue
        if step.control.label != step.asked:
            entry["label"] = step.control.label
        now = step.control.state()
        entry["value"] = now
        if not step.control.holds(step.value):
            reason = page.say("the field did not keep the value", "字段没有保留写入的值")
            failed.append(entry | {"code": "not_accepted", "reason": reason, "wanted": step.value})
        elif step.was:
            unchanged.append(entry)
        else:
            filled.append(entry | {"before": step.old})
    data = {"filled": filled, "unchanged": unchanged, "failed": failed}
    names = [entry.get("label") or entry["name"] for entry in filled]
    good = not failed
    code = "ok" if good else "partly_filled" if filled else "not_filled"
    done_en = f"Filled: {', '.join(names)}." if names else "Nothing was filled."
    done_zh = f"已填充表单字段：{'、'.join(names)}。" if names else "没有填充任何字段。"
    if unchanged and not names and good:
        done_en, done_zh = "The fields already had these values.", "字段原本就是这些值。"
    if failed:
        missed = [f"{entry['name']} ({entry['reason']})" for entry in failed]
        done_en += f" Not filled: {'; '.join(missed)}."
        done_zh += f" 未填充：{'；'.join(missed)}。"
    return Outcome(done_en, done_zh, data=data, code=code, success=good)


def _why(page: Page, step: Step) -> dict[str, Any]:
    trouble = step.trouble
    if trouble is None:
        return {"code": "not_found", "reason": "gone"}
    reason = page.say(trouble.en, trouble.zh).rstrip(".。")
    more = trouble.data if isinstance(trouble.data, dict) else {}
    return {"code": trouble.code, "reason": reason, **more}


async def undo_fill(page: Page, ctx: ToolContext) -> Outcome:
    """Puts the replaced values back, last first."""
    if not page.undo:
        raise TroubleError("nothing_to_undo", "There is no fill to undo.", "没有可以撤销的填写。")
    back, left = [], []
    for control, old in reversed(page.undo):
        if not control.element.isConnected:
            left.append({"name": control.label})
        elif await _put_back(control, old):
            back.append({"name": control.label, "value": control.state()})
        else:
            left.append({"name": control.label, "value": control.state()})
    page.undo = []
    await settle()
    data = {"restored": back, "not_restored": left} if left else {"restored": back}
    names = ", ".join(one["name"] for one in left)
    more_en = f" These could not be put back: {names}." if left else ""
    more_zh = f"以下字段未能还原：{names}。" if left else ""
    return Outcome(
        f"Put back {len(back)} field(s).{more_en}",
        f"已还原 {len(back)} 个字段。{more_zh}",
        data=data,
        code="partly_restored" if left else "ok",
        success=not left,
    )


async def _put_back(control: Control, old: Any) -> bool:
    """Whether it holds the old value again."""
    try:
        if not control.holds(old):
            await write(control, old)
            await settle()
    except TroubleError:
        return False  # a list may not offer what it started with
    return control.holds(old)


async def select_option(page: Page, ctx: ToolContext, target: str, options: list[str]) -> Outcome:
    """Chooses options; a fill of one field."""
    return await fill_form_field(page, ctx, [{"name": target, "value": options}])


def ask_select(page: Page, target: str, options: list[str]) -> str:
    """What is about to be chosen."""
    return ask_fill(page, [{"name": target, "value": options}])


async def set_checked(page: Page, ctx: ToolContext, target: str, checked: bool) -> Outcome:
    """Switches one box, button or switch."""
    return await fill_form_field(page, ctx, [_switch(page, target, checked)])


def ask_checked(page: Page, target: str, checked: bool) -> str:
    """What is about to be switched."""
    return ask_fill(page, [_switch(page, target, checked)])


def _switch(page: Page, target: str, checked: bool) -> dict[str, Any]:
    """The fill that switches one box."""
    element = resolve(page, target, "control")
    kind = Control.of(page, [element], target).kind
    facts = page.describe(element)
    if kind == "radio" and not checked:
        raise TroubleError(
            "bad_value",
            "A radio button cannot be switched off; choose another of its group.",
            "单选按钮不能取消，请选择同组的其他选项。",
        )
    if kind not in ("check", "toggle", "radio"):
        raise TroubleError("not_a_field", f'"{target}" is no checkbox.', f"“{target}”不是复选框。")
    if kind == "radio":
        return {"name": facts["ref"], "value": facts.get("name") or str(prop(element, "value"))}
    return {"name": facts["ref"], "value": checked}


_SENDING = 'button:not([type]), button[type="submit"], input[type="submit"], input[type="image"]'


async def submit_form(page: Page, ctx: ToolContext, form: str = "") -> Outcome:
    """Submits as the form's own button would."""
    element = _complete_form(page, form)
    name, address = _named(page, element), str(js.location.href)
    bring_into_view(element)
    button = next(iter(page.eyes.select(element, _SENDING, 1)), None)
    check_window(page, button or element)
    if not button or button.matches(":disabled"):
        js.HTMLFormElement.prototype.requestSubmit.call(element)
    else:
        button.click()
    await settle(4)
    data = {"form": name, "url_changed": str(js.location.href) != address, "said": _said(page)}
    return Outcome(f"Submitted “{name}”.", f"已提交“{name}”。", data=data)


def ask_submit(page: Page, form: str = "") -> str:
    """Which form would go where."""
    element = _complete_form(page, form)
    name = _named(page, element)
    target = js.URL.new(js.Reflect.get(js.HTMLFormElement.prototype, "action", element))
    head = page.say(f"Submit “{name}”?", f"提交“{name}”？")
    return head if target.origin == js.location.origin else f"{head}\n→ {target.origin}"


def _complete_form(page: Page, form: str) -> Any:
    element = find_form(page, form) if form else _only_form(page)
    wrong = _invalid(page, element)
    if wrong:
        raise TroubleError(
            "invalid_form",
            f"The form is not complete: {'; '.join(one['message'] for one in wrong)}",
            f"表单尚未填写完整：{'；'.join(one['message'] for one in wrong)}",
            {"invalid": wrong},
        )
    return element


def _named(page: Page, form: Any) -> str:
    return str(
        page.eyes.name(form) or form.getAttribute("id") or form.getAttribute("name") or "form"
    )


def _only_form(page: Page) -> Any:
    forms = [one for one in page.eyes.select(page.root, "form") if page.eyes.visible(one)]
    if len(forms) == 1:
        return forms[0]
    raise TroubleError(
        "ambiguous" if forms else "no_form",
        f"There are {len(forms)} forms; say which one." if forms else "There is no form here.",
        f"共有 {len(forms)} 个表单，请指定。" if forms else "页面上没有表单。",
        {"forms": [_named(page, one) for one in forms]},
    )


def _invalid(page: Page, form: Any) -> list[dict[str, str]]:
    wrong = []
    for element in page.eyes.controls(form):
        if prop(element, "willValidate") and not element.validity.valid:
            facts = brief(page, element)
            label = facts.get("name") or facts.get("field") or facts["ref"]
            wrong.append({"field": label, "message": f"{label}: {element.validationMessage}"})
    return wrong


def _said(page: Page) -> list[str]:
    """What status and alert regions say now."""
    regions = page.eyes.select(page.root, "[role=status], [role=alert], output")
    texts = [str(page.eyes.textOf(region, 300)) for region in regions if page.eyes.visible(region)]
    return [text for text in texts if text]
