"""Form controls before anything is written: what they are, what they take, what is refused.

    control = Control.of(page, [element], "User name")
    control.refuse()                  # raises TroubleError where tools must keep away
    control.convert(" 5 ")            # "5", or raises with what the field expects

Nothing in this module changes the page: values are tried on a detached copy first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import js

from pagehand.tools.kinds import kind_of
from pagehand.tools.outcome import TroubleError
from pagehand.tools.page import is_nothing, prop
from pagehand.tools.values import decimal_mark, folded, parse_bool, parse_date, parse_number

if TYPE_CHECKING:
    from pagehand.tools.page import Page

_FORMATS = {
    "date": "YYYY-MM-DD",
    "month": "YYYY-MM",
    "week": "YYYY-Www",
    "time": "HH:MM",
    "datetime-local": "YYYY-MM-DDTHH:MM",
    "number": "a number",
    "range": "a number",
    "color": "#rrggbb",
    "email": "a mail address",
    "url": "a full address with https://",
}
_FAULTS = ("rangeUnderflow", "rangeOverflow", "stepMismatch", "patternMismatch", "typeMismatch")
_ON = frozenset({"on", "checked", "1", "开", "选中", "打开"})
_OFF = frozenset({"off", "unchecked", "0", "关", "取消", "关闭"})


def realm(element: Any) -> Any:
    """The window the element belongs to: its own constructors and prototypes."""
    return element.ownerDocument.defaultView


def set_natively(element: Any, name: str, value: Any) -> None:
    """Sets a property through the prototype's setter, past what frameworks put on the instance."""
    window = realm(element) or js.window
    holder = {
        "input": window.HTMLInputElement,
        "textarea": window.HTMLTextAreaElement,
        "select": window.HTMLSelectElement,
    }[str(element.localName)]
    js.Reflect.set(holder.prototype, name, value, element)


