"""How a match ends."""

from __future__ import annotations

from collections.abc import Sequence

from rules.core.contract import Outcome

FINISHED = "finished"
"""The only end there is: somebody has won the rounds it takes."""


def places(wins: Sequence[int]) -> tuple[int, ...]:
    """Rank the seats by rounds won; tied seats share a place and the next one is skipped."""
    return tuple(1 + sum(other > won for other in wins) for won in wins)


def outcome(wins: tuple[int, ...]) -> Outcome:
    """Return the places and, as scores, the rounds won."""
    return Outcome(places=places(wins), scores=wins, reason=FINISHED)
