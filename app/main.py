"""The page's own program: the tools of the order desk, and the assistant that uses them.

The built-in page tools read and act on what is in front of the person. Two tools are
the site's own: one answers at once, one waits for the person's click.
"""

from __future__ import annotations

from typing import Any

import js

from pagehand import Toolkit, mount
from pagehand.html import dd, div, dl, dt
from pagehand.tools import page_tools
from pagehand.tools.link import check_address, open_card

# `jump-url-tool` below takes the place of the built-in `open_url`. The site's own preferences may
# be read and written without a question; everything else in the storage asks first.
SITE_KEYS = ["desk.note", "desk.theme", "desk.lang", "desk.preferences"]

toolkit = Toolkit(page_tools(without=["open_url"], storage=SITE_KEYS))


LABELS = {
    "en": {"name": "Name", "email": "E-mail", "department": "Department"},
    "zh-CN": {"name": "姓名", "email": "邮箱", "department": "部门"},
}


def user_card(call: Any) -> Any:
    """The signed-in user, as the person sees it in the conversation."""
    user = call.result.get("user") if isinstance(call.result, dict) else None
    if not user:
        return None
    labels = LABELS.get(js.document.documentElement.lang, LABELS["en"])
    return dl(*[div(dt(labels[key]), dd(user[key])) for key in labels], class_="ph-rows")


@toolkit.tool("get-user-info-tool", category="data", risk="safe", render=user_card)
async def get_user_info() -> dict[str, Any]:
    """Returns the signed-in user's name, mail address and department.

    Call it when the user asks who is signed in, or for their own data (当前登录用户).
    """
    account = js.document.getElementById("account")
    if not account or not account.dataset.name:
        return {"success": False, "user": None, "message": "Nobody is signed in."}
    user = {
        "name": account.dataset.name,
        "email": account.dataset.mail,
        "department": account.dataset.department,
    }
    return {"success": True, "user": user, "message": f"Signed in as {user['name']}."}


@toolkit.human("jump-url-tool", category="navigation", risk="moderate", validate=check_address)
def jump_url(call: Any, url: str) -> Any:
    """Opens an address in a new window: shows a card, and the user's click opens it.

    Call it when the user asks to open, visit or jump to an address (打开、跳转、访问网址).

    Args:
        call: The call to answer; it is not part of what the model sees.
        url: Full address to open.
    """
    return open_card(call, url)


mount("#assistant", toolkit)
