"""Step on Toes: LD-27 to LD-35."""

from __future__ import annotations

import pytest

from rules.lets_dance import (
    GAME,
    Dance,
    Discarded,
    Drew,
    DrewCards,
    Fell,
    Follow,
    Grabbed,
    Keep,
    Kept,
    KeptCard,
    PartyOver,
    Renew,
    SitOut,
    StepOnToes,
    Stepped,
)
from tests.rules.lets_dance.build import act, after, cards, events, hand, refused, table, text, worth


@pytest.mark.parametrize("victim_floor", ["", "|", "Y M |"])
def test_ld_27_a_closed_floor_is_no_target(victim_floor: str) -> None:
    """Without a face-up card after the last break there is no sequence to stop."""
    state = table("Toes", "Y", floors=["Y", victim_floor])

    assert "no_sequence_to_stop" == refused(state, StepOnToes(1))
    assert StepOnToes(1) not in GAME.legal(state, 0)


def test_ld_27_a_dancer_is_a_target() -> None:
    """One face-up card after the last break is enough."""
    end = after(table("Toes", "", floors=["", "Y | M"]), StepOnToes(1))

    assert "Y |Toes M |Toes" == text(end.floors[1])


def test_ld_28_the_thief_sees_two_and_keeps_one() -> None:
    """Two are taken at random; thief and victim learn which, everyone sees the one thrown away."""
    state = table("Toes", "Y M C A Spin", floors=["", "Y"], deck="Down Down")
    stolen = act(state, StepOnToes(1))
    taken = stolen.state.grab.cards if stolen.state.grab else ()

    kept = act(stolen.state, Keep(taken[0]))

    assert [Keep(card) for card in taken] == GAME.legal(stolen.state, 0)
    assert [(2, None)] == [(event.grabbed, event.audience) for event in events(stolen, Stepped)]
    assert [(taken, (0, 1))] == [(event.cards, event.audience) for event in events(stolen, Grabbed)]
    assert [(0, None)] == [(event.seat, event.audience) for event in events(kept, Kept)]
    assert [(taken[0], (0, 1))] == [(event.card, event.audience) for event in events(kept, KeptCard)]
    assert [(taken[1], None)] == [(event.card, event.audience) for event in events(kept, Discarded)]
    assert taken[:1] == kept.state.hands[0]
    assert taken[1:] == kept.state.discards


def test_ld_28_chance_picks_the_cards() -> None:
    """Other random streams take other cards, and in time every pair."""
    state = table("Toes", "Y M C", floors=["", "Y"])

    grabs = {act(state, StepOnToes(1), seed).state.grab for seed in range(40)}

    assert {("y", "m"), ("y", "c"), ("m", "c")} == {grab.cards for grab in grabs if grab}


def test_ld_28_two_alike_leave_no_choice() -> None:
    """Of two alike one is kept and one discarded at once."""
    step = act(table("Toes", "Y Y", floors=["", "Y"], deck="Down Worm"), StepOnToes(1))

    assert (1, "turn") == (step.state.turn, step.state.awaits)
    assert ("Y", ("y",), "Down Worm") == (hand(step.state, 0), step.state.discards, hand(step.state, 1))


def test_ld_28_the_choice_comes_first() -> None:
    """Until the thief has chosen, nothing else is possible and only for the thief."""
    state = table("Toes Y", "Y M", floors=["", "Y"], deck="Down Down")
    stolen = after(state, StepOnToes(1))

    assert "must_keep_first" == refused(stolen, Dance(("y",)))
    assert "not_grabbed" == refused(stolen, Keep("spin"))
    assert "not_your_turn" == refused(stolen, Keep("y"), seat=1)
    assert frozenset({0}) == GAME.to_act(stolen)


@pytest.mark.parametrize(("held", "stolen"), [("M", "M"), ("", "")])
def test_ld_29_fewer_than_two_cards(held: str, stolen: str) -> None:
    """One card is kept, from an empty hand comes nothing; the break happens all the same."""
    step = act(table("Toes", held, floors=["", "Y"], deck="Down Worm"), StepOnToes(1))

    assert (stolen, ()) == (hand(step.state, 0), step.state.discards)
    assert "Y |Toes" == text(step.state.floors[1])
    assert 1 == step.state.turn


@pytest.mark.parametrize("held", ["", "M", "M M"])
def test_ld_30_the_victim_draws_two(held: str) -> None:
    """However many were taken, two are drawn and kept."""
    step = act(table("Toes", held, floors=["", "Y"], deck="Down Worm Knee"), StepOnToes(1))

    assert "Down Worm" == hand(step.state, 1)
    assert [(1, 2)] == [(event.seat, event.count) for event in events(step, Drew)]
    assert [(1,)] == [event.audience for event in events(step, DrewCards)]


def test_ld_31_party_over_drawn_by_the_victim_is_the_thiefs() -> None:
    """It counts for the turn of the thief, and the victim still gets two cards."""
    step = act(table("Toes", "", floors=["", "Y"], deck="Down Over Worm"), StepOnToes(1))

    assert [0] == [event.seat for event in events(step, PartyOver)]
    assert "Down Worm" == hand(step.state, 1)
    assert 2 == step.state.last_round


def test_ld_32_the_thief_does_not_draw() -> None:
    """The deck loses the victim's two cards and no more."""
    end = after(table("Toes", "", floors=["", "Y"], deck="Down Worm Knee"), StepOnToes(1))

    assert "" == hand(end, 0)
    assert cards("Knee") == end.deck


def test_ld_33_step_on_toes_elsewhere() -> None:
    """Shown for a Spin it is a stumble; laid face-down by its owner it is blank."""
    shown = act(table("Spin", "Y", deck="Toes"), Dance(("spin",)))
    line = table("Y", "Toes", floors=["Conga", "M"], conga=(0,), turn=1)

    sat_out = after(line, SitOut("toes"))

    assert ["stumble"] == [event.reason for event in events(shown, Fell)]
    assert ["Conga1", "M |Toes"] == [text(each) for each in sat_out.floors]
    assert "Y" == hand(sat_out, 0)


def test_ld_33_step_on_toes_is_no_dance() -> None:
    """It cannot be laid face-up on the own floor."""
    assert "toes_cannot_dance" == refused(table("Toes", "Y"), Dance(("toes",)))


def test_ld_34_a_conga_line_card_keeps_its_value() -> None:
    """Being stepped on takes nothing from what was danced before."""
    end = after(table("Toes", "", floors=["", "Conga3 Y"], deck="Down Worm"), StepOnToes(1))

    assert "Conga3 Y |Toes" == text(end.floors[1])
    assert 3 == worth(text(end.floors[1]))


def test_ld_35_only_two_answers_to_a_conga_line() -> None:
    """While a line is open nothing but following and sitting out is possible."""
    state = table("Y", "Toes Conga Y", "Y", floors=["Conga", "", "M"], conga=(0,), turn=1)

    assert {Follow(), SitOut("toes"), SitOut("conga"), SitOut("y")} == set(GAME.legal(state, 1))
    assert "line_is_open" == refused(state, StepOnToes(2))
    assert "line_is_open" == refused(state, Dance(("conga",)))
    assert "line_is_open" == refused(state, Renew("y", ()))
