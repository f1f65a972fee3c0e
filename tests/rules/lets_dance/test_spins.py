"""Spins and falls: LD-51 to LD-61."""

from __future__ import annotations

import pytest

from rules.lets_dance import GAME, Dance, Danced, Drew, Fell, PartyOver, Reshuffled, SpinHeld
from tests.rules.lets_dance.build import act, after, cards, events, final, hand, sheet, table, text, worth

SPIN = Dance(("spin",))


def spins(count: int, shown: str, floor: str = "") -> list[Fell]:
    """Dance *count* Spins while the deck shows *shown*; return the fall, if any."""
    state = table("Spin " * count, "Y", floors=[floor], deck=f"{shown} {'Down ' * 9}")
    return events(act(state, Dance(("spin",) * count)), Fell)


@pytest.mark.parametrize(
    ("floor", "sets"),
    [
        ("Spin", (2,)),
        ("Spin " * 2, (5,)),
        ("Spin " * 3, (9,)),
        ("Spin " * 4, (9, 2)),
        ("Spin " * 5, (9, 5)),
        ("Spin " * 6, (9, 9)),
    ],
)
def test_ld_51_long_runs_are_cut_from_the_left(floor: str, sets: tuple[int, ...]) -> None:
    """A fourth Spin is legal and begins a new set."""
    assert sets == sheet(floor).spin


def test_ld_51_a_fourth_spin_may_be_danced() -> None:
    """Nothing stops a run of Spins from growing."""
    assert SPIN in GAME.legal(table("Spin", "Y", floors=["Spin Spin Spin"]), 0)


@pytest.mark.parametrize(
    ("floor", "sets"),
    [
        ("Spin Y Spin", (2, 2)),
        ("Spin Euphoria Spin", (2, 2)),
        ("Spin Fever Spin", (2, 2)),
        ("Spin | Spin Spin", (2, 5)),
    ],
)
def test_ld_52_anything_between_parts_a_run(floor: str, sets: tuple[int, ...]) -> None:
    """Only Spins side by side are a set."""
    assert sets == sheet(floor).spin


def test_ld_52_a_run_grows_over_turns() -> None:
    """A Spin danced later joins the one that lies there."""
    step = act(table("Spin", "Y", floors=["Spin"], deck="Y Y"), SPIN)

    assert [3] == [event.gained for event in events(step, Danced)]


@pytest.mark.parametrize(
    ("count", "shown", "falls"),
    [
        (1, "Spin", False),
        (2, "Spin Y", False),
        (2, "Spin Spin", True),
        (3, "Y Y Spin", True),
        (3, "Y Y Y", False),
        (1, "Toes", True),
        (3, "Y Y Toes", True),
    ],
)
def test_ld_53_four_spins_danced_and_shown_make_dizzy(count: int, shown: str, falls: bool) -> None:
    """Spins danced now and shown are added; a Step on Toes makes anyone stumble."""
    assert falls == bool(spins(count, shown))


def test_ld_53_dizzy_counts_only_spins_of_this_turn() -> None:
    """Spins that lie on the floor do not count, so a single Spin never makes dizzy."""
    assert [] == spins(1, "Spin", floor="Spin Spin Spin")


@pytest.mark.parametrize(
    ("count", "shown", "seen", "reason"),
    [
        (3, "Toes Y Y", "Toes", "stumble"),
        (3, "Y Spin Toes", "Y Spin", "dizzy"),
        (2, "Spin Toes", "Spin Toes", "stumble"),
    ],
)
def test_ld_54_revealing_stops_at_a_fall(count: int, shown: str, seen: str, reason: str) -> None:
    """Cards are shown one by one, no more than needed."""
    assert [(cards(seen), reason)] == [(fall.shown, fall.reason) for fall in spins(count, shown)]


def test_ld_54_as_many_cards_as_spins() -> None:
    """Who stays up has shown one card a Spin, which go to the discards."""
    step = act(table("Spin Spin", "Y", deck="Y M C A"), Dance(cards("Spin Spin")))

    assert [cards("Y M")] == [event.shown for event in events(step, SpinHeld)]
    assert cards("Y M") == step.state.discards
    assert ("C", "Spin Spin") == (hand(step.state, 0), text(step.state.floors[0]))


