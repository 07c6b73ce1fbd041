"""Every text the Python side shows, in English and Chinese. `{name}` is filled in by i18n.

A Chinese text is written as a person would say it, not translated word for word.
"""

from __future__ import annotations

from pagehand.ui.log_words import LOG
from pagehand.ui.words_asking import ASKING

_Table = dict[str, tuple[str, str]]

_THREAD: _Table = {
    "thread.to_end": ("Go to the latest message", "回到最新消息"),
    "thread.working": ("Working on it…", "正在处理…"),
    "thread.from_user": ("You", "你"),
    "thread.from_assistant": ("Assistant", "助手"),
    "thread.interrupted": ("The answer stopped here.", "回答在此中断。"),
    "thread.queued": ("Sent when the current answer is done", "当前回答结束后发送"),
}

_ACTIONS: _Table = {
    "action.copy": ("Copy", "复制"),
    "action.copied": ("Copied", "已复制"),
    "action.regenerate": ("Answer again", "重新回答"),
    "action.edit": ("Edit", "编辑"),
    "action.edit_label": ("Edit your message", "编辑你的消息"),
    "action.save": ("Send", "发送"),
    "action.cancel": ("Cancel", "取消"),
    "action.retry": ("Try again", "重试"),
    "action.continue": ("Continue anyway", "仍然继续"),
    "action.stop": ("Stop", "停止"),
    "action.here": ("Use it here", "在此处使用"),
    "action.now": ("Send now", "立即发送"),
    "action.dismiss": ("Dismiss", "知道了"),
    "action.details": ("Details", "详情"),
}

_MARKDOWN: _Table = {
    "markdown.code": ("Code", "代码"),
    "markdown.image": ("Show the image from {host}", "显示来自 {host} 的图片"),
}

_PARTS: _Table = {
    "reasoning.running": ("Thinking…", "思考中…"),
    "reasoning.done": ("Thought it through", "已思考"),
    "reasoning.timed": ("Thought for {time}", "思考了 {time}"),
    "sources.title": ("Sources", "来源"),
    "file.untitled": ("File", "文件"),
}

_TOOL: _Table = {
    "tool.input-streaming": ("Preparing", "准备中"),
    "tool.input-available": ("Running", "执行中"),
    "tool.other_tab": ("In the other tab", "在另一标签页中"),
    "tool.elsewhere": ("Running on the server", "服务器执行中"),
    "tool.unfinished": ("Not finished", "未完成"),
    "tool.waiting": ("Waiting for you", "等待你的操作"),
    "tool.output-available": ("Done", "完成"),
    "tool.preliminary": ("In progress", "进行中"),
    "tool.output-error": ("Failed", "失败"),
    "tool.output-denied": ("Declined", "已拒绝"),
    "tool.approval-requested": ("Needs your approval", "需要你批准"),
    "tool.approval-granted": ("Approved", "已批准"),
    "tool.approval-denied": ("Declined", "已拒绝"),
    "tool.cancelled": ("Cancelled", "已取消"),
    "tool.arguments": ("Given", "参数"),
    "tool.result": ("Result", "结果"),
    "tool.error": ("What went wrong", "错误"),
    "tool.raw": ("Raw data", "原始数据"),
    "tool.no_arguments": ("Nothing needed", "无参数"),
    "tool.no_result": ("No result", "无返回内容"),
    "tool.show": ("Show details of {name}", "显示 {name} 的详情"),
    "tool.group": ("{count} actions", "{count} 个操作"),
    "tool.group_running": ("{done} of {count} actions done", "已完成 {done}/{count} 个操作"),
    "tool.group_failed": ("{count} actions, {failed} failed", "{count} 个操作，{failed} 个失败"),
    "tool.card_failed": ("This card could not be drawn.", "无法显示此卡片。"),
    "tool.skip": ("Skip this step", "跳过此步骤"),
    "tool.skipped": (
        "The card for this call could not be shown, so the user skipped it.",
        "此操作的卡片无法显示，用户已跳过。",
    ),
    "tool.deliver_failed": (
        "Your answer could not be recorded: {reason}",
        "你的回答未能保存：{reason}",
    ),
}

