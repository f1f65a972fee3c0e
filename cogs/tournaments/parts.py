"""What every screen of a tournament is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from discord import ui

from cogs.ui.ids import PICK, Press
from cogs.ui.layout import Element, Knob, Style, TooLarge, button, option, select
from cogs.ui.names import NAME_LENGTH, shown
from rules.tournaments.model import Tournament

KEY = "tournament"
"""Stands where other ids have the key of a game."""

ACCENT = 0x9B59B6
WIDTHS = (NAME_LENGTH, 12, 8, 5)
"""Lengths that names are cut to where a screen would be too large."""
TEXT_BUDGET = 3_000
"""Letters for a list of unknown length; what stands around it takes the rest of what Discord allows."""

Titles = Mapping[str, str]
"""The games' names by key."""


def press(record: Tournament, verb: str, arg: str = "") -> Press:
    """Return the press of a tournament's own button."""
    return Press(KEY, verb, record.tournament_id, arg=arg)


def fitting(draw: Callable[[int], ui.LayoutView]) -> ui.LayoutView:
    """
    Return a screen with names as long as Discord's limits allow.

    Raises:
        TooLarge: even with the shortest names it does not fit.
    """
    for width in WIDTHS[:-1]:
        try:
            return draw(width)
        except TooLarge:
            continue
    return draw(WIDTHS[-1])


def within(lines: Sequence[str], budget: int = TEXT_BUDGET) -> list[str]:
    """Return the first lines that fit, and how many there are beside them."""
    told: list[str] = []
    for listed in lines:
        budget -= len(listed) + 1
        if budget < 0:
            return [*told, f"-# And {len(lines) - len(told)} more."]
        told.append(listed)
    return told


def knob(
    record: Tournament, label: str, verb: str, arg: str = "", style: Style = Style.secondary, *, off: bool = False
) -> Knob:
    """Return one of a tournament's own buttons."""
    return button(label, press(record, verb, arg), style, off=off)


def title(record: Tournament) -> str:
    """Return the tournament's name for a heading."""
    return f"## 🏆 {shown(record.setup.title, 60)}"


def small(record: Tournament, *more: str) -> str:
    """Return the small line below a heading."""
    return "-# " + " · ".join((f"Tournament {record.tournament_id}", *(each for each in more if each)))


def staff(record: Tournament) -> str:
    """Return mentions of whoever created the tournament, unless they were forgotten, and of its staff role."""
    role = record.setup.staff_role
    called = (f"<@{record.host_id}>" if record.host_id > 0 else "", f"<@&{role}>" if role else "")
    return " ".join(each for each in called if each) or "Organisers:"


def turning(
    record: Tournament, title: str, verb: str, starts: Iterable[tuple[int, str]], first: int, before: str = ""
) -> list[Element]:
    """
    Return a select that turns to another page; nothing where one page holds all.

    Args:
        record: the tournament.
        title: the select's.
        verb: what it does with the start of a page.
        starts: the first index of each page, and what the page is called.
        first: the first index of the page that is shown.
        before: what stands before the index in an option.
    """
    menu = []
    for start, called in starts:
        entry = option(called, verb, f"{before}{start}")
        entry.default = start == first
        menu.append(entry)
    return [select(title, press(record, PICK, verb), menu)] if len(menu) > 1 else []
