"""Setting up, getting ready, and who wins."""

from __future__ import annotations

from pathlib import Path

import pytest

import rules.breakdancing_meeples as package
from rules.breakdancing_meeples import (
    GAME,
    CountIn,
    CrewReady,
    Done,
    Force,
    GameOver,
    Ready,
    Roll,
    State,
)
from rules.core.contract import Outcome
from tests.rules.breakdancing_meeples.build import (
    FFS,
    SH,
    act,
    crew,
    deal,
    events,
    expire,
    placing,
    refusal,
    refused,
    roll,
    routine,
    table,
)


def ended(*results: tuple[int, int], paid: int = 0) -> State:
    """Ring the last bell: totals before it, and points of the last Dance Off, by crew."""
    crews = [
        crew(routine("F", points, cubes=1), SH, total=total, scores=(0, 0, 0), paid=paid) for total, points in results
    ]
    return expire(table(*crews, dance_off=4)).state


def outcome(state: State) -> Outcome:
    """Return how the game ended."""
    found = GAME.outcome(state)
    assert found is not None
    return found


def test_bm_1_two_to_four_crews() -> None:
    """Not one, not five."""
    assert (GAME.spec.min_seats, GAME.spec.max_seats) == (2, 4)
    for seats in (1, 5):
        with pytest.raises(ValueError, match="seats"):
            deal(seats)


def test_bm_2_all_crews_begin_alike() -> None:
    """The two starting Routines, six dancers, six cubes."""
    state = deal(4)

    assert set(state.crews) == {state.crews[0]}
    assert [each.card.key for each in state.crews[0].routines] == ["warm_up_wobble", "two_left_shoes"]
    assert (state.crews[0].unrolled, state.crews[0].cubes) == (6, 6)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_bm_3_unused_starters_stay_in_the_box(seats: int) -> None:
    """The Remix deck has 28 cards with any number of crews."""
    state = deal(seats)

    assert len(state.deck) == 28
    assert not {"warm_up_wobble", "two_left_shoes"} & {card.key for card in state.deck}
    assert GAME.census(state)["warm_up_wobble"] == seats


def test_all_ready_starts_the_count_in() -> None:
    """Four seconds, then the time of the Dance Off."""
    state = deal(2, round="90")
    assert GAME.to_act(state) == {0, 1}
    first = act(state, Ready(1), at=1_000)
    assert first.events == (CrewReady(seat=0, dance_off=1),)
    assert GAME.to_act(first.state) == {1}
    assert GAME.deadlines(first.state) == {}
    assert refused(first.state, Ready(1)) == "already_ready"
    assert refused(first.state, Ready(2), 1) == "other_dance_off"
    assert refused(first.state, Roll(0)) == "not_dancing"

    step = act(first.state, Ready(1), 1, at=2_000)

    assert events(step, CountIn) == [CountIn(dance_off=1, starts_ms=6_000, ends_ms=96_000)]
    assert GAME.deadlines(step.state) == {"go": 6_000}
    assert refused(step.state, Ready(1)) == "dance_off_is_on"
    assert refused(step.state, Done(1)) == "bell_not_rung"


def test_bm_54_the_host_may_start_without_a_late_crew() -> None:
    """After a minute; the late one stands idle and may come in while the Dance Off lasts."""
    state = act(deal(3), Ready(1), at=500).state

    early = refusal(state, Force(1), at=59_999)
    assert ("too_early", {"wait_ms": 1}) == (early.code, early.facts)
    assert GAME.spec.host_actions == (Force,)
    assert all(Force(1) in GAME.legal(state, seat) for seat in range(3))
    step = act(state, Force(1), at=60_000)
    assert events(step, CountIn)[0].forced == (1, 2)
    assert GAME.view(state, None).public.force_ms == 60_000
    late = roll(step.state, "BBBBBB", seat=2, at=70_000).state
    assert (late.crews[2].round_rolls, late.crews[1].free) == (1, 6)
    assert refused(state, Force(2), at=60_000) == "other_dance_off"


def test_bm_55_smack_talk_has_no_rule() -> None:
    """Nothing in the actions is about talking."""
    assert "smack" not in "".join(path.read_text() for path in Path(package.__file__).parent.glob("*.py")).lower()


def test_done_ends_the_placing() -> None:
    """Once all who could still place are done; whoever is done places no more."""
    state = placing(crew(lying="F"), crew(lying="S"), dance_off=1)
    state = act(state, Done(1)).state

    assert GAME.to_act(state) == {1}
    assert GAME.legal(state, 0) == []
    assert refused(state, Done(1)) == "crew_is_done"
    assert refused(state, Done(2), 1) == "other_dance_off"
    assert act(state, Done(1), 1).state.phase == "remix"


def test_bm_51_costs_do_not_touch_the_tie_break() -> None:
    """Only what the fourth Dance Off scored is compared."""
    state = ended((10, 5), (9, 6), paid=9)

    assert outcome(state) == Outcome((2, 1), (15, 15), "final_round")


def test_bm_52_the_highest_total_wins() -> None:
    """After four Dance Offs; equals further down share a place when the last one was equal too."""
    state = ended((10, 5), (1, 3), (20, 1), (1, 3))

    assert outcome(state) == Outcome((2, 3, 1, 3), (15, 4, 21, 4), "most_crowd_appeal")
    assert state.phase == "over"
    assert GAME.legal(state, 0) == []
    assert refused(state, Roll(1)) == "over"


def test_bm_52_the_end_is_told() -> None:
    """With places, totals and reason."""
    crews = [crew(FFS, SH, total=3), crew(FFS, SH, total=1)]
    (over,) = events(expire(table(*crews, dance_off=4)), GameOver)

    assert over == GameOver(places=(1, 2), scores=(3, 1), reason="most_crowd_appeal")


def test_bm_53_equal_totals_are_decided_by_the_last_dance_off() -> None:
    """Of three equal ones the best last score; whoever is behind in total stays behind."""
    assert outcome(ended((10, 5), (12, 3), (14, 1), (0, 9))) == Outcome((1, 2, 3, 4), (15, 15, 15, 9), "final_round")


def test_bm_53_equal_in_both_share_the_place() -> None:
    """A draw; the next place is skipped."""
    assert outcome(ended((10, 5), (10, 5), (2, 8))) == Outcome((1, 1, 3), (15, 15, 10), "draw")
    assert outcome(ended((12, 3), (10, 5), (10, 5))) == Outcome((3, 1, 1), (15, 15, 15), "draw")
