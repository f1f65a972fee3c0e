"""The life of a table: every input in lobby and game, every refusal, clocks, pings, versions, the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rules.core.computers import NAMES
from rules.core.contract import Ctx, Refusal
from rules.core.life import advance
from rules.core.rng import Rng
from rules.core.table import (
    CLOCKS_MS,
    DEFAULT_CLOCK_MS,
    DEFAULT_IDLE_MS,
    DOUBLE_PRESS_MS,
    HOUR_MS,
    LOBBY_IDLE_MS,
    MINUTE_MS,
    PRESENT_MS,
    RECENT_ENTRIES,
    THINK_MS,
    Act,
    AddComputer,
    Back,
    Configure,
    End,
    Expire,
    Happening,
    Idle,
    Join,
    Kick,
    Leave,
    Move,
    Open,
    Play,
    RemoveComputer,
    SeatTaken,
    Sitting,
    Start,
    Substitute,
    TableEnded,
    Warn,
)
from tests.core.helpers import (
    ANA,
    BO,
    CY,
    DI,
    EVE,
    NOW_MS,
    PEOPLE,
    RING_MS,
    SEED,
    Count,
    Driver,
    Ring,
    Said,
    Say,
    Think,
    opening,
)

STRANGER = 999
CHANNEL_ID = 8


def lobby() -> Driver:
    """Return Ana's lobby."""
    return Driver()


def full() -> Driver:
    """Return a lobby of four people."""
    return Driver().join(BO, CY, DI)


def playing(people: int = 2, computers: int = 0, clock_ms: int = 0, **others: Any) -> Driver:
    """Return a game under way."""
    return Driver(clock_ms=clock_ms, **others).join(*PEOPLE[1:people]).fill(computers).start()


def over() -> Driver:
    """Return a table that has ended."""
    return playing().end()


# --- the lobby -----------------------------------------------------------------------------------


def test_a_table_opens_as_a_lobby() -> None:
    """Whoever opens it is the host in the first seat; defaults fill what was not said; it closes in an hour."""
    table = Driver(clock_ms=DEFAULT_CLOCK_MS).table

    assert (Sitting("Ana", user_id=ANA.user_id, joined=1),) == table.sittings
    assert ANA.user_id == table.host_id
    assert ("lobby", 1, "", "") == (table.phase, table.seq, table.seed, table.ended)
    assert {"goal": "12"} == table.options
    assert DEFAULT_CLOCK_MS == table.clock_ms
    assert NOW_MS + LOBBY_IDLE_MS == table.idle_due_ms
    assert NOW_MS + LOBBY_IDLE_MS == table.next_due_ms
    assert None is table.turn_ends_ms


def test_a_table_opens_with_computers() -> None:
    """Computers sit in from the start, each with a name and the usual level."""
    sittings = Driver(computers=3).table.sittings

    assert [Sitting(name, level="plain") for name in NAMES[:3]] == list(sittings[1:])


def test_people_join_in_order() -> None:
    """Everyone who joins takes the next seat, and the lobby stays open an hour longer."""
    driver = lobby()

    driver.do(Join(BO), after_ms=MINUTE_MS)
    driver.do(Join(CY), after_ms=MINUTE_MS)

    assert ["Ana", "Bo", "Cy"] == driver.names()
    assert (ANA.user_id, BO.user_id, CY.user_id) == driver.table.people
    assert [0, 1, 2] == [driver.table.seat_of(person.user_id) for person in (ANA, BO, CY)]
    assert NOW_MS + 2 * MINUTE_MS + LOBBY_IDLE_MS == driver.table.idle_due_ms


def test_a_person_replaces_a_computer_when_all_seats_are_taken() -> None:
    """A full lobby with computers lets people in; the last computer goes first."""
    driver = lobby().fill(3)

    driver.join(BO)

    assert 4 == len(driver.names())
    assert {"Ana", "Bo", *NAMES[:2]} == set(driver.names())


