"""The words of everything that asks the person, in English and Chinese; see `ui.words`."""

from __future__ import annotations

ASKING: dict[str, tuple[str, str]] = {
    "approval.title": ("The server asks for your approval", "服务器请求你的批准"),
    "approval.approve": ("Approve", "批准"),
    "approval.deny": ("Deny", "拒绝"),
    "approval.automatic": ("Decided by a rule of the server", "已由服务器规则决定"),
    "approval.text": ("Your answer", "你的回答"),
    "approval.send": ("Send", "发送"),
    "approval.grants": ("This allows:", "这将允许："),
    "approval.confirm": ("Yes, {name}", "确认：{name}"),
    "approval.back": ("Back", "返回"),
    "approval.ends": ("Ends in {time}", "{time}后失效"),
    "approval.expired": ("Nobody answered in time", "超时未回答"),
    "suspension.title": ("The server waits for your answer", "服务器正在等待你的回答"),
    "suspension.answer": ("Send answer", "发送回答"),
    "suspension.decline": ("Do not answer", "不回答"),
    "suspension.declined": ("The user chose not to answer.", "用户选择不回答。"),
    "form.answer": ("Answer", "回答"),
    "form.optional": ("optional", "可选"),
    "form.lines": ("One per line.", "每行一项。"),
    "form.json": ("Written as JSON.", "请按 JSON 格式填写。"),
    "form.required": ("{name}: please fill this in.", "{name}：请填写此项。"),
    "form.unreadable": ("{name}: this cannot be read.", "{name}：无法识别此内容。"),
    "form.meddled": (
        "{name}: this page changed your entry; it was put right. Check it and send again.",
        "{name}：页面改动了你填写的内容，现已恢复，请核对后重新发送。",
    ),
    "choice.asked": (
        "This was waiting for your answer when the page was left. Ask again?",
        "离开页面时此操作正在等待你的回答，要重新询问吗？",
    ),
    "choice.ask": ("Ask again", "重新询问"),
    "confirmation.default": ("{name} (not set, so:)", "{name}（未指定，默认）"),
    "confirmation.changed": (
        "Something on this page changed the dialog, so the answer was not taken.",
        "页面上的脚本改动了此对话框，因此未接受你的选择。",
    ),
}
