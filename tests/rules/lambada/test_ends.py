"""Ending a round and the match: LB-22 to LB-30."""

from __future__ import annotations

import pytest

from rules.core.contract import Outcome
from rules.lambada import (
    GAME,
    TOKENS,
    DrewInstead,
    Fined,
    MatchWon,
    PickToken,
    Ready,
    RoundWon,
    SaidReady,
    Skipped,
    TokenPicked,
)
from rules.lambada.turn import tokens_left
from tests.rules.lambada.build import (
    MIXED,
    OPEN,
    REDS,
    act,
    after,
    cards,
    deal,
    events,
    expire,
    give,
    hand,
    lay,
    refused,
    table,
    walk,
)


@pytest.mark.parametrize("word", [MIXED, OPEN])
def test_lb_22_a_last_card_that_does_not_match_costs_one(word: str) -> None:
    """Fine and end rule coincide: one card, not two, whether a gray letter shows or not."""
    step = act(table("yelL", "bluA", word=word), lay("yelL", 0))

    assert [cards("grnA")] == [event.cards for event in events(step, Fined)]
    assert [] == events(step, DrewInstead)
    assert ("grnA", 1) == (hand(step.state, 0), step.state.turn)


@pytest.mark.parametrize(("word", "last", "slot"), [(MIXED, "grnA", 1), (REDS, "redA", 4), (OPEN, "grnM", 2)])
def test_lb_23_a_last_card_forbidden_or_fifth_costs_three(word: str, last: str, slot: int) -> None:
    """It does not win, and three cards are drawn."""
    step = act(table(last, "bluA", word=word), lay(last, slot))

    assert [3] == [len(event.cards) for event in events(step, Fined)]
    assert ((0, 0), 3, 1) == (step.state.wins, len(step.state.hands[0]), step.state.turn)


def test_lb_24_a_clean_last_card_with_gray_in_sight_draws_one() -> None:
    """The turn ends with one card in hand."""
    step = act(table("redA", "bluA", word=OPEN), lay("redA", 1))

    assert [DrewInstead(seat=0, cards=cards("grnA"))] == events(step, DrewInstead)
    assert ("grnA", 1, (0, 0)) == (hand(step.state, 0), step.state.turn, step.state.wins)


def test_lb_25_a_last_card_passed_with_gray_in_sight_draws_one() -> None:
    """What was passed stays with the next player."""
    step = act(after(table("redA yelB", "bluA", word=OPEN), lay("redA", 1)), give("yelB"))

    assert [DrewInstead(seat=0, cards=cards("grnA"))] == events(step, DrewInstead)
    assert ("grnA", "bluA yelB", (0, 0)) == (hand(step.state, 0), hand(step.state, 1), step.state.wins)


def test_lb_26_the_last_card_may_cover_the_last_gray() -> None:
    """Laid there it wins; so does the pass after it."""
    laid = act(table("redM", "bluA", word=OPEN), lay("redM", 2))
    passed = act(after(table("redM yelB", "bluA", word=OPEN), lay("redM", 2)), give("yelB"))

    assert [RoundWon(seat=0, how="laid", wins=1)] == events(laid, RoundWon)
    assert [RoundWon(seat=0, how="passed", wins=1)] == events(passed, RoundWon)


def test_lb_27_an_empty_hand_is_skipped_and_wins_once_all_is_covered() -> None:
    """Nothing to draw: no card, no turn, and the round when the word is covered before a turn of it."""
    dry = {"word": ". redA . . . . .", "pile": ""}
    step = act(table("redA", "redL bluM", word=". . . . redA . .", pile=""), lay("redA", 1))
    idle = act(table("redL yelB pnkB", "", "bluA", **dry), lay("redL", 0))
    skipped = act(idle.state, give("pnkB"))
    nobody = act(table("yelL bluB", "", "bluA", **dry), lay("yelL", 0))
    waited = act(table("yelL yelB", "", word="redL redA bluM redB bluA orgD redA", pile="grnA"), lay("yelL", 0))

    assert [()] == [event.cards for event in events(step, DrewInstead)]
    assert ((), 1) == (step.state.hands[0], step.state.turn)
    assert [] == events(skipped, Skipped), "with the card passed there is one to lay"
    assert ([Skipped(seat=1)], 2) == (events(nobody, Skipped), nobody.state.turn)
    assert [RoundWon(seat=1, how="waited", wins=1)] == events(waited, RoundWon)


def test_lb_28_only_one_wins_a_round() -> None:
    """Along matches each round has one winner, and whoever was passed a card has one."""
    for _, step in (*walk(2, seed=1), *walk(4, seed=2, penalties="catch")):
        won = events(step, RoundWon)

        assert len(won) < 2
        assert not won or won[0].how == "waited" or not step.state.hands[won[0].seat]
        assert sum(not hand for hand in step.state.hands) < 2