_VALUES: _Table = {
    "value.yes": ("Yes", "是"),
    "value.no": ("No", "否"),
    "value.none": ("None", "无"),
    "value.empty": ("Empty", "空"),
    "value.more": ("and {count} more", "另外还有 {count} 项"),
    "value.item": ("Item {number}", "第 {number} 项"),
    "time.milliseconds": ("{value} ms", "{value} 毫秒"),
    "time.seconds": ("{value} s", "{value} 秒"),
    "time.minutes": ("{minutes} min {seconds} s", "{minutes} 分 {seconds} 秒"),
}

_CONFIRMATION: _Table = {
    "confirmation.title": ("Allow this action?", "允许执行此操作吗？"),
    "confirmation.safe": ("Low risk", "低风险"),
    "confirmation.moderate": ("Changes something", "会做出更改"),
    "confirmation.dangerous": ("Risky: check carefully", "有风险：请仔细核对"),
    "confirmation.confirm": ("Allow", "允许"),
    "confirmation.cancel": ("Decline", "拒绝"),
    "confirmation.remember": (
        "Do not ask again for this tool in this conversation",
        "本次对话中不再询问此工具",
    ),
    "confirmation.countdown": ("Declines by itself in {seconds} s", "{seconds} 秒后自动拒绝"),
    "confirmation.queue": ("1 of {count}", "第 1 个，共 {count} 个"),
    "confirmation.covered": (
        "Something on this page covers the dialog, so the answer was not taken.",
        "页面上有内容遮挡了此对话框，因此未接受你的选择。",
    ),
}

_CHOICE: _Table = {
    "choice.title": (
        "This had no answer when the page was left. Run it now?",
        "离开页面时此操作尚未完成，现在执行吗？",
    ),
    "choice.run": ("Run", "执行"),
    "choice.skip": ("Skip", "跳过"),
}

_ERRORS: _Table = {
    "error.network": (
        "The assistant cannot be reached. Check your connection.",
        "无法连接到助手，请检查网络。",
    ),
    "error.http": ("The server refused the request.", "服务器拒绝了请求。"),
    "error.http-401": ("Please sign in first.", "请先登录。"),
    "error.http-403": ("The server does not allow this.", "服务器不允许此操作。"),
    "error.http-404": ("There is no assistant at this address.", "该地址没有助手服务。"),
    "error.http-413": (
        "The conversation is too long for the server. Start a new one.",
        "对话太长，服务器无法处理，请开始新的对话。",
    ),
    "error.http-429": (
        "Too many requests just now. Wait a moment.",
        "请求过于频繁，请稍后再试。",
    ),
    "error.http-5xx": ("The server has a problem.", "服务器出现问题。"),
    "error.request": (
        "The request could not be made from this page.",
        "此页面无法发出该请求。",
    ),
    "error.answer": ("This answer does not fit the question.", "这个回答不符合所问的问题。"),
    "error.server": ("The server reported an error.", "服务器报告了错误。"),
    "error.interrupted": (
        "The answer was cut off before it was complete.",
        "回答在完成前中断了。",
    ),
    "error.stalled": ("The answer stopped coming.", "长时间没有收到新的内容。"),
    "error.not-a-stream": (
        "The address answered with something that is not a conversation.",
        "该地址返回的不是对话内容。",
    ),
    "error.chat": ("Something went wrong.", "出错了。"),
    "error.wait": (
        "The server asks for a wait of {time} before the next try.",
        "服务器要求等待 {time}后再试。",
    ),
}

