"""What the shared cogs ask of a game's cog: everything a person sees of that game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import msgspec
from discord import ui

from cogs.ui.ids import Press
from cogs.ui.layout import Element
from rules.core.contract import Event
from rules.core.discovery import load_data
from rules.core.table import Entry, Table
from rules.core.tables import Scene


class Section(msgspec.Struct, frozen=True):
    """One page of the rules; *house* says which of its values are ours and not the box's."""

    title: str
    text: str
    house: str = ""


def sections(game: str, package: str = "rules.data") -> tuple[Section, ...]:
    """Return the rules of *game* in our words, from its data file."""
    return tuple(
        Section(entry["title"], entry["text"].strip(), entry.get("house", ""))
        for entry in load_data(game, package)["section"]
    )


class Face(Protocol):
    """
    A game's looks and words. All of it is made from a `Scene`, never from the state.

    Attributes:
        key: key of the game.
        title: the game's name with its sign, as a heading.
        command: name of its slash command group.
        accent: colour of its messages.
        place: what the lobby calls the seats, such as "On the floor".
        door: label of the button that opens one's own panel.
        rules: the rules by section.
        refusals: sentences for the game's own refusals.
        self_dated: verbs of moves whose ids say themselves what the presser saw, so that no panel can be out of date.
        spacing_ms: fewest milliseconds between two edits of a board.
    """

    key: str
    title: str
    command: str
    accent: int
    place: str
    door: str
    rules: Sequence[Section]
    refusals: Mapping[str, Callable[[Mapping[str, int]], str]]
    self_dated: frozenset[str]
    spacing_ms: int

    def board(self, scene: Scene) -> list[Element]:
        """Return the public board of a game under way or over, without its frame."""
        ...

    def words(self, entry: Entry, table: Table) -> str:
        """Return one line about what happened, empty when it is not worth one."""
        ...

    def hand(self, scene: Scene, told: Sequence[Event] = (), note: str = "") -> ui.LayoutView:
        """
        Return the private panel of `scene.seat`.

        Args:
            scene: the table as that seat sees it.
            told: what just happened to it, to be shown above the hand.
            note: a sentence to begin with.
        """
        ...

    def panel(self, scene: Scene, press: Press) -> ui.LayoutView:
        """
        Return what a press that only chooses or shows leads to.

        Raises:
            Refusal: `old_button`, the press means nothing (any more).
        """
        ...

    def action(self, press: Press) -> Any | None:
        """Return the action that a press stands for, `None` when it only chooses or shows."""
        ...
