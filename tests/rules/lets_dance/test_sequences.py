"""Sequences, breaks and their flourishes: LD-21 to LD-26."""

from __future__ import annotations

import pytest

from rules.lets_dance import Sheet
from rules.lets_dance.scoring import final_sheets
from tests.rules.lets_dance.build import floor, sheet


def ended(*floors: str) -> tuple[Sheet, ...]:
    """Score floors at the end of a game."""
    return final_sheets([floor(each) for each in floors])


@pytest.mark.parametrize(
    ("text", "longest"), [("Euphoria Fever Conga2 Y", 4), ("Y M | C", 2), ("Y | M C A", 3), ("", 0)]
)
def test_ld_21_every_face_up_card_counts_for_length(text: str, longest: int) -> None:
    """A sequence is any run of face-up cards, whatever they are."""
    assert longest == sheet(text).longest


def test_ld_22_two_breaks_in_a_row() -> None:
    """No sequence lies between them, and each is a break."""
    seen = sheet("Y | | M")

    assert (1, 2) == (seen.longest, seen.breaks)


def test_ld_23_no_machine_without_a_card() -> None:
    """If nobody danced a card nobody is Dance Machine."""
    assert [0, 0] == [seen.machine for seen in ended("", "|")]


def test_ld_24_two_longest_sequences_are_rewarded_once() -> None:
    """Five points a player, also for a tie with oneself; tied players get them alike."""
    assert [5, 5, 0] == [seen.machine for seen in ended("Y M | C A", "Down Down", "Y")]


def test_ld_25_no_pooper_without_a_break() -> None:
    """If nobody sat one out nobody loses points."""
    assert [0, 0] == [seen.pooper for seen in ended("Y", "")]


def test_ld_26_every_face_down_card_is_a_break() -> None:
    """Cards laid by oneself and by others count alike; tied players lose alike."""
    assert [-5, -5, 0] == [seen.pooper for seen in ended("| Y |", "|Worm Y |Spin", "| Y")]
