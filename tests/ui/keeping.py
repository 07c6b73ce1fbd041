"""A browser's database, `localStorage`, locks and talk between tabs, for tests without one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from pagehand.wire.jsontext import loads


class Store:
    """Texts in memory; while `full`, nothing more is written."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.durable = True
        self.full = False
        self.before_load: Callable[[], Awaitable[Any]] | None = None
        self.before_save: Callable[[], Awaitable[Any]] | None = None

    async def versions(self, key: str) -> list[str]:
        if self.before_load is not None:
            await self.before_load()
        return [self.texts[key]] if key in self.texts else []

    async def save(self, key: str, text: str) -> bool:
        if self.before_save is not None:
            await self.before_save()
        if self.full:
            self.durable = False
            return False
        self.texts[key] = text
        return True

    def save_now(self, key: str, text: str) -> None:
        if not self.full:
            self.texts[key] = text

    async def remove(self, key: str) -> bool:
        if self.full:
            return False
        self.texts.pop(key, None)
        return True

    def said(self, key: str) -> list[str]:
        """The words kept under a name."""
        messages = loads(self.texts[key])["messages"]
        return [message["parts"][-1]["text"] for message in messages]


class Words(dict[str, str]):
    """The browser's `localStorage`."""

    def getItem(self, key: str) -> str | None:  # noqa: N802
        return self.get(key)

    def setItem(self, key: str, value: str) -> None:  # noqa: N802
        self[key] = value

    def removeItem(self, key: str) -> None:  # noqa: N802
        self.pop(key, None)


class Claim:
    """The browser's locks; `taken` are names that another tab holds."""

    taken: set[str]

    def __init__(self) -> None:
        self.held = ""

    async def hold(self, name: str) -> bool:
        await asyncio.sleep(0)
        self.held = "" if name in self.taken else name
        return name not in self.taken

    def hold_later(self, name: str, held: Callable[[], None]) -> None:
        self.held = ""

    def let_go(self) -> None:
        self.held = ""


class Channel:
    """What is said between tabs, written down."""

    opened: list[Channel]

    def __init__(self, name: str, hear: Callable[[dict[str, Any]], None]) -> None:
        self.name = name
        self.hear = hear
        self.said: list[dict[str, Any]] = []

    async def open(self) -> None:
        self.opened.append(self)

    def say(self, kind: str, **values: Any) -> None:
        self.said.append({"type": kind, **values})

    def close(self) -> None:
        if self in self.opened:
            self.opened.remove(self)
