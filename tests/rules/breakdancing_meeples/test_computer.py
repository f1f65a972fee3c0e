"""Computer crews."""

from __future__ import annotations

import pytest

from benchmarks.breakdancing_meeples_strength import places, play
from benchmarks.strength import wins
from rules.breakdancing_meeples import (
    GAME,
    Attach,
    Buy,
    Done,
    Fill,
    Place,
    Ready,
    Return,
    Roll,
    Skip,
    State,
    Take,
)
from rules.breakdancing_meeples.dance import fresh
from rules.core.computers import computers
from rules.core.rng import Rng
from tests.rules.breakdancing_meeples.build import (
    FFS,
    SAME,
    SH,
    act,
    crew,
    deal,
    placing,
    rally_card,
    remixing,
    routine,
    table,
)

LEVELS = ("steady", "sharp", "sleepy")


def chosen(state: State, level: str, seat: int = 0) -> object:
    """Return what a computer does, never told of moves of the host alone."""
    legal = [action for action in GAME.legal(state, seat) if not isinstance(action, GAME.spec.host_actions)]
    return GAME.computers[level](GAME.view(state, seat), legal, Rng(bytes(16), "choice"))


def test_the_steady_one_is_the_usual_one() -> None:
    """Three levels."""
    assert tuple(GAME.computers) == LEVELS


@pytest.mark.parametrize("level", LEVELS)
def test_a_computer_presses_what_there_is_to_press(level: str) -> None:
    """Ready once, rolls while nothing lies there, is done when nothing helps."""
    assert chosen(deal(), level) == Ready(1)
    assert chosen(act(deal(), Ready(1)).state, level) is None
    assert chosen(table(crew(lying="BBBBBB")), level) == Roll(1)
    assert chosen(placing(crew(routine("FF", 1), SH, lying="F")), level) == Done(1)
    assert chosen(table(crew(lying="FF", cubes=0)), level) is None


@pytest.mark.parametrize("level", ["steady", "sharp"])
def test_a_computer_completes_what_it_can(level: str) -> None:
    """In the Dance Off and after the bell."""
    for state in (table(crew(routine("FF", 4), SH, lying="FF")), placing(crew(routine("FF", 4), SH, lying="FF"))):
        action = chosen(state, level)
        assert isinstance(action, Fill | Place)
        assert action.routine in (0, None)


@pytest.mark.parametrize("level", LEVELS)
def test_a_computer_takes_a_better_routine(level: str) -> None:
    """And returns the worst; without anything better it skips."""
    good, bad = routine("FF", 20, 30), routine("HHHHHH", 1)
    assert chosen(remixing(crew(), crew(), row=(bad, good), waiting=(0,)), level) == Take(1, 1)
    three = crew(FFS, bad, SH)
    state = remixing(three, crew(), row=(good,), waiting=(0,))
    assert chosen(state, level) == Take(1, 0)
    assert chosen(act(state, Take(1, 0)).state, level) == Return(1, 1)
    assert chosen(remixing(crew(FFS, SH, good), crew(), row=(bad,), waiting=(0,)), level) == Skip(1)


def test_the_sharp_one_buys_a_rally_that_pays() -> None:
    """And puts it where it is met."""
    rally = fresh(rally_card(SAME, 30, 40, cost=2))
    state = remixing(crew(SH, routine("FFF", 1, 2), total=9), crew(), row=(rally,), waiting=(0,))

    assert chosen(state, "sharp") == Buy(1, 0)
    assert chosen(act(state, Buy(1, 0)).state, "sharp") == Attach(1, 1)
    assert chosen(state, "steady") == Skip(1)


def test_levels_differ() -> None:
    """Over whole games with the pace of people: sharp beats steady, steady beats sleepy."""
    levels = computers(GAME)

    assert wins(places, levels["sharp"], levels["steady"], range(40)) / 40 > 0.55
    assert wins(places, levels["steady"], levels["sleepy"], range(30)) / 30 > 0.7


def test_four_computers_play_to_the_end() -> None:
    """Of all levels together."""
    levels = computers(GAME)

    outcome = play([levels[level] for level in (*LEVELS, "random")], 1)

    assert outcome.reason in GAME.spec.end_reasons
    assert max(outcome.scores) > 20
