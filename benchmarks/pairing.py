"""
Measure how long the pairing of a tournament takes, and how many rematches it leaves.

*Rematches*: 8 to 128 people at tables of four and five over four rounds. Ours pairs round by round, as an
evening goes: each result is drawn by lot, and the next round is seated by points as well. Beside it stands
`krcg.seating`, which seats all rounds at once by annealing, knows no points, and weighs rematches among rules of its
own game; it gets the 20,000 steps that its authors advise for one of its runs. Goal: no more rematches.
A pair that meets m times counts m(m - 1) / 2, as in the split that an organiser is shown.

*Time*: of the slowest of our pairings, beside a quarter of the reference's time for four. Goal: not slower.

*256 people*: the slowest of four rounds, and the memory the whole event took. Goals: under 5 s, under 200 MB.

*One input*: the time of `advance` in an event of 256 people over four rounds, from sign-up to podium. Goal: of 100
inputs at most one takes longer than 5 ms, and none longer than 50 ms, so that none holds up the event loop.
"""

from __future__ import annotations

import tracemalloc
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from itertools import combinations
from math import comb
from time import perf_counter, perf_counter_ns
from typing import NamedTuple

from benchmarks.report import NS_PER_MS, Line, Result, percentile, span
from rules.core.rng import SEED_BYTES, Rng
from rules.tournaments import inputs as i
from rules.tournaments.event import advance, context
from rules.tournaments.model import GameChoice, Setup, Tournament
from rules.tournaments.orders import OpenTable, Pair, orders
from rules.tournaments.pairing import propose
from rules.tournaments.sizes import Sizes

PEOPLE = (8, 12, 16, 24, 32, 48, 64, 128)
LARGEST = 256
ROUNDS = 4
STEPS = 20_000
SIZES = Sizes(4, 5, 5)
FOURS = Sizes(3, 4, 5)
MOST_S, MOST_MB = 5, 200

REFERENCE = "krcg"
MISSING = f"{REFERENCE} is not installed: `make bench` does it, or `pip install -r requirements-bench.txt`."

Rounds = list[list[tuple[int, ...]]]


def rematches(rounds: Sequence[Sequence[Sequence[int]]]) -> int:
    """Return how often pairs met again; one that meets m times counts m(m - 1) / 2."""
    met = Counter(pair for tables in rounds for table in tables for pair in combinations(sorted(table), 2))
    return sum(comb(times, 2) for times in met.values())


class Played(NamedTuple):
    """
    A whole event.

    Attributes:
        rounds: tables of each round.
        slowest: time of the slowest pairing, in seconds.
        inputs: time of each input, in nanoseconds.
    """

    rounds: Rounds
    slowest: float
    inputs: list[int]


def play(people: int, sizes: Sizes) -> Played:
    """Play an event from sign-up to podium, every result by lot."""
    seed = people.to_bytes(SEED_BYTES, "big")
    record: Tournament | None = None
    times: list[int] = []
    slowest = 0.0

    def put(happening: i.Happening) -> Tournament:
        nonlocal record
        start = perf_counter_ns()
        done = advance(record, happening, context(seed, len(times) + 1, 0))
        times.append(perf_counter_ns() - start)
        record = done.record
        return done.record

    setup = Setup(title="Event", format="swiss", games=(GameChoice("any", 2, 6),), sizes=sizes, rounds=ROUNDS)
    put(i.Create(user_id=1, staff=True, setup=setup, guild_id=1, channel_id=1, tournament_id=1))
    for number in range(people):
        put(i.Join(user_id=1000 + number, name=f"Somebody {number}"))
    now = put(i.Start(user_id=1, staff=True, players=people))
    for number in range(1, ROUNDS + 1):
        for order in orders(now):
            if isinstance(order, Pair):
                start = perf_counter()
                proposal = propose(order.request)
                slowest = max(slowest, perf_counter() - start)
                now = put(i.Paired(proposal=proposal))
        for pod in now.rounds[-1].pods:
            for one in pod.seats:
                now = put(i.Here(user_id=now.entrant(one).user_id))
        rng = Rng(seed, f"results {number}")
        for order in orders(now):
            if isinstance(order, OpenTable):
                at = {"round": number, "pod": order.pod, "attempt": 1, "table_id": number * 1000 + order.pod}
                put(i.Opened(**at))
                places = tuple(rng.shuffled(range(1, len(order.people) + 1)))
                now = put(i.Result(**at, places=places, scores=places, reason="finished"))
        if number < ROUNDS:
            now = put(i.Next(user_id=1, staff=True, round=number))
    now = put(i.Finish(user_id=1, staff=True))
    return Played([[pod.seats for pod in played.pods] for played in now.rounds], slowest, times)


def pair_by_annealing(people: int) -> tuple[Rounds, float]:
    """Have the reference seat all rounds; return its tables and its time for one of them in seconds."""
    seating = import_module(f"{REFERENCE}.seating")
    start = perf_counter()
    best, _ = seating.optimise(seating.get_rounds(list(range(people)), ROUNDS), STEPS, 1)
    return [[tuple(table) for table in made] for made in best], (perf_counter() - start) / ROUNDS


def beside(people: int, *, there: bool) -> Iterator[Line]:
    """Compare the two on one field."""
    ours, our_time, _ = play(people, SIZES)
    theirs, their_time = pair_by_annealing(people) if there else ([], 0.0)
    mine, other = rematches(ours), rematches(theirs)
    yield Line(
        name=f"{people} people in fours and fives, {ROUNDS} rounds: rematches",
        ours=str(mine),
        reference=f"{other} {REFERENCE}" if there else f"no {REFERENCE}",
        ratio=mine / other if there and other else None,
        goal="no more",
        met=mine <= other if there else None,
    )
    yield Line(
        name=f"{people} people: one round",
        ours=f"{our_time:.2f} s",
        reference=f"{their_time:.2f} s {REFERENCE}" if there else f"no {REFERENCE}",
        ratio=our_time / their_time if there else None,
        goal="not slower",
        met=our_time <= their_time if there else None,
    )


def largest() -> Iterator[Line]:
    """Pair the largest field, once for the time and once for the memory."""
    rounds, slowest, times = play(LARGEST, FOURS)
    tracemalloc.start()
    play(LARGEST, FOURS)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    memory = peak / 1e6
    again = rematches(rounds)
    yield Line(name=f"{LARGEST} people in fours: rematches", ours=str(again), goal="none", met=not again)
    yield Line(name=f"{LARGEST} people: one round", ours=f"{slowest:.2f} s", goal="under 5 s", met=slowest < MOST_S)
    yield Line(name=f"{LARGEST} people: memory", ours=f"{memory:.0f} MB", goal="under 200 MB", met=memory < MOST_MB)
    worst, longest = percentile(times, 99), max(times)
    yield Line(name=f"{LARGEST} people: one input, p50", ours=span(percentile(times, 50)))
    yield Line(name=f"{LARGEST} people: one input, p99", ours=span(worst), goal="under 5 ms", met=worst < 5 * NS_PER_MS)
    yield Line(
        name=f"{LARGEST} people: slowest input",
        ours=span(longest),
        goal="under 50 ms",
        met=longest < 50 * NS_PER_MS,
    )


def measure() -> Result:
    """Run this benchmark."""
    there = find_spec(REFERENCE) is not None
    lines = [line for people in PEOPLE for line in beside(people, there=there)]
    lines += largest()
    return Result(tuple(lines), () if there else (MISSING,))