_NOTICES: _Table = {
    "notice.rounds": (
        "The assistant went on by itself {limit} times in a row, so it was paused.",
        "助手已连续自动执行 {limit} 次，现已暂停。",
    ),
    "notice.repeats": (
        "The assistant asked for the same “{tool}” call more than {limit} times.",
        "助手重复请求“{tool}”超过 {limit} 次。",
    ),
    "notice.no-progress": (
        "The last step brought nothing new, so the assistant was paused.",
        "上一步没有新的进展，助手已暂停。",
    ),
    "notice.step-limit": (
        "The server stopped the assistant at its limit of steps.",
        "助手已达到服务器的步骤上限。",
    ),
    "notice.length": (
        "The answer was cut off at its limit of length.",
        "回答达到长度上限，已被截断。",
    ),
    "notice.content-filter": (
        "The answer was held back by the provider's content filter.",
        "回答被服务商的内容过滤拦截。",
    ),
    "notice.empty": ("The answer was empty.", "助手没有返回内容。"),
    "notice.waiting": (
        "The server is busy; the request is sent again in {time}.",
        "服务器繁忙，将在 {time}后重试。",
    ),
    "notice.calls-held": (
        "Calls of this page wait until the approval beside them is answered.",
        "此页面的操作会等待批准完成后再继续。",
    ),
}

_THREADS: _Table = {
    "threads.title": ("Conversations", "对话列表"),
    "threads.search": ("Search conversations", "搜索对话"),
    "threads.empty": ("No conversations yet", "还没有对话"),
    "threads.none_found": ("No conversation holds these words", "没有找到相关对话"),
    "threads.untitled": ("Without words", "无标题"),
    "threads.busy": (
        "Opening another conversation stops the answer that is being given.",
        "打开其他对话会停止正在进行的回答。",
    ),
    "threads.rename": ("Rename “{title}”", "重命名“{title}”"),
    "threads.delete": ("Delete “{title}”", "删除“{title}”"),
    "threads.deleted": ("Deleted: {title}", "已删除：{title}"),
    "threads.undo": ("Undo", "撤销"),
}

_ANNOUNCED: _Table = {
    "say.answering": ("The assistant is answering", "助手正在回答"),
    "say.ready": ("The answer is complete", "回答已完成"),
    "say.tool": ("{name}: {state}", "{name}：{state}"),
    "say.confirm": ("The assistant needs your decision: {name}", "助手需要你的决定：{name}"),
}

_SHELL: _Table = {
    "notice.toolkit": (
        "The page's tools could not be loaded. {text}",
        "页面的工具无法加载。{text}",
    ),
    "notice.demo": (
        "No server answers at {address}: the built-in demo model replies.",
        "{address} 没有服务器响应，由内置演示模型回答。",
    ),
    "notice.not-kept": (
        "This browser does not let the page keep the conversation.",
        "此浏览器不允许页面保存对话。",
    ),
    "notice.no-room": (
        "This browser has no room to keep “{title}”: it is lost when this page closes. Delete "
        "conversations you do not need, then open this one again.",
        "浏览器没有空间保存“{title}”，关闭此页面后它会丢失。请先删除不需要的对话，再重新打开它。",
    ),
    "notice.elsewhere": (
        "This conversation is open in another tab. You follow it here; sending moves it here.",
        "此对话已在另一个标签页中打开，这里会同步显示。在这里发送内容后，对话会转到此处。",
    ),
    "notice.elsewhere-asked": (
        "The conversation moves here as soon as the other tab is done.",
        "另一个标签页完成后，对话会转到这里。",
    ),
    "notice.protocol": (
        "The protocol “{name}” is not known; write ui-message-stream or ag-ui. "
        "ui-message-stream is used.",
        "未知的协议“{name}”，请写 ui-message-stream 或 ag-ui。现在使用 ui-message-stream。",
    ),
}

WORDS: _Table = {
    **_THREAD,
    **_ACTIONS,
    **_MARKDOWN,
    **_PARTS,
    **_TOOL,
    **_VALUES,
    **_CONFIRMATION,
    **ASKING,
    **_CHOICE,
    **_ERRORS,
    **_NOTICES,
    **_THREADS,
    **LOG,
    **_ANNOUNCED,
    **_SHELL,
}
