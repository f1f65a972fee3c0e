"""The data file: complete, and in step with what the rules pages say."""

from __future__ import annotations

from rules.core.discovery import load_data
from rules.lambada import CARDS, COLOURS, TOKENS
from rules.lambada.cards import BETWEEN_MS, DECK, HAND_SIZE, TOO_MANY, WINDOW_MS, rounds_to_win
from rules.lambada.verdict import FINE

DATA = load_data("lambada")
SAID = " ".join(section["text"] for section in DATA["section"])


def test_every_ruling_has_its_words() -> None:
    """LB-1 to LB-49, in order, a few short sentences each."""
    assert [f"LB-{number}" for number in range(1, 50)] == [ruling["id"] for ruling in DATA["ruling"]]
    assert all(0 < len(ruling["text"]) <= 200 for ruling in DATA["ruling"])


def test_every_section_fits_a_phone() -> None:
    """Title and text, short enough for one screen."""
    assert all(section["title"] and len(section["text"]) < 900 for section in DATA["section"])


def test_cards_and_tokens_are_complete() -> None:
    """35 kinds make 56 cards in seven colours, and there are eight tokens; every key is unique."""
    assert (35, 56, 7, 8) == (len({card.key for card in CARDS}), len(DECK), len(COLOURS), len(TOKENS))
    assert "Red A" == next(card.name for card in CARDS if card.key == "red_a")


def test_house_values_are_marked() -> None:
    """Times and the pictures on the tokens are ours, and the sections say so."""
    notes = " ".join(section.get("house", "") for section in DATA["section"])

    assert {"house"} == {entry["source"] for entry in (*DATA["times"].values(), *DATA["token"])}
    assert f"{WINDOW_MS // 1000} seconds" in notes
    assert f"{BETWEEN_MS // 1000} seconds" in notes
    assert "tokens show" in notes


def test_sections_name_the_numbers_in_use() -> None:
    """The texts for players say the values that are played with."""
    assert f"**{HAND_SIZE} cards**" in SAID
    assert f"**Non-matching**: the colour did not show. Draw {FINE['non_matching']}," in SAID
    assert f"show it. Draw {FINE['fifth']}," in SAID
    assert f"be it on the word or not. Draw {FINE['forbidden']}," in SAID
    assert 5 == TOO_MANY
    assert "five letters or more" in SAID
    assert f"at least {WINDOW_MS // 1000} seconds" in SAID
    assert f"**{rounds_to_win(4)} tokens** win the match, with 5 or 6 players **{rounds_to_win(5)}**" in SAID
