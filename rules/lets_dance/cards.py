"""The cards and numbers of Let's Dance, as the data file has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from rules.core.discovery import load_data

BASIC = "basic"
FLOORWORK = "floorwork"
YMCA = "ymca"
SPIN = "spin"
CONGA = "conga"
EUPHORIA = "euphoria"
FEVER = "fever"
TOES = "toes"
OVER = "over"

LETTERS = ("y", "m", "c", "a")
EXTRAS = (EUPHORIA, FEVER)
"""The cards that may join a group of another family."""


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """
    One kind of card.

    Attributes:
        key: its name in states, actions and events.
        name: as people read it.
        short: its name on a dance floor, where room is short.
        family: its chapter under "Types of Cards".
        copies: how many the full deck has.
        small_copies: how many the deck of 2 or 3 players has.
        points: value of a Basic move, 0 for others.
        house: whether `points` is a house value.
    """

    key: str
    name: str
    short: str
    family: str
    copies: int
    small_copies: int
    points: int
    house: bool


class Scoring(msgspec.Struct, frozen=True, kw_only=True):
    """Every number that scores, in points; `floorwork` and `spin` by size of the set, from one."""

    floorwork: tuple[int, int, int]
    ymca: int
    ymca_in_order: int
    spin: tuple[int, int, int]
    euphoria: int
    fever: int
    dance_machine: int
    big_finish: int
    party_pooper: int


def _card(entry: Mapping[str, Any]) -> Card:
    """Read one `[[card]]` of the data file."""
    value = entry.get("value", {"points": 0, "source": "rulebook"})
    return Card(
        key=entry["key"],
        name=entry["name"],
        short=entry["short"],
        family=entry["family"],
        copies=entry["copies"],
        small_copies=entry["small"]["copies"],
        points=value["points"],
        house=value["source"] == "house",
    )


_DATA = load_data("lets_dance")

CARDS: tuple[Card, ...] = tuple(_card(entry) for entry in _DATA["card"])
"""Every kind of card in canonical order, that of a hand."""

CARD: Mapping[str, Card] = {card.key: card for card in CARDS}
FAMILY: Mapping[str, str] = {card.key: card.family for card in CARDS}
POINTS: Mapping[str, int] = {card.key: card.points for card in CARDS}
RANK: Mapping[str, int] = {card.key: rank for rank, card in enumerate(CARDS)}

SCORING = msgspec.convert(_DATA["scoring"], Scoring)
HAND_SIZE: int = _DATA["table"]["hand"]
PACKET: int = _DATA["table"]["packet"]
DIZZY: int = _DATA["table"]["dizzy"]
SMALL_DECK_UP_TO: int = _DATA["table"]["small_deck_up_to"]


def in_order(cards: Iterable[str]) -> tuple[str, ...]:
    """Return *cards* in canonical order, as a hand holds them."""
    return tuple(sorted(cards, key=RANK.__getitem__))


def copies(*, small: bool) -> dict[str, int]:
    """
    Return how many of each card a game is played with, Party's Over included (LD-1).

    Args:
        small: whether the cards for four and more players stay in the box.
    """
    return {card.key: card.small_copies if small else card.copies for card in CARDS}
