"""The computer player: sees a view, chooses a legal action, and plays well."""

from __future__ import annotations

from functools import partial

import pytest

from benchmarks.lambada_strength import choose_greedily, places
from benchmarks.strength import wins
from rules.core.computers import choose_at_random, usual_level
from rules.core.rng import Rng
from rules.lambada import GAME, Action, Caught, Lay, OwnUp, Pass, PickToken, Ready, State
from tests.rules.lambada.build import OPEN, REDS, act, after, catching, expire, give, lay, table, walk

SENSIBLE = GAME.computers["sensible"]


def chosen(state: State, seat: int | None = None, label: str = "choice") -> Action | None:
    """Return what the computer player does in *state*."""
    who = state.turn if seat is None else seat
    action: Action | None = SENSIBLE(GAME.view(state, who), GAME.legal(state, who), Rng(bytes(16), label))
    return action


def share(state: State, seat: int, *wanted: Action | None) -> float:
    """Return how often the computer player does one of *wanted*."""
    tries = 200
    return sum(chosen(state, seat, f"{number}") in wanted for number in range(tries)) / tries


def test_it_fills_seats_by_default() -> None:
    """Whoever adds a computer player gets the sensible one."""
    assert "sensible" == usual_level(GAME)


@pytest.mark.parametrize(("seats", "penalties"), [(2, "catch"), (3, "auto"), (6, "catch")])
def test_it_knows_only_its_view(seats: int, penalties: str) -> None:
    """Along a match its answer is the same whatever the hidden cards are."""
    for number, (state, _) in enumerate(walk(seats, 3, penalties, most=150)):
        for seat in range(seats):
            if GAME.legal(state, seat):
                redrawn = GAME.resample(state, seat, Rng(bytes(16), f"redraw {number}"))

                assert chosen(state, seat) == chosen(redrawn, seat)


@pytest.mark.parametrize(
    ("state", "best"),
    [
        (table("redA yelB", "bluA bluL"), [lay("redA", slot) for slot in (1, 4, 6)]),
        (table("redM yelA", "bluA bluL", word=OPEN), [lay("redM", 2)]),
        (table("redA", "bluA bluL", word=REDS), [lay("redA", 1)]),
        (table("grnB yelM pnkL purD", "bluA bluL"), [lay("yelM", 2), lay("pnkL", 0), lay("purD", 5)]),
        (after(table("redA grnB redL bluD", "bluA bluL yelB orgA"), lay("redA", 1)), [give("grnB")]),
    ],
)
def test_it_sees_what_is_best(state: State, best: list[Action]) -> None:
    """It wins when it can, fines itself as little as possible, and passes what it cannot use."""
    assert chosen(state) in best


def test_it_picks_a_token_before_it_is_ready() -> None:
    """Winners choose, by chance; others are ready at once."""
    state = act(table("redA", "bluA"), lay("redA", 1)).state
    picked = {chosen(state, 0, f"{number}") for number in range(20)}

    assert all(isinstance(action, PickToken) for action in picked)
    assert len(picked) > 3
    assert Ready() == chosen(state, 1)


@pytest.mark.parametrize(
    ("action", "least", "most"),
    [(lay("grnA", 1), 0.55, 0.85), (lay("yelM", 2), 0.4, 0.7), (lay("redA", 1), 0.0, 0.05)],
)
def test_it_calls_most_fouls_and_hardly_ever_a_clean_card(action: Lay, least: float, most: float) -> None:
    """It overlooks some, as people do; where it need not act it keeps silent instead."""
    state = after(catching("grnA yelM redA pnkB", "bluA", "bluA bluL"), action)

    assert least <= share(state, 2, Caught(1)) <= most
    assert 1 == share(state, 2, Caught(1), None)


def test_it_looks_before_it_lays() -> None:
    """The next in turn calls or lays; once barred it lays."""
    state = expire(after(catching("grnA pnkB purB", "bluA redA", "bluA"), lay("grnA", 1), give("pnkB"))).state

    assert 0.55 <= share(state, 1, Caught(1)) <= 0.85
    assert 0 == share(state, 1, None)


def test_it_bluffs_now_and_then() -> None:
    """The more a foul costs the rather; never when the bluff would be checked."""
    dear = after(catching("grnM redD pnkB", "bluA", "bluA"), lay("grnM", 2))
    cheap = after(catching("yelM redD pnkB", "bluA", "bluA"), lay("yelM", 2))
    winning = after(catching("grnM redD", "bluA", "bluA"), lay("grnM", 2))

    assert 0.2 < share(dear, 0, OwnUp()) < share(cheap, 0, OwnUp()) < 0.6
    assert 1 == share(winning, 0, OwnUp())
    assert 1 == share(dear, 0, OwnUp(), Pass("red_d"), Pass("pink_b"))


@pytest.mark.parametrize("penalties", ["auto", "catch"])
@pytest.mark.parametrize(("other", "rounds", "least"), [(choose_at_random, 20, 0.85), (choose_greedily, 60, 0.6)])
def test_it_plays_well(other: object, rounds: int, least: float, penalties: str) -> None:
    """It beats the random player nearly always and the greedy one clearly; the rounds are always the same ones."""
    won = wins(partial(places, penalties), SENSIBLE, other, range(rounds))  # type: ignore[arg-type]

    assert least <= won / rounds
