"""People at a table: warned, away, back, kicked, substituted, forgotten, moved."""

from __future__ import annotations

from rules.core.table import (
    AWAY_AFTER,
    DAY_MS,
    HOUR_MS,
    MINUTE_MS,
    THINK_MS,
    Act,
    Back,
    CameBack,
    Idle,
    Kick,
    Leave,
    Move,
    Play,
    SeatTaken,
    Start,
    Substitute,
    Substituted,
    Warn,
    WentAway,
)
from tests.core.helpers import ANA, BO, CY, EVE, Driver, Say


def playing(clock_ms: int = HOUR_MS, **others: object) -> Driver:
    """Return a game of Ana and Bo."""
    return Driver(clock_ms=clock_ms, **others).join(BO).start()


def sleep_through(driver: Driver, seat: int, turns: int) -> None:
    """Let the clock end some turns of *seat* in a row; everyone else moves."""
    while turns:
        actor = driver.table.to_act[0]
        if actor == seat:
            driver.do(Play(seat, Say(1), "clock"), after_ms=driver.table.clock_ms)
            turns -= 1
        else:
            driver.do(Act(driver.user(actor), Say(1)), after_ms=MINUTE_MS)


def test_half_way_there_is_one_warning() -> None:
    """It comes once, at half the time, as a message on long clocks; the move puts an end to it."""
    driver = playing(HOUR_MS)
    warned_at = driver.table.warn_ms[0]

    done = driver.do(Warn(0), after_ms=HOUR_MS // 2)

    assert driver.now_ms == warned_at
    assert ["warning"] == [owed.kind for owed in done.owed]
    assert driver.table.warned(0)
    assert "no_deadline" == driver.refused(Warn(0))


def test_a_short_clock_warns_on_the_board_alone() -> None:
    """Nobody is called for the half of a minute."""
    driver = playing(MINUTE_MS)

    done = driver.do(Warn(0), after_ms=MINUTE_MS // 2)

    assert () == done.owed
    assert driver.table.warned(0)


def test_after_three_turns_that_ran_out_a_computer_keeps_the_seat() -> None:
    """Everyone learns of it once, and from then on the seat is played at a computer's pace."""
    driver = playing()

    sleep_through(driver, 0, AWAY_AFTER - 1)
    before = driver.table.away(0)
    sleep_through(driver, 0, 1)
    told, owed = driver.last.events, driver.last.owed
    driver.do(Act(driver.user(1), Say(1)), after_ms=MINUTE_MS)

    assert (False, True) == (before, driver.table.away(0))
    assert WentAway(seat=0) in told
    assert ["away"] == [message.kind for message in owed if message.seat == 0]
    assert THINK_MS[0] <= (driver.table.due_ms[0] or 0) - driver.now_ms < THINK_MS[1]
    assert [] == [message.kind for message in driver.last.owed]


def test_whoever_is_back_has_the_seat_and_a_whole_span() -> None:
    """I'm back ends the computer's play at once."""
    driver = playing()
    sleep_through(driver, 0, AWAY_AFTER)
    driver.do(Act(driver.user(1), Say(1)), after_ms=MINUTE_MS)

    done = driver.do(Back(driver.user(0)))

    assert (CameBack(seat=0),) == done.events
    assert not driver.table.away(0)
    assert driver.now_ms + HOUR_MS == driver.table.due_ms[0]


def test_moving_is_being_back() -> None:
    """A press on a card says it as well as a button for it."""
    driver = playing()
    sleep_through(driver, 0, AWAY_AFTER)
    driver.do(Act(driver.user(1), Say(1)), after_ms=MINUTE_MS)

    done = driver.do(Act(driver.user(0), Say(1)))

    assert CameBack(seat=0) in done.events
    assert not driver.table.away(0)


def test_a_move_of_ones_own_clears_the_count() -> None:
    """Only turns in a row count."""
    driver = playing()
    sleep_through(driver, 0, AWAY_AFTER - 1)
    driver.do(Act(driver.user(1), Say(1)), after_ms=MINUTE_MS)
    driver.do(Act(driver.user(0), Say(1)), after_ms=MINUTE_MS)

    sleep_through(driver, 0, AWAY_AFTER - 1)

    assert not driver.table.away(0)


def test_a_kick_gives_the_seat_to_a_computer() -> None:
    """Host or admin may; whoever had to go is ranked like whoever left."""
    driver = Driver(clock_ms=HOUR_MS).join(BO, CY).start()
    seat = driver.table.seat_of(CY.user_id)

    driver.do(Kick(ANA.user_id, CY.user_id))
    taken = driver.last.events[0]
    driver.do(Kick(EVE.user_id, BO.user_id, admin=True))

    assert isinstance(taken, SeatTaken)
    assert (seat, CY.name, True) == (taken.seat, taken.leaver, taken.kicked)
    assert (ANA.user_id,) == driver.table.people


def test_a_kick_in_the_lobby_frees_the_seat() -> None:
    """Nobody has to take over anything yet."""
    driver = Driver().join(BO)

    driver.do(Kick(ANA.user_id, BO.user_id))

    assert (ANA.user_id,) == driver.table.people
    assert 1 == len(driver.table.sittings)


def test_a_substitute_takes_seat_hand_and_score() -> None:
    """The state stays as it is, old panels do not, and the newcomer is called."""
    driver = playing()
    seat = driver.table.seat_of(BO.user_id)
    before = driver.record

    done = driver.do(Substitute(ANA.user_id, seat or 0, EVE))

    assert before.state == driver.record.state
    assert (seat, None) == (driver.table.seat_of(EVE.user_id), driver.table.seat_of(BO.user_id))
    assert before.table.versions[seat or 0] + 1 == driver.table.versions[seat or 0]
    assert (Substituted(seat=seat or 0, before=BO.name, after=EVE.name),) == done.events
    assert [seat] == [owed.seat for owed in done.owed]


def test_a_substitute_for_a_computer_is_no_leaver() -> None:
    """Whoever takes over from a leaver's computer plays on in their own right."""
    driver = Driver(clock_ms=HOUR_MS).join(BO, CY).start()
    seat = driver.table.seat_of(CY.user_id) or 0
    driver.do(Leave(CY.user_id))

    driver.do(Substitute(ANA.user_id, seat, EVE))

    assert ("Eve", "", False) == (
        driver.table.sittings[seat].name,
        driver.table.sittings[seat].left,
        driver.table.plain_computer(seat),
    )


def test_the_host_may_be_substituted() -> None:
    """The rights go to whoever came first of those who stay."""
    driver = playing()
    seat = driver.table.seat_of(ANA.user_id) or 0

    driver.do(Substitute(EVE.user_id, seat, EVE, admin=True))

    assert BO.user_id == driver.table.host_id


def test_the_earliest_joined_becomes_host() -> None:
    """Also once the seats were turned at the start."""
    for _ in range(6):
        driver = Driver().join(BO, CY)
        driver.do(Start(ANA.user_id))

        driver.do(Leave(ANA.user_id))

        assert BO.user_id == driver.table.host_id


def test_a_host_who_does_not_play_stays_host() -> None:
    """As in a tournament: no player comes to be able to end its game, or to have others get up."""
    driver = Driver(host=EVE, seated=(ANA, BO, CY)).start().leave(ANA)

    assert EVE.user_id == driver.table.host_id
    assert "not_host" == driver.refused(Kick(BO.user_id, CY.user_id))


def test_a_game_that_nobody_touches_is_closed_with_a_word() -> None:
    """Computers and the clock do not count as life; a person's move does."""
    driver = playing(idle_ms=14 * DAY_MS)
    driver.do(Act(driver.user(0), Say(1)), after_ms=DAY_MS)
    due_ms = driver.table.idle_due_ms
    driver.do(Play(1, Say(1), "clock"), after_ms=HOUR_MS)

    early = driver.refused(Idle())
    still_due_ms = driver.table.idle_due_ms
    done = driver.do(Idle(), after_ms=14 * DAY_MS)

    assert "no_deadline" == early
    assert due_ms == still_due_ms
    assert ("over", "forgotten", ()) == (driver.table.phase, driver.table.ended, driver.table.places)
    assert ["closed"] == [owed.kind for owed in done.owed]


def test_a_table_moves_to_another_channel() -> None:
    """Host and admin may bring it along."""
    driver = playing()

    driver.do(Move(ANA.user_id, 77))
    first = driver.table.channel_id
    driver.do(Move(EVE.user_id, 78, admin=True))

    assert (77, 78) == (first, driver.table.channel_id)
    assert "not_host" == driver.refused(Move(BO.user_id, 79))