def test_the_earliest_joined_becomes_host() -> None:
    """The host gets up: the host's rights pass to who joined first, be it over computers that were replaced."""
    driver = lobby().fill(2).join(BO)  # full: Ana, two computers, Bo

    driver.join(CY).leave(ANA)

    assert BO.user_id == driver.table.host_id
    driver.do(AddComputer(BO.user_id))


def test_somebody_else_leaves_the_lobby() -> None:
    """A guest gets up; the host stays host, the seats close up."""
    driver = lobby().join(BO, CY).leave(BO)

    assert ["Ana", "Cy"] == driver.names()
    assert ANA.user_id == driver.table.host_id


def test_the_last_one_closes_the_lobby() -> None:
    """A lobby with computers alone is closed."""
    driver = lobby().fill(1).leave(ANA)

    assert ("over", "cancelled") == (driver.table.phase, driver.table.ended)
    assert (TableEnded(reason="cancelled"),) == driver.last.events


def test_computers_come_and_go() -> None:
    """The host adds computers, each with a name of its own, and takes the last one away."""
    driver = lobby().fill(2).join(BO)

    driver.do(RemoveComputer(ANA.user_id))

    assert ["Ana", NAMES[0], "Bo"] == driver.names()


def test_a_computer_avoids_the_names_of_people() -> None:
    """Somebody is called like a computer: the computer takes another name."""
    driver = Driver(host=type(ANA)(ANA.user_id, NAMES[0])).fill(1)

    assert [NAMES[0], NAMES[1]] == driver.names()


def test_the_host_chooses_clock_and_options() -> None:
    """What is not named stays as it is."""
    driver = lobby()

    driver.do(Configure(ANA.user_id, {"goal": "3"}))
    driver.do(Configure(ANA.user_id, clock_ms=HOUR_MS))

    assert {"goal": "3"} == driver.table.options
    assert HOUR_MS == driver.table.clock_ms


@pytest.mark.parametrize("clock_ms", CLOCKS_MS)
def test_every_clock_on_offer_can_be_chosen(clock_ms: int) -> None:
    """From none to a week, at the opening as later."""
    assert clock_ms == Driver(clock_ms=clock_ms).table.clock_ms


def test_an_idle_lobby_closes() -> None:
    """Nobody comes for an hour."""
    driver = lobby()

    driver.do(Idle(), after_ms=LOBBY_IDLE_MS)

    assert ("over", "idle", None) == (driver.table.phase, driver.table.ended, driver.table.next_due_ms)


@pytest.mark.parametrize("wish", [End(ANA.user_id), End(STRANGER, admin=True)])
def test_host_and_admin_cancel_a_lobby(wish: End) -> None:
    """A lobby that is ended was never a game."""
    driver = lobby().join(BO)

    driver.do(wish)

    assert "cancelled" == driver.table.ended