def test_lb_29_tokens_do_not_run_out() -> None:
    """What is taken cannot be taken again; once all eight are, any can."""
    names = tuple(TOKENS)
    seven = table("", "bluA", wins=(4, 4), tokens=(names[:3], names[3:7]), winner=0, phase="between", target=9)
    eight = table("", "bluA", wins=(5, 4), tokens=(names[:4], names[4:]), winner=0, phase="between", target=9)

    assert names[7:] == tokens_left(seven)
    assert "token_taken" == refused(seven, PickToken(names[0]), 0)
    assert names == tokens_left(eight)
    assert (*names[:4], names[5]) == act(eight, PickToken(names[5]), 0).state.tokens[0]


@pytest.mark.parametrize(("seats", "target"), [(2, 3), (3, 3), (4, 3), (5, 2), (6, 2)])
def test_lb_30_rounds_to_win_are_fixed_at_the_start(seats: int, target: int) -> None:
    """Three with up to four players, two with more; the number is part of the match."""
    state = deal(seats)
    last = None
    for _, step in walk(seats, seed=seats):
        assert target == step.state.target
        last = step.state

    assert target == state.target
    assert last is not None
    assert last.over
    assert target == max(last.wins)


# The pause between rounds


def test_everybody_is_waited_for_between_rounds() -> None:
    """The next round is dealt when all are ready, at the latest after 30 seconds."""
    state = act(table("redA", "bluA"), lay("redA", 1), at=1000).state
    one = act(state, Ready(), 1)
    both = act(one.state, Ready(), 0)

    assert {"next": 31_000} == GAME.deadlines(state)
    assert frozenset((0, 1)) == GAME.to_act(state)
    assert [SaidReady(seat=1)] == list(one.events)
    assert frozenset((0,)) == GAME.to_act(one.state)
    assert (2, "lay", {}) == (both.state.round, both.state.phase, GAME.deadlines(both.state))
    assert (2, "lay") == ((late := expire(state).state).round, late.phase)


def test_the_winner_picks_a_token() -> None:
    """Only the winner, only once; the pause goes on."""
    state = act(table("redA", "bluA"), lay("redA", 1)).state
    step = act(state, PickToken("palm"), 0)

    assert [TokenPicked(seat=0, token="palm", chosen=True)] == list(step.events)  # noqa: S106
    assert (("palm",), ()) == step.state.tokens
    assert "between" == step.state.phase
    assert "token_picked" == refused(step.state, PickToken("rose"), 0)
    assert "not_winner" == refused(state, PickToken("rose"), 1)
    assert [Ready()] == GAME.legal(state, 1)


def test_who_picks_no_token_gets_one() -> None:
    """When the pause is over chance picks one, a different one with another seed."""
    state = act(table("redA", "bluA"), lay("redA", 1)).state
    steps = [expire(state, seed) for seed in range(20)]

    assert all(not event.chosen for step in steps for event in events(step, TokenPicked))
    assert len({step.state.tokens[0] for step in steps}) > 3
    assert len(after(act(state, Ready(), 1).state, Ready()).tokens[0]) == 1


def test_the_last_token_ends_the_match() -> None:
    """The winner of the match picks first; then all are placed by rounds won, and equals share a place."""
    state = act(table("redA", "bluA", "bluA", "bluA", wins=(2, 1, 2, 1)), lay("redA", 1), at=500).state
    step = act(state, PickToken("sun"))

    assert ("token", {"token": 30_500}, frozenset((0,))) == (state.phase, GAME.deadlines(state), GAME.to_act(state))
    assert [] == GAME.legal(state, 1)
    assert None is GAME.outcome(state)
    assert Outcome(places=(1, 3, 2, 3), scores=(3, 1, 2, 1), reason="finished") == GAME.outcome(step.state)
    assert [MatchWon(seat=0, places=(1, 3, 2, 3), scores=(3, 1, 2, 1))] == events(step, MatchWon)
    assert GAME.outcome(step.state) == GAME.outcome(expire(state).state)


@pytest.mark.parametrize("seats", [2, 3, 6])
def test_places_follow_from_rounds_won(seats: int) -> None:
    """The winner of a match stands alone at the top."""
    *_, (_, step) = walk(seats, seed=seats + 7)
    outcome = GAME.outcome(step.state)

    assert outcome is not None
    assert 1 == outcome.places.count(1)
    assert step.state.winner == outcome.places.index(1)
    assert step.state.wins == outcome.scores
    assert [len(row) for row in step.state.tokens] == list(outcome.scores)
