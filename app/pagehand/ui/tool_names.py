"""What the built-in tools are called in the interface, and how any tool gets a name."""

from __future__ import annotations

from pagehand.ui.format import one_line, title_of
from pagehand.ui.i18n import language

TOOL_NAMES: dict[str, tuple[str, str]] = {
    "ask_user": ("Ask you", "提问"),
    "attach_file": ("Attach a file", "放入文件"),
    "click": ("Click", "点击"),
    "download_file": ("Save a file", "保存文件"),
    "drag": ("Drag", "拖动"),
    "extract_links": ("Collect links", "提取链接"),
    "fill_form_field": ("Fill in the form", "填写表单"),
    "find_in_page": ("Find in the page", "查找文字"),
    "get-user-info-tool": ("User info", "用户信息"),
    "go_back": ("Go back", "返回上一页"),
    "highlight": ("Highlight", "突出显示"),
    "hover": ("Point at", "移动指针"),
    "http_get": ("Request data", "请求数据"),
    "http_post": ("Send data", "发送数据"),
    "jump-url-tool": ("Open address", "打开网址"),
    "list_options": ("List options", "列出选项"),
    "list_storage": ("List local storage", "列出本地存储"),
    "list_tables": ("List tables", "列出表格"),
    "navigate_to": ("Go to page", "前往页面"),
    "open_url": ("Open address", "打开网址"),
    "press_key": ("Press a key", "按键"),
    "print_page": ("Print", "打印"),
    "query_data": ("Query data", "查询数据"),
    "read_clipboard": ("Read the clipboard", "读取剪贴板"),
    "read_cookie": ("Read a cookie", "读取 Cookie"),
    "read_element": ("Read element", "读取元素"),
    "read_page": ("Read the page", "读取页面"),
    "read_selection": ("Read selection", "读取选中文字"),
    "read_storage": ("Read local storage", "读取本地存储"),
    "reload": ("Reload the page", "重新加载"),
    "remove_storage": ("Delete from local storage", "删除本地存储"),
    "run_javascript": ("Run code", "运行代码"),
    "scroll_to": ("Scroll", "滚动页面"),
    "select_option": ("Choose option", "选择选项"),
    "set_checked": ("Tick", "勾选"),
    "show_notification": ("Notify", "显示通知"),
    "submit_form": ("Submit form", "提交表单"),
    "undo_fill": ("Undo filling in", "撤销填写"),
    "wait_for": ("Wait", "等待"),
    "write_clipboard": ("Copy text", "复制文字"),
    "write_storage": ("Write local storage", "写入本地存储"),
}


def name_of(tool_name: str, stated: str | None = None) -> str:
    """A tool's name for people: as stated by its author, else ours, else its own name as words."""
    if stated and stated != tool_name:
        return one_line(stated, 200)
    known = TOOL_NAMES.get(tool_name)
    if known is not None:
        return known[language() == "zh-CN"]
    return one_line(title_of(tool_name), 80)
