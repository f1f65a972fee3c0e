"""Computer players that every game gets, and how they are found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rules.core.contract import Computer, Game
from rules.core.rng import Rng

RANDOM = "random"

NAMES = (
    "Disco Dot",
    "Robo Rita",
    "Salsa Sam",
    "Twist Tina",
    "Mambo Max",
    "Polka Pat",
    "Boogie Bo",
)
"""Names of computers, one more than a table seats, so that a leaver's seat finds a free one."""


def choose_at_random(_view: Any, legal: Sequence[Any], rng: Rng, /) -> Any:
    """Pick the kind of action first, then the action, so that rare kinds come up as often as common ones."""
    kinds = sorted({type(action).__name__ for action in legal})
    kind = rng.choice(kinds)
    return rng.choice([action for action in legal if type(action).__name__ == kind])


def computers(game: Game) -> Mapping[str, Computer]:
    """Return the computer players of *game* by level, the usual one first."""
    return {**game.computers, RANDOM: choose_at_random}


def usual_level(game: Game) -> str:
    """Return the level that fills a seat when nobody names one."""
    return next(iter(computers(game)))


def free_name(taken: Sequence[str]) -> str:
    """Return a computer's name that is not among *taken*."""
    return next(name for name in NAMES if name not in taken)
