"""
Measure how fast the rules of each game play whole random games.

*Decisions a second*: `legal`, a random pick, `apply` with the random stream of that step, from the
deal to the end, with as many seats as the game allows in turn, whole matches of Lambada. Where a game of real time
refuses a decision for its moment, time passes and nothing is counted. Beside it stand the random players of
catanatron, a simulator of another board game, at its own table of four: one `Game.play_tick` is one decision; and
random players of rlcard's `uno`, four as well: one `step` is one decision. All run in short alternating slices of the
same length, so that whatever else the machine does slows all of them. The setup of new games counts on every side.
Goal: at least as fast as catanatron; `uno` is there to be read.

The games differ: two thirds of catanatron's decisions have one choice only, such as rolling the dice, and
four on average, `uno` has a handful, while a list of Let's Dance has some 70. The lines tell whether the rules are fast
enough for simulations, not which of the programs is the better one.

*One apply*, *one view*: the time of single calls in such games, a view being that of the seat that
acted. p50 is the usual case; of 100 calls one takes longer than p99. Goal: the p99 of `apply` is under
1 ms, so that a move never holds up the event loop.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from itertools import count, cycle, islice
from operator import itemgetter
from time import perf_counter, perf_counter_ns
from typing import Any

import msgspec

from benchmarks.report import NS_PER_MS, Line, Result, percentile, span
from rules import breakdancing_meeples, lambada, lets_dance
from rules.core.contract import Ctx, Game, Refusal
from rules.core.rng import SEED_BYTES, Rng

GAMES: tuple[Game, ...] = (lets_dance.GAME, lambada.GAME, breakdancing_meeples.GAME)

SLICES = 30
SLICE_S = 0.5
AT_ONCE = 20
"""Decisions between two looks at the clock."""

TIMED_CALLS = 60_000

REFERENCE, CARDS = "catanatron", "rlcard"
MISSING = "{name} is not installed: `make bench` does it, or `pip install -r requirements-bench.txt`."


def seeds() -> Iterator[bytes]:
    """Yield a new seed for each game, the same ones in every run."""
    return (number.to_bytes(SEED_BYTES, "big") for number in count())


class Decision(msgspec.Struct, frozen=True):
    """One decision of a random game: the state before, who acts and how, and with what the rules carry it out."""

    state: Any
    seat: int
    action: Any
    ctx: Ctx


def random_games(game: Game) -> Iterator[Decision]:
    """Play random games of ours for ever and yield each decision that the rules take; time passes where they ask."""
    table_sizes = cycle(range(game.spec.min_seats, game.spec.max_seats + 1))
    for seed, seats in zip(seeds(), table_sizes, strict=False):
        picks = Rng(seed, "picks")
        state = game.setup(seats, game.spec.settle_options({}), Ctx(0, Rng(seed, "setup"))).state
        now_ms = 0
        hosted = game.spec.host_actions
        for step in count():
            awaited = game.to_act(state)
            if not awaited and game.outcome(state):
                break
            ctx = Ctx(now_ms, Rng(seed, f"step {step}"))
            if awaited:
                seat = min(awaited) if len(awaited) == 1 else picks.choice(sorted(awaited))
                legal = game.legal(state, seat)
                if hosted:
                    legal = [action for action in legal if not isinstance(action, hosted)]
                decision = Decision(state, seat, picks.choice(legal), ctx)
                try:
                    state = game.apply(state, seat, decision.action, ctx).state
                except Refusal as refusal:
                    now_ms += refusal.facts.get("wait_ms", 1_000)
                else:
                    yield decision
                    continue
            name, due_ms = min(game.deadlines(state).items(), key=itemgetter(1))
            if not awaited or due_ms <= now_ms:
                now_ms = due_ms
                state = game.expire(state, name, ctx).state


def our_decisions(game: Game) -> Iterator[None]:
    """Play random games of ours for ever, one decision at each `next`."""
    for _ in random_games(game):
        yield


def their_decisions() -> Iterator[None]:
    """Play random games of catanatron for ever, one decision at each `next`."""
    game = import_module(f"{REFERENCE}.game")
    player = import_module(f"{REFERENCE}.models.player")
    for number in count(1):
        match = game.Game([player.RandomPlayer(color) for color in player.Color], seed=number)
        while match.winning_color() is None and match.state.num_turns < game.TURNS_LIMIT:
            match.play_tick()
            yield


def card_decisions() -> Iterator[None]:
    """Play random games of rlcard's uno for ever, one decision at each `next`."""
    game_type = import_module(f"{CARDS}.games.uno").Game
    picks = Rng(bytes(SEED_BYTES), "picks")
    while True:
        game = game_type(num_players=4)
        game.init_game()
        while not game.is_over():
            game.step(picks.choice(game.get_legal_actions()))
            yield


def run_for(decisions: Iterator[None], seconds: float) -> tuple[int, float]:
    """Make decisions for *seconds*; return how many, and the time they really took."""
    made = 0
    start = perf_counter()
    while (passed := perf_counter() - start) < seconds:
        deque(islice(decisions, AT_ONCE), maxlen=0)
        made += AT_ONCE
    return made, passed


def rates(players: list[Iterator[None]]) -> list[float]:
    """Return the decisions a second of each of *players*, measured in alternating slices after one to warm up."""
    totals = [(0, 0.0)] * len(players)
    for number in range(SLICES + 1):
        for place, decisions in enumerate(players):
            made, passed = run_for(decisions, SLICE_S)
            if number:
                totals[place] = (totals[place][0] + made, totals[place][1] + passed)
    return [made / passed for made, passed in totals]


def call_times(game: Game) -> tuple[list[int], list[int]]:
    """Time single calls of `apply` and of `view` in random games, in nanoseconds."""
    applies: list[int] = []
    views: list[int] = []
    for decision in islice(random_games(game), TIMED_CALLS):
        start = perf_counter_ns()
        after = game.apply(decision.state, decision.seat, decision.action, decision.ctx).state
        applied = perf_counter_ns()
        game.view(after, decision.seat)
        views.append(perf_counter_ns() - applied)
        applies.append(applied - start)
    return applies, views


def measure() -> Result:
    """Run this benchmark."""
    known = {REFERENCE: their_decisions, CARDS: card_decisions}
    there = [name for name in known if find_spec(name)]
    found = rates([*(our_decisions(game) for game in GAMES), *(known[name]() for name in there)])
    theirs = dict(zip(there, found[len(GAMES) :], strict=True))
    lines: list[Line] = []
    for game, rate in zip(GAMES, found, strict=False):
        title = game.spec.title
        applies, views = call_times(game)
        worst = percentile(applies, 99)
        lines += [
            Line(
                name=f"{title}: random games, decisions a second",
                ours=f"{rate:,.0f}",
                reference=f"{theirs[name]:,.0f} {name}" if name in theirs else f"no {name}",
                ratio=rate / theirs[name] if name in theirs else None,
                goal="at least as fast" if name == REFERENCE else "",
                met=rate >= theirs[name] if name == REFERENCE and name in theirs else None,
            )
            for name in known
        ]
        lines += (
            Line(name=f"{title}: one apply, p50", ours=span(percentile(applies, 50))),
            Line(name=f"{title}: one apply, p99", ours=span(worst), goal="under 1 ms", met=worst < NS_PER_MS),
            Line(name=f"{title}: one view, p50", ours=span(percentile(views, 50))),
            Line(name=f"{title}: one view, p99", ours=span(percentile(views, 99))),
        )
    return Result(tuple(lines), tuple(MISSING.format(name=name) for name in known if name not in there))
