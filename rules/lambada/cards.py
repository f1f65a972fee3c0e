"""The cards, tokens and numbers of Lambada, as the data file has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from rules.core.discovery import load_data

GRAY = "gray"
"""Colour of a starting card: none at all (LB-12)."""

WORD = ("l", "a", "m", "b", "a", "d", "a")
"""The seven letters on the table; a slot is an index of it."""


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """
    One kind of card.

    Attributes:
        key: its name in states, actions and events, such as "red_a".
        name: as people read it.
        colour: key of its colour.
        letter: "l", "a", "m", "b" or "d".
        copies: how many the deck has.
        slots: where it may lie, from the left (LB-10).
    """

    key: str
    name: str
    colour: str
    letter: str
    copies: int
    slots: tuple[int, ...]


_DATA = load_data("lambada")

COLOURS: Mapping[str, str] = {colour["key"]: colour["name"] for colour in _DATA["colour"]}
"""Names of the seven colours by key, in canonical order."""

TOKENS: Mapping[str, str] = {token["key"]: token["name"] for token in _DATA["token"]}
"""Names of the eight Victory Tokens by key."""

CARDS: tuple[Card, ...] = tuple(
    Card(
        key=f"{colour}_{letter['key']}",
        name=f"{name} {letter['name']}",
        colour=colour,
        letter=letter["key"],
        copies=letter["copies"],
        slots=tuple(slot for slot, there in enumerate(WORD) if there == letter["key"]),
    )
    for colour, name in COLOURS.items()
    for letter in _DATA["card"]
)
"""Every kind of card in canonical order, that of a hand."""

CARD: Mapping[str, Card] = {card.key: card for card in CARDS}
COLOUR: Mapping[str, str] = {card.key: card.colour for card in CARDS}
RANK: Mapping[str, int] = {card.key: rank for rank, card in enumerate(CARDS)}
DECK: tuple[str, ...] = tuple(card.key for card in CARDS for _ in range(card.copies))
"""All 56 cards (LB-1)."""

HAND_SIZE: int = _DATA["table"]["hand"]
STARTERS: int = _DATA["table"]["starters"]
TOO_MANY: int = _DATA["table"]["too_many"]

NON_MATCHING_FINE: int = _DATA["fines"]["non_matching"]
FIFTH_FINE: int = _DATA["fines"]["fifth"]
FORBIDDEN_FINE: int = _DATA["fines"]["forbidden"]
NOT_OUT_YET: int = _DATA["fines"]["not_out_yet"]

_TARGETS: tuple[tuple[int, int], ...] = tuple((row["up_to"], row["wins"]) for row in _DATA["match"])

WINDOW_MS: int = _DATA["times"]["window_ms"]["ms"]
BETWEEN_MS: int = _DATA["times"]["between_ms"]["ms"]
TOKEN_MS: int = _DATA["times"]["token_ms"]["ms"]


def in_order(cards: Iterable[str]) -> tuple[str, ...]:
    """Return *cards* in canonical order, as a hand holds them."""
    return tuple(sorted(cards, key=RANK.__getitem__))


def rounds_to_win(seats: int) -> int:
    """Return how many rounds win the match (LB-F9)."""
    return next(wins for up_to, wins in _TARGETS if seats <= up_to)
