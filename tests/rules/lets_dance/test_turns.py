"""The actions of a turn: LD-7 to LD-20."""

from __future__ import annotations

from itertools import permutations

import pytest

from rules.lets_dance import (
    GAME,
    Action,
    Dance,
    Drew,
    DrewCards,
    Keep,
    Pass,
    Renew,
    Replenish,
    SitOut,
    StepOnToes,
    Stepped,
    preview,
)
from tests.rules.lets_dance.build import act, after, cards, events, final, hand, refused, table, text


@pytest.mark.parametrize("group", ["Down Cowboy Shuffle", "Backspin Worm Knee", "A M Y", "Spin Spin Spin"])
def test_ld_7_a_family_dances_together(group: str) -> None:
    """Different cards of one family make a group."""
    state = table(group, "Y", deck="Down " * 9)

    end = after(state, Dance(cards(group)))

    assert group == text(end.floors[0])


@pytest.mark.parametrize("group", ["Down Worm", "Y Spin", "Conga Robot", "Worm Y Fever"])
def test_ld_7_two_families_do_not_mix(group: str) -> None:
    """Cards of two families are no group."""
    assert "mixed_families" == refused(table(group, "Y"), Dance(cards(group)))


@pytest.mark.parametrize("group", ["Down Down Down Down", "Down Down Down Fever", "Euphoria Y M C"])
def test_ld_8_three_cards_at_most_with_the_extra(group: str) -> None:
    """Euphoria or Dance Fever is one of the three cards."""
    assert "too_many_cards" == refused(table(group, "Y"), Dance(cards(group)))


@pytest.mark.parametrize(
    "group", ["Euphoria Down Fever", "Euphoria Fever", "Fever Fever", "Fever Down Fever", "Euphoria Euphoria"]
)
def test_ld_9_one_extra_a_turn(group: str) -> None:
    """Never two of Euphoria and Dance Fever in one turn."""
    assert "two_extras" == refused(table(group, "Y"), Dance(cards(group)))


@pytest.mark.parametrize("extra", ["Euphoria", "Fever"])
def test_ld_10_an_extra_may_dance_alone(extra: str) -> None:
    """Euphoria or Dance Fever alone is a Dance."""
    end = after(table(extra, "Y", deck="M"), Dance(cards(extra)))

    assert extra == text(end.floors[0])
    assert "M" == hand(end, 0)


@pytest.mark.parametrize("order", sorted(permutations(["Robot", "Shuffle", "Fever"])))
def test_ld_11_the_player_chooses_the_order(order: tuple[str, ...]) -> None:
    """Every order of a group is legal and lies as it was chosen."""
    state = table("Robot Shuffle Fever", "Y")
    chosen = Dance(cards(" ".join(order)))

    assert chosen in GAME.legal(state, 0)
    assert " ".join(order) == text(after(state, chosen).floors[0])


def test_ld_11_four_letters_and_a_fever_make_85_plays() -> None:
    """Each order of each group is listed once, 85 in the largest hand."""
    plays = [action for action in GAME.legal(table("Y M C A Fever", "Y"), 0) if isinstance(action, Dance)]

    assert 85 == len(plays) == len(set(plays))


def test_ld_12_what_lies_stays() -> None:
    """New cards go to the right end, and a preview says before what they do."""
    state = table("Fever", "Y", floors=["Spin Spin"])

    seen = preview(GAME.view(state, 0), 0, Dance(("fever",)))

    assert (5, 10) == (seen.before, seen.after)
    assert "Spin Spin Fever" == text(after(state, Dance(("fever",))).floors[0])


def test_ld_13_a_dance_ends_with_one_card() -> None:
    """Two cards danced are replaced by one: everyone sees how many, the dancer which."""
    step = act(table("Down Robot Y", "Y", deck="Worm Knee"), Dance(cards("Down Robot")))

    assert "Worm Y" == hand(step.state, 0)
    assert [(0, 1, None)] == [(event.seat, event.count, event.audience) for event in events(step, Drew)]
    assert [(("worm",), (0,))] == [(event.cards, event.audience) for event in events(step, DrewCards)]


def test_ld_13_step_on_toes_draws_nothing() -> None:
    """The thief's hand has the stolen card and no other new one."""
    end = after(table("Toes Y", "M", floors=["", "Y"], deck="Worm Knee Spin"), StepOnToes(1))

    assert "Y M" == hand(end, 0)


