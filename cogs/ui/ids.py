"""
The grammar of every `custom_id`: ``d:<game>:<table>:<version>:<verb>:<arg>``.

All that a press means is in its id, so a button works after any restart and nothing is kept in
memory for it. An id on a public message never holds a card.
"""

from __future__ import annotations

import re

import msgspec

from rules.core.contract import Refusal

MAX_ID = 100
PICK = "pick"
"""Verb of a select; the chosen value is ``verb:arg`` and takes its place."""
MARK = "|"
"""Stands in a sent value before what tells it from the same value sent earlier."""

_GRAMMAR = re.compile(r"d:(?P<game>[a-z_]+):(?P<table>\d{1,15}):(?P<version>\d{1,9}):(?P<verb>[a-z_]+):(?P<arg>.*)")


class Press(msgspec.Struct, frozen=True):
    """
    What a press asks for.

    Attributes:
        game: key of the game, or `HOUSE` for what belongs to none.
        verb: what to do.
        table_id: the table, 0 for none.
        version: of the panel that was pressed, 0 for a public message.
        arg: what the verb needs to know.
    """

    game: str
    verb: str
    table_id: int = 0
    version: int = 0
    arg: str = ""

    def encode(self) -> str:
        """
        Return the `custom_id`.

        Raises:
            ValueError: longer than Discord takes.
        """
        text = f"d:{self.game}:{self.table_id}:{self.version}:{self.verb}:{self.arg}"
        if len(text) > MAX_ID:
            raise ValueError(f"custom_id too long: {len(text)}")
        return text

    def picked(self, value: str) -> Press:
        """Return the press that a select's chosen value stands for."""
        verb, _, arg = value.partition(MARK)[0].partition(":")
        return msgspec.structs.replace(self, verb=verb, arg=arg)


HOUSE = "house"


def parse(custom_id: str) -> Press | None:
    """Read a `custom_id`; `None` when it is not ours."""
    found = _GRAMMAR.fullmatch(custom_id)
    if found is None:
        return None
    return Press(found["game"], found["verb"], int(found["table"]), int(found["version"]), found["arg"])


def to_number(arg: str) -> int:
    """
    Read a number from an id.

    Raises:
        Refusal: `old_button`, it is none.
    """
    if not (arg.isascii() and arg.isdecimal()):
        raise Refusal("old_button")
    return int(arg)
