"""Golden games play as they were written down, and states of every version can still be loaded."""

from __future__ import annotations

import pytest

from rules.core.codec import dump_state, load_state
from rules.core.contract import Game, Refusal
from tests.golden.game import HERE, path_of, read, shown_after, wanted, write
from tests.golden.record import sample_path
from tests.helpers import Chance, Setting, games, happen, next_input, walk

ENDS = [
    pytest.param(game, reason, id=f"{key}-{reason}")
    for key, game in games().items()
    for reason in game.spec.end_reasons
]
OTHERS = [pytest.param(game, name, id=f"{key}-{name}") for key, game in games().items() for name in wanted(game)]
VERSIONS = [
    pytest.param(game, version, id=f"{key}-v{version}")
    for key, game in games().items()
    for version in range(1, game.spec.state_version + 1)
]


@pytest.mark.parametrize(("game", "reason"), ENDS)
def test_a_golden_game_plays_as_written(game: Game, reason: str) -> None:
    """Every end reason has a golden game; played again it says the same, line by line (else: make golden)."""
    path = path_of(game, reason)
    assert path.exists(), f"no golden game of {game.spec.title} that ends as {reason!r}: make golden"
    text = path.read_text(encoding="utf-8")

    played = list(write(game, *read(game, text)))

    assert text.splitlines() == played
    assert f"end {reason}" in played


@pytest.mark.parametrize(("game", "name"), OTHERS)
def test_a_golden_moment_plays_as_written(game: Game, name: str) -> None:
    """So has every game that was asked for beside them, and its last input shows the last of what it is there for."""
    path = path_of(game, name)
    assert path.exists(), f"no golden game of {game.spec.title} that shows {name!r}: make golden"
    text = path.read_text(encoding="utf-8")
    setting, inputs = read(game, text)

    played = list(write(game, setting, inputs))

    assert text.splitlines() == played
    assert len(inputs) == shown_after(played, wanted(game)[name])


@pytest.mark.parametrize("game", [pytest.param(game, id=key) for key, game in games().items()])
def test_a_game_reads_as_it_was_written(game: Game) -> None:
    """Nothing that a replay needs is lost in the written form."""
    setting = Setting(game.spec.max_seats, tuple((known.key, known.choices[-1].key) for known in game.spec.options))
    inputs = [moment.input for moment in walk(game, setting).moments]

    assert (setting, inputs) == read(game, "\n".join(write(game, setting, inputs)))


@pytest.mark.parametrize(("game", "version"), VERSIONS)
def test_a_stored_state_of_every_version_goes_on(game: Game, version: int) -> None:
    """A state of any version there ever was loads, counts its cards, and can be played to the end."""
    path = sample_path(game, version)
    assert path.exists(), f"no sample state of {game.spec.title}, version {version}: make golden"

    state = load_state(game, path.read_bytes(), version)

    seats = next(seat for seat in range(game.spec.max_seats + 1) if game.view(state, seat).own is None)
    census, chance, now_ms, number = game.census(state), Chance(Setting(seats)), 0, 0
    while game.outcome(state) is None:
        given = next_input(game, state, now_ms, seats, chance)
        given, step = happen(game, state, given, bytes(16), f"{number}")
        state, now_ms, number = step.state, given.at_ms, number + 1
        assert census == game.census(state)
    assert number


@pytest.mark.parametrize("game", [pytest.param(game, id=key) for key, game in games().items()])
def test_the_present_version_is_the_one_that_is_written(game: Game) -> None:
    """The sample of this version loads to a state that is stored in the same words: its schema has not moved."""
    stored = sample_path(game, game.spec.state_version).read_bytes()

    state = load_state(game, stored, game.spec.state_version)

    assert b"".join(stored.split()) == b"".join(dump_state(state).split())


def test_no_golden_is_left_over() -> None:
    """Every file belongs to a game, an end reason, a name that was asked for, or a version that there is."""
    known = {path_of(game, name) for game in games().values() for name in (*game.spec.end_reasons, *wanted(game))}
    known |= {
        sample_path(game, version) for game in games().values() for version in range(1, game.spec.state_version + 1)
    }

    assert known == {path for path in HERE.glob("*/*") if path.suffix in (".txt", ".json")}


def test_a_changed_rule_shows() -> None:
    """The comparison can fail: with another seed the same inputs are another game, or none."""
    game = next(iter(games().values()))
    text = path_of(game, game.spec.end_reasons[0]).read_text(encoding="utf-8")
    setting, inputs = read(game, text)
    other = Setting(setting.seats, setting.options, bytes(15) + b"?")

    try:
        played = list(write(game, other, inputs))
    except Refusal:
        played = []

    assert text.splitlines() != played
