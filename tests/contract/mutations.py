"""Actions that nobody offered: legal ones with one field changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec


def mutations(action: Any, cards: Sequence[str], seats: int) -> Iterator[Any]:
    """Return *action* with one field changed to everything of its type that may matter."""
    for field in action.__struct_fields__:
        value = getattr(action, field)
        for other in values(value, cards, seats):
            if other != value:
                yield msgspec.structs.replace(action, **{field: other})


def values(value: Any, cards: Sequence[str], seats: int) -> Iterator[Any]:
    """Return other values of the same type: every card for a string, every seat and beyond for a number."""
    match value:
        case bool():
            yield not value
        case int():
            yield from (-1, *range(seats + 1), value - 1, value + 1, 10**6)
        case str():
            yield from ("", f"{value}x", *cards)
        case tuple():
            yield from ((), value[:-1], value[1:], value[::-1], value + value)
            yield from ((*value, card) for card in cards)
            for place, item in enumerate(value):
                for other in values(item, cards, seats):
                    yield (*value[:place], other, *value[place + 1 :])
