"""Rallies: conditions, the order of cubes, and what they score."""

from __future__ import annotations

from rules.breakdancing_meeples import CONDITIONS, GAME, RallyCube
from tests.rules.breakdancing_meeples.build import (
    AGAIN,
    EACH,
    IN_A_ROW,
    NO_BACK,
    PAIR,
    SAME,
    SH,
    crew,
    cubes,
    events,
    exchange,
    expire,
    fill,
    locked,
    place,
    placed,
    rally,
    roll,
    routine,
    table,
)


def test_every_condition_of_the_house_deck_is_one_of_these() -> None:
    """Five Rallies, five conditions."""
    assert {card.condition for card in GAME.deck.remix if card.kind == "rally"} == set(CONDITIONS)
    assert set(CONDITIONS) == {AGAIN, EACH, SAME, IN_A_ROW, NO_BACK}


def test_bm_50_a_full_routine_completed_again() -> None:
    """The completion that fills the Routine is not meant, each later one is, while the Rally has open squares."""
    state = table(crew(routine("F", 1, 2, cubes=1, rallies=[rally(AGAIN, 10, 12)]), SH, lying="FFFF"))

    state = place(state, 0, "F").state
    assert cubes(state) == (2, 0, 0, 5)
    step = place(state, 0, "F")
    assert cubes(step.state) == (2, 0, 1, 4)
    assert events(step, RallyCube) == [RallyCube(seat=0, card=f"rally_{AGAIN}", name=AGAIN, points=10, cubes=4)]
    assert cubes(fill(step.state).state) == (2, 0, 2, 3)
    assert cubes(fill(state).state) == (2, 0, 2, 3), "the third dancer finds no open square"


def test_each_routine_holds_cubes() -> None:
    """Square n wants n cubes on each ordinary Routine; Matching Pairs are not counted; one cube a completion."""
    beneath = routine("F", 1, 2, 3, rallies=[rally(EACH, 14, 17)])
    state = table(crew(beneath, routine("S", 1, 2, 3), PAIR, lying="FSFS"))

    state = place(state, 0, "F").state
    assert cubes(state) == (1, 0, 0, 0, 5)
    state = place(state, 1, "S").state
    assert cubes(state) == (1, 1, 0, 1, 3)
    state = placed(state, (0, "F"))
    assert cubes(state) == (2, 1, 0, 1, 2)
    assert cubes(place(state, 1, "S").state) == (2, 2, 0, 2, 0)


def test_each_routine_holds_cubes_at_most_one_for_a_completion() -> None:
    """Bought late, it fills square by square."""
    beneath = routine("F", 1, 2, 3, cubes=1, rallies=[rally(EACH, 14, 17)])
    state = table(crew(beneath, routine("S", 1, 2, 3, cubes=2), lying="FS", cubes=3))

    assert cubes(place(state, 0, "F").state) == (2, 2, 1, 1)


def test_three_in_one_stance() -> None:
    """On the Routine above at once; once for each of its completions; any slots and exchanges count as they show."""
    beneath = routine("AAAA", 1, 2, 3, rallies=[rally(SAME, 6, 7)])
    state = placed(table(crew(beneath, SH, lying="FFFF")), (0, "F"), (0, "F"))
    assert cubes(state) == (0, 0, 0, 6)
    state = placed(state, (0, "F"))
    assert cubes(state) == (0, 0, 1, 5)
    state = placed(state, (0, "F"))
    assert cubes(state) == (1, 0, 1, 4), "a fourth one brings none"
    state = roll(state, "FSSSBB", at=60_000).state
    assert cubes(placed(state, (0, "S"), (0, "S"), (0, "S"))) == (1, 0, 2, 3), "after the completion it counts again"
    swapped = table(crew(routine("AAA", 1, locked="FF.", rallies=[rally(SAME)]), PAIR, lying="SSB"))
    assert cubes(exchange(swapped, "S", "B", 0, "F").state) == (1, 0, 1, 4)


