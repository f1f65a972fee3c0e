"""Rolling, locking, completing."""

from __future__ import annotations

from collections import Counter

import pytest

from rules.breakdancing_meeples import (
    DANCING,
    GAME,
    STANCES,
    Completed,
    Fill,
    Place,
    Placed,
    Roll,
    Rolled,
    Went,
    after,
    fits,
    locks_out,
    placeable,
)
from rules.breakdancing_meeples.dance import rolled
from rules.core.rng import Rng
from tests.rules.breakdancing_meeples.build import (
    BELL,
    ENDS,
    FFS,
    PAIR,
    SH,
    SOON,
    STARTS,
    act,
    counts,
    crew,
    cubes,
    deal,
    events,
    expire,
    fill,
    locked,
    place,
    placed,
    placing,
    rally,
    refusal,
    refused,
    refused_place,
    roll,
    routine,
    table,
)

# Rolling


def test_bm_4_a_roll_is_judged_by_the_moment_of_its_press() -> None:
    """Pressed as the bell rings it counts, though it arrives within the grace; pressed a moment later it does not."""
    state = table()

    assert GAME.deadlines(state) == {"bell": ENDS + 1_500}
    assert roll(state, "BBBBBB", at=ENDS).state.crews[0].rolls == 2
    late = refusal(state, Roll(1), at=ENDS + 1)
    assert ("too_late", {"bell_ms": ENDS, "at_ms": ENDS + 1}) == (late.code, late.facts)


def test_bm_4_a_roll_before_the_go_is_too_early() -> None:
    """Until "8!" there is so much to wait; from then on it starts the Dance Off even before the deadline is seen to."""
    state = table(crew(rolls=0, round_rolls=0, rolled_ms=0), phase="count")

    early = refusal(state, Roll(0), at=STARTS - 1)
    assert ("too_early", {"wait_ms": 1}) == (early.code, early.facts)
    step = roll(state, "BBBBBB", at=STARTS)
    assert step.state.phase == "dance"
    assert [Went, Rolled] == [type(event) for event in step.events]
    assert expire(state).events == (Went(dance_off=1, ends_ms=ENDS),)


def test_bm_5_rolls_of_a_crew_keep_a_distance() -> None:
    """The same for all, and a press too soon changes nothing; the first roll needs no wait."""
    state = roll(table(), "BBBBBB", at=20_000).state

    soon = refusal(state, Roll(2), at=21_499)
    assert ("too_fast", {"wait_ms": 1}) == (soon.code, soon.facts)
    assert roll(state, "BBBBBB", at=21_500).state.crews[0].round_rolls == 3
    assert roll(state, "BBBBBB", seat=1, at=20_001).state.crews[1].rolls == 2
    assert GAME.own(state, 0).next_roll_ms == 21_500
    assert GAME.own(table(crew(round_rolls=0)), 0).next_roll_ms == STARTS


@pytest.mark.parametrize(("seconds", "interval_ms"), [("60", 1_500), ("90", 2_250), ("120", 3_000), ("180", 4_500)])
def test_bm_5_longer_dance_offs_have_longer_pauses(seconds: str, interval_ms: int) -> None:
    """So the number of rolls stays the same."""
    state = deal(round=seconds)

    assert (state.round_ms, state.interval_ms) == (int(seconds) * 1_000, interval_ms)


def test_bm_6_a_roll_takes_up_every_free_dancer() -> None:
    """Good ones left lying too; locked ones stay."""
    state = table(crew(routine("FFS", 2, 3, 5, locked="F.."), SH, lying="HHS"))

    step = roll(state, "BFSHH")

    assert step.state.crews[0].lying == counts("BFSHH") == step.state.crews[0].last_roll
    assert step.state.crews[0].unrolled == 0
    assert locked(step.state, 0) == "F.."
    assert events(step, Rolled) == [Rolled(seat=0, back=1, feet=1, side=1, head=2, roll=2)]


def test_bm_6_without_a_free_dancer_there_is_no_roll() -> None:
    """Whoever locks the last one watches: nobody waits for that crew."""
    state = table(crew(routine("FFSS", 1, locked="FFS."), routine("HHHS", 1, locked="HHH.")))

    assert refused(state, Roll(1)) == "all_locked"
    assert GAME.to_act(state) == {1}
    assert GAME.legal(state, 0) == []


