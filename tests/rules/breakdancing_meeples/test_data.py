"""The house deck, decks of others, and what is said of a mistake in one."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import pytest

from rules.breakdancing_meeples import GAME, HOUSE_DECK, BreakdancingMeeples, Roll, read_deck
from rules.breakdancing_meeples.deck import FIXED
from rules.core.contract import Ctx, Refusal
from rules.core.rng import Rng
from tests.rules.breakdancing_meeples.build import roll, table

HOUSE = files("rules.data").joinpath("breakdancing_meeples.toml").read_text(encoding="utf-8")

SMALL = """# A deck of our own
[deck]
schema = 1
game = "breakdancing_meeples"
title = "Small"

[stance_weights]
back = 0.25
feet = 0.25
side = 0.25
head = 0.25

[[round_options]]
seconds = 30
min_roll_interval_seconds = 2

[[starters]]
key = "one"
name = "One"
kind = "routine"
copies = 4
slots = ["feet"]
squares = [1, 2]

[[starters]]
key = "two"
name = "Two"
kind = "routine"
copies = 4
slots = [
    "side",  # of two lines
    "any",
]
squares = [3]

[[routines]]
key = "three"
name = "Three"
kind = "routine"
copies = 2
slots = ["head"]
squares = [1, 2, 3, 4, 5, 6, 7]

