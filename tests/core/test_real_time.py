"""Real-time games at a table: stops of the bot, computers that come too early, what the host alone may do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from rules.core.contract import Ctx, Event, GameSpec, Refusal, Seat, Step
from rules.core.table import MINUTE_MS, RETRY_MS, THINK_MS, Act, Hold, Resume, Start
from tests.core.hall import Hall
from tests.core.helpers import ANA, BO, NOW_MS, RING_MS, Action, Count, CountState, Driver, Ring, Say, Think

WAIT_MS = 700
OPENS_MS = NOW_MS + 5_000


class Resumed(Event, frozen=True, kw_only=True):
    """The game goes on after *lost_ms*."""

    lost_ms: int


class Hasty(Count):
    """
    Count, where nobody may say a number before a certain moment, and thinking is the host's affair.

    Args:
        tells: whether the refusal says how long to wait.
    """

    def __init__(self, *, tells: bool = True) -> None:
        super().__init__()
        self.tells = tells
        self.spec: GameSpec = msgspec.structs.replace(self.spec, host_actions=(Think,))

    def apply(self, state: CountState, seat: Seat, action: Action, ctx: Ctx) -> Step[CountState]:
        """Refuse what comes too early."""
        if isinstance(action, Say) and ctx.now_ms < OPENS_MS:
            raise Refusal("too_early", **({"wait_ms": WAIT_MS} if self.tells else {}))
        return super().apply(state, seat, action, ctx)

    def resume(self, state: CountState, since_ms: int, ctx: Ctx) -> Step[CountState]:
        """Stop the ringing."""
        return Step(msgspec.structs.replace(state, rings_ms=0), (Resumed(lost_ms=ctx.now_ms - since_ms),))


def hasty_hall(hall: Hall, *, tells: bool = True) -> Hall:
    """Give the hall the hasty game under the usual key."""
    games: Mapping[str, Any] = {"count": Hasty(tells=tells)}
    return Hall(hall.store, games)


@pytest.mark.parametrize(("tells", "wait_ms"), [(True, WAIT_MS), (False, RETRY_MS)])
async def test_what_is_refused_for_its_time_is_put_off(hall: Hall, *, tells: bool, wait_ms: int) -> None:
    """The wait is logged and the next try comes exactly then."""
    hall = hasty_hall(hall, tells=tells)
    table_id = await hall.open(computers=2, keep_order=True, seated=(BO,))
    await hall.submit(table_id, Start(ANA.user_id))
    hall.now_ms = OPENS_MS
    await hall.submit(table_id, Act(BO.user_id, Say(1)))
    hall.now_ms = OPENS_MS - THINK_MS[1]
    await hall.submit(table_id, Hold(1, 0))
    hall.now_ms = OPENS_MS - 1

    await hall.tables.wake(table_id)

    held = await hall.table(table_id)
    assert hall.now_ms + wait_ms == held.due_ms[1]
    assert held.to_act == (1,)
    hall.now_ms += wait_ms
    await hall.tables.wake(table_id)
    assert (await hall.table(table_id)).to_act == (2,)


def test_some_moves_are_the_hosts() -> None:
    """The rules allow the move to any seat, the table to its host alone."""
    driver = Driver(Hasty()).join(BO).start()
    driver.now_ms = OPENS_MS
    ana = driver.table.seat_of(ANA.user_id)
    other = driver.table.to_act[0]
    if other == ana:
        driver.do(Act(ANA.user_id, Say(1)))
    driver.do(Act(ANA.user_id, Think()))
    driver.do(Act(BO.user_id, Say(1)))

    assert "not_host" == driver.refused(Act(BO.user_id, Think()))


async def test_a_computer_makes_no_move_of_the_hosts(hall: Hall) -> None:
    """Whatever it would choose: such moves are not among its choices."""
    hall = hasty_hall(hall)
    game: Any = hall.games["count"]
    offered: list[Any] = []

    def choose(_view: Any, legal: Any, _rng: Any) -> Any:
        offered.extend(legal)
        return legal[0]

    game.computers = {"plain": choose}
    table_id = await hall.open(computers=1, keep_order=True)
    hall.now_ms = OPENS_MS
    await hall.submit(table_id, Start(ANA.user_id))
    for _ in range(3):
        hall.now_ms += RING_MS
        await hall.tables.wake(table_id)

    assert offered
    assert not [action for action in offered if isinstance(action, Think)]


async def test_a_stop_is_told_to_real_time_games(hall: Hall) -> None:
    """What counts as lost began with the table's last input; it is said once, before anything else happens."""
    hall = hasty_hall(hall)
    table_id = await hall.playing(BO, keep_order=True)
    await hall.submit(table_id, Act(BO.user_id, Ring()))
    hall.tables = hall.door(1)
    hall.now_ms += RING_MS + 9_000

    await hall.tables.resume()

    assert (Resumed(lost_ms=RING_MS + 9_000),) == hall.told[-1].events
    assert 0 == (await hall.stored(table_id)).state.rings_ms
    length = await hall.length(table_id)
    await hall.tables.resume()
    assert length == await hall.length(table_id)


