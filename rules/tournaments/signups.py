"""People from a pasted list or a file: mentions, ids, or CSV with a column of either."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator

import msgspec

_ID = re.compile(r"<@!?(\d{15,20})>|(?<![\d&#:])\b(\d{15,20})\b")
MOST_LINES = 2_000


class Listed(msgspec.Struct, frozen=True):
    """
    What a list held.

    Attributes:
        people: ids with the name beside them, "" without one; each id once, in the order of the list.
        unread: lines, from 1, in which no id was found, a heading left out.
    """

    people: tuple[tuple[int, str], ...]
    unread: tuple[int, ...]


def read_people(text: str) -> Listed:
    """
    Read ids of people out of *text*.

    A line may hold one id and a name, as CSV (comma, semicolon or tab) has it, or any number of mentions.
    """
    people: dict[int, str] = {}
    unread: list[int] = []
    for number, line in enumerate(text.lstrip("\ufeff").splitlines()[:MOST_LINES], start=1):
        found = [int(mention or plain) for mention, plain in _ID.findall(line)]
        if not found:
            if line.strip() and number > 1:
                unread.append(number)
            continue
        name = _name(line) if len(found) == 1 else ""
        for one in found:
            people[one] = people.get(one) or name
    return Listed(tuple(people.items()), tuple(unread))


def _name(line: str) -> str:
    """Return the first cell of a line that is not an id."""
    cells: Iterator[str] = (cell.strip() for row in csv.reader([line], delimiter=_delimiter(line)) for cell in row)
    return next((cell for cell in cells if cell and not _ID.search(cell)), "")


def _delimiter(line: str) -> str:
    return max(",;\t", key=line.count)
