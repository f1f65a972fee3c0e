"""
Measure how strong the sensible computer players are.

Plays 1,000 games of Let's Dance and 1,000 rounds of Lambada for two, sides alternated, against a greedy player
(the move that gains most at once, see `benchmarks.lets_dance_strength` and `benchmarks.lambada_strength`) and
against the random one; Lambada with fines by the bot and in catch games. *Ours* is the share that the sensible one
wins, a tie counted half; *reference* is what is left for the other. The games have fixed seeds, so a share changes
only with the rules or the players. All cores play at once.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from math import sqrt

import msgspec

from benchmarks import lambada_strength, lets_dance_strength
from benchmarks.report import Line, Result
from rules import lambada, lets_dance
from rules.core.computers import choose_at_random
from rules.core.contract import Computer

CONTESTS = 1000
CHUNK = 50
"""Games that a process plays before it reports."""

NINETY_FIVE_PERCENT = 1.96


class Contest(msgspec.Struct, frozen=True):
    """
    Two players at one game.

    Attributes:
        title: as it is printed.
        penalties: of Lambada, "" for Let's Dance.
        other: name of the other player, "greedy" or "random".
        least: share that the sensible one should win.
    """

    title: str
    penalties: str
    other: str
    least: float


ALL = (
    Contest("Let's Dance", "", "greedy", 0.55),
    Contest("Let's Dance", "", "random", 0.95),
    Contest("Lambada", lambada.AUTO, "greedy", 0.55),
    Contest("Lambada", lambada.AUTO, "random", 0.95),
    Contest("Lambada, catch", lambada.CATCH, "greedy", 0.55),
    Contest("Lambada, catch", lambada.CATCH, "random", 0.95),
)


def points(contest: Contest, first: int) -> float:
    """Play games *first* to *first* + `CHUNK` - 1; return the points of the sensible player."""
    game = lambada.GAME if contest.penalties else lets_dance.GAME
    sensible = game.computers["sensible"]
    greedy: Computer = (lambada_strength if contest.penalties else lets_dance_strength).choose_greedily
    other = greedy if contest.other == "greedy" else choose_at_random
    won = 0.0
    for number in range(first, first + CHUNK):
        seat = number % 2
        players = (sensible, other) if seat == 0 else (other, sensible)
        if contest.penalties:
            won += seat == lambada_strength.play(players, number // 2, contest.penalties)
        else:
            places = lets_dance_strength.play(players, number // 2)
            won += 0.5 if places[0] == places[1] else places[seat] == 1
    return won


def measure() -> Result:
    """Run this benchmark."""
    lines = []
    remarks = []
    with ProcessPoolExecutor() as pool:
        played = [
            (contest, pool.map(points, [contest] * (CONTESTS // CHUNK), range(0, CONTESTS, CHUNK))) for contest in ALL
        ]
        for contest, chunks in played:
            share = sum(chunks) / CONTESTS
            lines.append(
                Line(
                    name=f"{contest.title}: sensible against {contest.other}, {CONTESTS:,} games",
                    ours=f"{share:.2%}",
                    reference=f"{1 - share:.2%} {contest.other}",
                    goal=f"at least {contest.least:.0%}",
                    met=share >= contest.least,
                )
            )
            margin = NINETY_FIVE_PERCENT * sqrt(share * (1 - share) / CONTESTS)
            remarks.append(
                f"Chance in {CONTESTS:,} games of {contest.title} against {contest.other}: ± {margin:.2%}, "
                "in 95 of 100 such runs."
            )
    return Result(tuple(lines), tuple(remarks))
