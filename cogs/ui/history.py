"""The log of a table in words, a page at a time, the newest first."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from discord import ui

from cogs.ui.face import Face
from cogs.ui.ids import HOUSE, PICK, Press
from cogs.ui.layout import ACCENT_HOUSE, MAX_OPTIONS, Element, Knob, button, clock, option, page, rows, select, text
from cogs.ui.words import kernel_words
from rules.core.replay import Told
from rules.core.table import Entry, KernelEvent, Table

PAGE_LINES = 12
LINE_LENGTH = 240


class Line(msgspec.Struct, frozen=True):
    """One thing that happened, in words, and when, UTC ms."""

    at_ms: int
    words: str


def told_lines(face: Face, told: Sequence[Told]) -> list[Line]:
    """Return a table's history in words, the oldest first; what is not worth a line is left out."""
    lines = [Line(one.at_ms, _words(face, one.entry, one.table)) for one in told]
    return [line for line in lines if line.words]


def _words(face: Face, entry: Entry, table: Table) -> str:
    """Return one entry in words: what the game made of it, then what happened to the table."""
    kernel = [event for event in entry.events if isinstance(event, KernelEvent)]
    own = tuple(event for event in entry.events if not isinstance(event, KernelEvent))
    parts = [face.words(msgspec.structs.replace(entry, events=own), table)] if own else []
    parts += [kernel_words(event, table) for event in kernel]
    words = " ".join(part for part in parts if part)
    if words and entry.by == "clock" and entry.seat is not None:
        words = f"Time ran out, so a computer moved: {words}"
    return words if len(words) <= LINE_LENGTH else words[: LINE_LENGTH - 1] + "…"


def log_page(
    face: Face, table: Table, lines: Sequence[Line], number: int = 1, total: int | None = None
) -> ui.LayoutView:
    """
    Return one page of a table's log with the way to the others.

    Args:
        face: looks of the table's game.
        table: as it is now.
        lines: the whole log, the oldest first.
        number: which page, 1 holds the newest lines.
        total: how many lines there were when the log was opened, so that pages stay put while the game goes on.
    """
    total = len(lines) if total is None else min(total, len(lines))
    pages = max(1, -(-total // PAGE_LINES))
    number = max(1, min(number, pages))
    last = total - (number - 1) * PAGE_LINES
    shown = lines[max(0, last - PAGE_LINES) : last]
    head = text(
        "## 📜 Log",
        f"-# Table {table.table_id} · {face.title} · page {number} of {pages}, newest first",
        f"-# <t:{shown[0].at_ms // 1000}:f> to <t:{shown[-1].at_ms // 1000}:f>" if shown else "",
    )
    body = text(*(f"{clock(line.at_ms)} {line.words}" for line in reversed(shown)))
    parts: list[Element] = [head, body if shown else text("Nothing has happened yet.")]
    if pages > 1:
        parts += _ways(table, number, pages, total)
    return page(face.accent if table.phase == "playing" else ACCENT_HOUSE, *parts)


def _ways(table: Table, number: int, pages: int, total: int) -> list[Element]:
    """Return the select of all pages, several a line when they are many, and the buttons to the next ones."""

    def to(label: str, verb: str, target: int) -> Knob:
        press = Press(HOUSE, verb, table.table_id, arg=f"{target}.{total}")
        return button(label, press, off=not 1 <= target <= pages)

    step = -(-pages // MAX_OPTIONS)
    contents = []
    for first in range(1, pages + 1, step):
        end = min(first + step - 1, pages)
        entry = option(f"Page {first}" if first == end else f"Pages {first} to {end}", "log", f"{first}.{total}")
        entry.default = first <= number <= end
        contents.append(entry)
    return [
        select("Go to page…", Press(HOUSE, PICK, table.table_id, arg="log"), contents),
        *rows([to("Back", "log_back", number - 1), to("On", "log_on", number + 1)]),
    ]
