"""Who won, and why."""

from __future__ import annotations

from rules.breakdancing_meeples.model import Crew
from rules.core.contract import Outcome

APPEAL = "most_crowd_appeal"
FINAL_ROUND = "final_round"
DRAW = "draw"

END_REASONS = (APPEAL, FINAL_ROUND, DRAW)
"""The highest total alone; the better last Dance Off among equals; equal in both (BM-52, BM-53)."""


def outcome(crews: tuple[Crew, ...]) -> Outcome:
    """Rank the crews by total, costs deducted, then by the points of the last Dance Off (BM-51, BM-52, BM-53)."""
    ranks = [(crew.total, crew.scores[-1]) for crew in crews]
    places = tuple(1 + sum(other > rank for other in ranks) for rank in ranks)
    best = max(crew.total for crew in crews)
    ahead = sum(crew.total == best for crew in crews)
    reason = APPEAL if ahead == 1 else FINAL_ROUND if places.count(1) == 1 else DRAW
    return Outcome(places, tuple(crew.total for crew in crews), reason)
