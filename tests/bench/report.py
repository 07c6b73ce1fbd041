"""What a benchmark says, the table that shows it, and the file that keeps it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Row:
    """One comparison of ours with a baseline, measured side by side.

    Attributes:
        name: What was measured.
        ours: Our value, in `unit`.
        baseline: The other's value, or None where a limit stands alone.
        ratio: Ours divided by the baseline; without a baseline our value itself.
        limit: The most that `ratio` may be, or None if it is only for information.
        unit: Of `ours` and `baseline`: "ms", "MB", "us".
    """

    name: str
    ours: float
    baseline: float | None
    ratio: float
    limit: float | None
    unit: str

    @property
    def holds(self) -> bool:
        """Whether the limit is kept."""
        return self.limit is None or self.ratio <= self.limit


def compare(
    name: str, ours: float, baseline: float, limit: float | None = None, unit: str = "ms"
) -> Row:
    """A row of ours against a baseline."""
    return Row(name, ours, baseline, ours / baseline, limit, unit)


def table(rows: list[Row]) -> str:
    """The rows as text, one line each."""
    lines = [f"{'':50} {'ours':>10} {'baseline':>10} {'ratio':>7} {'limit':>7}"]
    for row in rows:
        baseline = "" if row.baseline is None else f"{row.baseline:,.2f}"
        limit = "" if row.limit is None else f"{row.limit:.2f}"
        mark = "" if row.holds else "  over the limit"
        name = f"{row.name} [{row.unit}]"
        lines.append(
            f"{name:50} {row.ours:>10,.2f} {baseline:>10} {row.ratio:>7.2f} {limit:>7}{mark}"
        )
    return "\n".join(lines)


def write_results(rows: list[Row], path: Path) -> None:
    """Writes bench-results.json."""
    data = [{**asdict(row), "holds": row.holds} for row in rows]
    path.write_text(json.dumps({"rows": data}, indent=1) + "\n", encoding="utf-8")
