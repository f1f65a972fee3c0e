"""The Remix: cards on offer, order, picks, returns and Rallies."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest

from rules.breakdancing_meeples import (
    GAME,
    Attach,
    Bought,
    Buy,
    PicksNext,
    RemixDealt,
    RemixOver,
    Reserved,
    Return,
    ReturnedCard,
    Skip,
    SkippedPick,
    State,
    Take,
    Took,
)
from rules.breakdancing_meeples.dance import fresh
from rules.breakdancing_meeples.remix import pick_order
from tests.rules.breakdancing_meeples.build import (
    AGAIN,
    FFS,
    NO_BACK,
    PAIR,
    SH,
    act,
    after,
    card,
    crew,
    deal,
    events,
    expire,
    rally,
    rally_card,
    refused,
    remixing,
    routine,
    table,
)

HH = routine("HH", 3, 5)
SSS = routine("SSS", 4, 6, 8)
RALLY = fresh(rally_card(NO_BACK, 9, 11, cost=4))


def names(state: State, seat: int = 0) -> list[str]:
    """Return the Routines of a crew by key."""
    return [each.card.key for each in state.crews[seat].routines]


def row(state: State) -> list[str]:
    """Return the row by key, "" for a hole."""
    assert state.remix is not None
    return ["" if offer is None else offer.card.key for offer in state.remix.row]


def danced(*crews: object, **others: object) -> State:
    """Ring the bell for crews that have nothing to place."""
    return expire(table(*crews, **others)).state  # type: ignore[arg-type]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_bm_32_one_card_more_than_crews(seats: int) -> None:
    """In each of three Remixes, and none after the fourth Dance Off."""
    for dance_off in (1, 2, 3):
        step = expire(table(*[crew()] * seats, dance_off=dance_off))
        (dealt,) = events(step, RemixDealt)
        assert (dealt.remix, len(dealt.cards)) == (dance_off, seats + 1)
        assert dealt.cards == tuple(each.key for each in GAME.deck.remix[: -seats - 2 : -1])
        assert len(step.state.deck) == 28 - seats - 1
    assert expire(table(*[crew()] * seats, dance_off=4)).state.phase == "over"


def test_bm_33_the_lowest_total_picks_first() -> None:
    """Not the lowest score of the round; costs of Rallies are deducted in it; the order is fixed at the start."""
    one, two, three = crew(total=9, scores=(0,)), crew(total=4, scores=(4,)), crew(total=6, scores=(3,))

    assert pick_order((one, two, three)) == ((1,), (2,), (0,))
    state = remixing(crew(total=9), crew(total=6), row=(RALLY, HH), waiting=(0,))
    bought = after(state, Buy(1, 0), Attach(1, 0))
    assert bought.crews[0].total == 5
    assert bought.remix is not None
    assert bought.remix.groups == ((0,), (1,))


def test_bm_34_tied_crews_pick_at_the_same_time() -> None:
    """The first press gets the card; a second one on it is refused and that crew picks again."""
    deck = tuple(card(slots, 1) for slots in ("F", "S", "H", "FF"))
    state = danced(crew(total=5), crew(total=5), crew(total=2), deck=deck)
    assert state.remix is not None
    assert state.remix.groups == ((2,), (0, 1))
    state = act(state, Skip(1), 2).state
    assert GAME.to_act(state) == {0, 1}

    state = act(state, Take(1, 0), 1).state

    assert refused(state, Take(1, 0), 0) == "gone"
    assert GAME.to_act(state) == {0}
    assert row(state)[0] == ""
    assert act(state, Take(1, 1), 0).state.phase == "ready"


def test_bm_35_nobody_has_to_pick() -> None:
    """A press skips, and 30 seconds do; each group has its own."""
    state = remixing(crew(), crew(), row=(HH, SSS), waiting=(0,))

    step = act(state, Skip(1), at=80_000)
    assert events(step, SkippedPick) == [SkippedPick(seat=0)]
    assert events(step, PicksNext) == [PicksNext(seats=(1,), closes_ms=110_000)]
    assert GAME.deadlines(step.state) == {"pick": 110_000}
    late = expire(state)
    assert events(late, SkippedPick) == [SkippedPick(seat=0, timeout=True)]
    assert late.state.closes_ms == 130_000
    assert expire(late.state).state.phase == "ready"


def test_bm_36_one_card_in_a_remix() -> None:
    """After a Routine no Rally and no other Routine, and the other way round."""
    state = remixing(crew(total=9), crew(), row=(HH, RALLY, SSS), waiting=(0,))

    assert refused(act(state, Take(1, 0)).state, Buy(1, 1)) == "already_picked"
    reserved = act(state, Buy(1, 1)).state
    assert refused(reserved, Take(1, 0)) == "attach_first"
    assert refused(act(reserved, Attach(1, 0)).state, Take(1, 0)) == "already_picked"


def test_bm_37_a_fourth_routine_is_followed_by_a_return() -> None:
    """Any of the four, also the new one; it lies at the end of the row for crews that pick later."""
    state = remixing(crew(FFS, SH, PAIR), crew(), row=(HH, SSS), waiting=(0,))

    state = act(state, Take(1, 0)).state
    assert names(state) == ["r_ffs", "r_sh", "pair", "r_hh"]
    assert GAME.legal(state, 0) == [Return(1, index) for index in range(4)]
    assert refused(state, Skip(1)) == "return_first"
    assert refused(state, Return(1, 4)) == "no_such_routine"
    step = act(state, Return(1, 1))
    assert names(step.state) == ["r_ffs", "pair", "r_hh"]
    assert row(step.state) == ["", "r_sss", "r_sh"]
    assert events(step, ReturnedCard) == [ReturnedCard(seat=0, card="r_sh", name="The SH")]
    assert names(act(step.state, Take(1, 2), 1).state, 1) == ["r_ffs", "r_sh", "r_sh"]
    assert row(act(state, Return(1, 3)).state) == ["", "r_sss", "r_hh"]


def test_bm_37_tied_crews_do_not_wait_for_each_other() -> None:
    """One picks while another decides what to return."""
    three = crew(FFS, SH, PAIR)
    state = remixing(three, three, row=(HH, SSS), waiting=(0, 1))
    state = act(state, Take(1, 0)).state

    state = act(state, Take(1, 1), 1).state
    state = act(state, Return(1, 0), 1).state

    assert GAME.to_act(state) == {0}
    assert act(state, Return(1, 0)).state.phase == "ready"


def test_bm_37_when_time_is_up_the_new_one_goes_back() -> None:
    """The crew keeps its three."""
    state = act(remixing(crew(FFS, SH, PAIR), crew(), row=(HH,), waiting=(0,)), Take(1, 0)).state

    step = expire(state)

    assert names(step.state) == ["r_ffs", "r_sh", "pair"]
    assert row(step.state) == ["", "r_hh"]
    assert events(step, ReturnedCard) == [ReturnedCard(seat=0, card="r_hh", name="The HH", timeout=True)]


def test_bm_38_the_first_remix_brings_a_third_routine() -> None:
    """Without a return."""
    step = act(remixing(crew(), crew(), row=(HH,), waiting=(0,)), Take(1, 0))

    assert names(step.state) == ["r_ffs", "r_sh", "r_hh"]
    assert events(step, Took) == [Took(seat=0, card="r_hh", name="The HH")]
    assert GAME.to_act(step.state) == {1}


def test_bm_39_leftovers_are_out_for_the_game() -> None:
    """With Rallies beneath them; nothing is dealt again."""
    beneath = routine("HH", 3, rallies=[rally(AGAIN)])
    state = remixing(crew(), row=(beneath, SSS), waiting=(0,))

    step = act(state, Take(1, 1))

    assert events(step, RemixOver) == [RemixOver(remix=1, cards=("r_hh", f"rally_{AGAIN}"))]
    assert step.state.aside == ("r_hh", f"rally_{AGAIN}")
    assert (step.state.phase, step.state.dance_off, step.state.deck) == ("ready", 2, state.deck)


def test_bm_40_a_small_deck_deals_what_is_left() -> None:
    """And without any card there is no Remix."""
    two = (card("F", 1), card("S", 1))
    assert len(row(danced(crew(), crew(), deck=two))) == 2
    state = danced(crew(), crew(), deck=())
    assert (state.phase, state.dance_off) == ("ready", 2)


def test_bm_41_without_rallies_for_young_players() -> None:
    """They are discarded as they come up and replaced."""
    deck = (card("F", 1), card("S", 1), rally_card(AGAIN), card("H", 1), rally_card(NO_BACK))
    (dealt,) = events(expire(table(crew(), crew(), deck=deck, young=True)), RemixDealt)
    assert dealt.cards == ("r_h", "r_s", "r_f")
    assert dealt.discarded == (f"rally_{NO_BACK}", f"rally_{AGAIN}")
    (old,) = events(expire(table(crew(), crew(), deck=deck)), RemixDealt)
    assert old.cards == (f"rally_{NO_BACK}", "r_h", f"rally_{AGAIN}")
    assert deal(young="on").young


def test_bm_42_dancers_and_cubes_come_off_rallies_stay() -> None:
    """When the next Dance Off is got ready."""
    beneath = routine("FFS", 2, 3, 5, locked="F..", cubes=1, rallies=[rally(AGAIN, cubes=1, count=1)])
    state = danced(crew(beneath, SH, lying="BBB", cubes=4), crew())
    while state.phase == "remix":
        state = expire(state).state

    there = state.crews[0]
    assert (there.free, there.unrolled, there.cubes, there.round_rolls, there.rolls) == (6, 6, 6, 0, 1)
    assert there.routines[0] == routine("FFS", 2, 3, 5, rallies=[rally(AGAIN)])


def test_bm_43_a_rally_has_to_be_paid() -> None:
    """From the total, down to 0."""
    state = remixing(crew(total=3), crew(), row=(RALLY, HH), waiting=(0,))
    assert refused(state, Buy(1, 0)) == "too_dear"
    assert Buy(1, 0) not in GAME.legal(state, 0)

    step = act(act(remixing(crew(total=4), crew(), row=(RALLY,), waiting=(0,)), Buy(1, 0)).state, Attach(1, 1))

    assert (step.state.crews[0].total, step.state.crews[0].paid) == (0, 4)
    assert events(step, Bought) == [Bought(seat=0, card=f"rally_{NO_BACK}", name=NO_BACK, beneath="r_sh", cost=4)]


def test_bm_43_reserving_costs_nothing_yet() -> None:
    """A Rally that is not put beneath a Routine in time, or given up, lies where it lay."""
    state = act(remixing(crew(total=9), crew(), row=(HH, RALLY), waiting=(0,)), Buy(1, 1))
    assert events(state, Reserved) == [Reserved(seat=0, card=f"rally_{NO_BACK}", name=NO_BACK)]
    assert (row(state.state), state.state.crews[0].total) == (["r_hh", ""], 9)
    assert GAME.own(state.state, 0).attaching == f"rally_{NO_BACK}"

    for given_up, timeout in ((act(state.state, Skip(1)), False), (expire(state.state), True)):
        assert row(given_up.state) == ["r_hh", f"rally_{NO_BACK}"]
        assert (given_up.state.crews[0].total, given_up.state.bought) == (9, 0)
        assert events(given_up, SkippedPick) == [SkippedPick(seat=0, card=f"rally_{NO_BACK}", timeout=timeout)]


def test_bm_44_a_rally_lies_beneath_the_routine_chosen() -> None:
    """No action moves or removes it."""
    state = act(remixing(crew(total=9), crew(), row=(RALLY,), waiting=(0,)), Buy(1, 0)).state
    assert GAME.legal(state, 0) == [Attach(1, 0), Attach(1, 1), Skip(1)]
    assert refused(state, Attach(1, 2)) == "no_such_routine"

    state = act(state, Attach(1, 1)).state

    assert [len(each.rallies) for each in state.crews[0].routines] == [0, 1]
    assert state.crews[0].routines[1].rallies[0].bought == state.bought == 1
    assert refused(state, Attach(1, 0)) == "already_picked"


def test_bm_45_several_rallies_beneath_one_routine() -> None:
    """Numbered in the order bought."""
    first = routine("FFS", 2, rallies=[rally(AGAIN)])
    state = remixing(crew(first, SH, total=9), crew(), row=(RALLY,), waiting=(0,), bought=1)
    state = after(state, Buy(1, 0), Attach(1, 0))

    assert [each.bought for each in state.crews[0].routines[0].rallies] == [1, 2]


def test_bm_46_rallies_do_not_count_towards_three() -> None:
    """With three Routines a Rally asks for no return."""
    state = remixing(crew(FFS, SH, HH, total=9), crew(), row=(RALLY,), waiting=(0,))

    assert GAME.to_act(after(state, Buy(1, 0), Attach(1, 2))) == {1}


def test_bm_29_a_matching_pair_is_one_of_three() -> None:
    """A fourth one has to be returned, or another."""
    state = act(remixing(crew(FFS, SH, HH), crew(), row=(PAIR,), waiting=(0,)), Take(1, 0)).state

    assert GAME.own(state, 0).returning
    assert len(names(state)) == 4


def test_bm_30_no_rally_beneath_a_matching_pair() -> None:
    """With nothing else a Rally cannot even be reserved."""
    state = act(remixing(crew(FFS, PAIR, total=9), crew(), row=(RALLY,), waiting=(0,)), Buy(1, 0)).state
    assert GAME.legal(state, 0) == [Attach(1, 0), Skip(1)]
    assert refused(state, Attach(1, 1)) == "no_room_for_rally"
    assert (
        refused(remixing(crew(PAIR, PAIR, total=9), crew(), row=(RALLY,), waiting=(0,)), Buy(1, 0))
        == "no_room_for_rally"
    )


def test_bm_47_the_next_crew_takes_both_and_pays_nothing() -> None:
    """A returned Routine keeps its Rally, without cubes."""
    laden = routine("FFS", 2, 3, 5, cubes=2, rallies=[rally(AGAIN, cubes=1)])
    state = remixing(crew(laden, SH, HH), crew(total=2), row=(SSS,), waiting=(0,))
    state = after(state, Take(1, 0), Return(1, 0))

    assert state.remix is not None
    assert state.remix.row[1] == routine("FFS", 2, 3, 5, rallies=[rally(AGAIN)])
    step = act(state, Take(1, 1), 1)
    assert events(step, Took) == [Took(seat=1, card="r_ffs", name="The FFS", rallies=(f"rally_{AGAIN}",))]
    assert step.state.crews[1].total == 2
    assert step.state.crews[1].routines[2].rallies == (rally(AGAIN),)


def test_bm_48_the_returner_gets_nothing_back() -> None:
    """No refund, and the Rally cannot be kept."""
    laden = routine("FFS", 2, rallies=[rally(AGAIN)])
    state = remixing(crew(laden, SH, HH, total=2, paid=9), crew(), row=(SSS,), waiting=(0,))

    state = after(state, Take(1, 0), Return(1, 0))

    assert (state.crews[0].total, state.crews[0].paid) == (2, 9)
    assert not any(each.rallies for each in state.crews[0].routines)


def test_picks_are_refused_with_their_reason() -> None:
    """Another Remix, another's turn, a wrong kind, a place that is not there."""
    state = remixing(crew(total=9), crew(), row=(HH, RALLY), waiting=(0,))

    assert refused(state, Skip(2)) == "other_remix"
    assert refused(state, Skip(1), 1) == "not_your_pick"
    assert refused(state, Take(1, 1)) == "to_be_bought"
    assert refused(state, Buy(1, 0)) == "not_a_rally"
    assert refused(state, Take(1, 2)) == "no_such_place"
    assert refused(state, Return(1, 0)) == "nothing_to_return"
    assert refused(state, Attach(1, 0)) == "nothing_to_attach"
    assert refused(table(), Skip(1)) == "no_remix"


def test_a_crew_that_can_pick_nothing_may_skip() -> None:
    """All that is left are Rallies it cannot pay."""
    state = remixing(crew(total=0), crew(), row=(None, RALLY), waiting=(0,))

    assert GAME.legal(state, 0) == [Skip(1)]


def test_no_card_is_lost_in_a_remix() -> None:
    """Neither a reserved Rally nor a fourth Routine."""
    state = remixing(crew(FFS, SH, HH, total=9), crew(total=9), row=(RALLY, SSS), waiting=(0, 1))
    before: Counter[str] = GAME.census(state)

    for step in (Take(1, 1), Return(1, 0)):
        state = act(state, step).state
        assert GAME.census(state) == before
    for action in (Buy(1, 0), Attach(1, 0)):
        state = act(state, action, 1).state
        assert GAME.census(state) == before
    assert msgspec.structs.asdict(state)["phase"] == "ready"
