"""Evenings as they go: sign-up, tables, results, and everything that goes wrong."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from rules.core.contract import Refusal
from rules.tournaments import inputs as i
from rules.tournaments.clock import AWAY_MS, deadlines
from rules.tournaments.corrections import preview
from rules.tournaments.ledger import standings
from rules.tournaments.model import GameChoice, game_choice
from rules.tournaments.orders import EndTable, OpenTable, PutOut, Reseat, orders
from rules.tournaments.plan import plan
from rules.tournaments.points import Scheme
from rules.tournaments.rights import ANYBODY, REASONED
from rules.tournaments.sizes import Sizes
from rules.tournaments.status import overview, where
from tests.helpers import games
from tests.tournaments.hall import BOSS, GAME, NOW_MS, Hall, person, setup

MINUTE_MS = 60_000
STAFF: dict[str, Any] = {"user_id": BOSS, "staff": True, "reason": "why"}


def begun(people: int = 8, seed: int = 1, **rules: Any) -> Hall:
    """Return an event whose first round is paired."""
    hall = Hall(setup(**{"sizes": Sizes(3, 4, 5), **rules}), seed)
    hall.enter(people)
    if hall.record.setup.check_in != "none":
        hall.boss(i.OpenCheckIn)
        for who in hall.record.entrants:
            hall.do(i.CheckIn(user_id=who.user_id))
    hall.start()
    return hall


def gathered(**rules: Any) -> Hall:
    """Return an event whose tables are open."""
    hall = begun(**rules)
    hall.gather()
    return hall


def here(hall: Hall, *entrants: int) -> None:
    """Have entrants come to their table."""
    for one in entrants:
        hall.do(i.Here(user_id=hall.user(one)))


def rows(hall: Hall) -> dict[int, tuple[int, int, str]]:
    """Return place, points and mark by entrant."""
    return {row.entrant: (row.place, row.points, row.mark) for row in standings(hall.record)}


# --- before the start ----------------------------------------------------------------------------


@pytest.mark.parametrize("game", games().values(), ids=games())
def test_every_game_can_be_a_tournament(game: Any) -> None:
    """Through its spec and its outcomes alone."""
    choice = game_choice(game.spec)
    low, high = choice.low, min(4, choice.high)
    hall = Hall(setup(games=(choice,), sizes=Sizes(low, high, high), rounds=2), 3)
    hall.enter(7)
    hall.start()
    hall.whole()

    assert hall.tables[1].game == game.spec.key
    assert hall.tables[1].options == game.spec.settle_options({})


def test_one_game_a_round_and_the_smallest_range_of_them() -> None:
    """The last game goes on; sizes must suit all."""
    several = (GameChoice("one", 2, 4), GameChoice("two", 3, 6))
    hall = begun(games=several, sizes=Sizes(3, 4, 4), rounds=3)
    hall.whole()

    assert [hall.tables[table].game for table in (1, 3, 5)] == ["one", "two", "two"]
    for sizes in (Sizes(2, 3, 4), Sizes(3, 4, 5)):
        with pytest.raises(Refusal, match="bad_sizes"):
            Hall(setup(games=several, sizes=sizes))


@pytest.mark.parametrize(
    "wrong",
    [
        {"title": " "}, {"games": ()}, {"rounds": 0}, {"final": 7}, {"advance": 0}, {"group_size": 2},
        {"ties": ("wins", "wins")}, {"no_show_ms": -1}, {"check_in_ms": 0}, {"late_until": 0}, {"most": 300},
        {"format": "knockout", "late_until": 2}, {"format": "league", "check_in": "every"},
        {"scheme": Scheme("custom", ((3, 1),))},
    ],
)  # fmt: skip
def test_rules_that_cannot_be_kept_are_refused(wrong: dict[str, Any]) -> None:
    """The refusal names the field."""
    with pytest.raises(Refusal):
        Hall(setup(**wrong))


def test_the_plan_shows_tables_rematches_and_advice() -> None:
    """Twelve in fours over three rounds cannot do without nine rematches; threes would suit them."""
    hall = Hall(setup(sizes=Sizes(3, 4, 5), final=4))
    assert plan(hall.record).blocks == ("too_few",)
    hall.enter(12)
    made = plan(hall.record)

    assert [planned.tables for planned in made.rounds] == [(4, 4, 4)] * 3 + [(4,)]
    assert (made.rematches, made.hints, made.blocks) == (9, ("threes", "rematches"), ())

    hall.boss(i.Configure, setup=setup(sizes=Sizes(4, 4, 4), rounds=5))
    hall.enter(5, 13)
    assert plan(hall.record).rounds[0].byes == 1
    hall.do(i.Leave(user_id=1001))
    made = plan(hall.record)
    assert made.fixed
    assert made.rematches == 0


def test_a_start_is_for_the_plan_that_was_shown() -> None:
    """Somebody joins in between: the plan has changed, and says to how many."""
    hall = Hall(setup())
    hall.enter(2)
    assert hall.code(i.Start(**STAFF, players=2)) == "too_few"
    hall.enter(6, 3)
    assert hall.code(i.Start(**STAFF, players=2)) == "plan_changed"
    hall.start()
    assert hall.code(i.Start(**STAFF, players=8)) == "already_started"


def test_people_join_leave_and_come_again() -> None:
    """Twice is refused; who took the sign-up back is in no standings."""
    hall = Hall(setup(most=4))
    hall.enter(4)
    assert hall.code(i.Join(user_id=1001, name="P1")) == "already_entered"
    assert hall.code(i.Join(user_id=1009, name="P9")) == "full"
    hall.do(i.Leave(user_id=1001))
    assert hall.code(i.Leave(user_id=1001)) == "not_entered"
    hall.boss(i.AddMany, people=(person(1),))
    assert hall.code(i.AddMany(**STAFF, people=(person(1),))) == "nobody_new"
    hall.do(i.Leave(user_id=5001))
    hall.do(i.Join(user_id=1001, name="P1 again"))
    hall.start()

    assert sorted(rows(hall)) == [1, 2, 3, 4]
    assert hall.record.entrant(1).name == "P1 again"


def test_who_misses_the_check_in_is_left_out_and_may_come_late() -> None:
    """Missed rounds count as absences, up to the round that was named."""
    hall = Hall(setup(check_in="first", late_until=2, rounds=3))
    hall.enter(9)
    assert hall.code(i.Start(**STAFF, players=9)) == "check_in_first"
    hall.boss(i.OpenCheckIn)
    for number in range(1, 9):
        hall.do(i.CheckIn(user_id=1000 + number))
    assert hall.code(i.CheckIn(user_id=1001)) == "already_done"
    assert overview(hall.record).awaited == (9,)
    assert [where(hall.record, 1000 + number).state for number in (1, 9)] == ["checked", "check_in"]
    hall.pass_time()
    assert [where(hall.record, 1000 + number).state for number in (1, 9)] == ["checked", "missed"]
    hall.start()
    assert hall.code(i.CheckIn(user_id=1009)) == "not_entered"
    assert 9 not in rows(hall)
    assert where(hall.record, 1009).state == "unchecked"
    hall.play()
    hall.do(i.Join(user_id=1009, name="P9"))
    assert rows(hall)[9][1] == 0
    hall.next()
    assert any(9 in pod.seats for pod in hall.round.pods)
    assert hall.code(i.Join(user_id=1020, name="P20")) == "closed"
    row = next(row for row in standings(hall.record) if row.entrant == 9)
    assert (row.absences, row.byes) == (1, 0)


def test_who_comes_after_the_window_is_in_while_it_has_not_begun() -> None:
    """As whoever joins then: there is one way in, and it is open."""
    hall = Hall(setup(check_in="first"))
    hall.enter(9)
    hall.boss(i.OpenCheckIn)
    for number in range(1, 9):
        hall.do(i.CheckIn(user_id=1000 + number))
    hall.pass_time()
    hall.do(i.CheckIn(user_id=1009))
    assert overview(hall.record).awaited == ()
    assert hall.code(i.Start(**STAFF, players=8)) == "plan_changed"
    hall.start()
    assert any(9 in pod.seats for pod in hall.round.pods)


def test_a_check_in_before_every_round() -> None:
    """It opens when a round is confirmed; who misses it is absent, and a second press does not end it."""
    hall = begun(check_in="every", people=9)
    hall.play()
    hall.next()
    assert overview(hall.record).step == "check_in"
    assert hall.code(i.Next(**STAFF, round=1)) == "already_done"
    for number in range(1, 9):
        hall.do(i.CheckIn(user_id=1000 + number))
    assert where(hall.record, 1009).state == "check_in"
    hall.pass_time()

    assert hall.round.number == 2
    assert hall.round.absent == (9,)
    assert where(hall.record, 1009).state == "absent"


def test_a_check_in_with_too_few_is_held_again() -> None:
    """Nothing stalls: the organiser opens another, or ends the event."""
    hall = begun(check_in="every")
    hall.play()
    hall.next()
    hall.pass_time()
    assert (hall.round.number, overview(hall.record).step) == (1, "recheck")
    assert [(call.kind, call.round) for call in hall.calls if call.kind == "checked"] == [("checked", 1)]
    hall.next()
    for number in range(1, 9):
        hall.do(i.CheckIn(user_id=1000 + number))
    hall.boss(i.CloseCheckIn)
    hall.obey()
    assert hall.round.number == 2


# --- at the tables -------------------------------------------------------------------------------


def test_a_table_is_opened_once_all_are_there_in_order_of_seats() -> None:
    """Each is called once; the same order comes again until it was heard of; two presses count once."""
    hall = begun()
    pod = hall.pod()
    here(hall, *pod.seats[:-1])
    assert hall.code(i.Here(user_id=hall.user(pod.seats[0]))) == "already_here"
    assert not [order for order in orders(hall.record) if isinstance(order, OpenTable)]
    here(hall, pod.seats[-1])
    (order,) = (order for order in orders(hall.record) if isinstance(order, OpenTable))
    assert [who.user_id for who in order.people] == [hall.user(one) for one in pod.seats]
    assert order.origin == "t7-r1-1-1"
    assert order in orders(hall.record)
    report = i.Opened(round=1, pod=1, attempt=1, table_id=31)
    hall.do(report)
    assert hall.code(report) == "already_done"
    hall.do(msgspec.structs.replace(report, table_id=32))
    assert orders(hall.record)[0] == EndTable(32)
    assert [(call.kind, call.pod) for call in hall.calls] == [("seats", 1), ("seats", 2)]


def test_a_result_counts_once() -> None:
    """A repeated, an outdated and an impossible one are refused."""
    hall = gathered()
    table = hall.pod().table_id
    result = hall.outcome(table)
    bad = msgspec.structs.replace(result, places=(1, 1, 1, 2))
    assert hall.code(bad) == "bad_places"
    assert hall.code(msgspec.structs.replace(result, places=(1, 2), scores=(0, 0))) == "bad_places"
    assert hall.code(msgspec.structs.replace(result, attempt=2)) == "outdated"
    hall.do(result)
    assert hall.code(result) == "already_done"
    assert sum(row.played for row in standings(hall.record)) == 4


def test_two_organisers_press_next() -> None:
    """The second finds it done."""
    hall = begun()
    assert hall.code(i.Next(**STAFF, round=1)) == "tables_open"
    hall.play()
    hall.boss(i.Next, round=1)
    assert hall.code(i.Next(**STAFF, round=1)) == "already_done"
    assert hall.code(i.Next(**STAFF, round=2)) == "pairing"
    hall.obey()
    assert len(hall.record.rounds) == 2


def test_a_no_show_is_the_organisers_to_decide() -> None:
    """Wait, begin without them, or set what counts."""
    hall = begun()
    pod = hall.pod()
    here(hall, *pod.seats[:3])
    assert deadlines(hall.record)["pod-1"] == NOW_MS + 10 * MINUTE_MS
    assert hall.code(i.Expire(name="pod-1")) == "too_early"
    hall.pass_time()
    (table, _) = overview(hall.record).tables
    assert (table.stage, table.why, table.entrants) == ("stuck", "no_show", pod.seats[3:])
    assert "GoOn" in table.ways
    hall.boss(i.Wait, round=1, pod=1, wait_ms=MINUTE_MS)
    assert deadlines(hall.record)["pod-1"] == hall.now_ms + MINUTE_MS
    hall.boss(i.GoOn, round=1, pod=1)
    hall.obey()
    assert hall.pod().absent == pod.seats[3:]
    assert len(hall.tables[hall.pod().table_id].people) == 3
    assert hall.code(i.GoOn(**STAFF, round=1, pod=1)) == "not_waiting"


def test_what_ran_out_while_the_bot_was_away_begins_again() -> None:
    """Nobody could press; what has not run out stands, and a moment is no absence."""
    hall = begun(round_ms=60 * MINUTE_MS)
    round_due_ms = deadlines(hall.record)["round"]
    hall.now_ms += 10 * MINUTE_MS + AWAY_MS
    assert hall.code(i.Resume()) == "no_deadline"
    hall.now_ms += 1
    hall.do(i.Resume())
    come_ms = hall.now_ms + 10 * MINUTE_MS
    assert deadlines(hall.record) == {"pod-1": come_ms, "pod-2": come_ms, "round": round_due_ms}
    assert hall.code(i.Resume()) == "no_deadline"
    assert hall.events[-1].what == "resumed"
    here(hall, *hall.pod(1).seats)
    hall.pass_time()
    assert [pod.stage for pod in hall.round.pods] == ["open", "stuck"]

    hall.now_ms = round_due_ms + 2 * AWAY_MS
    hall.do(i.Resume())
    assert deadlines(hall.record) == {"round": hall.now_ms + 60 * MINUTE_MS}
    assert hall.replayed() == hall.record


def test_a_check_in_that_ran_out_while_the_bot_was_away_begins_again() -> None:
    """People press then; afterwards the staff is called, for only they can go on."""
    hall = Hall(setup(check_in="first"))
    hall.enter(8)
    hall.boss(i.OpenCheckIn)
    hall.now_ms += 60 * MINUTE_MS
    hall.do(i.Resume())
    for number in range(1, 9):
        hall.do(i.CheckIn(user_id=1000 + number))
    assert not [call for call in hall.calls if call.kind == "checked"]
    hall.pass_time()
    assert [call.round for call in hall.calls if call.kind == "checked"] == [0]
    hall.start()
    assert len(hall.round.pods) == 2


def test_no_shows_by_rule() -> None:
    """Three of four play on; one alone has a bye; a table where nobody comes is done."""
    hall = begun(no_show="short")
    first, second = hall.round.pods
    here(hall, *first.seats[:3], second.seats[0])
    hall.now_ms += 10 * MINUTE_MS
    for name in ("pod-1", "pod-2"):
        hall.do(i.Expire(name=name))
    hall.obey()

    assert hall.pod(1).stage == "open"
    assert (hall.pod(2).stage, hall.pod(2).byes) == ("done", second.seats[:1])
    assert rows(hall)[second.seats[0]][1] == 60
    assert hall.code(i.Expire(name="pod-2")) == "no_deadline"


def test_computers_fill_short_tables_and_score_nothing() -> None:
    """Only where the rules allow it; places close up over them."""
    hall = begun(games=(GameChoice("clap", 3, 6),), computers=True, people=4)
    pod = hall.pod()
    here(hall, *pod.seats[:2])
    hall.boss(i.GoOn, round=1, pod=1, fill=True)
    hall.obey()
    table = hall.pod().table_id
    assert hall.tables[table].computers == 2
    report = {"round": 1, "pod": 1, "attempt": 1, "table_id": table}
    hall.do(i.Result(**report, places=(2, 4, 1, 3), scores=(5, 1, 9, 3), reason="finished"))
    assert hall.pod().places == (1, 2)
    assert [row.points for row in standings(hall.record)] == [120, 0, 0, 0]

    plain = begun()
    assert plain.code(i.GoOn(**STAFF, round=1, pod=1, fill=True)) == "no_computers"
    assert plain.code(i.GoOn(**STAFF, round=1, pod=1)) == "too_few_here"


def test_a_game_that_ends_without_a_result_needs_a_decision() -> None:
    """Played again from the start, under another name; or set by hand."""
    hall = gathered()
    table = hall.pod().table_id
    hall.end(table, "abandoned")
    waiting = overview(hall.record).tables[0]
    assert (waiting.why, waiting.ways) == ("ended:abandoned", ("Replay", "Correct"))
    assert where(hall.record, hall.user(hall.pod().seats[0])).state == "staff"
    hall.boss(i.Replay, round=1, pod=1)
    assert hall.pod().attempt == 2
    hall.gather()
    assert hall.tables[hall.pod().table_id].origin == "t7-r1-1-2"
    assert hall.finish(table) == "outdated"


def test_a_final_is_not_seated_again_when_nobody_is_left() -> None:
    """A knockout that begins with its final keeps the table it has: one without people could never be shown."""
    hall = Hall(setup(format="knockout", sizes=Sizes(2, 2, 2), late_until=1))
    hall.enter(2)
    hall.start()
    for entrant in (1, 2):
        hall.boss(i.Drop, entrant=entrant)
    table = hall.pod()

    assert "too_few" == hall.code(i.Repair(**STAFF, round=1))
    assert table == hall.pod()


@pytest.mark.parametrize("act", ["swap", "add", "repair"])
def test_seats_change_until_the_first_move(act: str) -> None:
    """What was opened for them is told to end, whatever it reports; afterwards it is refused."""
    hall = gathered(late_until=2)
    hall.do(i.Join(user_id=1050, name="Late"))
    one, other = hall.pod(1).seats[0], hall.pod(2).seats[0]
    happening: Any = {
        "swap": i.SwapSeats(**STAFF, round=1, entrants=(one, other)),
        "add": i.AddToTable(**STAFF, round=1, pod=1, entrant=9),
        "repair": i.Repair(**STAFF, round=1),
    }[act]
    old = hall.pod(1).table_id
    hall.do(happening)
    assert EndTable(old) in orders(hall.record)
    result = hall.outcome(old)
    hall.do(result)
    assert EndTable(old) not in orders(hall.record)
    assert hall.code(result) == "outdated"
    hall.obey()
    hall.gather()
    assert all(pod.attempt > 1 for pod in hall.round.pods if pod.number == 1)
    if act == "swap":
        assert other in hall.pod(1).seats
        assert one in hall.pod(2).seats
    else:
        assert any(9 in pod.seats for pod in hall.round.pods)
        assert next(row for row in standings(hall.record) if row.entrant == 9).absences == 0
    for pod in hall.round.pods:
        hall.move(pod.table_id)
    assert hall.code(msgspec.structs.replace(happening)) in ("has_moved", "already_playing")


def test_check_k18_whoever_came_late_sits_down_at_a_short_table() -> None:
    """Who was forgotten, missed the check-in or dropped out: in by it, with entry closed, and nobody is paired anew."""
    hall = Hall(setup(check_in="first", sizes=Sizes(3, 4, 5), rounds=2), 2)
    hall.enter(8)
    hall.boss(i.OpenCheckIn)
    for number in range(1, 8):
        hall.do(i.CheckIn(user_id=1000 + number))
    hall.start()
    hall.boss(i.Drop, entrant=hall.pod(1).seats[0])
    seats = [pod.seats for pod in hall.round.pods]
    hall.boss(i.AddToTable, round=1, pod=2, entrant=8)
    hall.boss(i.AddToTable, round=1, pod=2, person=person(1))
    assert [pod.seats for pod in hall.round.pods] == [seats[0], (*seats[1], 8, 9)]
    assert [(who.status, who.first) for who in hall.record.entrants[7:]] == [("in", 1)] * 2
    assert hall.code(i.AddToTable(**STAFF, round=1, pod=1, entrant=9)) == "already_playing"
    assert hall.code(i.AddToTable(**STAFF, round=1, pod=1, person=person(1))) == "already_entered"
    assert hall.code(i.AddToTable(**STAFF, round=1, pod=1)) == "no_entrant"
    assert hall.code(i.Join(user_id=77, name="Late")) == "closed"
    hall.boss(i.GoOn, round=1, pod=1) if hall.pod(1).stage == "stuck" else None
    hall.gather()
    assert hall.replayed() == hall.record


def test_a_knockout_whose_people_have_all_gone_is_not_paired_again() -> None:
    """There is no final of nobody."""
    hall = begun(people=3, format="knockout")
    for number in (1, 2, 3):
        hall.boss(i.Drop, entrant=number)
    assert hall.code(i.Repair(**STAFF, round=1)) == "too_few"


@pytest.mark.parametrize("overdue", ["computers", "absent"])
def test_a_table_that_is_played_again_after_the_deadline_has_its_time(overdue: str) -> None:
    """An organiser who has it played again wants it played, not ended at once."""
    hall = begun(round_ms=30 * MINUTE_MS, overdue=overdue)
    hall.gather()
    hall.end(hall.pod(2).table_id, "abandoned")
    hall.pass_time()
    assert [pod.stage for pod in hall.round.pods] == ["done", "stuck"]
    hall.boss(i.Replay, round=1, pod=2)
    hall.gather()
    assert hall.pod(2).stage == "open"
    assert hall.round.due_ms == hall.now_ms + 30 * MINUTE_MS
    hall.pass_time()
    assert hall.round.phase == "provisional"


@pytest.mark.parametrize("overdue", ["ask", "computers", "absent"])
def test_a_round_that_takes_too_long(overdue: str) -> None:
    """The chosen consequence, and never a stall."""
    hall = begun(round_ms=30 * MINUTE_MS, no_show_ms=0, overdue=overdue)
    first, second = hall.round.pods
    here(hall, *first.seats, *second.seats[:2])
    hall.obey()
    hall.pass_time()

    if overdue == "ask":
        assert hall.round.phase == "playing"
        assert len(overview(hall.record).tables) == 2
        return
    assert hall.round.phase == "provisional"
    assert (hall.pod(2).byes, hall.pod(2).absent) == (second.seats[:2], second.seats[2:])
    if overdue == "absent":
        assert (hall.pod(1).absent, hall.pod(1).byes) == (first.seats[:1], first.seats[1:])
    else:
        assert hall.pod(1).places


# --- people in between ---------------------------------------------------------------------------


def test_a_drop_keeps_points_and_place_with_a_mark() -> None:
    """After the running table; closed standings never hear of it; undropped, they play on."""
    hall = begun(people=9, rounds=4)
    hall.play()
    best = standings(hall.record)[0]
    hall.next()
    closed = hall.record.rounds[0].rows
    hall.gather()
    hall.do(i.Gone(user_id=hall.user(best.entrant)))
    hall.play()
    assert rows(hall)[best.entrant][2] == "dropped"
    hall.next()
    assert not any(best.entrant in pod.seats for pod in hall.round.pods)
    assert hall.record.rounds[0].rows == closed
    hall.play()
    hall.boss(i.Undrop, entrant=best.entrant)
    hall.next()
    assert any(best.entrant in pod.seats for pod in hall.round.pods)
    assert next(row for row in standings(hall.record) if row.entrant == best.entrant).absences <= 1


def test_the_disqualified_stand_last_and_leave_their_game() -> None:
    """With a reason; a computer takes the seat."""
    hall = gathered()
    one = hall.pod().seats[0]
    assert hall.code(i.Disqualify(user_id=BOSS, staff=True, entrant=one)) == "reason_needed"
    hall.boss(i.Disqualify, entrant=one)
    assert PutOut(hall.pod().table_id, hall.user(one)) in orders(hall.record)
    hall.finish(hall.pod().table_id)
    assert rows(hall)[one] == (8, rows(hall)[one][1], "disqualified")
    assert hall.code(i.Undrop(user_id=BOSS, staff=True, entrant=one)) == "reason_needed"


def test_a_substitute_takes_place_points_and_seat() -> None:
    """A running game hands the seat over; a table that gathers waits for the newcomer."""
    hall = gathered()
    one = hall.pod().seats[1]
    hall.boss(i.Substitute, entrant=one, person=person(1))
    order = next(order for order in orders(hall.record) if isinstance(order, Reseat))
    assert (order.seat, order.person) == (1, person(1))
    hall.obey()
    assert not [order for order in orders(hall.record) if isinstance(order, Reseat)]
    assert hall.record.entrant(one).former[0].user_id == 1000 + one
    assert hall.code(i.Substitute(**STAFF, entrant=one, person=person(1))) == "already_entered"

    fresh = begun()
    pod = fresh.pod()
    here(fresh, *pod.seats)
    fresh.boss(i.Substitute, entrant=pod.seats[0], person=person(2))
    assert (fresh.pod().stage, fresh.pod().attempt) == ("gathering", 2)
    here(fresh, pod.seats[0])
    assert fresh.pod().stage == "ready"


def test_who_drops_before_the_game_is_not_waited_for() -> None:
    """The others are there: the rule for no-shows applies at once."""
    hall = begun(no_show="short")
    pod = hall.pod()
    here(hall, *pod.seats[1:])
    hall.do(i.Leave(user_id=hall.user(pod.seats[0])))
    assert (hall.pod().stage, hall.pod().absent) == ("ready", pod.seats[:1])

    asked = begun()
    pod = asked.pod()
    here(asked, *pod.seats)
    asked.do(i.Leave(user_id=asked.user(pod.seats[0])))
    assert (asked.pod().stage, asked.pod().why) == ("stuck", "no_show")


# --- corrections ---------------------------------------------------------------------------------


def test_a_correction_is_previewed_named_and_changes_what_follows() -> None:
    """Closed standings change by it alone; a round without a move can be paired again from it."""
    hall = begun()
    hall.play()
    pod = hall.pod()
    turned = tuple(i.Line(one, place) for place, one in enumerate(reversed(pod.seats), start=1))
    hall.next()
    act = i.Correct(**STAFF, round=1, pod=1, played=turned)
    assert hall.code(act) == "preview_first"
    shown = preview(hall.record, act)
    assert (shown.rounds, shown.repairable, shown.kept) == ((1,), True, False)
    hall.do(msgspec.structs.replace(act, confirmed=True))
    first = hall.record.rounds[0]
    assert first.corrections[0].reason == "why"
    after = {row.entrant: (row.place, row.points) for row in first.rows}
    assert {(move.entrant, move.place_after, move.points_after) for move in shown.moves if move.round == 1} <= {
        (one, *values) for one, values in after.items()
    }
    assert after[pod.seats[-1]][1] == 120
    event = hall.events[-1]
    assert (event.what, event.user_id, event.reason, event.staff) == ("corrected", BOSS, "why", False)
    hall.boss(i.Repair, round=2)
    hall.obey()
    assert hall.round.attempt == 2
    hall.gather()
    hall.finish(hall.pod().table_id)
    assert preview(hall.record, act).kept


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"played": (i.Line(1, 1),)}, "not_those"),
        ({"round": 4}, "not_this_round"),
        ({"pod": 9}, "no_pod"),
        ({"alone": True}, "one_alone"),
        ({"tied": True}, "bad_places"),
    ],
)
def test_corrections_that_make_no_sense_are_refused(wrong: dict[str, Any], code: str) -> None:
    """Exactly those of the table, places as a game gives them."""
    hall = gathered()
    seats = hall.pod().seats
    act: dict[str, Any] = {"round": 1, "pod": 1, "absent": seats}
    if wrong.pop("alone", False):
        act |= {"played": (i.Line(seats[0], 1),), "absent": seats[1:]}
    if wrong.pop("tied", False):
        act |= {"played": tuple(i.Line(one, 2) for one in seats), "absent": ()}
    assert hall.code(i.Correct(**STAFF, **{**act, **wrong})) == code


def test_a_result_by_hand_ends_the_game_and_its_own_result_is_too_late() -> None:
    """It counts once."""
    hall = gathered()
    table, seats = hall.pod().table_id, hall.pod().seats
    hall.boss(i.Correct, round=1, pod=1, played=tuple(i.Line(one, 1, 3) for one in seats))
    assert EndTable(table) in orders(hall.record)
    assert hall.finish(table) == ""
    assert hall.pod().places == (1, 1, 1, 1)
    assert hall.code(i.Replay(**STAFF, round=1, pod=1)) == "has_result"


# --- formats -------------------------------------------------------------------------------------


def test_the_best_rank_chooses_its_seat_in_the_final_first() -> None:
    """One after the other; who takes too long gets the first free one; the final places its players."""
    hall = begun(final=4, rounds=1, no_show_ms=0)
    hall.play()
    ranked = [row.entrant for row in standings(hall.record)][:4]
    hall.next()
    assert hall.round.kind == "final"
    assert hall.pod().seats == tuple(ranked)
    assert hall.code(i.PickSeat(user_id=hall.user(ranked[1]), seat=0)) == "not_your_pick"
    assert hall.code(i.Here(user_id=hall.user(ranked[0]))) == "seats_first"
    assert where(hall.record, hall.user(ranked[0])).state == "seat"
    hall.do(i.PickSeat(user_id=hall.user(ranked[0]), seat=2))
    assert hall.code(i.PickSeat(user_id=hall.user(ranked[1]), seat=2)) == "seat_taken"
    hall.pass_time()
    hall.do(i.PickSeat(user_id=hall.user(ranked[2]), seat=3))
    assert hall.pod().seats == (ranked[1], ranked[3], ranked[0], ranked[2])
    before = rows(hall)
    hall.gather()
    table = hall.pod().table_id
    at = {"round": 2, "pod": 1, "attempt": hall.pod().attempt, "table_id": table}
    hall.do(i.Result(**at, places=(2, 1, 2, 4), scores=(1, 9, 1, 0), reason="finished"))
    assert hall.code(i.Next(**STAFF, round=2)) == "no_more_rounds"
    hall.boss(i.Finish)
    made = [row.entrant for row in standings(hall.record)]
    assert made[:4] == [ranked[3], ranked[0], ranked[1], ranked[2]]
    assert {one: value[1] for one, value in rows(hall).items()} == {one: value[1] for one, value in before.items()}
    assert hall.calls[-1].kind == "podium"


def test_a_tie_at_the_cut_is_played_off() -> None:
    """Those tied, and nobody else, play for the seats that are left."""
    hall = begun(people=8, rounds=1, final=2, cut="playoff", scheme=Scheme("win-draw"), ties=())
    hall.gather()
    for pod in hall.round.pods:
        at = {"round": 1, "pod": pod.number, "attempt": 1, "table_id": pod.table_id}
        hall.do(i.Result(**at, places=(1, 1, 1, 4), scores=(1, 1, 1, 0), reason="finished"))
    tied = sorted(one for pod in hall.round.pods for one in pod.seats[:3])
    hall.next()
    assert hall.round.kind == "playoff"
    assert sorted(hall.pod().seats) == tied
    before = rows(hall)
    hall.play()
    assert rows(hall) == before
    best = [one for _, one in sorted(zip(hall.pod().places, hall.pod().seats, strict=True))]
    hall.next()
    assert hall.round.kind == "final"
    assert len(hall.pod().seats) == 2
    assert best[0] in hall.pod().seats


def drawn_for_second(seed: int, **rules: Any) -> Hall:
    """Return an event of four in which one is through to a final of two and two are tied for the other seat."""
    hall = begun(**{"people": 4, "seed": seed, "rounds": 1, "final": 2, "cut": "playoff", **rules})
    hall.gather()
    at = {"round": 1, "pod": 1, "attempt": 1, "table_id": hall.pod().table_id}
    hall.do(i.Result(**at, places=(1, 2, 2, 4), scores=(9, 5, 5, 1), reason="finished"))
    return hall


def test_a_play_off_is_seated_by_lot() -> None:
    """Not in the order of registration."""
    seats = []
    for seed in range(8):
        hall = drawn_for_second(seed)
        hall.next()
        seats.append(hall.pod().seats)
    assert {True, False} == {one < other for one, other in seats}


@pytest.mark.parametrize("cut", ["lot", "playoff"])
def test_a_lot_at_the_cut_stands_in_the_log(cut: str) -> None:
    """With those it has parted; there is none where a play-off has parted them."""
    hall = drawn_for_second(1, cut=cut)
    tied = sorted(hall.pod().seats[1:3])
    hall.next()
    if cut == "playoff":
        hall.gather()
        at = {"round": 2, "pod": 1, "attempt": hall.pod().attempt, "table_id": hall.pod().table_id}
        hall.do(i.Result(**at, places=(1, 2), scores=(2, 1), reason="finished"))
        hall.next()
    assert hall.round.kind == "final"
    lots = [list(event.entrants) for event in hall.events if event.what == "lot"]
    assert lots == ([tied] if cut == "lot" else [])


@pytest.mark.parametrize("seed", range(4))
def test_who_comes_to_a_play_off_goes_on_before_who_does_not(seed: int) -> None:
    """One of the two is there: no lot is drawn between them."""
    hall = drawn_for_second(seed, no_show="short")
    sure, _, _, out = hall.pod().seats
    hall.next()
    there, missing = hall.pod().seats
    assert [where(hall.record, hall.user(one)).state for one in (sure, there, out)] == [
        "waiting",
        "come",
        "not_through",
    ]
    here(hall, there)
    hall.pass_time()
    hall.next()
    assert set(hall.pod().seats) == {sure, there}
    assert where(hall.record, hall.user(missing)).state == "not_through"


def test_who_comes_to_a_final_stands_above_who_does_not() -> None:
    """The last of the finalists is the only one who comes, and is first."""
    hall = begun(people=4, rounds=1, final=3, no_show="short")
    hall.play()
    ranked = [row.entrant for row in standings(hall.record)]
    hall.next()
    states = [where(hall.record, hall.user(one)).state for one in ranked[:3]]
    assert states == ["seat", "picking", "picking"]
    hall.pass_time()
    hall.pass_time()
    here(hall, ranked[2])
    hall.pass_time()
    assert [row.entrant for row in standings(hall.record)] == [ranked[2], ranked[0], ranked[1], ranked[3]]


def test_check_k1_who_sat_at_a_table_alone_has_had_a_bye() -> None:
    """In a knockout the next bye goes to somebody else."""
    hall = begun(people=6, format="knockout", sizes=Sizes(2, 2, 2), advance=1, no_show="short")
    alone = hall.pod(1).seats[0]
    for pod in hall.round.pods:
        here(hall, *pod.seats[: 1 if pod.number == 1 else 2])
    hall.obey()
    hall.pass_time()
    for pod in hall.round.pods[1:]:
        hall.finish(pod.table_id)
    assert hall.pod(1).byes == (alone,)
    hall.next()
    assert len(hall.round.byes) == 1
    assert alone not in hall.round.byes


def test_a_knockout_follows_its_seeds() -> None:
    """First with last, byes to the best; two of each table go on; places follow from how far one came."""
    hall = Hall(setup(format="knockout", sizes=Sizes(4, 4, 4), advance=2), 3)
    hall.enter(17)
    order = tuple(range(17, 0, -1))
    hall.boss(i.Seed, order=order)
    assert hall.code(i.Seed(**STAFF, order=(1, 1))) == "no_entrant"
    hall.start()
    assert hall.round.byes == (17,)
    assert hall.pod().seats == (16, 9, 8, 1)
    hall.play()
    through = {17, *(one for pod in hall.round.pods for one in _best(pod, 2))}
    if len(through) == 9:
        hall.next()
        assert {one for pod in hall.round.pods for one in pod.seats} | set(hall.round.byes) == through
        assert 17 not in hall.round.byes
    hall.whole()
    assert hall.record.rounds[-1].kind == "final"
    finals = hall.record.rounds[-1].pods[0].seats
    assert {row.entrant for row in standings(hall.record)[: len(finals)]} == set(finals)


def _best(pod: Any, count: int) -> list[int]:
    """Return the best of a table, empty if a tie cuts through."""
    ranked = sorted(zip(pod.places, pod.seats, strict=True))
    return [one for _, one in ranked[:count]] if ranked[count - 1][0] != ranked[count][0] else []


def test_groups_meet_all_of_their_own_and_send_their_best() -> None:
    """Two groups of nine in threes: four rounds, everybody meets everybody of the group once."""
    hall = Hall(setup(format="groups", sizes=Sizes(3, 3, 3), rounds=4, group_size=9, final=3, advance=1), 5)
    hall.enter(18)
    assert plan(hall.record).fixed
    hall.start()
    for _ in range(3):
        hall.play()
        hall.next()
    hall.play()
    group = {who.number: who.group for who in hall.record.entrants}
    met = {one: set[int]() for one in group}
    for played in hall.record.rounds:
        for pod in played.pods:
            for one in pod.seats:
                met[one] |= set(pod.seats)
    assert all(met[one] == {other for other in group if group[other] == group[one]} for one in group)
    hall.next()
    assert {group[one] for one in hall.pod().seats} == {1, 2}
    assert len(hall.pod().seats) == 3


def test_a_league_goes_on_until_it_is_finished() -> None:
    """Entrants open tables themselves; nobody sits at two; standings at any time."""
    hall = begun(format="league", sizes=Sizes(3, 3, 4), people=4)
    hall.do(i.Join(user_id=1020, name="Later"))
    open_ = i.OpenPod(user_id=1001, entrants=(1, 2, 5))
    hall.do(open_)
    assert hall.code(open_) == "already_playing"
    assert hall.code(i.OpenPod(user_id=1001, entrants=(2, 3, 4))) == "not_staff"
    assert hall.code(i.OpenPod(user_id=1001, entrants=(1, 2))) == "bad_sizes"
    assert hall.code(i.OpenPod(user_id=1001, entrants=(1, 2, 9))) == "no_entrant"
    assert hall.code(i.Finish(**STAFF)) == "tables_open"
    hall.gather()
    hall.finish(hall.pod().table_id)
    hall.do(i.OpenPod(user_id=1001, entrants=(1, 2, 3)))
    hall.boss(i.SwapSeats, round=1, entrants=(1, 2))
    hall.boss(i.AddToTable, round=1, pod=2, entrant=5)
    hall.boss(i.Correct, round=1, pod=2, absent=(1, 2, 3, 5))
    hall.do(i.OpenPod(user_id=1001, entrants=(1, 2, 3)))
    assert (where(hall.record, 1001).pod, where(hall.record, 1004).state) == (3, "free")
    assert hall.code(i.Replay(**STAFF, round=1, pod=2)) == "already_playing"
    hall.gather()
    hall.finish(hall.pod(3).table_id)
    assert sum(row.played for row in standings(hall.record)) == 6
    assert where(hall.record, 1001).state == "free"
    assert hall.code(i.Next(**STAFF, round=1)) != ""
    hall.boss(i.Finish)
    hall.boss(i.Reopen)
    assert overview(hall.record).step == "league"


# --- ends and ways back --------------------------------------------------------------------------


def test_finished_is_read_only_until_it_is_reopened() -> None:
    """Before the last round it needs a reason."""
    hall = begun(rounds=2)
    hall.play()
    assert hall.code(i.Finish(user_id=BOSS, staff=True)) == "rounds_left"
    hall.boss(i.Finish)
    frozen = hall.record.rounds[0].rows
    for happening in (
        i.Next(**STAFF, round=1), i.Correct(**STAFF, round=1, pod=1), i.Drop(**STAFF, entrant=1), i.Cancel(**STAFF),
        i.Join(user_id=1, name="x"), i.Substitute(**STAFF, entrant=1, person=person(1)), i.Leave(user_id=1001),
    ):  # fmt: skip
        assert hall.code(happening) in ("not_running", "finished", "closed")
    assert standings(hall.record) == frozen
    hall.boss(i.Reopen)
    assert hall.round.phase == "provisional"
    hall.next()
    assert len(hall.record.rounds) == 2


def test_the_last_closed_round_opens_again_until_the_next_has_moved() -> None:
    """What was opened for the next one ends, and is named anew when it comes again."""
    hall = begun()
    assert hall.code(i.Reopen(**STAFF)) == "nothing_to_reopen"
    hall.play()
    hall.next()
    hall.gather()
    opened = {pod.table_id for pod in hall.round.pods}
    hall.boss(i.Reopen)
    assert {order.table_id for order in orders(hall.record) if isinstance(order, EndTable)} == opened
    assert (hall.round.number, hall.round.phase) == (1, "provisional")
    hall.obey()
    hall.next()
    hall.gather()
    origins = [order.origin for order in hall.tables.values()]
    assert len(origins) == len(set(origins))
    hall.move(hall.pod().table_id)
    assert hall.code(i.Reopen(**STAFF)) == "has_moved"


def test_a_cancelled_event_ends_its_games_and_can_go_on() -> None:
    """Its tables are played again."""
    hall = gathered()
    tables = {pod.table_id for pod in hall.round.pods}
    hall.boss(i.Cancel)
    assert {order.table_id for order in orders(hall.record) if isinstance(order, EndTable)} == tables
    assert not deadlines(hall.record)
    hall.obey()
    hall.boss(i.Reopen)
    assert [table.ways for table in overview(hall.record).tables] == [("Replay", "Correct")] * 2
    for number in (1, 2):
        hall.boss(i.Replay, round=1, pod=number)
    hall.whole()


def test_a_reopened_event_has_its_time_anew() -> None:
    """Nobody is a no-show, and no round over, because it was called off for a day."""
    hall = begun(round_ms=60 * MINUTE_MS, no_show="short")
    hall.boss(i.Cancel)
    hall.now_ms += 24 * 60 * MINUTE_MS
    hall.boss(i.Reopen)
    spans = {name: due_ms - hall.now_ms for name, due_ms in deadlines(hall.record).items()}
    assert spans == {"round": 60 * MINUTE_MS, "pod-1": 10 * MINUTE_MS, "pod-2": 10 * MINUTE_MS}


def test_a_reopened_check_in_is_open_anew() -> None:
    """It was called off while people confirmed, before the first round or a later one: they have their time again."""
    hall = Hall(setup(check_in="first"))
    hall.enter(8)
    hall.boss(i.OpenCheckIn)
    later = begun(check_in="every")
    later.play()
    later.next()
    for each in (hall, later):
        each.boss(i.Cancel)
        each.now_ms += 24 * 60 * MINUTE_MS
        each.boss(i.Reopen)
        assert deadlines(each.record) == {"check_in": each.now_ms + 10 * MINUTE_MS}
        each.boss(i.CloseCheckIn)


def test_a_lost_thread_is_made_anew() -> None:
    """Nothing else depends on it."""
    hall = gathered()
    assert hall.code(i.Placed(round=1, pod=1, attempt=1, channel_id=51)) == "already_done"
    hall.do(i.Placed(round=1, pod=1, attempt=1, channel_id=0))
    hall.obey()
    assert hall.pod().channel_id == 51


# --- rights and the log --------------------------------------------------------------------------


def acts() -> list[type[i.Act]]:
    """Return every kind of act."""
    found: list[type[i.Act]] = []
    todo = list(i.Act.__subclasses__())
    while todo:
        kind = todo.pop()
        todo += kind.__subclasses__()
        found.append(kind)
    return [kind for kind in found if kind is not i.AtTable]


@pytest.mark.parametrize("kind", acts(), ids=lambda kind: kind.__name__)
def test_every_act_needs_its_right_and_its_reason(kind: type[i.Act]) -> None:
    """Players have no power over the event; what changes results needs a reason."""
    hall = begun()
    usual = {
        int: 1, str: "x", tuple[int, ...]: (1,), tuple[int, int]: (1, 2), "level": "note",
    }  # fmt: skip
    given: dict[str, Any] = {}
    for field in msgspec.structs.fields(kind):
        if field.required:
            given[field.name] = usual.get(field.name, usual.get(field.type))
    given |= {"person": person(1), "people": (person(1),), "setup": setup()}
    given = {name: value for name, value in given.items() if name in kind.__struct_fields__}
    player = kind(**{**given, "user_id": 1001, "staff": False, "reason": "please"})
    staff = kind(**{**given, "user_id": BOSS, "staff": True, "reason": ""})

    assert (hall.code(player) == "not_staff") is (kind not in ANYBODY)  # type: ignore[arg-type]
    assert (hall.code(staff) == "reason_needed") is (kind in REASONED)  # type: ignore[arg-type]
    assert hall.code(kind(**{**given, "user_id": BOSS, "staff": True, "reason": "x" * 301})) == "reason_too_long"  # type: ignore[arg-type]


def test_every_accepted_act_stands_in_the_log_with_who_and_why() -> None:
    """Public, but for what the staff remembers about somebody."""
    hall = begun()
    hall.boss(i.Remember, entrant=1, level="warning", text="was rude")
    noted = hall.events[-1]
    assert (noted.staff, noted.facts["level"], hall.record.notes[0].text) == (True, "warning", "was rude")
    assert hall.code(i.Remember(**STAFF, entrant=1, level="note", text=" ")) == "text_needed"
    hall.boss(i.Raffle, count=3)
    drawn = hall.events[-1]
    assert (drawn.what, len(set(drawn.entrants)), drawn.user_id, drawn.staff) == ("raffle", 3, BOSS, False)
    assert hall.code(i.Raffle(**STAFF, count=9)) == "bad_count"
    assert [event.what for event in hall.events][:2] == ["created", "joined"]
    assert all(event.at_ms == NOW_MS for event in hall.events)
    assert hall.replayed() == hall.record


def test_a_player_is_told_where_and_when() -> None:
    """From sign-up to the end."""
    hall = Hall(setup(sizes=Sizes(3, 3, 3), rounds=2), 1)
    hall.enter(4)
    assert where(hall.record, 5).state == "not_entered"
    assert where(hall.record, 1001).state == "signed_up"
    hall.boss(i.Start, players=4)
    assert where(hall.record, 1001).state == "pairing"
    hall.obey()
    (rest,) = hall.round.byes
    assert where(hall.record, hall.user(rest)).state == "bye"
    one, *others = hall.pod().seats
    told = where(hall.record, hall.user(one))
    assert (told.state, told.pod, told.seat, told.channel_id, told.due_ms) == (
        "come",
        1,
        0,
        51,
        NOW_MS + 10 * MINUTE_MS,
    )
    here(hall, one)
    assert where(hall.record, hall.user(one)).state == "here"
    here(hall, *others)
    assert where(hall.record, hall.user(one)).state == "here"
    hall.obey()
    assert where(hall.record, hall.user(one)).state == "play"
    hall.finish(1)
    assert where(hall.record, hall.user(one)).state == "table_done"
    hall.next()
    hall.play()
    hall.boss(i.Finish)
    assert where(hall.record, hall.user(one)).state == "finished"


def test_an_unknown_tournament_and_a_second_creation() -> None:
    """Refused, as everything that makes no sense."""
    hall = begun()
    again = i.Create(**STAFF, setup=setup(games=(GAME,)), guild_id=1, channel_id=1)
    assert hall.code(again) == "already_created"
    hall.record = None  # type: ignore[assignment]
    assert hall.code(i.Here(user_id=1001)) == "no_tournament"