def test_three_in_one_stance_with_the_completing_dancer() -> None:
    """Looked at before the dancers come off: the Routine's own cube first, then the Rally's."""
    state = table(crew(routine("FFF", 1, 2, locked="FF.", rallies=[rally(SAME)]), SH, lying="F"))

    assert cubes(place(state, 0, "F").state) == (1, 0, 1, 4)
    elsewhere = table(
        crew(routine("FFF", 1, locked="FF.", rallies=[]), routine("SS", 1, rallies=[rally(SAME)]), lying="F")
    )
    assert cubes(place(elsewhere, 0, "F").state) == (1, 0, 0, 5)


def test_twice_in_a_row() -> None:
    """No other Routine in between; after a cube the count begins afresh."""
    beneath = routine("F", 1, 2, 3, 4, rallies=[rally(IN_A_ROW, 8, 11)])
    other = routine("S", 1, 2)
    state = table(crew(beneath, other, lying="FFFS"))

    assert cubes(placed(state, (0, "F"))) == (1, 0, 0, 5)
    assert cubes(placed(state, (0, "F"), (0, "F"))) == (2, 0, 1, 3)
    assert cubes(placed(state, (0, "F"), (0, "F"), (0, "F"))) == (3, 0, 1, 2)
    assert cubes(placed(state, (0, "F"), (1, "S"), (0, "F"))) == (2, 1, 0, 3)


def test_a_row_does_not_go_on_in_the_next_dance_off() -> None:
    """It is counted from 0 in each round."""
    state = expire(table(crew(routine("F", 1, 2, rallies=[rally(IN_A_ROW, count=1)]), SH))).state
    while state.phase == "remix":
        state = expire(state).state

    assert state.crews[0].routines[0].rallies[0].count == 0


def test_nobody_on_its_back() -> None:
    """A roll of three dancers or more, over the dancers of that roll alone."""
    beneath = routine("FFFF", 1, locked="FFF.", rallies=[rally(NO_BACK, 9, 11)])
    state = table(crew(beneath, SH))

    assert cubes(roll(state, "FSH").state) == (0, 0, 1, 5)
    assert cubes(roll(state, "FSB").state) == (0, 0, 0, 6)
    two = table(crew(routine("FFFFF", 1, locked="FFFF.", rallies=[rally(NO_BACK)]), SH))
    assert cubes(roll(two, "FS").state) == (0, 0, 0, 6)


def test_bm_45_cubes_go_to_the_completion_first_then_in_the_order_bought() -> None:
    """Each met Rally takes one while there are any."""
    late = rally(SAME, 6, bought=2)
    early = rally(IN_A_ROW, 8, bought=1, count=1)
    beneath = routine("FFF", 1, 2, locked="FF.", rallies=[late, early])

    state = table(crew(beneath, SH, lying="F", cubes=3))
    step = place(state, 0, "F")
    assert [event.card for event in events(step, RallyCube)] == [f"rally_{IN_A_ROW}", f"rally_{SAME}"]
    assert cubes(step.state) == (1, 0, 1, 1, 0)
    assert cubes(place(table(crew(beneath, SH, lying="F", cubes=2)), 0, "F").state) == (1, 0, 0, 1, 0)
    assert cubes(place(table(crew(beneath, SH, lying="F", cubes=1)), 0, "F").state) == (1, 0, 0, 0, 0)


def test_bm_49_a_cube_on_a_rally_is_one_of_six_and_scores() -> None:
    """With the last one gone nothing is placed any more."""
    beneath = routine("FFFF", 1, locked="FFF.", rallies=[rally(NO_BACK, 9)])
    state = roll(table(crew(beneath, SH, cubes=1)), "FSH").state

    assert cubes(state) == (0, 0, 1, 0)
    assert GAME.to_act(state) == {1}
    ended = expire(state).state
    assert ended.crews[0].scores == (9,)
    assert locked(state, 0) == "FFF."
