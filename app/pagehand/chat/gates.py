"""The full shape of a server's approval gate, and the answers it takes.

    gate = Gate({"id": "p1", "descriptor": {"prompt": "Deploy?", "options": [...]}})
    gate.answer({"optionId": "once"})    # {"approved": True, "optionId": "once", "reason": "..."}

What a server says beyond AI SDK's `id`, `reason` and `isAutomatic` stands in the request's
`approvalDescriptor`, or beside the id; both are read, unknown keys are kept. The answer goes
back in the part's `approval`: `approved` and `reason` for every server, and beside them
`optionId`, `text` and `answers` for one that asked for them.
Source of the shape: assistant-ui's tool approvals.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagehand.errors import AnswerError

if TYPE_CHECKING:
    from pagehand.wire.chunks import JsonObject

NONE = "none"
OPEN = "open"
GRANTED = "granted"
DENIED = "denied"
EXPIRED = "expired"
CANCELLED = "cancelled"

_IMPLIED = {
    "allow-once": True,
    "allow-always": True,
    "reject-once": False,
    "reject-always": False,
}
_LONGEST_REASON = 2000


class Option:
    """One of the answers a gate offers.

    Attributes:
        id: What travels back.
        kind: `allow-once`, `allow-always`, `reject-once`, `reject-always`, or the server's own.
        label: For the person.
        description: More words, or "".
        grants: What the answer allows, one line each.
        confirm: Words of a second question before it counts, or None: title and description.
        approved: What it means; None where the server does not say.
    """

    def __init__(self, raw: JsonObject) -> None:
        self.id = str(raw.get("id", ""))
        self.kind = str(raw.get("kind", ""))
        self.label = _text(raw.get("label")) or self.kind.replace("-", " ").strip() or self.id
        self.description = _text(raw.get("description"))
        self.grants = _lines(raw.get("grants"))
        self.confirm = _second(raw.get("confirm"), self.label)
        stated = raw.get("approved")
        self.approved = stated if isinstance(stated, bool) else _IMPLIED.get(self.kind)


class Question:
    """One question of a gate.

    Attributes:
        id: What the answer is filed under.
        text: The question.
        options: Labels to choose from, by value; empty for a free answer.
        multiple: Whether several may be chosen.
        freeform: Whether own words are an answer.
        required: Whether there must be an answer.
    """

    def __init__(self, raw: JsonObject, number: int) -> None:
        self.id = str(raw.get("id") or f"q{number}")
        words = (raw.get(key) for key in ("question", "prompt", "label", "text", "title"))
        self.text = next((_text(word) for word in words if _text(word)), self.id)
        self.options = _choices(raw.get("options"))
        self.multiple = raw.get("multiple") is True or raw.get("multiSelect") is True
        self.freeform = raw.get("allowFreeform") is True or not self.options
        self.required = raw.get("required") is not False


class Gate:
    """A gate as the server wrote it: `approval` of a tool part."""

    def __init__(self, approval: JsonObject) -> None:
        described = approval.get("descriptor")
        raw = {**described, **approval} if isinstance(described, dict) else dict(approval)
        self.id = str(raw.get("id", ""))
        self.automatic = raw.get("isAutomatic") is True
        self.display = str(raw.get("display") or "decision")
        self.prompt = _text(raw.get("prompt")) or _text(raw.get("requestReason"))
        self.options = [Option(each) for each in _objects(raw.get("options"))]
        self.questions = [Question(q, n) for n, q in enumerate(_objects(raw.get("questions")), 1)]
        self.freeform = raw.get("allowFreeform") is True or self.display == "text"
        self.expires_at = _moment(raw.get("expiresAt"))
        self.state = state_of(approval)

    def answer(self, response: JsonObject) -> JsonObject:
        """The answer as it travels.

        Args:
            response: One of `approved` (with `reason`), `optionId`, `text`, `answers`
                (by the questions' ids), in any sensible mixture.

        Raises:
            AnswerError: The gate does not take that; the text says what it takes.
        """
        if self.state != OPEN:
            raise AnswerError(f"This approval is {self.state}; it takes no answer.")
        approved = response.get("approved")
        taken: JsonObject = {}
        said: list[str] = []
        if response.get("optionId") is not None:
            approved = self._option(response, taken, said)
        if response.get("text"):
            approved = True if approved is None else approved
            self._free(response, taken, said)
        if response.get("answers") is not None and approved is not False:
            approved = True if approved is None else approved
            self._answers(response, taken, said)
        elif self.questions and approved is True and "optionId" not in taken:
            raise AnswerError(f"Answer first: {self.questions[0].text}")
        if not isinstance(approved, bool):
            raise AnswerError("An answer says `approved`, or names an option.")
        return {"approved": approved, **taken, **_reason(response, said)}

    def _option(self, response: JsonObject, taken: JsonObject, said: list[str]) -> bool:
        wanted = str(response["optionId"])
        option = next((each for each in self.options if each.id == wanted), None)
        if option is None:
            known = ", ".join(each.id for each in self.options) or "none"
            raise AnswerError(f"There is no option {wanted!r}; the server offers: {known}.")
        stated = response.get("approved")
        approved = option.approved if option.approved is not None else stated
        if not isinstance(approved, bool):
            approved = True  # a kind of the server's own: choosing it is the answer
        taken["optionId"] = option.id
        said.append(option.label)
        return approved

    def _free(self, response: JsonObject, taken: JsonObject, said: list[str]) -> None:
        if not self.freeform:
            raise AnswerError("This approval takes no words of your own.")
        taken["text"] = str(response["text"])
        said.append(taken["text"])

    def _answers(self, response: JsonObject, taken: JsonObject, said: list[str]) -> None:
        answers = response["answers"]
        if not isinstance(answers, dict):
            raise AnswerError("`answers` holds one answer for each question's id.")
        for question in self.questions:
            given = answers.get(question.id)
            if given in (None, "", []):
                if question.required:
                    raise AnswerError(f"Answer first: {question.text}")
                continue
            many = given if isinstance(given, list) else [given]
            strange = [one for one in many if str(one) not in question.options]
            if strange and not question.freeform:
                offered = ", ".join(question.options)
                raise AnswerError(f"{question.text}: choose one of {offered}.")
            said.append(f"{question.text} {', '.join(str(one) for one in many)}")
        taken["answers"] = dict(answers)


def state_of(approval: JsonObject | None) -> str:
    """`none`, `open`, `granted`, `denied`, `expired` or `cancelled`.

    Only an open gate takes an answer: one without a gate is never open by mistake.
    """
    if not approval:
        return NONE
    if approval.get("resolution") in (EXPIRED, CANCELLED):
        return str(approval["resolution"])
    approved = approval.get("approved")
    if isinstance(approved, bool):
        return GRANTED if approved else DENIED
    return OPEN


def _reason(response: JsonObject, said: list[str]) -> JsonObject:
    """The words for servers that read nothing but `reason`."""
    reason = response.get("reason") or "; ".join(said)
    return {"reason": str(reason)[:_LONGEST_REASON]} if reason else {}


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def _objects(value: Any) -> list[JsonObject]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _lines(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    lines = value if isinstance(value, list) else []
    return [_text(one.get("label")) if isinstance(one, dict) else str(one) for one in lines]


def _choices(value: Any) -> dict[str, str]:
    choices: dict[str, str] = {}
    for one in value if isinstance(value, list) else []:
        if isinstance(one, dict):
            key = next((one[k] for k in ("value", "id", "label") if one.get(k) is not None), "")
            choices[str(key)] = _text(one.get("label")) or str(key)
        else:
            choices[str(one)] = str(one)
    return choices


def _second(value: Any, label: str) -> tuple[str, str] | None:
    if isinstance(value, dict):
        return _text(value.get("title")) or label, _text(value.get("description"))
    return (label, "") if value is True else None


def _moment(value: Any) -> float | None:
    """Seconds since 1970, from seconds, milliseconds or an ISO text."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float)):
        return value / 1000 if value > 1e11 else float(value)
    from datetime import UTC, datetime

    try:
        moment = datetime.fromisoformat(str(value).replace("Z", "+00:00"))
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
