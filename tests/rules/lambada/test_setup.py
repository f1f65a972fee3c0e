"""Setting up: LB-1 to LB-8, LB-31."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TypeVar

import pytest

from rules.core.contract import Ctx, Refusal
from rules.core.rng import Rng
from rules.lambada import CARD, CARDS, COLOURS, GAME, Dealt, DealtHand, State
from rules.lambada.cards import DECK
from rules.lambada.verdict import may_start
from tests.rules.lambada.build import REDS, after, cards, deal, events, expire, give, lay, table

T = TypeVar("T")


def starters(state: State) -> list[str]:
    """Return the cards on the word."""
    return [card for stack in state.board for card in stack]


def test_lb_1_four_a_and_one_of_each_consonant_in_every_colour() -> None:
    """56 cards: eight of each of seven colours, half of them A."""
    mix = {letter: sum(card.copies for card in CARDS if card.letter == letter) for letter in "lambd"}

    assert {"l": 7, "a": 28, "m": 7, "b": 7, "d": 7} == mix
    assert dict.fromkeys(COLOURS, 8) == dict(Counter(CARD[card].colour for card in DECK))
    assert Counter(DECK) == GAME.census(deal(4))


@pytest.mark.parametrize(
    ("two", "accepted"),
    [
        ("redL bluM", True),
        ("redA bluA", True),
        ("redA bluL", True),
        ("redL bluL", False),
        ("redA redA", False),
        ("redA redL", False),
    ],
)
def test_lb_2_two_colours_and_two_letters(two: str, accepted: bool) -> None:
    """One colour is never accepted, nor a consonant twice; two A of different colours are."""
    assert accepted == may_start(cards(two))


def test_lb_2_what_lies_on_the_word_always_differs() -> None:
    """Over many deals two letters are covered, each by a card that fits, by cards that differ."""
    for seed in range(60):
        state = deal(2, seed)

        assert may_start(starters(state))
        assert [1, 1] == [len(stack) for stack in state.board if stack]
        assert all(slot in CARD[stack[0]].slots for slot, stack in enumerate(state.board) if stack)


class Stacked(Rng):
    """Shuffles that leave the deck as it is the first time, and put its bottom card on top after that."""

    def __init__(self) -> None:
        super().__init__(bytes(16), "stacked")
        self.shuffles = 0

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return *items* as they are, later with the first one last."""
        self.shuffles += 1
        return list(items) if self.shuffles == 1 else [*items[1:], items[0]]


def test_lb_3_first_cards_that_are_not_accepted_are_shuffled_back() -> None:
    """A deck in its order brings a purple A and L after the deal; both go back, and others are drawn."""
    stacked = Stacked()
    state = GAME.setup(2, {}, Ctx(0, stacked)).state

    assert not may_start(DECK[:-14][-2:])
    assert 2 == stacked.shuffles
    assert ["blue_l", "purple_a"] == starters(state)
    assert "purple_l" == state.pile[-1]
    assert Counter(DECK) == GAME.census(state)


def test_lb_4_a_first_a_lies_on_the_leftmost_free_one() -> None:
    """One A covers the second letter, two the second and the fifth."""
    boards = {tuple(bool(stack) for stack in deal(2, seed).board) for seed in range(80)}
    word = "LAMBADA"
    covered = {"".join(letter for letter, lies in zip(word, board, strict=True) if lies) for board in boards}

    assert "AA" in covered
    assert all(board[1] for board in boards if any(board[slot] for slot in (1, 4, 6)))
    assert not any(board[6] for board in boards)


def test_lb_5_a_first_colour_may_be_forbidden() -> None:
    """Deals where the pile's top card has the colour of a card on the word are kept as they are."""
    states = [deal(2, seed) for seed in range(40)]

    assert any(
        GAME.view(state, None).public.forbidden in dict(GAME.view(state, None).public.showing) for state in states
    )


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_lb_6_seven_cards_each_and_the_rest_is_the_pile(seats: int) -> None:
    """With six players 12 cards are left."""
    state = deal(seats)

    assert [7] * seats == [len(hand) for hand in state.hands]
    assert 54 - 7 * seats == len(state.pile)


def test_lb_7_seat_0_begins_and_later_the_winner_does() -> None:
    """The first of the list begins round 1; whoever won begins the next."""
    first = deal(3)
    won = after(table("redA", "bluM redL", "pnkA", turn=1), lay("bluM", 2), give("redL"))

    assert (0, 0) == (first.turn, first.starter)
    assert 1 == won.winner
    assert (1, 1, "lay") == ((state := expire(won).state).turn, state.starter, state.phase)


def test_lb_8_turns_and_passes_go_to_the_next_seat() -> None:
    """From the last seat to the first one."""
    state = after(table("redA", "bluA", "redA redD yelL", turn=2), lay("redA", 1), give("yelL"))

    assert 0 == state.turn
    assert cards("yelL redA") == state.hands[0]


def test_lb_31_a_new_round_is_set_up_with_all_cards() -> None:
    """Whatever lay where, 56 cards are dealt anew and nothing of the old round stays."""
    full = deal(2, seed=5)
    won = after(
        table("redA redD", "bluA", word=REDS.replace("redA", "orgA"), pile="grnA"), lay("redA", 1), give("redD")
    )
    step = expire(won, seed=3)

    assert Counter(DECK) == GAME.census(step.state)
    assert (2, None, (), -1, ()) == (
        step.state.round,
        step.state.laid,
        step.state.known,
        step.state.winner,
        step.state.ready,
    )
    assert [7, 7] == [len(hand) for hand in step.state.hands]
    assert full.board != step.state.board


def test_a_deal_is_told() -> None:
    """Everyone hears what lies on the word and what is forbidden, each seat its own cards."""
    step = GAME.setup(3, {}, Ctx(0, Rng(bytes(16), "setup")))
    (dealt,) = events(step, Dealt)
    hands = events(step, DealtHand)

    assert [(seat,) for seat in range(3)] == [event.audience for event in hands]
    assert list(step.state.hands) == [event.cards for event in hands]
    assert starters(step.state) == [card for _, card in sorted(zip(dealt.slots, dealt.cards, strict=True))]
    assert GAME.view(step.state, None).public.forbidden == dealt.forbidden


def test_too_many_or_too_few_cannot_play() -> None:
    """Two to six, and only options that there are."""
    for seats in (1, 7):
        with pytest.raises(ValueError, match="seats"):
            deal(seats)
    with pytest.raises(Refusal, match="unknown_option"):
        deal(2, penalties="never")