class Control:
    """One control, or one group of radio buttons or checkboxes.

    Attributes:
        page: The page.
        element: The control; of a group, its first.
        members: All of a group, else just the control.
        picked: The one member that the name led to, or None for the group as a whole.
        kind: See `kind_of`; `checks` for a group of checkboxes.
        label: What people call it.
    """

    def __init__(self, page: Page, members: list[Any], label: str, picked: Any) -> None:
        self.page = page
        self.members = members
        self.picked = picked
        self.element = members[0]
        self.kind = kind_of(self.element)
        if self.kind == "check" and len(members) > 1:
            self.kind = "checks"
        self.label = label

    @classmethod
    def of(cls, page: Page, members: list[Any], asked: str) -> Control:
        """The control for elements that a name led to; a wrapper leads on to its inner control."""
        if len(members) == 1 and kind_of(members[0]) == "none":
            inner = list(page.eyes.controls(members[0]))
            members = inner[:1] if len(inner) == 1 else members
        picked = members[0] if len(members) == 1 else None
        if kind_of(members[0]) == "radio":
            members = list(page.eyes.fellows(members[0]))
        facts = page.describe(members[0])
        is_group = len(members) > 1
        label = (
            (facts.get("group") if is_group else facts.get("name")) or facts.get("field") or asked
        )
        return cls(page, members, label, picked)

    def refuse(self) -> None:
        """Raises TroubleError when no tool may fill it (secret, hidden, disabled, not a field)."""
        element = self.element
        reason = _REASONS.get(self.kind) or self._blocked(element)
        if reason:
            raise TroubleError(*reason)

    def _blocked(self, element: Any) -> tuple[str, str, str] | None:
        if self.page.eyes.secret(element):
            return (
                "secret_field",
                "Only the person may fill this field.",
                "此字段只能由用户本人填写。",
            )
        if element.matches(":disabled") or element.getAttribute("aria-disabled") == "true":
            return ("disabled", "The field is disabled.", "该字段已禁用。")
        # A list whose field takes no typing says readonly, and is there to be chosen from.
        is_readonly = prop(element, "readOnly") is True and self.kind != "widget"
        if is_readonly or element.getAttribute("aria-readonly") == "true":
            return ("readonly", "The field is read-only.", "该字段为只读。")
        if not self._reachable(element):
            return ("hidden_field", "No person can see this field.", "用户看不到此字段。")
        return None

    def _reachable(self, element: Any) -> bool:
        if not is_nothing(element.closest("[inert]")):
            return False
        if not is_nothing(element.closest('[aria-hidden="true"]')):
            return False
        # Of a styled box the input itself is hidden; what people press is drawn in its place.
        face = self.page.eyes.face(element)
        if is_nothing(face):
            return False
        box, window = face.getBoundingClientRect(), realm(element)
        on_page = box.right + window.scrollX > 0 and box.bottom + window.scrollY > 0
        return bool(box.width > 1 and box.height > 1 and on_page)

    def state(self) -> Any:
        """What it holds now, as JSON."""
        if self.kind in ("check", "toggle"):
            return is_ticked(self.element)
        if self.kind in ("checks", "radio", "multi", "select"):
            return self._chosen()
        return self._text()

    def _chosen(self) -> Any:
        element = self.element
        if self.kind == "checks":
            return [choice_label(self.page, one) for one in self.members if one.checked]
        if self.kind == "radio":
            chosen = [choice_label(self.page, one) for one in self.members if is_ticked(one)]
            return chosen[0] if chosen else ""
        if self.kind == "multi":
            return [_option_label(option) for option in element.selectedOptions]
        return _option_label(element.selectedOptions[0]) if element.selectedOptions.length else ""

    def _text(self) -> str:
        element = self.element
        if self.kind == "widget":
            return str(self.page.eyes.shownChoice(element))
        if self.kind == "slider":
            return str(element.getAttribute("aria-valuenow") or "")
        if self.kind in ("rich", "none"):
            return lines_of(element) or str(prop(element, "value"))
        return str(element.value)

    def holds(self, value: Any) -> bool:
        """Whether it holds this converted value now."""
        if self.kind == "widget":
            return self._shows(value if isinstance(value, list) else [value])
        if self.kind == "rich":
            return folded(str(self.state())) == folded(value)
        return bool(self.state() == value)

    def _shows(self, labels: list[str]) -> bool:
        """Whether these choices are all that is shown as chosen, or marked so in the list."""
        rest = folded(str(self.state()))
        wanted = [folded(label) for label in labels if label]
        marked = sorted(folded(str(one)) for one in self.page.eyes.marked(self.element))
        if wanted and sorted(wanted) == marked:
            return True
        for one in sorted(wanted, key=len, reverse=True):
            if one not in rest:
                return False
            rest = rest.replace(one, " ", 1)
        return not any(c.isalnum() for c in rest)

    def convert(self, value: Any) -> Any:
        """The value in the form this control keeps it: what `state()` shall say afterwards.

        Raises:
            TroubleError: `bad_value`, with what the field expects or the choices it has.
        """
        if self.kind in ("check", "toggle"):
            return self._flag(value)
        if self.kind in ("checks", "multi"):
            return self._several(value)
        if self.kind in ("select", "radio"):
            return self._one(value)
        if self.kind == "widget" and isinstance(value, list):
            return [_as_text(one) for one in value]
        text = _as_text(value)
        if self.kind == "slider":
            return self._within(text)
        if self.kind in ("rich", "widget"):
            return text
        return self._tried(self._tidy(text))

    def choices(self) -> list[tuple[str, str, bool, Any]]:
        """(label, value, enabled, element) of each choice."""
        if self.kind in ("select", "multi"):
            return [
                (_option_label(one), str(one.value), not one.matches(":disabled"), one)
                for one in self.page.eyes.optionsOf(self.element)
            ]
        return [
            (choice_label(self.page, one), str(prop(one, "value")), not _is_off(one), one)
            for one in self.members
        ]

    def _within(self, text: str) -> str:
        """A figure that the drawn slider can show."""
        number = parse_number(text, decimal_mark([text]))
        least = float(self.element.getAttribute("aria-valuemin") or 0)
        most = float(self.element.getAttribute("aria-valuemax") or 100)
        if number is None or not least <= number.value <= most:
            span = f"{_figure(least)}–{_figure(most)}"
            raise _bad(f"the slider takes a number in {span}, not {text!r}", f"取值范围 {span}")
        return _figure(number.value)

    def _flag(self, value: Any) -> bool:
        if isinstance(value, bool):
            return value
        text = str(value).strip().lower()
        if text in _ON or text in _OFF:
            return text in _ON
        found = parse_bool(text)
        if found is None and text == str(prop(self.element, "value")).lower() != "":
            return True
        if found is None:
            raise _bad(f"{value!r} is neither on nor off", f"“{value}”不是开或关")
        return found

    def _one(self, value: Any) -> str:
        wanted = value[0] if isinstance(value, list) and len(value) == 1 else value
        if wanted is True and self.picked is not None and self.kind == "radio":
            return choice_label(self.page, self.picked)
        return self._choice(_as_text(wanted))

    def _several(self, value: Any) -> list[str]:
        if isinstance(value, list):
            wanted = [_as_text(one) for one in value]
        else:
            wanted = self._split(_as_text(value))
        chosen = {self._choice(one) for one in wanted}
        return [label for label, _, _, _ in self.choices() if label in chosen]

    def _split(self, text: str) -> list[str]:
        if not text:
            return []
        known = {folded(one) for choice in self.choices() for one in choice[:2]}
        if folded(text) in known:
            return [text]
        for mark in ("、", "，", ",", ";", "；"):
            text = text.replace(mark, "\n")
        return [part.strip() for part in text.split("\n") if part.strip()]

    def _choice(self, wanted: str) -> str:
        """The label of the choice that is meant; by label first, frameworks rewrite values."""
        every = self.choices()
        low = folded(wanted)
        same = [one for one in every if folded(one[0]) == low] or [
            one for one in every if one[1] == wanted
        ]
        if not same and low:
            part = [one for one in every if low in folded(one[0]) or folded(one[1]) == low]
            same = part if len(part) == 1 else []
        if not same:
            listed = [label or value for label, value, enabled, _ in every if enabled]
            raise TroubleError(
                "bad_value",
                f'there is no choice "{wanted}"; choose from {", ".join(listed[:40])}',
                f"没有选项“{wanted}”；可选：{'、'.join(listed[:40])}",
                {"choices": listed[:100]},
            )
        if not same[0][2]:
            raise _bad(f'the choice "{same[0][0]}" is disabled', f"选项“{same[0][0]}”不可用")
        return same[0][0]

    def _tidy(self, text: str) -> str:
        """Locale forms turned into what the control's value knows."""
        kind = str(self.element.type)
        if kind in ("number", "range") and text.strip():
            language = str(js.document.documentElement.lang or "")
            number = parse_number(text, decimal_mark([text], language))
            return _figure(number.value) if number else text.strip()
        if kind == "date":
            return parse_date(text, None) or text.strip()
        if kind == "time" and len(text.strip()) == 4:
            return f"0{text.strip()}"
        if kind == "datetime-local":
            return text.strip().replace(" ", "T", 1)
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        return text if str(self.element.localName) == "textarea" else text.replace("\n", " ")

    def _tried(self, text: str) -> str:
        """What the control would keep of a text, tried on a detached copy of it."""
        longest = int(self.element.maxLength) if hasattr(self.element, "maxLength") else -1
        if 0 <= longest < len(text.encode("utf-16-le")) // 2:
            raise _bad(f"at most {longest} characters fit", f"最多 {longest} 个字符")
        kind = str(self.element.type)
        copy = self.element.cloneNode(False)
        set_natively(copy, "value", text)
        kept = str(copy.value)
        expected = _FORMATS.get(kind, "")
        if text and not kept:
            raise _bad(f"the field takes {expected}, not {text!r}", f"该字段需要 {expected}")
        if kind in ("range", "color") and kept.lower() != text.lower():
            raise _bad(
                f"the field takes {expected} from {copy.min or 0} to {copy.max or 100}"
                if kind == "range"
                else f"the field takes {expected}, not {text!r}",
                f"该字段不接受“{text}”",
            )
        faults = [fault for fault in _FAULTS if text and getattr(copy.validity, fault)]
        if faults:
            raise _bad(
                f"the field does not take {text!r}: {copy.validationMessage}",
                f"该字段不接受“{text}”",
            )
        return kept