def test_ld_55_party_over_shown_is_replaced() -> None:
    """It leaves the game, starts the end, and never lies on a floor."""
    step = act(table("Spin", "Y", deck="Over Toes Y"), SPIN)

    assert [0] == [event.seat for event in events(step, PartyOver)]
    assert [cards("Toes")] == [event.shown for event in events(step, Fell)]
    assert "|Toes" == text(step.state.floors[0])
    assert 2 == step.state.last_round


def test_ld_56_reshuffle_while_revealing() -> None:
    """The discards become the deck, without the cards shown and the Spins being tried."""
    step = act(table("Spin Spin", "Y", deck="Y", discards="M M M"), Dance(cards("Spin Spin")))

    assert [3] == [event.cards for event in events(step, Reshuffled)]
    assert [cards("Y M")] == [event.shown for event in events(step, SpinHeld)]
    assert ("M", cards("M"), cards("Y M")) == (hand(step.state, 0), step.state.deck, step.state.discards)


def test_ld_56_nothing_left_to_reveal() -> None:
    """The missing reveals are skipped and nobody falls for want of cards."""
    step = act(table("Spin Spin Spin", "Y", deck="Y"), Dance(cards("Spin Spin Spin")))

    assert [cards("Y")] == [event.shown for event in events(step, SpinHeld)]
    assert "Spin Spin Spin" == text(step.state.floors[0])


@pytest.mark.parametrize("extra", ["Fever", "Euphoria"])
def test_ld_57_the_extra_comes_back(extra: str) -> None:
    """After a fall Euphoria or Dance Fever is in the hand again, the Spins are discarded."""
    step = act(table(f"Spin Spin {extra}", "Y", deck="Toes Y"), Dance(cards(f"Spin {extra} Spin")))

    assert {"Y", extra} == set(hand(step.state, 0).split())
    assert cards("Spin Spin") == step.state.discards
    assert [cards(extra)] == [event.returned for event in events(step, Fell)]


def test_ld_57_everyone_knows_of_the_extra_that_came_back() -> None:
    """It stays where it is when hands are redrawn for an onlooker, until it is laid."""
    fell = after(table("Spin Fever", "Y", deck="Toes Y Y"), Dance(cards("Spin Fever")))

    assert [(0, "fever", -1)] == [(known.holder, known.card, known.witness) for known in fell.known]


@pytest.mark.parametrize(("shown", "down"), [("Toes", "Toes"), ("Knee Toes", "Knee"), ("Spin Spin", "Spin")])
def test_ld_58_the_first_card_shown_lies_face_down(shown: str, down: str) -> None:
    """Whatever it is, even the Step on Toes itself; the others are discarded."""
    end = after(table("Spin Spin", "Y", floors=["Y"], deck=f"{shown} Y"), Dance(cards("Spin Spin")))

    assert f"Y |{down}" == text(end.floors[0])
    assert sorted((*cards(shown)[1:], "spin", "spin")) == sorted(end.discards)


def test_ld_59_spins_on_the_floor_stay() -> None:
    """A fall ends the sequence and takes nothing from it."""
    end = after(table("Spin", "Y", floors=["Spin Spin"], deck="Toes Y"), SPIN)

    assert "Spin Spin |Toes" == text(end.floors[0])
    assert 5 == worth(text(end.floors[0]))


def test_ld_60_one_card_after_a_fall() -> None:
    """A fall ends with drawing one card, but not in the final round."""
    usual = act(table("Spin", "Y", deck="Toes M"), SPIN)
    last = act(final("Spin", "Y", deck="Toes M"), SPIN)

    assert ("M", [1]) == (hand(usual.state, 0), [event.count for event in events(usual, Drew)])
    assert ("", []) == (hand(last.state, 0), events(last, Drew))


def test_ld_61_the_limit_of_three_is_dizziness_and_no_other_rule() -> None:
    """Three Spins on the floor and three more are danced without a fall."""
    assert [] == spins(3, "Y Y Y", floor="Spin Spin Spin")
