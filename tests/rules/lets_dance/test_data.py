"""The data file: complete, and in step with what the rules pages say."""

from __future__ import annotations

from rules.core.discovery import load_data
from rules.lets_dance import CARD, CARDS, SCORING

DATA = load_data("lets_dance")


def test_every_ruling_has_its_words() -> None:
    """LD-1 to LD-87, in order, one or two short sentences each."""
    assert [f"LD-{number}" for number in range(1, 88)] == [ruling["id"] for ruling in DATA["ruling"]]
    assert all(0 < len(ruling["text"]) <= 200 for ruling in DATA["ruling"])


def test_every_section_fits_a_phone() -> None:
    """Title and text, short enough for one screen."""
    assert all(section["title"] and len(section["text"]) < 900 for section in DATA["section"])


def test_house_values_are_marked() -> None:
    """Only The Shuffle's value is printed in the rulebook; the small deck is ours throughout."""
    assert ["down", "cowboy", "robot"] == [card.key for card in CARDS if card.house]
    assert {"house"} == {entry["small"]["source"] for entry in DATA["card"] if entry["key"] != "over"}


def test_sections_name_the_numbers_in_use() -> None:
    """The texts for players say the values that are scored."""
    said = " ".join(section["text"] for section in DATA["section"])

    assert all(f"{card.name} {card.points}" in said for card in CARDS if card.points)
    assert "one {}, two {}, three {}".format(*SCORING.spin) in said
    assert "one {}, two {}, three {}".format(*SCORING.floorwork) in said
    assert f"{SCORING.ymca}, or {SCORING.ymca_in_order} if" in said
    assert f"**Dance Machine, +{SCORING.dance_machine}**" in said
    assert f"**Big Finish, +{SCORING.big_finish}**" in said
    assert f"**Party Pooper, {SCORING.party_pooper}**" in said


def test_house_note_names_the_small_deck() -> None:
    """What the note says of the small deck is what is dealt."""
    note = next(section["house"] for section in DATA["section"] if section["title"] == "Setting up")
    counts = {
        family: sum(card.small_copies for card in CARDS if card.family == family)
        for family in {card.family for card in CARDS}
    }

    assert "36 of them" in note
    assert 36 == sum(card.copies - card.small_copies for card in CARDS)
    assert f"{counts['basic']} basic moves, {counts['floorwork']} floorwork, {counts['ymca']} letters" in note
    assert f"{counts['spin']} Spins, {counts['conga']} Conga Lines, {counts['euphoria']} Euphorias" in note
    assert f"{counts['fever']} Dance Fevers and {counts['toes']} Steps on Toes" in note


def test_short_names_are_unique() -> None:
    """A floor can be read back from its short names."""
    assert len(CARDS) == len(CARD) == len({card.short for card in CARDS})
