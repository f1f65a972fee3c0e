"""Deck, Party's Over and the end: LD-78 to LD-87."""

from __future__ import annotations

import pytest

from rules.core.contract import Ctx, Refusal
from rules.core.rng import Rng
from rules.lets_dance import (
    GAME,
    Dance,
    Drew,
    Ended,
    Fell,
    FinalRound,
    Follow,
    PartyOver,
    Pass,
    Renew,
    Renewed,
    Replenish,
    Replenished,
    Reshuffled,
    SpinHeld,
    StepOnToes,
)
from tests.rules.lets_dance.build import act, after, cards, events, final, hand, refused, table, text


def test_ld_78_party_over_never_comes_back() -> None:
    """Once shown it is in no pile, so that a reshuffle cannot bring it back; the census still counts it."""
    step = act(table("", "Y", deck="Over", discards="Y M C A Spin Spin"), Replenish())

    assert [1] == [len(events(step, kind)) for kind in (PartyOver,)]
    assert "over" not in (*step.state.deck, *step.state.discards, *step.state.hands[0])
    assert 1 == GAME.census(step.state)["over"]


def test_ld_79_reshuffle_when_a_card_is_needed() -> None:
    """An empty deck stays empty until the next card is drawn."""
    first = act(table("Down", "Down", deck="Y", discards="M M"), Dance(("down",)))

    second = act(first.state, Dance(("down",)))

    assert ((), [], cards("M M")) == (first.state.deck, events(first, Reshuffled), first.state.discards)
    assert ([2], cards("M"), ()) == (
        [event.cards for event in events(second, Reshuffled)],
        second.state.deck,
        second.state.discards,
    )


def test_ld_80_nothing_left_to_draw() -> None:
    """Deck and discards are empty: one draws what there is, and the action counts."""
    step = act(table("", "Y", deck="Y", discards="M"), Replenish())
    nothing = act(table("Down", "Y"), Dance(("down",)))

    assert ([2], 1) == ([event.drew for event in events(step, Replenished)], step.state.turn)
    assert ([], 1, "Down") == (events(nothing, Drew), nothing.state.turn, text(nothing.state.floors[0]))


@pytest.mark.parametrize("shown_by", [0, 1, 2])
def test_ld_81_one_full_round_after_this_one(shown_by: int) -> None:
    """The round goes on to its last seat, then everyone has exactly one more turn."""
    state = table("", "", "", deck="Over " + "Y " * 60, turn=shown_by)
    rest = 2 - shown_by

    step = act(state, Replenish())
    turns = 0
    while not step.state.final:
        step = act(step.state, Renew("y", ()) if step.state.hands[step.state.turn] else Replenish())
        turns += 1
    assert rest == turns
    assert 1 == len(events(step, FinalRound))
    while not step.state.over:
        step = act(step.state, GAME.legal(step.state, step.state.turn)[0])
        turns += 1

    assert rest + 3 == turns
    assert 1 == len(events(step, Ended))


def test_ld_82_nobody_draws_in_the_final_round() -> None:
    """Neither after a dance nor a Renew nor in a Conga Line, and not a victim either."""
    dance = act(final("Down", "Y", deck="M M M"), Dance(("down",)))
    renew = act(final("Y M C A Spin", "Y", deck="M M M"), Renew("spin", ("a",)))
    line = act(final("Y", "Conga", floors=["Conga"], conga=(0,), turn=1, deck="M M M"), Follow())
    victim = act(final("Toes", "Y", floors=["", "Y"], deck="M M M"), StepOnToes(1))

    assert [""] * 2 == [hand(step.state, seat) for step, seat in ((dance, 0), (line, 1))]
    assert ("Y M C", [0]) == (hand(renew.state, 0), [event.drew for event in events(renew, Renewed)])
    assert ("Y", "") == (hand(victim.state, 0), hand(victim.state, 1))
    assert {cards("M M M")} == {step.state.deck for step in (dance, renew, line, victim)}


def test_ld_83_spins_are_risked_in_the_final_round() -> None:
    """Showing is not drawing."""
    held = act(final("Spin", "Y", deck="Y"), Dance(("spin",)))
    fell = act(final("Spin", "Y", deck="Toes"), Dance(("spin",)))

    assert [cards("Y")] == [event.shown for event in events(held, SpinHeld)]
    assert ["stumble"] == [event.reason for event in events(fell, Fell)]


def test_ld_84_fewer_than_five_cards_pass() -> None:
    """In the final round neither Replenish nor Renew is open to them."""
    state = final("Y M C A", "Y")

    assert "final_pass_only" == refused(state, Replenish())
    assert "final_pass_only" == refused(state, Renew("y", ()))
    assert "Y M C A" == hand(after(state, Pass()), 0)


def test_ld_84_five_cards_dance_or_renew() -> None:
    """With a full hand passing is refused, and a Renew draws nothing."""
    state = final("Y M C A Spin", "Y")

    assert "cannot_pass" == refused(state, Pass())
    assert "hand_is_full" == refused(state, Replenish())
    assert Renew("y", ()) in GAME.legal(state, 0)
    assert Pass() not in GAME.legal(state, 0)


def test_ld_84_no_pass_in_a_conga_line() -> None:
    """While a line is open the two answers to it are all there is."""
    state = final("Y", "Conga", floors=["Conga"], conga=(0,), turn=1)

    assert "line_is_open" == refused(state, Pass())


def test_ld_85_party_over_in_the_middle_of_draws() -> None:
    """It is shown and put aside, and the draws go on."""
    step = act(table("", "Y", deck="Y M Over C A Spin Down"), Replenish())

    assert "Y M C A Spin" == hand(step.state, 0)
    assert [5] == [event.drew for event in events(step, Replenished)]
    assert 1 == len(events(step, PartyOver))


def test_ld_87_what_is_thrown_away_is_public() -> None:
    """Cards dropped in a Renew and lost in a fall lie open on the discards."""
    renewed = act(table("Y M C", "Y", deck="Down " * 9), Renew("y", ("m",)))
    fell = act(table("Spin", "Y", deck="Knee Toes"), Dance(("spin",)))
    tripped = act(table("Spin Spin", "Y", deck="Knee Toes Y"), Dance(("spin", "spin")))

    assert [(("m",), None)] == [(event.dropped, event.audience) for event in events(renewed, Renewed)]
    assert [cards("M"), cards("Knee"), cards("Toes Spin Spin")] == [
        GAME.view(step.state, None).public.discards for step in (renewed, fell, tripped)
    ]


def test_the_game_has_no_deadlines() -> None:
    """The turn clock is all there is, so nothing can pass."""
    state = table("Y", "Y")

    assert {} == GAME.deadlines(state)
    with pytest.raises(Refusal, match="no_deadline"):
        GAME.expire(state, "bell", Ctx(0, Rng(bytes(16), "bell")))
