"""What the model is told of the built-in tools: names, descriptions, schemas. Data only.

Each entry is (name, category, risk, "module:function", description, schema, options). The risk
is the highest a call can have; options:

- `ask`: makes the question to the person, "" for none; `first`: what is awaited before it is made;
  `rate`: the risk of one call.
- `acts`: "guarded" holds the page's dialogs back, "compared" also tells what changed.
- `draw`: draws on the finished call; `card`: the whole tool is a card for the person.
- `gate`: the setting of `page_tools` without which the tool is not there.
- all others are options of a Tool.
"""

from __future__ import annotations

from pagehand.tools.catalogue_browser import BROWSER_TOOLS
from pagehand.tools.catalogue_page import PAGE_TOOLS
from pagehand.tools.schemas import OPERATORS, Entry

__all__ = ["CATEGORIES", "OPERATORS", "OURS", "TOOLS", "Entry"]

CATEGORIES = ("see", "form", "act", "navigation", "ui", "data", "storage", "network", "device")
TOOLS: tuple[Entry, ...] = (*PAGE_TOOLS, *BROWSER_TOOLS)
# Options that are read here; all others are a Tool's own.
OURS = frozenset({"ask", "first", "rate", "acts", "draw", "card", "gate"})