# --- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "happening", "code"),
    [
        (lobby, Join(ANA), "already_seated"),
        (full, Join(EVE), "table_full"),
        (full, AddComputer(ANA.user_id), "table_full"),
        (lobby, RemoveComputer(ANA.user_id), "no_computer"),
        (lobby, Start(ANA.user_id), "too_few"),
        (lobby, Leave(STRANGER), "not_seated"),
        (lobby, End(STRANGER), "not_seated"),
        (full, End(BO.user_id), "not_host"),
        (full, AddComputer(BO.user_id), "not_host"),
        (full, RemoveComputer(BO.user_id), "not_host"),
        (full, Configure(BO.user_id, clock_ms=0), "not_host"),
        (full, Start(BO.user_id), "not_host"),
        (lobby, Configure(ANA.user_id, clock_ms=17), "unknown_clock"),
        (lobby, Configure(ANA.user_id, {"goal": "13"}), "unknown_option"),
        (lobby, Configure(ANA.user_id, {"colour": "red"}), "unknown_option"),
        (lobby, Act(ANA.user_id, Say(1)), "not_started"),
        (lobby, Play(0, Say(1), "computer"), "not_started"),
        (lobby, Expire("ring"), "not_started"),
        (lobby, Idle(), "no_deadline"),
        (lobby, Move(ANA.user_id, CHANNEL_ID), "here_already"),
        (lobby, Move(BO.user_id, CHANNEL_ID + 1), "not_host"),
        (lobby, Kick(BO.user_id, ANA.user_id), "not_host"),
        (lobby, Kick(ANA.user_id, ANA.user_id), "kick_yourself"),
        (lobby, Kick(ANA.user_id, STRANGER), "no_such_person"),
        (lobby, Back(ANA.user_id), "not_started"),
        (lobby, Substitute(ANA.user_id, 0, EVE), "not_started"),
        (playing, Join(EVE), "already_started"),
        (playing, AddComputer(ANA.user_id), "already_started"),
        (playing, RemoveComputer(ANA.user_id), "already_started"),
        (playing, Configure(ANA.user_id), "already_started"),
        (playing, Start(ANA.user_id), "already_started"),
        (playing, Act(STRANGER, Say(1)), "not_seated"),
        (playing, Leave(STRANGER), "not_seated"),
        (playing, End(STRANGER), "not_seated"),
        (playing, Expire("ring"), "no_deadline"),
        (playing, Idle(), "no_deadline"),
        (playing, Play(0, Say(4), "computer"), "not_now"),
        (playing, Warn(0), "no_deadline"),
        (playing, Back(ANA.user_id), "not_away"),
        (playing, Back(STRANGER), "not_seated"),
        (playing, Substitute(ANA.user_id, 0, BO), "already_seated"),
        (playing, Substitute(ANA.user_id, 9, EVE), "unknown_seat"),
        (playing, Substitute(BO.user_id, 0, EVE), "not_host"),
        (over, Join(EVE), "table_over"),
        (over, Leave(ANA.user_id), "table_over"),
        (over, Act(ANA.user_id, Say(1)), "table_over"),
        (over, Play(0, Say(1), "computer"), "table_over"),
        (over, Expire("ring"), "table_over"),
        (over, End(ANA.user_id), "table_over"),
    ],
)
def test_the_table_refuses(given: Callable[[], Driver], happening: Happening, code: str) -> None:
    """Each reason has its code, and what is refused changes nothing."""
    assert code == given().refused(happening)


@pytest.mark.parametrize(
    ("wish", "code"),
    [
        (opening(computers=4), "too_many_computers"),
        (opening(computers=-1), "too_many_computers"),
        (opening(clock_ms=MINUTE_MS + 1), "unknown_clock"),
        (opening(options={"goal": "99"}), "unknown_option"),
    ],
)
def test_an_opening_is_refused(wish: Open, code: str) -> None:
    """What the game or the house does not have cannot be opened."""
    with pytest.raises(Refusal, match=code):
        advance(Count(), None, wish, Ctx(NOW_MS, Rng(SEED, "step 1")))


def test_there_is_no_table_before_the_opening() -> None:
    """Any other input needs a table."""
    with pytest.raises(Refusal, match="no_table"):
        advance(Count(), None, Join(BO), Ctx(NOW_MS, Rng(SEED, "step 1")))


def test_refusals_carry_facts() -> None:
    """How many are missing, how many computers are the most, how many votes are needed."""
    facts = []
    three = playing(people=3)
    three.do(End(next(user for user in three.table.people if user != ANA.user_id)))
    voter = three.table.votes[0]
    for driver, happening in (
        (lobby(), Start(ANA.user_id)),
        (lobby(), opening(computers=4)),
        (three, End(voter)),
    ):
        with pytest.raises(Refusal) as caught:
            driver.do(happening)
        facts.append(caught.value.facts)

    assert [{"missing": 1}, {"most": 3}, {"votes": 1, "needed": 2}] == facts


def test_the_game_refuses_in_its_own_words() -> None:
    """A refusal of the rules comes through as it is."""
    driver = playing()

    assert "not_now" == driver.refused(Act(driver.user(1), Say(1)))


# --- the start -----------------------------------------------------------------------------------


