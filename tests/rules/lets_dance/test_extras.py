"""Euphoria and Dance Fever: LD-62 to LD-70, and the worked examples."""

from __future__ import annotations

import pytest

from rules.lets_dance import GAME, Dance, Danced, Renew
from rules.lets_dance.scoring import final_sheets
from tests.rules.lets_dance.build import act, after, cards, events, floor, refused, sheet, table, text, worth


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("Spin Spin | Fever", 5),
        ("Spin Spin Spin Spin", 11),
        ("Spin Spin Spin Spin Fever", 13),
        ("Euphoria Shuffle Spin Spin", 11),
        ("Euphoria Shuffle Fever", 8),
        ("A M C Y", 10),
        ("Y A M C A", 15),
        ("Y M C A A C M Y", 25),
        ("Worm Worm Worm Backspin", 5),
        ("Worm Worm Backspin Knee", 7),
    ],
)
def test_worked_examples(text: str, points: int) -> None:
    """Floors reckoned by hand."""
    assert points == worth(text)


def test_worked_example_fever_on_the_next_turn() -> None:
    """Two Spins and, a turn later, a Dance Fever are worth 10."""
    state = table("Spin Spin Fever", "", deck="Y Y Y Y Y Y Y Y Y Y")
    spun = after(state, Dance(cards("Spin Spin")))
    again = after(spun, *GAME.legal(spun, 1))

    step = act(again, Dance(("fever",)))

    assert 10 == worth(text(step.state.floors[0]))
    assert [5] == [event.gained for event in events(step, Danced)]


def test_ld_62_one_euphoria_a_sequence() -> None:
    """A second one is refused in the same sequence, alone or in a group."""
    state = table("Euphoria Y", "Y", floors=["Euphoria Y"])

    assert "second_euphoria" == refused(state, Dance(("euphoria",)))
    assert "second_euphoria" == refused(state, Dance(("y", "euphoria")))
    assert [Dance(("y",))] == [action for action in GAME.legal(state, 0) if isinstance(action, Dance)]


def test_ld_62_euphoria_again_after_a_break() -> None:
    """A new sequence may have its own, and face-down it always may lie."""
    broken = table("Euphoria", "Y", floors=["Euphoria Y |"])
    going = table("Euphoria", "Y", floors=["Euphoria Y"])

    assert "Euphoria Y |Toes Euphoria" == text(after(broken, Dance(("euphoria",))).floors[0])
    assert "Euphoria Y |Euphoria" == text(after(going, Renew("euphoria", ())).floors[0])


@pytest.mark.parametrize(
    ("text", "bonus"),
    [
        ("Euphoria Fever Conga2 Y Worm", 4),
        ("Y M Euphoria C", 1),
        ("Euphoria Y | M C", 1),
        ("Euphoria Y | Euphoria M C", 3),
    ],
)
def test_ld_63_every_card_to_the_right_scores_one_more(text: str, bonus: int) -> None:
    """Of whatever kind, up to the end of the sequence."""
    assert bonus == sheet(text).euphoria


def test_ld_63_the_rest_of_the_group_counts() -> None:
    """Cards danced together with Euphoria, to its right, have the bonus."""
    gained = [
        events(act(table("Euphoria Y M", "Y"), Dance(cards(group))), Danced)[0].gained
        for group in ("Euphoria Y M", "Y Euphoria M", "Y M Euphoria")
    ]

    assert [2, 1, 0] == gained


def test_ld_64_euphoria_is_worth_nothing_itself() -> None:
    """Neither value nor a bonus to itself."""
    assert 0 == worth("Euphoria")


def test_ld_65_fever_does_not_double_the_bonus() -> None:
    """Shuffle and Dance Fever after a Euphoria: 3 doubled, and 1 for each card."""
    seen = sheet("Euphoria Shuffle Fever")

    assert ((3,), (3,), 2) == (seen.basic, seen.fever, seen.euphoria)


def test_ld_66_fever_doubles_the_set_whenever_danced() -> None:
    """The Spins may come from earlier turns."""
    step = act(table("Fever", "Y", floors=["Y Spin Spin Spin"]), Dance(("fever",)))

    assert [9] == [event.gained for event in events(step, Danced)]


@pytest.mark.parametrize(("run", "adds"), [(1, 2), (2, 5), (3, 9), (4, 2), (5, 5), (6, 9)])
def test_ld_67_fever_doubles_the_last_set(run: int, adds: int) -> None:
    """In a long run only the last set of the cut is doubled."""
    assert (adds,) == sheet("Spin " * run + "Fever").fever


def test_ld_68_fever_doubles_one_basic_move() -> None:
    """Only the move right before it, not others further left."""
    assert (2,) == sheet("Shuffle Shuffle Cowboy Fever").fever


@pytest.mark.parametrize(
    "text", ["Fever", "Y Fever", "Worm Fever", "Euphoria Fever", "Shuffle | Fever", "Spin | Fever"]
)
def test_ld_69_fever_after_nothing_it_can_double(text: str) -> None:
    """It adds nothing."""
    assert (0,) == sheet(text).fever


def test_ld_69_fever_after_a_fever() -> None:
    """The second one adds nothing."""
    assert (3, 0) == sheet("Shuffle Fever Fever").fever


def test_ld_70_big_finish() -> None:
    """A face-up Dance Fever lies last; a later break spoils it, and many may have it."""
    floors = [floor(each) for each in ("Fever", "Y | Fever", "Fever |", "Fever Y", "|Fever", "")]

    assert [5, 5, 0, 0, 0, 0] == [seen.finish for seen in final_sheets(floors)]
