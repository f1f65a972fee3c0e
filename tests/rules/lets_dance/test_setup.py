"""Setting up: LD-1 to LD-6."""

from __future__ import annotations

from collections import Counter

import pytest

from rules.core.contract import Ctx, Refusal
from rules.core.rng import Rng
from rules.lets_dance import CARDS, FAMILY, GAME, Action, Pass, Renew, Replenish
from tests.rules.lets_dance.build import after, deal, final, table

FULL_FAMILIES = {
    "basic": 28,
    "floorwork": 18,
    "ymca": 20,
    "spin": 10,
    "conga": 11,
    "euphoria": 4,
    "fever": 8,
    "toes": 10,
    "over": 1,
}
SMALL_FAMILIES = {
    "basic": 20,
    "floorwork": 12,
    "ymca": 12,
    "spin": 7,
    "conga": 6,
    "euphoria": 3,
    "fever": 6,
    "toes": 7,
    "over": 1,
}


def families(census: Counter[str]) -> dict[str, int]:
    """Count a census by family."""
    counts: Counter[str] = Counter()
    for card, count in census.items():
        counts[FAMILY[card]] += count
    return dict(counts)


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_ld_1_fewer_cards_for_two_and_three(seats: int) -> None:
    """Two or three players leave cards in the box, four and more use them all."""
    census = GAME.census(deal(seats))

    assert (SMALL_FAMILIES if seats < 4 else FULL_FAMILIES) == families(census)


@pytest.mark.parametrize("seats", [2, 3])
def test_ld_1_the_host_may_choose_the_full_deck(seats: int) -> None:
    """The option brings all 109 cards to a small table."""
    census = GAME.census(deal(seats, deck="full"))

    assert FULL_FAMILIES == families(census)


@pytest.mark.parametrize("seats", [2, 6])
def test_ld_2_packet_goes_to_the_bottom_before_the_deal(seats: int) -> None:
    """Party's Over lies among the bottom eleven of every deal, at different places."""
    places = {deal(seats, seed).deck.index("over") for seed in range(60)}

    assert set(range(11)) >= places
    assert len(places) > 6


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("deck", ["by_players", "full"])
def test_ld_3_party_over_is_never_dealt(seats: int, deck: str) -> None:
    """Everyone gets five cards and none of them is Party's Over."""
    for seed in range(10):
        hands = deal(seats, seed, deck).hands

        assert [5] * seats == [len(hand) for hand in hands]
        assert not any("over" in hand for hand in hands)


def test_ld_4_nothing_but_the_seat_decides_who_begins() -> None:
    """Whoever chance puts into seat 0 begins, whatever is dealt."""
    assert {0} == {deal(4, seed).turn for seed in range(10)}


def test_ld_5_turns_follow_the_seats_and_a_round_ends_with_the_last() -> None:
    """Seat 0 begins, the next seat follows, and after the last one a new round begins at seat 0."""
    start = table("Y", "Y", "Y", deck="M " * 20)

    moves: list[Action] = [Replenish(), Replenish(), Replenish(), Renew("y", ())]

    states = [after(start, *moves[:turns]) for turns in range(5)]

    assert [(0, 1), (1, 1), (2, 1), (0, 2), (1, 2)] == [(state.turn, state.round) for state in states]


def test_ld_5_the_game_ends_with_the_last_seat() -> None:
    """In the final round everyone up to the last seat has a turn."""
    start = final("Y", "Y", "Y")

    ends = [GAME.outcome(after(start, *[Pass()] * turns)) is not None for turns in range(4)]

    assert [False, False, False, True] == ends


def test_ld_6_no_first_player_card_in_the_deck() -> None:
    """The full deck has 109 playing cards and Party's Over, all of kinds that can be named."""
    census = GAME.census(deal(6))

    assert 110 == census.total()
    assert {card.key for card in CARDS} == set(census)


@pytest.mark.parametrize("seats", [0, 1, 7])
def test_wrong_number_of_seats_is_refused(seats: int) -> None:
    """Nobody deals for fewer than two or more than six."""
    with pytest.raises(ValueError, match="seats"):
        GAME.setup(seats, {}, Ctx(0, Rng(bytes(16), "setup")))


def test_unknown_option_is_refused() -> None:
    """An option that the game does not have is no silent default."""
    with pytest.raises(Refusal, match="unknown_option"):
        GAME.setup(2, {"deck": "huge"}, Ctx(0, Rng(bytes(16), "setup")))
