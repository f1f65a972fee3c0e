"""
Measure how strong the sensible computer player of Let's Dance is.

Plays 1,000 games for two, sides alternated, against a greedy player (the move with the largest gain at
once, see `benchmarks.lets_dance_strength`) and against the random one. *Ours* is the share of games
that the sensible one wins, a tie counted half; *reference* is what is left for the other. The games
have fixed seeds, so a share changes only with the rules or the players. All cores play at once.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from math import sqrt

from benchmarks.lets_dance_strength import GAMES, choose_greedily, play
from benchmarks.report import Line, Result
from rules.core.computers import choose_at_random
from rules.core.contract import Computer
from rules.lets_dance import GAME

CHUNK = 50
"""Games that a process plays before it reports."""

OPPONENTS: dict[str, tuple[Computer, float]] = {"greedy": (choose_greedily, 0.55), "random": (choose_at_random, 0.95)}
"""By name: the player, and the share of games that the sensible one should win."""

NINETY_FIVE_PERCENT = 1.96


def points(name: str, first: int) -> float:
    """Play games *first* to *first* + `CHUNK` - 1 against an opponent; return the points of the sensible player."""
    sensible = GAME.computers["sensible"]
    other, _ = OPPONENTS[name]
    won = 0.0
    for number in range(first, first + CHUNK):
        seat = number % 2
        places = play((sensible, other) if seat == 0 else (other, sensible), number // 2)
        won += 0.5 if places[0] == places[1] else places[seat] == 1
    return won


def measure() -> Result:
    """Run this benchmark."""
    lines = []
    remarks = []
    with ProcessPoolExecutor() as pool:
        shares = {name: pool.map(points, [name] * (GAMES // CHUNK), range(0, GAMES, CHUNK)) for name in OPPONENTS}
        for name, chunks in shares.items():
            share = sum(chunks) / GAMES
            least = OPPONENTS[name][1]
            lines.append(
                Line(
                    name=f"sensible against {name}, {GAMES:,} games",
                    ours=f"{share:.2%}",
                    reference=f"{1 - share:.2%} {name}",
                    goal=f"at least {least:.0%}",
                    met=share >= least,
                )
            )
            margin = NINETY_FIVE_PERCENT * sqrt(share * (1 - share) / GAMES)
            remarks.append(f"Chance in {GAMES:,} games against {name}: ± {margin:.2%}, in 95 of 100 such runs.")
    return Result(tuple(lines), tuple(remarks))
