"""
Layouts from plain parts, and the one check of Discord's size limits.

A layout is made afresh for each rendering and never changed; its buttons and selects are `Knob`s,
so nothing of it stays in memory once it is sent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Self, TypeVar

import discord
from discord import ui

from cogs.ui.ids import MARK, PICK, Press, parse

ACCENT_HOUSE = 0x95A5A6
MAX_COMPONENTS = 40
MAX_TEXT = 4000
MAX_LABEL = 34
MAX_PLACEHOLDER = 25
MAX_OPTIONS = 25
MAX_OPTION_TEXT = 100
MARKS = 5 * 10**7
"""Milliseconds, half a day, after which marks come again; an id of a component has 31 bits."""
MAX_VALUE = 100 - len(f"{MARK}{MARKS}")
MAX_TITLE_TEXT = 150
"""Letters that a table's title may take on its board, however they are escaped."""

Style = discord.ButtonStyle
Element = ui.Item[Any]


class TooLarge(ValueError):
    """A layout that Discord would refuse."""


class Knob(ui.DynamicItem[ui.Item[Any]], template=re.compile(r"(?s).*")):
    """
    Any button or select of this bot, also one from before a restart.

    The template takes every id: what is not ours, or no longer, gets an answer as well.
    """

    @classmethod
    async def from_custom_id(
        cls, _interaction: discord.Interaction[Any], item: ui.Item[Any], _match: re.Match[str], /
    ) -> Self:
        """Wrap the pressed item."""
        return cls(item)

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Hand the press on."""
        press = parse(self.custom_id)
        data: Any = interaction.data
        values = data.get("values") if data else None
        if press and press.verb == PICK and values:
            press = press.picked(str(values[0]))
        await interaction.client.on_press(interaction, press)


def button(text: str, press: Press, style: Style = Style.secondary, *, emoji: str = "", off: bool = False) -> Knob:
    """Return a button; grey only chooses or shows, green and red act at once, blue is the main door."""
    return Knob(ui.Button(label=text, custom_id=press.encode(), style=style, emoji=emoji or None, disabled=off))


def option(text: str, verb: str, arg: str = "", *, about: str = "", emoji: str = "") -> discord.SelectOption:
    """Return one line of a select; choosing it is pressing a button with *verb* and *arg*."""
    return discord.SelectOption(
        label=text[:MAX_OPTION_TEXT],
        value=f"{verb}:{arg}",
        description=about[:MAX_OPTION_TEXT] or None,
        emoji=emoji or None,
    )


def select(placeholder: str, press: Press, options: Sequence[discord.SelectOption]) -> ui.ActionRow[Any]:
    """Return a row with a select of at most 25 options, off without any; *press* gives its place, they the rest."""
    given = list(options) or [discord.SelectOption(label="-")]  # Discord takes none without an option
    knob: ui.Select[Any] = ui.Select(
        custom_id=press.encode(), placeholder=placeholder, options=given, disabled=not options
    )
    return ui.ActionRow(Knob(knob))


def rows(buttons: Iterable[Knob], width: int = 5) -> list[Element]:
    """Return buttons in rows of at most *width*."""
    knobs = list(buttons)
    return [ui.ActionRow(*knobs[start : start + width]) for start in range(0, len(knobs), width)]


def text(*lines: str) -> ui.TextDisplay[Any]:
    """Return lines of markdown as one piece of text; empty ones are left out."""
    return ui.TextDisplay("\n".join(line for line in lines if line))


def line() -> ui.Separator[Any]:
    """Return a thin line."""
    return ui.Separator()


def page(accent: int, *parts: Element) -> ui.LayoutView:
    """
    Return one message: a container with *parts*; texts without a word are left out.

    Raises:
        TooLarge: Discord would refuse it.
    """
    view = ui.LayoutView(timeout=None)
    told = (part for part in parts if not isinstance(part, ui.TextDisplay) or part.content.strip())
    view.add_item(ui.Container(*told, accent_colour=accent))
    return check(view)


L = TypeVar("L", bound=ui.LayoutView)


def ready(view: L, now_ms: int) -> L:
    """
    Make a private *view* ready to be sent; *now_ms* is the time, UTC ms.

    Its selects are marked with it, by their ids and by the values of their lines. A client keeps the chosen line when
    a message is drawn anew, and sends nothing when that line is chosen once more (discord-api-docs #4801); to it a
    select or a line with another mark is another one, which shows its default or that nothing is chosen.
    """
    view.stop()  # discord.py would watch over it, though all it means is in its ids
    mark = now_ms % MARKS
    items = (part.item if isinstance(part, ui.DynamicItem) else part for part in view.walk_children())
    for number, item in enumerate(item for item in items if isinstance(item, ui.Select)):
        item.id = (mark + 1) * MAX_COMPONENTS + number  # beyond those that Discord gives by itself
        for entry in item.options:
            entry.value += f"{MARK}{mark}"
    return view


def check(view: L) -> L:
    """
    Pass *view* on if Discord will take it.

    Raises:
        TooLarge: too many components, too much text, or a label, id or select beyond its limit.
    """
    parts = list(view.walk_children())
    total = sum(len(part.content) for part in parts if isinstance(part, ui.TextDisplay))
    if len(parts) > MAX_COMPONENTS:
        raise TooLarge(f"{len(parts)} components")
    if total > MAX_TEXT:
        raise TooLarge(f"{total} characters")
    ids: set[str] = set()
    for part in parts:
        item = part.item if isinstance(part, ui.DynamicItem) else part
        if isinstance(item, ui.TextDisplay) and not item.content.strip():
            raise TooLarge("empty text")
        if isinstance(item, ui.Button) and len(item.label or "") > MAX_LABEL + len(" (computer)"):
            raise TooLarge(f"label of {len(item.label or '')}")
        if isinstance(item, ui.Select) and not (
            1 <= len(item.options) <= MAX_OPTIONS and len(item.placeholder or "") <= MAX_PLACEHOLDER
        ):
            raise TooLarge(f"select of {len(item.options)}")
        if isinstance(item, ui.Select) and any(len(entry.value) > MAX_VALUE for entry in item.options):
            raise TooLarge("value of an option")
        if isinstance(item, ui.Button | ui.Select) and item.custom_id:
            if item.custom_id in ids:
                raise TooLarge("the same id twice")
            ids.add(item.custom_id)
    return view


def ago(moment_ms: int) -> str:
    """Return a moment as Discord shows it, *in 11 hours*, kept current by the reader's own client."""
    return f"<t:{moment_ms // 1000}:R>"


def clock(moment_ms: int) -> str:
    """Return a moment as the time of day, in the reader's own zone; it also reads well once it has passed."""
    return f"<t:{moment_ms // 1000}:t>"


def said(refusal: str) -> str:
    """Return a refusal as people see it."""
    return f"✋ {refusal}"
