"""Penalties that must be caught: LB-36 to LB-49."""

from __future__ import annotations

import pytest

from rules.core.rng import Rng
from rules.lambada import (
    GAME,
    CalledInVain,
    Caught,
    CaughtOut,
    DrewInstead,
    Fined,
    Lay,
    OwnedUp,
    OwnUp,
    Pass,
    Passed,
    PassedCard,
    ReturnedCard,
    RoundWon,
    State,
    preview,
)
from tests.rules.lambada.build import (
    MIXED,
    OPEN,
    REDS,
    act,
    after,
    call,
    cards,
    catching,
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

FOUL = lay("yelM", 2)
CLEAN = lay("redD", 5)


def laid(action: Lay, **others: object) -> State:
    """Return a game of three in which seat 0 has laid a card, foul or clean."""
    return after(catching("yelM redD pnkB purL", "bluA", "bluD bluL", **others), action, at=1000)


def passed(action: Lay) -> State:
    """Return the same game with a card passed at once."""
    return after(laid(action), give("pnkB"), at=1500)


def test_lb_36_the_bot_fines_unless_the_host_wants_catches() -> None:
    """Fines at once are the default; in the other mode the same foul draws nothing."""
    auto = act(table("yelM redD", "bluA"), FOUL)
    catch = act(catching("yelM redD", "bluA"), FOUL)

    assert [False, True] == [deal(2).catch, deal(2, penalties="catch").catch]
    assert "auto" == GAME.spec.settle_options({})["penalties"]
    assert [False, True] == [GAME.view(step.state, None).public.catch for step in (auto, catch)]
    assert (1, 0) == (len(events(auto, Fined)), len(events(catch, Fined)))
    assert (("redD", "lay"), 1) == ((hand(catch.state, 0), auto.state.phase), auto.state.turn)


@pytest.mark.parametrize(
    ("word", "action", "kind", "fine"),
    [
        (MIXED, lay("yelM", 2), "non_matching", 1),
        (REDS, lay("redA", 4), "fifth", 3),
        (MIXED, lay("grnA", 4), "forbidden", 3),
        (MIXED, lay("redA", 4), "", 0),
    ],
)
def test_lb_37_three_fouls(word: str, action: Lay, kind: str, fine: int) -> None:
    """Only whoever laid it is told; the call of a foul draws its fine, that of a clean card nothing."""
    state = after(catching("yelM redA grnA pnkB", "bluA", "bluA", word=word), action)
    owns = [GAME.view(state, seat).own for seat in range(3)]
    step = act(state, call(state), 2)

    assert [(kind, fine), ("", 0), ("", 0)] == [(own.foul, own.fine) for own in owns if own]
    assert [fine][: len(kind)] == [len(event.cards) for event in events(step, CaughtOut)]
    assert bool(kind) != bool(events(step, CalledInVain))


def test_lb_38_the_offender_owns_up_or_bluffs() -> None:
    """Owning up draws the fine and ends the turn; a bluff passes a card as after a clean one."""
    state = laid(FOUL)
    owned = act(state, OwnUp())
    bluff = act(state, give("pnkB"))

    assert [OwnUp()] == [action for action in GAME.legal(state, 0) if not isinstance(action, Pass)]
    assert [OwnedUp(seat=0, kind="non_matching", cards=cards("grnA"))] == events(owned, OwnedUp)
    assert (1, "lay", "already_settled") == (owned.state.turn, owned.state.phase, refused(owned.state, call(state), 2))
    assert [Passed, PassedCard] == [type(event) for event in bluff.events]
    assert "not_a_foul" == refused(laid(CLEAN), OwnUp())


@pytest.mark.parametrize("fouls", [lay("yelM", 2), lay("grnM", 2)])
def test_lb_38_nothing_tells_a_foul_from_a_clean_card(fouls: Lay) -> None:
    """What others see, may do and wait for is the same, before and after the pass, and so are the events."""
    clean = lay("redM", 2)
    start = catching("yelM redM grnM pnkB purL", "bluA", "bluD bluL")
    foul_step, clean_step = (act(start, action, at=1000) for action in (fouls, clean))

    for one, other in (
        (foul_step, clean_step),
        (act(foul_step.state, give("pnkB"), at=1500), act(clean_step.state, give("pnkB"), at=1500)),
    ):
        assert [type(event) for event in one.events] == [type(event) for event in other.events]
        assert GAME.to_act(one.state) == GAME.to_act(other.state)
        assert GAME.deadlines(one.state) == GAME.deadlines(other.state)
        for seat in (1, 2):
            assert GAME.legal(one.state, seat) == GAME.legal(other.state, seat)
            assert GAME.view(one.state, seat).own == GAME.view(other.state, seat).own
        first, second = (GAME.view(step.state, None).public for step in (one, other))
        same = [name for name in first.__struct_fields__ if name not in ("letters", "showing", "last")]
        assert [getattr(first, name) for name in same] == [getattr(second, name) for name in same]


def test_lb_38_with_no_card_to_pass_a_foul_draws_for_gray_as_any_card_does() -> None:
    """There is nothing to choose: one card, whatever it was, and the call stays open."""
    foul = act(catching("yelA", "bluA", word=OPEN), lay("yelA", 1))
    clean = act(catching("redA", "bluA", word=OPEN), lay("redA", 1))

    for step in (foul, clean):
        assert [DrewInstead(seat=0, cards=cards("grnA"))] == events(step, DrewInstead)
        assert [Caught(1)] == GAME.legal(step.state, 1)
        assert "window" == step.state.phase


def test_lb_39_everyone_but_the_offender_may_call() -> None:
    """Any other seat at the table, whosever turn it is; not the offender, nobody without a seat."""
    state = passed(FOUL)

    for seat in (1, 2):
        assert [Caught(1)] == [action for action in GAME.legal(state, seat) if isinstance(action, Caught)]
        assert [seat] == [event.caller for event in events(act(state, Caught(1), seat), CaughtOut)]
    assert ["own_card", "no_such_seat"] == [refused(state, Caught(1), seat) for seat in (0, 3)]
    assert [] == GAME.legal(state, 3)


@pytest.mark.parametrize("action", [FOUL, CLEAN])
def test_lb_40_the_next_card_waits_five_seconds(action: Lay) -> None:
    """From the card laid on; meanwhile the table waits for nobody, and after it for the next seat."""
    state = passed(action)

    assert {"window": 6000} == GAME.deadlines(state)
    assert frozenset() == GAME.to_act(state)
    assert "too_early" == refused(state, lay("bluA", 1), 1, at=5999)
    assert "not_your_turn" == refused(state, lay("bluD", 5), 2, at=5999)
    assert ({}, frozenset((1,))) == (GAME.deadlines(opened := expire(state).state), GAME.to_act(opened))
    assert [Caught(1)] == GAME.legal(opened, 2)


def test_lb_40_a_slow_pass_takes_the_wait_with_it() -> None:
    """Passed five seconds after the card was laid, the next one may be laid at once."""
    state = act(laid(FOUL), give("pnkB"), at=6000).state

    assert ("lay", {}, frozenset((1,))) == (state.phase, GAME.deadlines(state), GAME.to_act(state))


def test_lb_40_a_call_names_its_card() -> None:
    """A press that comes after the next card was laid does not hit that one."""
    state = after(act(laid(FOUL), give("pnkB"), at=6000).state, lay("pnkB", 3), at=6100)

    assert ["too_late", "own_card", "no_card_laid", "no_card_laid"] == [
        refused(state, Caught(1), 2),
        refused(state, Caught(2), 1),
        refused(state, Caught(3), 2),
        refused(state, Caught(0), 2),
    ]
    assert "no_card_laid" == refused(catching("yelM", "bluA"), Caught(1), 1)


def test_lb_41_a_right_call_returns_the_card_and_draws_the_fine() -> None:
    """The receiver loses what was passed, the offender draws, and it is the next seat's turn at once."""
    step = act(passed(FOUL), Caught(1), 2, at=2000)
    (back,) = events(step, ReturnedCard)

    assert [CaughtOut(caller=2, seat=0, kind="non_matching", cards=cards("grnA"), returned=True)] == events(
        step, CaughtOut
    )
    assert ("grnA redD purL pnkB", "bluA") == (hand(step.state, 0), hand(step.state, 1))
    assert ("pink_b", (0, 1)) == (back.card, back.audience)
    assert (1, "lay", {}) == (step.state.turn, step.state.phase, GAME.deadlines(step.state))


def test_lb_41_a_call_before_the_pass_ends_the_turn() -> None:
    """The fine is drawn and nothing is passed."""
    step = act(laid(FOUL), Caught(1), 1)

    assert [False] == [event.returned for event in events(step, CaughtOut)]
    assert ("grnA redD purL pnkB", "bluA") == (hand(step.state, 0), hand(step.state, 1))
    assert (1, "lay") == (step.state.turn, step.state.phase)


def test_lb_41_a_call_in_the_next_turn_leaves_that_turn_as_it_is() -> None:
    """The next seat still has its card to lay, less the one that went back."""
    state = expire(passed(FOUL)).state
    called = act(state, Caught(1), 1, at=9000).state

    assert (1, "lay", "bluA") == (called.turn, called.phase, hand(called, 1))


@pytest.mark.parametrize(("text", "slot", "drawn"), [("yelA", 1, 0), ("grnA", 1, 2)])
@pytest.mark.parametrize("more", ["", " pnkB"])
def test_lb_41_the_card_drawn_for_gray_counts_towards_the_fine(text: str, slot: int, drawn: int, more: str) -> None:
    """A caught offender who was out of cards has drawn one of them already."""
    state = after(catching(text + more, "bluA", "bluA", word=OPEN), lay(text, slot))
    if more:
        state = after(state, give(more.strip()))
    step = act(state, Caught(1), 2)

    assert [drawn] == [len(event.cards) for event in events(step, CaughtOut)]
    assert drawn + 1 + bool(more) == len(step.state.hands[0])


def test_lb_42_the_receiver_has_seen_the_card_that_goes_back() -> None:
    """The receiver still knows it afterwards, a third seat does not."""
    state = act(passed(FOUL), Caught(1), 2).state

    assert cards("grnA pnkB") == GAME.view(state, 1).hints.known[0]
    assert cards("grnA") == GAME.view(state, 2).hints.known[0]
    assert "pink_b" == GAME.view(passed(FOUL), 1).own.received  # type: ignore[union-attr]


def test_lb_43_a_wrong_call_bars_that_caller_from_this_card() -> None:
    """No card moves; another seat may still call, and the next card is open to all again."""
    state = passed(CLEAN)
    step = act(state, Caught(1), 2)
    following = after(expire(step.state).state, lay("bluA", 1))

    assert [CalledInVain(caller=2, seat=0)] == list(step.events)
    assert state.hands == step.state.hands
    assert "called_in_vain" == refused(step.state, Caught(1), 2)
    assert ([], [Caught(1)]) == (GAME.legal(step.state, 2), GAME.legal(step.state, 1))
    assert [Caught(2)] == GAME.legal(following, 2)


def test_lb_44_the_first_right_call_counts() -> None:
    """The second one comes too late and gains or loses nothing; the first gains no card either."""
    step = act(passed(FOUL), Caught(1), 2)

    assert "already_settled" == refused(step.state, Caught(1), 1)
    assert len(passed(FOUL).hands[2]) == len(step.state.hands[2])


def test_lb_45_a_foul_that_nobody_called_costs_nothing() -> None:
    """Once the next card lies, the fine is gone for good and the card stays."""
    state = after(expire(passed(FOUL)).state, lay("bluA", 1))

    assert "too_late" == refused(state, Caught(1), 2)
    assert "redD purL" == hand(state, 0)
    assert "yellow_m" == state.board[2][-1]


@pytest.mark.parametrize(("text", "slot", "fine"), [("yelM", 2, 1), ("grnM", 2, 3)])
def test_lb_46_nobody_wins_by_a_foul(text: str, slot: int, fine: int) -> None:
    """A last card that would win is checked by the bot, and fined for all to see; a clean one wins."""
    for word in (MIXED, OPEN):
        step = act(catching(text, "bluA", word=word), lay(text, slot))

        assert [(fine, True)] == [(len(event.cards), event.checked) for event in events(step, Fined)]
        assert ((0, 0), 1, "lay") == (step.state.wins, step.state.turn, step.state.phase)
    assert 0 == act(catching("redM", "bluA", word=OPEN), lay("redM", 2)).state.winner


def test_lb_46_while_gray_shows_only_players_check() -> None:
    """Nothing can be won then, so the foul stays unless somebody calls it."""
    step = act(catching("yelA", "bluA", word=OPEN), lay("yelA", 1))

    assert [] == events(step, Fined)
    assert step.state.laid is not None
    assert not step.state.laid.settled


def test_lb_47_a_bluff_cannot_win() -> None:
    """The last card, passed after a foul with all letters covered, stays, and the fine is drawn; the panel says so."""
    state = after(catching("grnM redD", "bluA"), lay("grnM", 2))
    step = act(state, give("redD"))

    assert [("forbidden", 3, True)] == [(event.kind, len(event.cards), event.checked) for event in events(step, Fined)]
    assert [] == events(step, Passed)
    assert ((0, 0), 4, "bluA", 1) == (step.state.wins, len(step.state.hands[0]), hand(step.state, 1), step.state.turn)
    assert (3, False) == ((seen := preview(GAME.view(state, 0), 0, give("redD"))).fine, seen.wins)


def test_lb_47_with_gray_in_sight_the_bluff_goes_through() -> None:
    """It wins nothing: one card is drawn, and somebody may call."""
    step = act(after(catching("grnA redD", "bluA", word=OPEN), lay("grnA", 1)), give("redD"))

    assert [1] == [len(event.cards) for event in events(step, DrewInstead)]
    assert [Caught(1)] == GAME.legal(step.state, 1)


def test_lb_48_with_two_players_the_other_one_calls() -> None:
    """Before the pass, while the next card has to wait, and in the own turn."""
    first = after(catching("yelM redD pnkB", "bluA"), FOUL)
    waiting = after(first, give("pnkB"))
    turn = expire(waiting).state

    for state in (first, waiting, turn):
        assert Caught(1) in GAME.legal(state, 1)
        assert "grnA redD pnkB" == hand(act(state, Caught(1), 1).state, 0)


@pytest.mark.parametrize("penalties", ["auto", "catch"])
def test_lb_49_a_computer_can_take_over_any_seat_at_any_moment(penalties: str) -> None:
    """Along a match the computer has a legal answer for every seat that is waited for."""
    sensible = GAME.computers["sensible"]
    for number, (state, _) in enumerate(walk(3, seed=11, penalties=penalties, most=200)):
        for seat in GAME.to_act(state):
            legal = GAME.legal(state, seat)

            assert sensible(GAME.view(state, seat), legal, Rng(bytes(16), f"{number}")) in legal


def test_a_round_won_ends_all_calls() -> None:
    """The winning card was checked, and the table waits for the next round."""
    step = act(catching("redM", "bluA", word=OPEN), lay("redM", 2))

    assert [0] == [event.seat for event in events(step, RoundWon)]
    assert "already_settled" == refused(step.state, Caught(1), 1)