_REASONS = {
    "file": ("needs_person", "Only the person can choose a file.", "文件只能由用户本人选择。"),
    "button": ("not_a_field", "This is a button; use click.", "这是按钮，请使用 click。"),
    "none": ("not_a_field", "This is not a field.", "这不是可填写的字段。"),
}


def _bad(en: str, zh: str) -> TroubleError:
    return TroubleError("bad_value", en, zh)


def _figure(value: float) -> str:
    return (
        str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))
    )


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return _figure(value)
    if isinstance(value, list):
        return "\n".join(_as_text(one) for one in value)
    return "" if value is None else str(value)


def _is_off(element: Any) -> bool:
    return bool(element.matches(":disabled")) or element.getAttribute("aria-disabled") == "true"


def is_ticked(element: Any) -> bool:
    """Whether a box or radio button is on, native or drawn."""
    said = element.getAttribute("aria-checked")
    if str(element.localName) == "input" or is_nothing(said):
        return getattr(element, "checked", None) is True
    return bool(said == "true")


def _option_label(option: Any) -> str:
    return " ".join(str(option.label or option.value).split())


def choice_label(page: Page, element: Any) -> str:
    """What a radio button or checkbox of a group is called."""
    return str(page.eyes.name(element)) or str(prop(element, "value"))


def lines_of(element: Any) -> str:
    """The text of an editor as a person sees it, a line for each line."""
    text = str(prop(element, "innerText")).replace("\ufeff", "").replace("\u200b", "")
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())