def test_ld_4_the_first_player_is_drawn() -> None:
    """Over many seeds everyone begins about as often."""
    firsts = []
    driver = full()
    for number in range(400):
        ctx = Ctx(NOW_MS, Rng(number.to_bytes(16, "big"), "step 5"))
        firsts.append(advance(driver.game, driver.record, Start(ANA.user_id), ctx).record.table.sittings[0].name)

    assert {"Ana", "Bo", "Cy", "Di"} == set(firsts)
    assert min(map(firsts.count, set(firsts))) > 70


def test_ld_5_the_list_is_turned_and_keeps_its_order() -> None:
    """Whoever begins is seat 0; the others follow as they stood in the lobby, round and round."""
    names = full().start().names()

    first = ["Ana", "Bo", "Cy", "Di"].index(names[0])
    assert ["Ana", "Bo", "Cy", "Di", "Ana", "Bo", "Cy", "Di"][first : first + 4] == names
    assert (0,) == full().start().table.to_act


def test_a_start_deals_by_the_options() -> None:
    """The game is set up with what the host chose, and the lobby's deadline is gone."""
    driver = Driver(options={"goal": "3"}).join(BO).start()

    driver.do(Act(driver.user(0), Say(3)))

    assert ("over", "finished") == (driver.table.phase, driver.table.ended)
    assert {} == driver.table.deadlines


# --- clocks --------------------------------------------------------------------------------------


def test_the_clock_runs_for_whoever_is_to_act() -> None:
    """A turn ends one span after it began; nobody else's clock runs."""
    driver = playing(clock_ms=HOUR_MS)

    driver.do(Act(driver.user(0), Say(1)), after_ms=MINUTE_MS)

    assert (None, NOW_MS + MINUTE_MS + HOUR_MS) == driver.table.due_ms
    assert NOW_MS + MINUTE_MS + HOUR_MS == driver.table.turn_ends_ms
    assert NOW_MS + MINUTE_MS + HOUR_MS // 2 == driver.table.next_due_ms == driver.table.warn_ms[1]


def test_without_a_clock_nothing_runs() -> None:
    """The table waits until it is forgotten; where nothing is ever forgotten, for ever."""
    driver, patient = playing(), playing(idle_ms=0)

    assert (None, None) == driver.table.due_ms
    assert NOW_MS + DEFAULT_IDLE_MS == driver.table.next_due_ms
    assert None is patient.table.next_due_ms


def test_a_computer_thinks_a_moment() -> None:
    """It moves a little over a second after its turn began, whatever the clock."""
    driver = playing(people=1, computers=3)
    seat = next(seat for seat, who in enumerate(driver.table.sittings) if who.user_id is None)
    while seat not in driver.table.to_act:
        driver.do(Play(driver.table.to_act[0], Say(1), "computer"))

    due_ms = driver.table.due_ms[seat]
    assert due_ms is not None
    assert THINK_MS[0] <= due_ms - driver.now_ms < THINK_MS[1]
    assert None is driver.table.turn_ends_ms


def test_others_moves_leave_the_clock_alone() -> None:
    """Somebody else does something: the clock of whoever is to act runs on."""
    driver = playing(clock_ms=HOUR_MS)

    driver.do(Act(driver.user(1), Think()), after_ms=MINUTE_MS)

    assert (NOW_MS + HOUR_MS, None) == driver.table.due_ms


def test_whoever_just_moved_and_is_to_act_again_has_a_fresh_span() -> None:
    """One seat plays twice in a row: the second move has its own time."""
    driver = Driver(Count(goes_on=True), clock_ms=HOUR_MS).join(BO).start()

    driver.do(Act(driver.user(0), Say(1)), after_ms=MINUTE_MS)

    assert (0,) == driver.table.to_act
    assert (NOW_MS + MINUTE_MS + HOUR_MS, None) == driver.table.due_ms


