"""The computer player: sees a view, chooses a legal action, and plays well."""

from __future__ import annotations

import pytest

from benchmarks.lets_dance_strength import choose_greedily, places
from benchmarks.strength import wins
from rules.core.computers import choose_at_random, usual_level
from rules.core.rng import Rng
from rules.lets_dance import GAME, Action, Dance, Pass, Replenish, State
from tests.rules.lets_dance.build import act, cards, deal, final, table

SENSIBLE = GAME.computers["sensible"]


def chosen(state: State) -> Action:
    """Return what the computer player does in *state*."""
    action: Action = SENSIBLE(GAME.view(state, state.turn), GAME.legal(state, state.turn), Rng(bytes(16), "choice"))
    return action


def test_it_fills_seats_by_default() -> None:
    """Whoever adds a computer player gets the sensible one."""
    assert "sensible" == usual_level(GAME)


@pytest.mark.parametrize("seats", [2, 3, 6])
def test_it_knows_only_its_view(seats: int) -> None:
    """Along a game it chooses legal actions, the same whatever the hidden cards are."""
    state = deal(seats, seed=3)
    while not state.over:
        action = chosen(state)

        assert action in GAME.legal(state, state.turn)
        assert action == chosen(GAME.resample(state, state.turn, Rng(bytes(16), "redraw")))
        state = act(state, action, seed=state.round).state


@pytest.mark.parametrize(
    ("state", "best"),
    [
        (final("Y M Shuffle Fever", "Y"), Dance(cards("Shuffle Fever"))),
        (final("M C A Worm", "Y", floors=["Y"]), Dance(cards("M C A"))),
        (final("Fever", "Y", floors=["Y"]), Dance(cards("Fever"))),
        (final("Toes", "", floors=["Y M", ""]), Pass()),
        (table("Y", "Y Y Y Y Y", floors=["", "| |"], deck="Worm " * 30 + "Over"), Replenish()),
    ],
)
def test_it_sees_what_is_best(state: State, best: Action) -> None:
    """Plain positions with one good move."""
    assert best == chosen(state)


@pytest.mark.parametrize(("other", "games", "least"), [(choose_at_random, 10, 0.9), (choose_greedily, 30, 0.55)])
def test_it_plays_well(other: object, games: int, least: float) -> None:
    """It beats the random player nearly always and the greedy one clearly; the games are always the same ones."""
    assert least <= wins(places, SENSIBLE, other, range(games)) / games  # type: ignore[arg-type]