async def test_other_games_sleep_through_a_stop(hall: Hall) -> None:
    """A game that is not of real time learns nothing of it, and nothing would change if it did."""
    table_id = await hall.playing(BO, keep_order=True)
    await hall.submit(table_id, Act(BO.user_id, Ring()))
    length = await hall.length(table_id)

    await hall.tables.resume()

    assert length == await hall.length(table_id)
    driver = Driver(clock_ms=MINUTE_MS).join(BO).start()
    before = driver.table
    driver.do(Resume(NOW_MS), 9_000)
    assert before == msgspec.structs.replace(driver.table, seq=before.seq)


def test_nobodys_time_runs_while_a_table_rests() -> None:
    """Turn clock, warning and closing are put off by as long as the bot was out of the server, in a lobby as well."""
    for driver in (Driver(clock_ms=MINUTE_MS).join(BO), Driver(clock_ms=MINUTE_MS).join(BO).start()):
        before = driver.table
        left_ms = driver.now_ms + 1_000
        driver.do(Resume(left_ms, rested=True), 8_000)

        def later(moment: int | None) -> int | None:
            return None if moment is None else moment + 7_000

        assert [later(due) for due in before.due_ms] == list(driver.table.due_ms)
        assert [later(due) for due in before.warn_ms] == list(driver.table.warn_ms)
        assert later(before.idle_due_ms) == driver.table.idle_due_ms


async def test_nothing_is_lost_where_no_time_runs(hall: Hall) -> None:
    """A real-time game between its phases learns of no stop."""
    hall = hasty_hall(hall)
    table_id = await hall.playing(BO, clock_ms=MINUTE_MS)
    length = await hall.length(table_id)

    await hall.tables.resume()

    assert length == await hall.length(table_id)


# --- tables opened for a purpose --------------------------------------------------------------------


async def test_people_sit_where_they_were_put(hall: Hall) -> None:
    """In that order, the host only if named, and nobody is drawn to begin."""
    for _ in range(5):
        table_id = await hall.open(seated=(BO, ANA), keep_order=True, computers=1)
        table = (await hall.submit(table_id, Start(ANA.user_id))).table

        assert [BO.user_id, ANA.user_id, None] == [who.user_id for who in table.sittings]
        assert BO.user_id not in (await hall.open(), table.host_id)


async def test_more_than_fit_are_refused(hall: Hall) -> None:
    """So are more computers than seats are left."""
    with pytest.raises(Refusal, match="table_full"):
        await hall.open(seated=(ANA,) * 5)
    with pytest.raises(Refusal, match="too_many_computers"):
        await hall.open(seated=(ANA, BO), computers=3)


async def test_there_is_one_table_of_an_origin(hall: Hall) -> None:
    """Asked again, at once, or after a restart, the same table comes back; others are not touched."""
    first = await hall.open(origin="rematch of 7")
    again = await hall.open(origin="rematch of 7")
    hall.tables = hall.door(await hall.store.last_table_id())
    later = await hall.open(origin="rematch of 7", host=BO)

    assert first == again == later
    assert first != await hall.open(origin="rematch of 8")
    assert await hall.open() != await hall.open()
    assert "rematch of 7" == (await hall.table(first)).origin