def test_the_clock_rests_while_the_game_has_a_deadline_of_its_own() -> None:
    """A bell rings in somebody's turn: their clock stops, and begins anew once the bell is over."""
    driver = playing(clock_ms=HOUR_MS)
    driver.do(Act(driver.user(1), Ring()), after_ms=MINUTE_MS)
    ringing = driver.table

    driver.do(Expire("ring"), after_ms=RING_MS)

    assert (None, None) == ringing.due_ms
    assert {"ring": NOW_MS + MINUTE_MS + RING_MS} == ringing.deadlines
    assert NOW_MS + MINUTE_MS + RING_MS == ringing.next_due_ms
    assert (NOW_MS + MINUTE_MS + RING_MS + HOUR_MS, None) == driver.table.due_ms


def test_a_computer_moves_for_who_is_late() -> None:
    """The move is marked as the clock's, and does not make the person present."""
    driver = playing(clock_ms=HOUR_MS)
    before = driver.table.acted_ms

    driver.do(Play(0, Say(2), "clock"), after_ms=HOUR_MS)

    assert before == driver.table.acted_ms
    assert "clock" == driver.record.recent[-1].by
    assert (1,) == driver.table.to_act


# --- pings ---------------------------------------------------------------------------------------


def test_a_turn_that_begins_is_owed_one_ping() -> None:
    """Once a turn start, to the person alone, with a nonce that is the same at every attempt."""
    driver = playing(people=3)

    done = driver.do(Act(driver.user(0), Say(1)), after_ms=PRESENT_MS)
    later = driver.do(Act(driver.user(2), Think()), after_ms=PRESENT_MS)

    assert [(f"1-{driver.table.seq - 1}-turn-1", 1, "turn", 1)] == [
        (o.nonce, o.table_id, o.kind, o.seat) for o in done.owed
    ]
    assert () == later.owed
    assert all(len(owed.nonce) <= 25 for owed in done.owed)


@pytest.mark.parametrize(("since_ms", "pings"), [(PRESENT_MS - 1, 0), (PRESENT_MS, 1)])
def test_somebody_who_moved_a_moment_ago_needs_no_ping(since_ms: int, pings: int) -> None:
    """Under half a minute after one's own move one is looking at the table."""
    driver = playing()
    driver.do(Act(driver.user(0), Say(1)), after_ms=HOUR_MS)

    done = driver.do(Act(driver.user(1), Say(1)), after_ms=since_ms)

    assert pings == len(done.owed)


def test_the_start_pings_the_first_player_unless_it_is_the_starter() -> None:
    """Whoever presses Start is there."""
    owed = {}
    driver = full()
    for number in range(20):
        ctx = Ctx(NOW_MS, Rng(number.to_bytes(16, "big"), "step 5"))
        done = advance(driver.game, driver.record, Start(ANA.user_id), ctx)
        owed[done.record.table.sittings[0].name] = [each.seat for each in done.owed]

    assert {"Ana": [], "Bo": [0], "Cy": [0], "Di": [0]} == owed


def test_computers_are_not_pinged() -> None:
    """A computer's turn owes nothing."""
    driver = playing(people=1, computers=1)

    for _ in range(4):
        seat = driver.table.to_act[0]
        done = driver.do(Play(seat, Say(1), "computer"), after_ms=HOUR_MS)
        following = driver.table.sittings[driver.table.to_act[0]]
        assert (following.user_id is not None) == bool(done.owed)


def test_nobody_is_pinged_while_a_bell_rings() -> None:
    """In a phase with its own deadline a ping comes too late to be of use."""
    driver = playing(people=3)
    driver.do(Act(driver.user(2), Ring()), after_ms=HOUR_MS)

    done = driver.do(Act(driver.user(0), Say(1)), after_ms=PRESENT_MS)

    assert () == done.owed


def test_the_end_pings_nobody() -> None:
    """A finished game calls nobody to the table."""
    driver = Driver(options={"goal": "3"}).join(BO).start()

    assert () == driver.do(Act(driver.user(0), Say(3)), after_ms=HOUR_MS).owed


# --- versions, presses ---------------------------------------------------------------------------