[[rallies]]
key = "four"
name = "Four"
copies = 1
cost = 0
condition = "three_same_stance_locked"
same_stance = 3
text = "Three."
squares = [5]
"""


def test_the_house_deck_is_that_of_the_box() -> None:
    """8 starters in 2 kinds, 23 further Routines with 3 Matching Pairs, 5 Rallies."""
    data = tomllib.loads(HOUSE)

    assert [row["copies"] for row in data["starters"]] == [4, 4]
    assert sum(row["copies"] for row in data["routines"]) == 23
    assert sum(card.kind == "matching_pair" for card in HOUSE_DECK.remix) == 3
    assert sum(card.kind == "rally" for card in HOUSE_DECK.remix) == 5
    assert all(1 <= len(card.slots) <= 6 for card in HOUSE_DECK.remix if card.kind == "routine")
    assert {name: data["deck"][name] for name in FIXED} == FIXED


def test_the_house_says_what_is_its_own() -> None:
    """Every card and every chance is marked."""
    data = tomllib.loads(HOUSE)
    marked = [*data["starters"], *data["routines"], *data["rallies"], data["stance_weights"], data["deck"]]

    assert {each["source"] for each in (*marked, *data["times"].values())} == {"house"}


def test_a_deck_of_ones_own() -> None:
    """Its cards, odds and lengths make another game, with a rules version of its own."""
    own = GAME.with_deck(SMALL)

    assert own.deck.title == "Small"
    assert own.deck.weights == (250_000,) * 4
    assert [card.key for card in own.deck.remix] == ["three", "three", "four"]
    assert len(own.deck.remix[0].squares) == 7
    assert own.deck.remix[2].needs == 3
    assert [choice.key for choice in own.spec.options[0].choices] == ["30"]
    assert (own.spec.key, own.spec.title) == (GAME.spec.key, GAME.spec.title)
    assert own.spec.rules_version == (GAME.spec.rules_version << 32) + own.deck.checksum
    state = own.setup(2, {}, Ctx(0, Rng(bytes(16), "deal"))).state
    assert (state.round_ms, state.interval_ms, state.deck_title) == (30_000, 2_000, "Small")
    assert own.view(state, None).public.deck_title == "Small"
    assert GAME.spec.rules_version == 1


def test_the_house_deck_as_ones_own_is_the_house_deck() -> None:
    """The same cards are the same rules, and any other value makes others."""
    assert GAME.with_deck(HOUSE).spec == GAME.spec
    other = HOUSE.replace("squares = [15]", "squares = [16]")
    assert GAME.with_deck(other).spec.rules_version != GAME.spec.rules_version
    assert read_deck(HOUSE.replace("\n", "\r\n")) == HOUSE_DECK


def test_a_game_goes_on_with_the_cards_it_was_dealt() -> None:
    """A state carries them, so any instance plays it the same."""
    state = table()

    assert isinstance(GAME.with_deck(SMALL), BreakdancingMeeples)
    step = GAME.with_deck(SMALL).apply(state, 0, Roll(1), Ctx(30_000, Rng(bytes(16), "test 30000")))
    assert step == GAME.apply(state, 0, Roll(1), Ctx(30_000, Rng(bytes(16), "test 30000")))
    assert roll(state, "BBBBBB").state.deck == state.deck


def test_other_lengths_are_no_options() -> None:
    """The options are those of the deck."""
    assert [choice.key for choice in GAME.spec.options[0].choices] == ["60", "90", "120", "180"]
    with pytest.raises(Refusal):
        GAME.with_deck(SMALL).setup(2, {"round": "60"}, Ctx(0, Rng(bytes(16), "deal")))


MISTAKES = [
    ("schema = 1", "schema = 2", 3, "schema has to be 1"),
    ('game = "breakdancing_meeples"', 'game = "chess"', 4, "game has to be"),
    ('title = "Small"', "", 2, "missing key 'title'"),
    ('title = "Small"', 'title = "Small"\ncolour = 1', 6, "unknown key 'colour'"),
    ('title = "Small"', 'title = "Small"\ndance_offs = 5', 6, "dance_offs has to be 4"),
    ('title = "Small"', 'title = "Small"\nround_seconds = 60', 6, "round_seconds has to be that of the first"),
    ('title = "Small"', "title = Small", 5, "Invalid value"),
    ('title = "Small"', 'title = "Small', 5, "Illegal character"),
    ('title = "Small"', 'title = ""', 5, "one line of text"),
    ("[stance_weights]", "[stance_weight]", 7, "unknown key 'stance_weight'"),
    ("back = 0.25", "back = 0.35", 7, "add up to 1, not 1.1"),
    ("back = 0.25", "back = -0.25", 8, "back has to be a number from 0 to 1"),
    ("back = 0.25", "back = nan", 8, "back has to be a number"),
    ("back = 0.25", "back = 0.2500001", 8, "at most six decimal places"),
    ("back = 0.25", 'back = "a lot"', 8, "back has to be a number"),
    ("back = 0.25", "belly = 0.25", 8, "unknown key 'belly'"),
    ("back = 0.25", "", 7, "missing key 'back'"),
    ("seconds = 30", "seconds = 30.5", 14, "seconds has to be a whole number"),
    ("seconds = 30", "seconds = 5", 14, "whole number from 10 to 900"),
    ("_seconds = 2\n", "_seconds = 0.1\n", 15, "a number from 0.5 to 60"),
    ("_seconds = 2\n", "_seconds = 1.0005\n", 15, "at most three decimal places"),
    (
        "_seconds = 2\n",
        "_seconds = 2\n[[round_options]]\nseconds = 30\nmin_roll_interval_seconds = 3\n",
        17,
        "two options of 30",
    ),
    ("copies = 4", "copies = 3", 21, "one: a starter needs at least 4 copies"),
    ('kind = "routine"', 'kind = "dance"', 20, "one: kind unknown 'dance'"),
    ('slots = ["feet"]', 'slots = ["belly"]', 22, "one: slots unknown 'belly'"),
    ('slots = ["feet"]', 'slots = ["back"]', 22, "one: slots unknown 'back'"),
    ('slots = ["feet"]', "slots = []", 22, "one: a Routine needs slots"),
    ('slots = ["feet"]', 'slots = ["any","any","any","any","any","any","any"]', 22, "at most 6 entries, not 7"),
    ('slots = ["feet"]', 'slots = "feet"', 22, "slots has to be a list"),
    ("squares = [1, 2]", "squares = []", 23, "one: a Routine needs squares"),
    ("squares = [1, 2]", "squares = [2, 1]", 23, "one: squares must not decrease"),
    ("squares = [1, 2]", "squares = [1, -2]", 23, "squares has to be a whole number"),
    ("squares = [1, 2]", "squares = [1, true]", 23, "squares has to be a whole number"),
    ("squares = [1, 2]", "squares = [1, 2]\ncost = 3", 24, "one: unknown key 'cost'"),
    ("squares = [3]", "squares = [3.5]", 34, "two: squares has to be a whole number"),
    ('name = "Two"', "name = 2", 27, "two: name has to be one line of text"),
    ('key = "two"', 'key = "one"', 26, "two cards with the key 'one'"),
    ('key = "three"', 'key = "Three"', 37, "key has to be made of small letters"),
    ('key = "three"', "", 36, "routines 1: missing key 'key'"),
    ("copies = 2", "copies = 0", 40, "three: copies has to be a whole number from 1 to 20"),
    ('kind = "routine"\ncopies = 2', 'kind = "matching_pair"\ncopies = 2', 41, "a Matching Pair card has no slots"),
    ("cost = 0", "cost = -1", 48, "four: cost has to be a whole number from 0"),
    ('condition = "three_same_stance_locked"', 'condition = "rain"', 49, "four: condition unknown 'rain'"),
    ("same_stance = 3", "", 44, "four: missing key 'same_stance'"),
    ("same_stance = 3", "min_rolled = 3", 50, "four: unknown key 'min_rolled'"),
    ("squares = [5]", "squares = []", 52, "four: squares must not be empty"),
    ("squares = [5]", "squares = [5, 4]", 52, "four: squares must not decrease"),
    ("[[rallies]]", "[rallies]", 44, "rallies has to be a list"),
    ("[[rallies]]", "[[starters]]", 17, "starters may have at most 2 entries, not 3"),
    ("[[routines]]", "[[rallies]]", 1, "missing key 'routines'"),
]


@pytest.mark.parametrize(("old", "new", "line", "reason"), MISTAKES)
def test_a_mistake_is_named_with_its_line(old: str, new: str, line: int, reason: str) -> None:
    """Whatever is wrong with a deck, whoever wrote it is told where and why."""
    assert old in SMALL

    with pytest.raises(ValueError, match=r"^line \d+: ") as caught:
        GAME.with_deck(SMALL.replace(old, new, 1))

    assert str(caught.value).startswith(f"line {line}: ")
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    "text", ["", "\x00", "a = ", "x = [" * 2_000, "deck = 1", "[[deck]]", "x = 1e999999999", "[a.b]"]
)
def test_any_text_is_answered_with_a_sentence(text: str) -> None:
    """Nothing but a ValueError with a line comes of rubbish."""
    with pytest.raises(ValueError, match=r"^line \d+: ."):
        read_deck(text)


def test_a_matching_pair_is_no_starter() -> None:
    """Each crew needs something to complete."""
    text = SMALL.replace(
        'kind = "routine"\ncopies = 4\nslots = ["feet"]\nsquares = [1, 2]',
        'kind = "matching_pair"\ncopies = 4\nslots = []\nsquares = []',
        1,
    )

    with pytest.raises(ValueError, match="line 20: one: a starter has to be an ordinary Routine"):
        read_deck(text)


def test_a_deck_may_be_small() -> None:
    """Fewer cards than three Remixes deal, no Rallies, the same number as an inline table."""
    start, _, _ = SMALL.partition("[[rallies]]")

    assert len(read_deck(start).remix) == 2


def test_lines_are_counted_past_strings_and_lists_of_many_lines() -> None:
    """What looks like a table inside of a string is none."""
    text = SMALL.replace('title = "Small"', 'title = "Small"\nnote = "one # [deck]"', 1)
    assert read_deck(text).title == "Small"
    tricky = 'title = """\n[[starters]]\nkey = 1\n"""\n' + SMALL.replace("copies = 2", "copies = 99")
    with pytest.raises(ValueError, match=r"^line 44: three: copies"):
        read_deck(tricky)
