"""What a benchmark hands back, and how it is printed: one table, a line for each thing measured."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

HEADINGS = ("measured", "ours", "reference", "ratio", "goal", "met")
NS_PER_MS = 1_000_000
NS_PER_US = 1_000


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """
    One thing measured.

    Attributes:
        name: what it is.
        ours: this project's figure, with its unit.
        reference: what it stands beside, "" for nothing.
        ratio: ours divided by the reference, `None` without one.
        goal: in words, "" for a figure that is only there to be read.
        met: whether the goal was reached this time, `None` without a goal or without a figure.
    """

    name: str
    ours: str
    reference: str = ""
    ratio: float | None = None
    goal: str = ""
    met: bool | None = None


class Result(msgspec.Struct, frozen=True):
    """What one benchmark found: its lines, and remarks to be read below the table."""

    lines: tuple[Line, ...]
    remarks: tuple[str, ...] = ()


def percentile(values: Sequence[int], percent: int) -> int:
    """Return the smallest of *values* (not empty) that at least *percent* of 100 of them do not exceed."""
    return sorted(values)[max(0, -(-len(values) * percent // 100) - 1)]


def span(nanoseconds: int) -> str:
    """Write a short time with a unit that fits."""
    if nanoseconds >= NS_PER_MS:
        return f"{nanoseconds / NS_PER_MS:.2f} ms"
    return f"{nanoseconds / NS_PER_US:.1f} µs"


def table(lines: Sequence[Line]) -> str:
    """Lay *lines* out under their headings."""
    rows = [HEADINGS, *(_cells(line) for line in lines)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rows.insert(1, tuple("-" * width for width in widths))
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def markdown(lines: Sequence[Line]) -> str:
    """Lay *lines* out as a table of Markdown."""
    rows = [HEADINGS, ("---",) * len(HEADINGS), *(_cells(line) for line in lines)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _cells(line: Line) -> tuple[str, ...]:
    ratio = "" if line.ratio is None else f"{line.ratio:.2f}"
    met = "not measured" if line.goal else ""
    if line.met is not None:
        met = "met" if line.met else "not met"
    return line.name, line.ours, line.reference, ratio, line.goal, met
