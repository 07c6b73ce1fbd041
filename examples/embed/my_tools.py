"""The tools of a shop that embeds the assistant: plain Python, run in the visitor's own page."""

from typing import Annotated, Any

import js
from pydantic import Field

from pagehand import ToolError, Toolkit

toolkit = Toolkit()


@toolkit.tool("list-records", category="read", risk="safe")
def list_records() -> list[dict[str, Any]]:
    """Lists the records in the crates today: id, title and price in euros."""
    return [
        {
            "id": item.dataset.id,
            "title": item.textContent.strip(),
            "euros": float(item.dataset.price),
        }
        for item in js.document.querySelectorAll("#records li")
    ]


@toolkit.tool("add-to-basket", category="form", risk="moderate")
def add_to_basket(
    record: Annotated[str, Field(description="The record's id, such as hr-2")],
) -> dict[str, Any]:
    """Puts one record into the basket and returns what is in it now."""
    item = js.document.querySelector(f'#records [data-id="{js.CSS.escape(record)}"]')
    if not item:  # JavaScript's null arrives as a false value, not as None
        raise ToolError(f"There is no record {record!r}. Use list-records to see the ids.")
    basket = js.document.getElementById("basket")
    chosen = [*getattr(basket.dataset, "ids", "").split(), record]
    basket.dataset.ids = " ".join(chosen)
    basket.textContent = ", ".join(chosen)
    return {"basket": chosen}
