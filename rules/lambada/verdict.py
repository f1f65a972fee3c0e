"""What is to be said of a card on the word: clean, or a foul and its fine. All of it is in public sight."""

from __future__ import annotations

from collections.abc import Sequence

from rules.lambada.cards import (
    CARD,
    COLOUR,
    FIFTH_FINE,
    FORBIDDEN_FINE,
    GRAY,
    NON_MATCHING_FINE,
    STARTERS,
    TOO_MANY,
)
from rules.lambada.model import Kind

FINE: dict[Kind, int] = {
    "clean": 0,
    "non_matching": NON_MATCHING_FINE,
    "fifth": FIFTH_FINE,
    "forbidden": FORBIDDEN_FINE,
}
"""Cards to draw."""

FIFTH_COVERED_BY_ITS_OWN: bool = True
"""LB-13, contested: whether five in sight are a foul also when the card covered one of its own colour."""


def verdict(colours: Sequence[str], forbidden: str, card: str, slot: int) -> Kind:
    """
    Judge a card before it lies there.

    The worst fine counts alone (LB-16); of equal ones the Forbidden Colour is named.

    Args:
        colours: what the seven letters show, "gray" for a starting card (LB-11, LB-12).
        forbidden: the Forbidden Colour, "" for none (LB-15).
        card: its key.
        slot: the letter it is laid on.
    """
    colour = COLOUR[card]
    if colour == forbidden:
        return "forbidden"
    shown = colours.count(colour)
    if not shown:
        return "non_matching"  # LB-14: it will show once, so it is no fifth
    covers_own = colours[slot] == colour
    if shown + (not covers_own) >= TOO_MANY and (FIFTH_COVERED_BY_ITS_OWN or not covers_own):
        return "fifth"
    return "clean"


def may_start(cards: Sequence[str]) -> bool:
    """
    Tell whether the two first cards are accepted (LB-2, contested).

    Their colours differ, and so do their letters, two A counting as two letters.
    """
    colours = {COLOUR[card] for card in cards}
    letters = [CARD[card].letter for card in cards]
    return len(colours) == STARTERS and (len(set(letters)) == STARTERS or set(letters) == {"a"})


def colours(board: Sequence[Sequence[str]]) -> list[str]:
    """Return the colour that each letter shows."""
    return [COLOUR[cards[-1]] if cards else GRAY for cards in board]
