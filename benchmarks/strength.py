"""
Measure how strong the sensible computer players are.

Plays 1,000 games of Let's Dance and 1,000 rounds of Lambada for two, sides alternated, against a greedy player
(the move that gains most at once, see `benchmarks.lets_dance_strength` and `benchmarks.lambada_strength`) and
against the random one; Lambada with fines by the bot and in catch games; and whole games of Breakdancing Meeples
between its three strengths, with presses as fast as at a table. *Ours* is the share that the first one wins, a tie
counted half; *reference* is what is left for the other. The games have fixed seeds, so a share changes
only with the rules or the players. All cores play at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from math import sqrt

import msgspec

from benchmarks import breakdancing_meeples_strength, lambada_strength, lets_dance_strength
from benchmarks.report import Line, Result
from rules import breakdancing_meeples, lambada, lets_dance
from rules.core.computers import RANDOM, computers
from rules.core.contract import Computer, Game

CONTESTS = 1000
CHUNK = 50
"""Games that a process plays before it reports."""

NINETY_FIVE_PERCENT = 1.96


Places = Callable[[Sequence[Computer], int], Sequence[int]]
"""Plays game number so-and-so between two players; gives the place of each, from 1."""


class Contest(msgspec.Struct, frozen=True):
    """
    Two players at one game.

    Attributes:
        title: of the game, as it is printed.
        level: whose wins are counted.
        other: the other player: "greedy" or a level.
        least: share that the first one should win.
    """

    title: str
    level: str
    other: str
    least: float


MEEPLES = "Breakdancing Meeples"
GAMES: Mapping[str, tuple[Game, Places, Computer | None]] = {
    "Let's Dance": (lets_dance.GAME, lets_dance_strength.places, lets_dance_strength.choose_greedily),
    "Lambada": (lambada.GAME, partial(lambada_strength.places, lambada.AUTO), lambada_strength.choose_greedily),
    "Lambada, catch": (lambada.GAME, partial(lambada_strength.places, lambada.CATCH), lambada_strength.choose_greedily),
    MEEPLES: (breakdancing_meeples.GAME, breakdancing_meeples_strength.places, None),
}
"""By title: the rules, what plays one game, and the greedy player."""

ALL = (
    Contest("Let's Dance", "sensible", "greedy", 0.55),
    Contest("Let's Dance", "sensible", RANDOM, 0.95),
    Contest("Lambada", "sensible", "greedy", 0.55),
    Contest("Lambada", "sensible", RANDOM, 0.95),
    Contest("Lambada, catch", "sensible", "greedy", 0.55),
    Contest("Lambada, catch", "sensible", RANDOM, 0.95),
    Contest(MEEPLES, "sharp", "steady", 0.6),
    Contest(MEEPLES, "steady", "sleepy", 0.75),
    Contest(MEEPLES, "sleepy", RANDOM, 0.75),
)


def wins(places: Places, player: Computer, other: Computer, games: Iterable[int]) -> float:
    """Play *games* by number, sides alternated; return how many of them *player* wins, a tie counted half."""
    won = 0.0
    for number in games:
        seat = number % 2
        ended = places((player, other) if seat == 0 else (other, player), number // 2)
        won += 0.5 if ended[0] == ended[1] else ended[seat] == 1
    return won


def points(contest: Contest, first: int) -> float:
    """Play games *first* to *first* + `CHUNK` - 1; return the points of the player that is counted."""
    game, places, greedy = GAMES[contest.title]
    levels = {**computers(game), **({"greedy": greedy} if greedy else {})}
    return wins(places, levels[contest.level], levels[contest.other], range(first, first + CHUNK))


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
                    name=f"{contest.title}: {contest.level} against {contest.other}, {CONTESTS:,} games",
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