def test_bm_7_stances_come_up_by_their_weights() -> None:
    """Back 54, feet 17, side 16, head 13 in a hundred."""
    total: Counter[str] = Counter()
    for number in range(3_000):
        lying = rolled(crew(), 0, GAME.deck.weights, 0, Rng(number.to_bytes(16, "big"), "roll"))[0].lying
        total.update(dict(zip(STANCES, lying, strict=True)))

    shares = {stance: round(100 * count / 18_000) for stance, count in total.items()}

    assert GAME.deck.weights == (540_000, 170_000, 160_000, 130_000)
    assert shares == pytest.approx({"back": 54, "feet": 17, "side": 16, "head": 13}, abs=1)


def test_bm_8_backs_never_dance() -> None:
    """One kind of back for both flat sides, and no slot asks for it."""
    state = table(crew(routine("A", 1), lying="BB"))

    assert "back" in STANCES
    assert "back" not in DANCING
    assert not placeable(state.crews[0])
    assert refused(state, Place(0, "back", 1, 2)) == "no_such_stance"


def test_bm_9_a_rolled_dancer_lies_in_one_of_four_stances() -> None:
    """Nothing leans, nothing stands on another."""
    for number in range(50):
        lying = rolled(crew(), 0, GAME.deck.weights, 0, Rng(number.to_bytes(16, "big"), "roll"))[0].lying
        assert (len(lying), sum(lying)) == (4, 6)


def test_bm_10_dancers_begin_without_a_stance() -> None:
    """The first thing to do is a roll."""
    state = table(crew(rolls=0, round_rolls=0, rolled_ms=0))

    assert [type(action) for action in GAME.legal(state, 0)] == [Roll]
    assert refused(state, Place(0, "feet", 0, 0)) == "no_dancer"
    assert deal().crews[0].unrolled == 6


# Placing


def test_bm_11_placing_is_a_choice() -> None:
    """A roll is allowed while dancers fit; filling up is one press of many."""
    state = table(crew(lying="FFSH"))

    kinds = {type(action) for action in GAME.legal(state, 0)}

    assert kinds == {Roll, Place, Fill}
    assert cubes(roll(state, "BBBBBB").state) == (0, 0, 6)


def test_bm_11_filling_up_takes_exact_slots_first_and_goes_on_after_a_completion() -> None:
    """Slots of just that stance, top to bottom, before any slots; completed Routines are filled again."""
    state = table(crew(routine("AF", 1, 2), routine("S", 3, 4), lying="FSSH"))

    step = fill(state)

    assert [(placed.routine, placed.slot, placed.stance) for placed in events(step, Placed)] == [
        (0, 1, "feet"),
        (1, 0, "side"),
        (1, 0, "side"),
        (0, 0, "head"),
    ]
    assert cubes(step.state) == (1, 2, 3)
    assert step.state.crews[0].completed == ("The S", "The S", "The AF")


def test_bm_11_filling_up_one_routine_leaves_the_others() -> None:
    """And says so when nothing fits."""
    state = table(crew(lying="FSH"))

    assert locked(fill(state, 1).state, 0) == "..."
    assert refused(table(crew(FFS, SH, lying="F")), Fill(1, 1, 1)) == "nothing_fits"
    assert refused(table(crew(FFS, SH, lying="B")), Fill(None, 1, 0)) == "nothing_fits"
    assert refused(table(crew(FFS, PAIR, lying="F")), Fill(1, 1, 1)) == "no_slots"


def test_bm_12_several_routines_may_be_half_full() -> None:
    """Slot by slot, in any order, as many as one likes."""
    state = placed(table(crew(lying="FFSSHB")), (1, "S"), (0, "F"), (0, "S"), (0, "F"))

    assert (locked(state, 0), locked(state, 1)) == ("...", "S.")
    assert cubes(state) == (1, 0, 5)
    assert refused_place(state, 1, "S") == "no_dancer"
    assert refused_place(table(crew(lying="FS")), 1, "F") == "no_slot"


def test_bm_13_a_locked_dancer_stays() -> None:
    """No action takes it back, and rolls pass it by."""
    state = place(table(crew(lying="FB")), 0, "F").state

    assert locked(roll(state, "BBBBB").state, 0) == "F.."
    assert {type(action) for action in GAME.legal(state, 0)} == {Roll}