@pytest.mark.parametrize(
    "moves",
    [
        (Dance(("fever",)),),
        (Replenish(),),
        (Renew("y", ()),),
        (StepOnToes(1), Keep("worm")),
        (Dance(("conga",)), SitOut("worm"), Replenish()),
        (Dance(("spin", "fever")),),
    ],
)
def test_ld_14_no_hand_grows_beyond_five(moves: tuple[Action, ...]) -> None:
    """After every kind of turn each hand has five cards at most; a fall gives cards back."""
    start = table("Toes Conga Spin Fever Y", "Worm Knee M C A", floors=["", "Y"], deck="Toes " + "Down " * 20)
    if moves == (Replenish(),):
        start = table("Y", "Worm", deck="Down " * 20)

    end = after(start, *moves)

    assert max(map(len, end.hands)) == 5


@pytest.mark.parametrize("cards_held", ["", "Y", "Y M C A", "Y M C A Spin"])
def test_ld_15_no_pass_before_the_final_round(cards_held: str) -> None:
    """There is something to do with any hand, and passing is none of it."""
    state = table(cards_held, "Y")

    assert GAME.legal(state, 0)
    assert "cannot_pass" == refused(state, Pass())


def test_ld_16_an_empty_hand_only_replenishes() -> None:
    """Nothing else is possible; the hand is five again."""
    state = table("", "Y", deck="Y M C A Spin Spin", floors=["", "Y"])

    assert [Replenish()] == GAME.legal(state, 0)
    assert "Y M C A Spin" == hand(after(state, Replenish()), 0)


def test_ld_16_an_empty_hand_only_passes_in_the_final_round() -> None:
    """Without cards and without drawing nothing is left."""
    assert [Pass()] == GAME.legal(final("", "Y", floors=["", "Y"]), 0)


def test_ld_17_five_cards_cannot_replenish() -> None:
    """Replenish is for hands of fewer than five."""
    state = table("Y M C A Spin", "Y", deck="Y")

    assert "hand_is_full" == refused(state, Replenish())
    assert Replenish() not in GAME.legal(state, 0)


@pytest.mark.parametrize(
    ("held", "face_down", "drop", "end_hand"),
    [
        ("Y M C A Spin", "Y", "", "Down M C A Spin"),
        ("Y M C A Spin", "Y", "M C A Spin", "Down Cowboy Robot Shuffle Worm"),
        ("Y M", "M", "", "Down Cowboy Robot Shuffle Y"),
        ("Y", "Y", "", "Down Cowboy Robot Shuffle Worm"),
    ],
)
def test_ld_18_renew_drops_any_number(held: str, face_down: str, drop: str, end_hand: str) -> None:
    """One card goes face-down, none or more are dropped, and the hand is filled up."""
    state = table(held, "Y", deck="Down Cowboy Robot Shuffle Worm")

    end = after(state, Renew(cards(face_down)[0], cards(drop)))

    assert end_hand == hand(end, 0)
    assert f"|{face_down}" == text(end.floors[0])
    assert cards(drop) == end.discards


def test_ld_18_an_empty_hand_cannot_renew() -> None:
    """There is no card to lay."""
    assert "not_in_hand" == refused(table("", "Y"), Renew("y", ()))


def test_ld_19_any_card_may_go_face_down() -> None:
    """Step on Toes and Conga Line too, without effect or value."""
    state = table("Toes Conga Y Spin Fever", "Y", floors=["Down", "Y"], deck="Down " * 9)

    ends = [after(state, Renew(card, ())) for card in state.hands[0]]

    assert ["|Y", "|Spin", "|Conga", "|Fever", "|Toes"] == [text(end.floors[0][1:]) for end in ends]
    assert {(1, ())} == {(GAME.view(end, None).public.floors[0].sheet.worth, end.conga) for end in ends}
    assert {"Y"} == {text(end.floors[1]) for end in ends}


def test_ld_20_a_renewed_card_is_secret() -> None:
    """Only its owner sees which card lies face-down after a Renew or a Sit Out."""
    renewed = after(table("Y Spin", "M", deck="Down " * 9), Renew("spin", ()))
    sat_out = after(table("M", "Spin", conga=(0,), floors=["Conga"], turn=1), SitOut("spin"))

    for state, owner in ((renewed, 0), (sat_out, 1)):
        seen = GAME.view(state, 1 - owner).public.floors[owner].laid[-1]
        mine = GAME.view(state, owner).own

        assert ("", True, False) == (seen.card, seen.down, seen.public)
        assert mine is not None
        assert ("spin",) == mine.face_down


def test_ld_20_what_was_seen_face_down_is_public() -> None:
    """A Step on Toes by an opponent and the first card of a fall were seen by all."""
    stepped = act(table("Toes", "", floors=["", "Y"]), StepOnToes(1))
    fell = after(table("Spin", "Y", deck="Toes"), Dance(("spin",)))

    assert 1 == len(events(stepped, Stepped))
    assert "toes" == GAME.view(stepped.state, None).public.floors[1].laid[-1].card
    assert "toes" == GAME.view(fell, None).public.floors[0].laid[-1].card
