"""Waits for the page."""

from __future__ import annotations

import asyncio
import json
import re
from typing import TYPE_CHECKING

from pagehand.tools.outcome import Outcome

if TYPE_CHECKING:
    from pagehand.toolkit.context import ToolContext
    from pagehand.tools.page import Page

_LOOK_EVERY = 0.1


def _shows(page: Page, text: str) -> bool:
    pattern = re.escape(" ".join(text.split())).replace("\\ ", "\\s+")
    found = json.loads(page.eyes.find(page.root, pattern, "i", 1, 0, page.exclude))
    return bool(found["total"])


async def wait_for(
    page: Page, ctx: ToolContext, text: str = "", gone: str = "", seconds: int = 10
) -> Outcome:
    """Waits for a text to come or go, or just for a time."""
    loop = asyncio.get_running_loop()
    start = loop.time()
    if not text and not gone:
        await asyncio.sleep(seconds)
        return Outcome(f"Waited {seconds} s.", f"已等待 {seconds} 秒。", data={"waited": seconds})
    wanted = text or gone
    while _shows(page, wanted) != bool(text):
        if loop.time() - start > seconds or ctx.aborted:
            return Outcome(
                f"“{wanted}” did not {'appear' if text else 'go away'} in {seconds} s.",
                f"“{wanted}”在 {seconds} 秒内没有{'出现' if text else '消失'}。",
                data={"waited": seconds},
                code="timeout",
                success=False,
            )
        await asyncio.sleep(_LOOK_EVERY)
    waited = round(loop.time() - start, 1)
    return Outcome(
        f"“{wanted}” {'is there' if text else 'is gone'}.",
        f"“{wanted}”已{'出现' if text else '消失'}。",
        data={"waited": waited},
    )