def test_versions_rise_only_where_something_of_ones_own_changed() -> None:
    """A move raises the panels of whose turn ended and began; a secret raises its owner's alone."""
    driver = playing(people=4)
    seen = [driver.table.versions]
    driver.do(Act(driver.user(0), Say(1)))
    seen.append(driver.table.versions)
    driver.do(Act(driver.user(3), Think()))
    seen.append(driver.table.versions)

    assert [(1, 1, 1, 1), (2, 2, 1, 1), (2, 2, 1, 2)] == seen


def test_a_press_on_an_old_panel_is_refused() -> None:
    """A panel of an earlier version plays nothing, however long ago its owner moved."""
    driver = playing()
    driver.do(Act(driver.user(0), Say(1), seen=1))
    driver.now_ms += DOUBLE_PRESS_MS

    assert "stale" == driver.refused(Act(driver.user(0), Say(1), seen=1))
    assert "stale" == driver.refused(Act(driver.user(1), Say(1), seen=1))


def test_a_second_press_in_a_row_is_told_so() -> None:
    """Right after one's own move an old panel means a double press."""
    driver = playing()
    driver.do(Act(driver.user(0), Say(1), seen=1))
    driver.now_ms += DOUBLE_PRESS_MS - 1

    assert "already_done" == driver.refused(Act(driver.user(0), Say(1), seen=1))


def test_a_press_of_the_present_panel_or_of_none_counts() -> None:
    """The version is compared where there is one."""
    driver = playing()
    driver.do(Act(driver.user(0), Say(1), seen=driver.table.versions[0]))
    driver.do(Act(driver.user(1), Say(1)))

    assert 5 == driver.table.seq
    assert NOW_MS == driver.table.acted_ms[1]


def test_the_table_remembers_the_last_public_entries() -> None:
    """Only what everyone saw, the last few, the oldest first."""
    driver = playing()
    for number in range(RECENT_ENTRIES):
        driver.do(Act(driver.user(number % 2), Say(1)))

    assert [(number % 2, (Said(seat=number % 2, number=1),)) for number in range(RECENT_ENTRIES)] == [
        (entry.seat, entry.events) for entry in driver.record.recent
    ]


def test_private_events_stay_out_of_the_entries() -> None:
    """The deal told each seat its secret, and the public nothing."""
    driver = playing()

    assert 2 == len(driver.last.events)
    assert [()] == [entry.events for entry in driver.record.recent]


def test_every_input_counts() -> None:
    """`seq` rises by one with each."""
    driver = lobby()
    seqs = [driver.table.seq]
    for happening in (Join(BO), AddComputer(ANA.user_id), Configure(ANA.user_id), Start(ANA.user_id)):
        driver.do(happening)
        seqs.append(driver.table.seq)
    driver.do(Leave(BO.user_id))

    assert [1, 2, 3, 4, 5] == seqs
    assert 6 == driver.table.seq


# --- getting up, ending --------------------------------------------------------------------------


def test_ld_86_a_computer_takes_over_at_once() -> None:
    """Somebody gets up in their turn: a computer with a free name sits there and is due."""
    driver = playing(people=3)
    seat = driver.table.to_act[0]
    leaver = driver.table.sittings[seat]

    driver.leave(next(person for person in PEOPLE if person.user_id == leaver.user_id))

    assert Sitting(NAMES[0], level="plain", left=leaver.name) == driver.table.sittings[seat]
    assert (SeatTaken(seat=seat, leaver=leaver.name, computer=NAMES[0]),) == driver.last.events
    assert NOW_MS + THINK_MS[0] == driver.table.due_ms[seat]
    assert "playing" == driver.table.phase
    assert "already_started" == driver.refused(Join(EVE))


def test_ld_86_a_leaver_who_is_not_to_act_leaves_the_clock_alone() -> None:
    """The computer waits for its turn."""
    driver = playing(people=3, clock_ms=HOUR_MS)
    before = driver.table.due_ms
    leaver = next(person for person in PEOPLE if person.user_id == driver.user(1))

    driver.leave(leaver)

    assert before == driver.table.due_ms


