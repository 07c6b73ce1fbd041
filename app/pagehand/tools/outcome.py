"""What a tool answers: `{success, data, error, summary, code}`, the summary in the page's language.

return Outcome("Scrolled to the top.", "已滚动到页面顶部。", data={"top": 0})
raise TroubleError("not_found", "No element answers to “Save”.", "没有找到“Save”。")
"""

from __future__ import annotations

from typing import Any

from pagehand.errors import PageError


class Outcome:
    """What a tool achieved.

    Args:
        en: One sentence for people, in English.
        zh: The same in Chinese.
        data: Any JSON value for the model.
        code: A stable word for programs; `ok` unless something needs saying.
        success: False where the tool ran and its aim was missed.
    """

    __slots__ = ("code", "data", "en", "success", "zh")

    def __init__(
        self, en: str, zh: str, *, data: Any = None, code: str = "ok", success: bool = True
    ) -> None:
        self.en = en
        self.zh = zh
        self.data = data
        self.code = code
        self.success = success

    def to_wire(self, language: str) -> dict[str, Any]:
        """The result as JSON."""
        summary = self.zh if language.startswith("zh") else self.en
        wire: dict[str, Any] = {"success": self.success, "code": self.code, "summary": summary}
        if self.data is not None:
            wire["data"] = self.data
        if not self.success:
            wire["error"] = summary
        return wire


class TroubleError(PageError):
    """A tool cannot do what was asked. The text says what to do instead.

    Args:
        code: Stable: `not_found`, `ambiguous`, `stale_ref`, `refused`, `denied`, ...
        en: The reason in English.
        zh: The reason in Chinese.
        data: What helps to go on: candidates, columns, keys.
    """

    def __init__(self, code: str, en: str, zh: str, data: Any = None) -> None:
        super().__init__(en)
        self.code = code
        self.en = en
        self.zh = zh
        self.data = data

    def outcome(self) -> Outcome:
        """The same as a result."""
        return Outcome(self.en, self.zh, data=self.data, code=self.code, success=False)


def denied() -> TroubleError:
    """The person said no."""
    return TroubleError(
        "denied", "The person said no; nothing was changed.", "用户拒绝了此操作，未做任何更改。"
    )
