"""Every game that is found keeps every law, whatever chance does to it."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.codec import NewerState, dump_state, load_state
from rules.core.contract import Ctx, Game, Refusal
from rules.core.rng import SEED_BYTES, Rng
from tests.contract.properties import LAWS, Check
from tests.helpers import START_MS, Setting, card_keys, deal, games, named, settings_of, walk

ROOT = Path(__file__).parents[2]
UNPLAYED: dict[str, list[str]] = tomllib.loads(Path(__file__).with_name("unplayed.toml").read_text(encoding="utf-8"))
MANY_WALKS = 60
WAIT_S = 60

every_game = pytest.mark.parametrize("game", [pytest.param(game, id=key) for key, game in games().items()])


def settings_for(game: Game) -> st.SearchStrategy[Setting]:
    """Draw what fixes a walk: seats, options, seed, and the first choices."""
    spec = game.spec
    options = st.tuples(
        *(
            st.tuples(st.just(known.key), st.sampled_from([choice.key for choice in known.choices]))
            for known in spec.options
        )
    )
    return st.builds(
        Setting,
        st.integers(spec.min_seats, spec.max_seats),
        options,
        st.binary(min_size=SEED_BYTES, max_size=SEED_BYTES),
        st.lists(st.integers(0, 99), max_size=12).map(tuple),
    )


@every_game
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@given(data=st.data())
def test_every_game_keeps_the_law(law: Callable[[Check], None], game: Game, data: st.DataObject) -> None:
    """A walk drawn by chance breaks no law of the contract."""
    setting = data.draw(settings_for(game))

    law(Check(game, walk(game, setting), card_keys(game.spec.key)))


def test_games_of_the_house_and_of_others_are_found() -> None:
    """The suite is not empty: it has found the games of every package it was pointed at."""
    assert len(games()) >= 2


def test_the_hash_seed_decides_nothing() -> None:
    """Two processes with other hash seeds play the same walks to the same end."""
    said = [_digest(seed) for seed in ("1", "2")]

    assert said[0] == said[1]
    assert len(games()) == len(said[0].splitlines())


def _digest(hash_seed: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "tests.contract.digest"],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=True,
    )
    return done.stdout


@every_game
def test_every_card_gets_played(game: Game) -> None:
    """Over many walks each card of the data file is named by an action that was taken, or lies in everyone's sight."""
    key = game.spec.key
    seen: set[str] = set()
    for setting in settings_of(game, MANY_WALKS):
        if seen.issuperset(card_keys(key)):
            break
        walked = walk(game, setting)
        for moment in walked.moments:
            seen.update(named(moment.input.action))
            seen.update(named(game.view(moment.step.state, None).public))

    assert set(UNPLAYED.get(key, ())) == set(card_keys(key)) - seen


@every_game
def test_unknown_options_and_impossible_seats_are_refused(game: Game) -> None:
    """No game is dealt to too few or too many, or with an option it does not have."""
    spec = game.spec
    ctx = Ctx(START_MS, Rng(bytes(SEED_BYTES), "deal"))

    for seats in (-1, 0, spec.min_seats - 1, spec.max_seats + 1):
        with pytest.raises((Refusal, ValueError)):
            game.setup(seats, {}, ctx)
    with pytest.raises(Refusal):
        game.setup(spec.min_seats, {"no such option": "at all"}, ctx)
    for option in spec.options:
        with pytest.raises(Refusal):
            game.setup(spec.min_seats, {option.key: "no such choice"}, ctx)


@every_game
def test_missing_options_are_the_defaults(game: Game) -> None:
    """A game without options is the one with the first choice of each."""
    firsts = tuple((option.key, option.choices[0].key) for option in game.spec.options)

    assert deal(game, Setting(game.spec.min_seats, firsts)) == deal(game, Setting(game.spec.min_seats))


@every_game
def test_a_newer_state_is_refused(game: Game) -> None:
    """A state of a later version than this code knows is never guessed at."""
    state = deal(game, Setting(game.spec.min_seats)).state

    with pytest.raises(NewerState):
        load_state(game, dump_state(state), game.spec.state_version + 1)
