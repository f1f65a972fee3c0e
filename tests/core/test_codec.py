"""What is stored comes back as it was, from older versions too, and never from newer ones."""

from __future__ import annotations

import json
from collections.abc import Callable

import msgspec
import pytest

from rules.core.codec import NewerState, dump_input, dump_record, load_input, load_record, load_state
from rules.core.contract import Choice, GameSpec, Option
from rules.core.table import (
    Act,
    AddComputer,
    Configure,
    End,
    Expire,
    Happening,
    Join,
    Leave,
    Play,
    RemoveComputer,
    Start,
)
from tests.core.helpers import ANA, BO, Count, CountState, Driver, Ring, Say, opening

GAME = Count()


def lobby() -> Driver:
    """Return a lobby with a computer."""
    return Driver(options={"goal": "3"}).fill(1)


def playing() -> Driver:
    """Return a game in which somebody has moved."""
    driver = Driver(clock_ms=60_000).join(BO).start()
    driver.do(Act(driver.user(0), Say(1)))
    return driver


def left() -> Driver:
    """Return a game in which a computer took over, as the last entries tell."""
    return playing().leave(BO)


def finished() -> Driver:
    """Return a game that was played out."""
    driver = Driver(options={"goal": "3"}).join(BO).start()
    driver.do(Act(driver.user(0), Say(3)))
    return driver


def ended() -> Driver:
    """Return a game that its host ended."""
    return playing().end()


def cancelled() -> Driver:
    """Return a lobby that was closed."""
    return lobby().end()


@pytest.mark.parametrize("given", [lobby, playing, left, finished, ended, cancelled])
def test_a_record_comes_back(given: Callable[[], Driver]) -> None:
    """Table, state, last entries and what the panels show are the same in every phase."""
    record = given().record

    assert record == load_record(GAME, dump_record(GAME, record))


def test_a_record_is_json_with_its_version() -> None:
    """A host can read the database with any tool."""
    record = playing().record

    stored = json.loads(dump_record(GAME, record))

    assert {"table", "version", "state", "recent"} == set(stored)
    assert 1 == stored["version"]
    assert [1, 0] == stored["state"]["said"]


@pytest.mark.parametrize(
    "happening",
    [
        opening(options={"goal": "3"}, computers=2),
        Join(BO),
        Leave(BO.user_id),
        AddComputer(ANA.user_id),
        RemoveComputer(ANA.user_id),
        Configure(ANA.user_id, {"goal": "3"}, 60_000),
        Configure(ANA.user_id),
        Start(ANA.user_id),
        Act(ANA.user_id, Say(2), 17),
        Act(ANA.user_id, Ring()),
        Play(1, Say(3), "clock"),
        Expire("ring"),
        End(ANA.user_id, admin=True),
    ],
    ids=lambda happening: type(happening).__name__,
)
def test_every_input_comes_back(happening: Happening) -> None:
    """An input of the log is what it was, its action of the game's own type."""
    assert happening == load_input(GAME, dump_input(happening))


def test_a_forged_action_is_not_read() -> None:
    """What is no action of the game is an error, not something else."""
    body = dump_input(Act(ANA.user_id, Say(2))).replace(b"Say", b"Shout")

    with pytest.raises(msgspec.ValidationError):
        load_input(GAME, body)


class Lifted(Count):
    """Count at its third schema: first there were no secrets, then no goal."""

    def __init__(self) -> None:
        super().__init__()
        self.spec = GameSpec(
            **{
                **msgspec.structs.asdict(self.spec),
                "options": (Option("goal", "Goal", (Choice("12", "to twelve"),)),),
                "upgrades": (
                    lambda old: {**old, "secrets": [7] * len(old["said"])},
                    lambda old: {**old, "goal": 12 + old["secrets"][0] - 7},
                ),
            }
        )


@pytest.mark.parametrize(
    ("version", "stored"),
    [
        (1, {"turn": 1, "said": [1, 0]}),
        (2, {"turn": 1, "said": [1, 0], "secrets": [7, 7]}),
        (3, {"turn": 1, "said": [1, 0], "secrets": [7, 7], "goal": 12}),
    ],
)
def test_an_older_state_is_lifted_step_by_step(version: int, stored: dict[str, object]) -> None:
    """Each version goes through every upgrade after it and none before."""
    state = load_state(Lifted(), json.dumps(stored).encode(), version)

    assert CountState(turn=1, said=(1, 0), secrets=(7, 7), goal=12) == state


def test_a_newer_state_is_refused_with_its_reason() -> None:
    """The host reads which version was met and which is known."""
    with pytest.raises(NewerState, match=r"Count.*version 2.*knows 1"):
        load_state(GAME, b"{}", 2)


def test_a_record_of_a_newer_state_is_refused() -> None:
    """A whole table of a later version is not guessed at either."""
    record = playing().record
    body = dump_record(GAME, record).replace(b'"version":1', b'"version":2')

    with pytest.raises(NewerState):
        load_record(GAME, body)


def test_a_record_of_an_older_state_is_lifted() -> None:
    """A table from before an upgrade goes on with the state as it is written now."""
    record = playing().record
    stored = json.loads(dump_record(GAME, record))
    del stored["state"]["secrets"], stored["state"]["goal"]

    state = load_record(Lifted(), json.dumps(stored).encode()).state

    assert (7, 7) == state.secrets
    assert record.state.said == state.said
