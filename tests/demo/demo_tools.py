"""The tools the demo model is tried on: the page's own, the site's, and an integrator's."""

from __future__ import annotations

from typing import Any

from pagehand.tools.catalogue import TOOLS

Tools = dict[str, dict[str, Any]]


def declared(description: str, required: str = "", **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": required.split()}
    return {"description": description, "inputSchema": schema}


TEXT = {"type": "string"}

SITE: Tools = {
    "jump-url-tool": declared(
        "Shows a card; opens the address in a new window when the user confirms.",
        "url",
        url={"type": "string", "description": "Full address to open"},
    ),
    "get-user-info-tool": declared(
        "Returns the signed-in user's name, mail address and department."
    ),
}
PAGE: Tools = {
    name: {"description": text, "inputSchema": schema} for name, _, _, _, text, schema, _ in TOOLS
} | SITE
OWN: Tools = {
    "get_weather": declared(
        "Current weather of a city.", "city", city=TEXT, unit={"enum": ["celsius", "fahrenheit"]}
    ),
    "add-to-cart": declared(
        "Puts a product into the shopping cart.",
        "product quantity",
        product=TEXT,
        quantity={"type": "integer"},
    ),
    "set_theme": declared(
        "Changes the colours of the page.",
        "theme",
        theme={"type": "string", "enum": ["light", "dark"]},
    ),
    "save-note": declared(
        "Saves a note.", "text", text={"type": "string", "description": "The note"}
    ),
    "createContact": declared(
        "Adds a person to the address book.",
        "name email",
        name=TEXT,
        email={"type": "string", "format": "email"},
        phone=TEXT,
        vip={"type": "boolean"},
    ),
    "book_table": declared(
        "Books a table in the restaurant.",
        "date guests",
        date={"type": "string", "format": "date"},
        guests={"type": "integer", "minimum": 1, "maximum": 12},
    ),
    "translate_text": declared("Translates a text.", "text", text=TEXT, language=TEXT),
    "播放音乐": declared("播放一首歌曲。", "song", song={"type": "string", "description": "歌名"}),
}
SEED: Tools = {
    "jump-url-tool": declared(
        "当用户要求打开/跳转某个 URL 时调用，在新窗口打开。",
        "url",
        url={"type": "string", "description": "需要打开的完整 URL"},
    ),
    "get-user-info-tool": declared(
        "当用户要求查看当前登录用户信息时调用，返回用户名、邮箱、部门等。"
    ),
    "fill_form_field": declared(
        "填充表单中的指定字段。可一次填充多个字段",
        "fields",
        fields={
            "type": "array",
            "description": "要填充的字段列表",
            "items": {"type": "object", "properties": {"name": TEXT, "value": {}}},
        },
        formId=TEXT,
    ),
    "query_data": declared(
        "查询页面上的表格或列表数据，支持过滤和排序",
        "target",
        target={"type": "string", "enum": ["table", "list"], "description": "数据源标识"},
        filters={"type": "object", "description": "过滤条件"},
        limit={"type": "number"},
    ),
    "scroll_to": declared(
        "滚动页面到指定元素或位置",
        "",
        selector={"type": "string", "description": "目标元素的 CSS 选择器"},
        behavior={"type": "string", "enum": ["smooth", "auto"]},
    ),
    "read_storage": declared(
        "读取浏览器本地存储的数据", "key", key={"type": "string", "description": "存储键名"}
    ),
}
