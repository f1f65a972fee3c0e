"""What is kept about one person: given out in full, and rewritten so that the log still leads to the record."""

from __future__ import annotations

import msgspec

from rules.core.ports import LogRow
from rules.core.table import Person
from rules.tournaments import inputs as i
from rules.tournaments.codec import about, dump_input, dump_record, load_input, load_record, pseudonymise
from rules.tournaments.event import replay
from tests.tournaments.hall import Hall, setup

ANA = 2**60 + 1
ALIAS = -1


def kinds(hall: Hall, user_id: int) -> list[str]:
    """Return what kinds of inputs somebody is given as theirs."""
    rows = [LogRow(seq, at_ms, None, dump_input(act)) for seq, (at_ms, act) in enumerate(hall.log, 1)]
    kept = about(dump_record(hall.record), rows, user_id)
    return [each["input"]["type"] for each in kept["inputs"]] if kept else []


def test_a_result_set_by_hand_is_kept_about_those_at_the_table() -> None:
    """Whether they played, were absent or had a bye; about nobody else."""
    hall = Hall(setup(rounds=1))
    hall.enter(8)
    hall.start()
    one, two, absent, bye = hall.pod(1).seats
    hall.boss(i.Correct, round=1, pod=1, played=(i.Line(one, 1, 9), i.Line(two, 2, 3)), absent=(absent,), byes=(bye,))

    assert [["Join", "Correct"]] * 4 == [kinds(hall, hall.user(each)) for each in (one, two, absent, bye)]
    assert [["Join"]] * 4 == [kinds(hall, hall.user(each)) for each in hall.pod(2).seats]


def test_whoever_took_over_a_place_and_entered_later_is_forgotten_with_the_lot_they_drew() -> None:
    """The lot of the place they had first was somebody else's."""
    hall = Hall(setup())
    hall.enter(4)
    hall.boss(i.Substitute, entrant=1, person=Person(ANA, "Ana"))
    hall.boss(i.Substitute, entrant=1, person=Person(5, "Ben"))
    hall.do(i.Join(user_id=ANA, name="Ana"))
    bodies = [dump_record(hall.record), *(dump_input(act) for _, act in hall.log)]
    body, *inputs = pseudonymise(bodies, ANA, ALIAS)
    times = [at_ms for at_ms, _ in hall.log]
    replayed, _ = replay(hall.seed, zip(times, map(load_input, inputs), strict=True))

    assert load_record(body) == replayed
    assert ALIAS == load_record(body).entrants[4].user_id
    assert str(ANA).encode() not in b"".join([body, *inputs])
    assert msgspec.json.decode(inputs[-1])["lot"] == hall.record.entrants[4].lot