def test_ld_86_a_leaver_is_placed_last() -> None:
    """The computer said most, yet the seat of who left comes behind everyone who stayed; two leavers share it."""
    places = []
    for leavers in (1, 2):
        driver = playing(people=4)
        seats = list(range(leavers))
        for seat in seats:
            user_id = driver.user(seat)
            driver.do(Leave(user_id))
        while driver.table.phase == "playing":
            seat = driver.table.to_act[0]
            driver.do(Play(seat, Say(3 if seat in seats else 1), "computer"))
        places.append(driver.table.places)

    assert [(4, 1, 1, 1), (3, 3, 1, 1)] == places


def test_ld_86_the_game_ends_unranked_without_people() -> None:
    """The last person leaves: computers do not play on among themselves."""
    driver = playing(people=2, computers=1).leave(BO).leave(ANA)

    assert ("over", "abandoned") == (driver.table.phase, driver.table.ended)
    assert () == driver.table.places
    assert None is driver.table.next_due_ms


def test_a_host_who_leaves_the_game_hands_over() -> None:
    """Somebody who still sits there can end it."""
    driver = playing(people=3).leave(ANA)
    host_id = driver.table.host_id

    driver.do(End(host_id))

    assert host_id in (BO.user_id, CY.user_id)
    assert "host" == driver.table.ended


@pytest.mark.parametrize(
    ("wish", "ended"),
    [(End(ANA.user_id), "host"), (End(ANA.user_id, admin=True), "host"), (End(STRANGER, admin=True), "admin")],
)
def test_host_and_admin_end_a_game_at_once(wish: End, ended: str) -> None:
    """It ends unranked, with the reason, and nothing is due any more."""
    driver = playing(people=3, clock_ms=HOUR_MS)

    driver.do(wish, after_ms=MINUTE_MS)

    assert ("over", ended, (), ()) == (
        driver.table.phase,
        driver.table.ended,
        driver.table.places,
        driver.table.to_act,
    )
    assert None is driver.table.next_due_ms
    assert (TableEnded(reason=ended),) == driver.last.events


def test_most_players_end_a_game() -> None:
    """Half of the people are not enough, and nobody votes twice."""
    driver = playing(people=4)
    voters = [person.user_id for person in (BO, CY, DI)]
    driver.do(End(voters[0]))
    driver.do(End(voters[1]))
    half = driver.table
    again = driver.refused(End(voters[1]))
    driver.do(End(voters[2]))

    assert ("playing", (BO.user_id, CY.user_id)) == (half.phase, half.votes)
    assert "already_voted" == again
    assert ("over", "majority") == (driver.table.phase, driver.table.ended)


def test_a_vote_leaves_with_its_voter() -> None:
    """Who gets up counts neither as a vote nor as a player."""
    driver = playing(people=4)
    driver.do(End(BO.user_id))
    driver.leave(BO)
    without = driver.table
    driver.do(End(CY.user_id))
    driver.leave(DI)
    still = driver.table
    driver.leave(ANA)

    assert () == without.votes
    assert "playing" == still.phase
    assert "majority" == driver.table.ended
    assert [SeatTaken, TableEnded] == [type(event) for event in driver.last.events]


def test_a_game_played_out_has_places_and_scores() -> None:
    """Ties share a place; the reason is the game's."""
    driver = Driver().join(BO, CY).start()
    for number in (3, 3, 2, 2, 2):
        driver.do(Act(driver.user(driver.table.to_act[0]), Say(number)))

    assert ("over", "finished", "finished") == (driver.table.phase, driver.table.ended, driver.table.reason)
    assert (1, 1, 3) == driver.table.places
    assert (5, 5, 2) == driver.table.scores
    assert (None, None, None) == driver.table.due_ms


def test_inputs_do_not_change_the_record_they_came_to() -> None:
    """The record before is a value: kept, it stays as it was."""
    driver = playing(people=3)
    before = driver.record
    table = before.table
    driver.do(Act(driver.user(0), Say(1)))
    driver.leave(BO)

    assert table == before.table
    assert table.seq + 2 == driver.table.seq
