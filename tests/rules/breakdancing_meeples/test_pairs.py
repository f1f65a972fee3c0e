"""Matching Pair cards."""

from __future__ import annotations

import pytest

from rules.breakdancing_meeples import GAME, Place, Placed, Swap, Swapped, locks_out, placeable
from tests.rules.breakdancing_meeples.build import (
    BELL,
    FFS,
    PAIR,
    SH,
    counts,
    crew,
    cubes,
    events,
    exchange,
    expire,
    locked,
    placing,
    refused,
    roll,
    routine,
    table,
)

HH = routine("HH", 3, 5)


def swap(pair: str, third: str, stance: str, free: int) -> Swap:
    """An exchange to the first Routine."""
    return Swap(pair, third, 0, stance, 1, free)


def test_bm_24_the_pair_is_two_free_dancers_in_one_stance() -> None:
    """Not on their backs, and not locked ones; without the card there is no exchange."""
    lying = table(crew(HH, PAIR, lying="BBF"))
    assert refused(lying, swap("back", "feet", "head", 1)) == "no_such_stance"
    one_locked = table(crew(routine("FHH", 3, locked="F.."), PAIR, lying="FB"))
    assert refused(one_locked, swap("feet", "back", "head", 1)) == "no_pair"
    assert refused(table(crew(HH, SH, lying="FFB")), swap("feet", "back", "head", 2)) == "no_matching_pair"


def test_bm_25_any_third_free_dancer_goes_anywhere() -> None:
    """F F B: both F are spent, the B goes to a head slot."""
    step = exchange(table(crew(HH, PAIR, lying="FFB")), "F", "B", 0, "H")

    assert locked(step.state, 0) == "H."
    assert (step.state.crews[0].lying, step.state.crews[0].unrolled) == (counts(""), 5)
    assert events(step, Swapped) == [Swapped(seat=0, pair="feet", third="back", stance="head")]
    assert events(step, Placed) == [Placed(seat=0, routine=0, card="r_hh", slot=0, stance="head")]


def test_bm_25_it_needs_a_third_rolled_dancer() -> None:
    """One freed and not rolled again is spent; of three feet one may be the third."""
    assert refused(table(crew(HH, PAIR, lying="FF")), swap("feet", "feet", "head", 2)) == "no_pair"
    assert refused(table(crew(HH, PAIR, lying="FF")), swap("feet", "back", "head", 2)) == "no_pair"
    state = exchange(table(crew(HH, PAIR, lying="FFF")), "F", "F", 0, "H").state
    assert (locked(state, 0), state.crews[0].free) == ("H.", 5)


@pytest.mark.parametrize("stance", ["F", "S", "H"])
def test_bm_25_on_an_any_slot_the_player_says_the_stance(stance: str) -> None:
    """The slot of just that stance is filled first."""
    state = exchange(table(crew(routine("AA", 1), PAIR, lying="FFB")), "F", "B", 0, stance).state
    assert locked(state, 0) == f"{stance}."
    exact = exchange(table(crew(routine(f"A{stance}", 1), PAIR, lying="FFB")), "F", "B", 0, stance).state
    assert locked(exact, 0) == f".{stance}"


def test_bm_26_the_pair_is_spent_until_the_next_roll() -> None:
    """It cannot be placed before, and rolls with all others then."""
    state = exchange(table(crew(HH, FFS, PAIR, lying="FFB")), "F", "B", 0, "H").state

    assert refused(state, Place(1, "feet", 1, 0)) == "no_dancer"
    assert roll(state, "FFFFF").state.crews[0].lying == counts("FFFFF")


def test_bm_27_an_exchange_after_the_bell() -> None:
    """With dancers that lie rolled, also if no dancer fits by itself; the pair is spent for good."""
    state = expire(table(crew(routine("HH", 3, locked="H."), PAIR, lying="FFB"))).state
    assert state.phase == "placing"

    done = exchange(state, "F", "B", 0, "H", at=BELL + 1).state

    assert done.phase == "remix"
    assert done.crews[0].scores == (3,)
    kept = exchange(placing(crew(HH, FFS, PAIR, lying="FFBF")), "F", "B", 0, "H", at=BELL + 1).state
    assert kept.phase == "placing"
    assert kept.crews[0].lying == counts("F")


def test_bm_28_exchanges_are_unlimited_and_free() -> None:
    """No cube, no points, as often as dancers allow."""
    state = table(crew(HH, PAIR, lying="FFBSSB"))
    state = exchange(exchange(state, "F", "B", 0, "H").state, "S", "B", 0, "H").state

    assert cubes(state) == (1, 0, 5)
    assert refused(state, Place(1, "feet", 1, 0)) == "no_dancer"
    assert refused(table(crew(HH, PAIR, lying="F")), Place(1, "feet", 1, 1)) == "no_slots"
    assert expire(state).state.crews[0].scores == (3,)


def test_bm_31_a_second_card_adds_nothing() -> None:
    """The same exchanges are offered, each once."""
    one, two = crew(HH, PAIR, lying="FFB"), crew(HH, PAIR, PAIR, lying="FFB")

    assert GAME.legal(table(one), 0) == GAME.legal(table(two), 0)
    assert len(set(map(repr, GAME.legal(table(two), 0)))) == len(GAME.legal(table(two), 0))


def test_an_exchange_seen_too_late_is_refused() -> None:
    """It names the dancers that lay there, and never locks a crew out."""
    state = table(crew(HH, PAIR, lying="FFFFB"))
    press = swap("feet", "back", "head", 4)

    assert not locks_out(state.crews[0], press)
    assert refused(exchange(state, "F", "B", 0, "H").state, press) == "already_placed"


def test_an_exchange_needs_a_slot() -> None:
    """Otherwise the crew has nothing to place by it."""
    assert not placeable(crew(routine("F", 1, cubes=1), PAIR, lying="FFB"))
    assert refused(table(crew(HH, PAIR, lying="FFB")), swap("feet", "back", "side", 2)) == "no_slot"