def test_bm_14_the_last_slot_completes() -> None:
    """A cube on the leftmost open square, dancers free, the name called out."""
    state = table(crew(routine("FFS", 2, 3, 5, locked="FF.", cubes=1), SH, lying="SB"))

    step = place(state, 0, "S")

    assert cubes(step.state) == (2, 0, 5)
    assert locked(step.state, 0) == "..."
    assert events(step, Completed) == [Completed(seat=0, card="r_ffs", name="The FFS", points=3, cubes=5)]


def test_bm_15_a_freed_dancer_waits_for_a_roll() -> None:
    """It has no stance, so it cannot be placed again."""
    state = place(table(crew(routine("FFS", 2, 3, 5, locked="FF."), routine("FF", 1), lying="SB")), 0, "S").state

    assert (state.crews[0].lying, state.crews[0].unrolled) == (counts("B"), 5)
    assert refused_place(state, 1, "F") == "no_dancer"
    assert roll(state, "FFFFFF").state.crews[0].lying == counts("FFFFFF")


def test_bm_16_the_bot_calls_out_names() -> None:
    """Every completion is told by name, and they are kept in order until the next count-in."""
    state = placed(table(crew(lying="SHFFS")), (1, "S"), (1, "H"), (0, "F"), (0, "F"), (0, "S"))

    assert state.crews[0].completed == ("The SH", "The FFS")


def test_bm_17_a_full_routine_takes_nobody() -> None:
    """Unless the quoted Rally beneath it has an open square for that completion."""
    full = {"cubes": 2}

    assert refused_place(table(crew(routine("F", 1, 2, **full), lying="F")), 0, "F") == "squares_full"
    for condition, code in (("three_same_stance_locked", "squares_full"), ("attached_full_completed_again", "")):
        state = table(crew(routine("F", 1, 2, **full, rallies=[rally(condition)]), lying="F"))
        assert code == ("" if fits(state.crews[0], 0, "feet") else refused_place(state, 0, "F"))
    spent = rally("attached_full_completed_again", 5, cubes=1)
    assert refused_place(table(crew(routine("F", 1, 2, **full, rallies=[spent]), lying="F")), 0, "F") == "squares_full"


def test_bm_18_without_cubes_nothing_is_placed() -> None:
    """Six completions on three Routines: a seventh is refused, and nobody waits for that crew before the bell."""
    state = table(crew(routine("F", 1, 2, 3), routine("S", 1, 2), routine("H", 1, 2, 3), lying="FFFSSH"))
    state = roll(fill(state).state, "FSHBBB").state

    assert cubes(state) == (3, 2, 1, 0)
    assert refused_place(state, 0, "F") == "no_cubes"
    assert refused(state, Fill(None, 2, 3)) == "nothing_fits"
    assert refused(state, Fill(1, 2, 3)) == "no_cubes"
    assert GAME.to_act(state) == {1}
    assert GAME.legal(state, 0) == [Roll(2)]


def test_bm_19_what_lies_rolled_may_be_placed_after_the_bell() -> None:
    """For 30 seconds; a crew that has nothing to place is done already."""
    step = expire(table(crew(lying="SHB"), crew(lying="BB")))

    assert (step.state.phase, step.state.closes_ms) == ("placing", BELL + 30_000)
    assert GAME.deadlines(step.state) == {"placing": BELL + 30_000}
    assert GAME.to_act(step.state) == {0}
    half = place(step.state, 1, "S").state
    assert half.phase == "placing"
    ended = place(half, 1, "H").state
    assert ended.phase == "remix"
    assert ended.crews[0].scores == (1,)


def test_bm_19_freed_dancers_are_spent_after_the_bell() -> None:
    """The same feet cannot complete two Routines."""
    state = place(placing(crew(routine("F", 2), routine("FF", 4), lying="F")), 0, "F").state

    assert state.phase == "remix"
    assert state.sheet is not None
    assert [card.points for card in state.sheet.crews[0].cards] == [2, 0]


def test_bm_19_nobody_can_place() -> None:
    """Then the round is scored at once; else when the 30 seconds are over."""
    assert expire(table(crew(lying="B"), crew())).state.phase == "remix"
    waiting = placing(crew(lying="F"), crew(lying="F"))
    assert GAME.to_act(waiting) == {0, 1}
    assert expire(waiting).state.phase == "remix"


def test_bm_20_a_roll_after_the_bell_is_refused() -> None:
    """With both times; placing goes on."""
    state = placing(crew(lying="F"))

    late = refusal(state, Roll(1), at=BELL + 5)
    assert ("bell_rang", {"bell_ms": ENDS, "at_ms": BELL + 5}) == (late.code, late.facts)
    assert Roll(1) not in GAME.legal(state, 0)
    assert locked(place(state, 0, "F", at=BELL + 9).state, 0) == "F.."


def test_bm_21_an_unfinished_routine_scores_nothing() -> None:
    """And its dancers come off before the next Dance Off."""
    state = expire(table(crew(routine("FFS", 2, 3, 5, locked="FF."), SH, lying="B"))).state

    assert state.crews[0].scores == (0,)
    while state.phase == "remix":
        state = expire(state).state
    assert (locked(state, 0), state.crews[0].unrolled) == ("...", 6)


def test_bm_22_an_any_slot_takes_each_stance_but_the_back() -> None:
    """A slot of just that stance is filled before it."""
    state = placed(table(crew(routine("AFAA", 1), lying="FFSHB")), (0, "F"))

    assert locked(state, 0) == ".F.."
    state = placed(state, (0, "F"), (0, "S"))
    assert locked(state, 0) == "FFS."
    assert not fits(state.crews[0], 0, "back")
    assert cubes(place(state, 0, "H").state) == (1, 5)


def test_bm_23_a_round_scores_the_covered_squares() -> None:
    """Of F, F, S with 2/3/5 completed twice: 5; Rallies count like Routines."""
    first = crew(routine("FFS", 2, 3, 5, cubes=2), SH)
    second = crew(routine("FFS", 2, 3, 5, cubes=1, rallies=[rally("no_back_after_roll", 9, 11, cubes=2)]), SH)

    state = expire(table(first, second)).state

    assert [each.scores for each in state.crews] == [(5,), (22,)]
    assert state.sheet is not None
    assert [(card.card, card.cubes, card.points) for card in state.sheet.crews[1].cards] == [
        ("r_ffs", 1, 2),
        ("rally_no_back_after_roll", 2, 20),
        ("r_sh", 0, 0),
    ]


# What was seen


def test_old_buttons_and_double_presses_hit_nothing() -> None:
    """Each press names the roll and the free dancers that its player saw."""
    state = table(crew(routine("FFFF", 1), lying="FFS"))
    twice = Place(0, "feet", 1, 2)

    after_one = act(state, twice).state
    assert refused(after_one, twice) == "already_placed"
    assert refused(after_one, Fill(None, 1, 3)) == "already_placed"
    assert refused(roll(state, "FFFFFF").state, twice) == "old_roll"
    assert refused(state, Roll(0)) == "old_roll"
    assert refused(state, Place(3, "feet", 1, 2)) == "no_such_routine"


def test_a_press_that_locks_the_crew_out_is_known_before() -> None:
    """The last dancer that could be rolled, and nothing completed; a completion frees them."""
    last = crew(
        routine("FFF", 1, locked="F.."), routine("SSS", 1, locked="SS."), routine("HH", 1, locked="H."), lying="FF"
    )

    assert not locks_out(last, Place(0, "feet", 1, 2))
    assert not locks_out(last, Fill(None, 1, 2))
    once = crew(
        routine("FFFF", 1, locked="FF.."), routine("SSS", 1, locked="SS."), routine("HH", 1, locked="H."), lying="F"
    )
    assert locks_out(once, Place(0, "feet", 1, 1))
    assert locks_out(once, Fill(0, 1, 1))
    assert not locks_out(once, Roll(1))
    assert after(once, Place(0, "feet", 1, 1)).free == 0


def test_a_crew_that_comes_late_can_still_place_when_the_go_was_not_seen_to() -> None:
    """In the count-in nobody is awaited, and nothing lies there."""
    state = table(crew(rolls=0, round_rolls=0), phase="count")

    assert GAME.to_act(state) == frozenset()
    assert GAME.deadlines(state) == {"go": STARTS}
    assert refused(state, Fill(None, 0, 0), at=SOON) == "nothing_fits"
