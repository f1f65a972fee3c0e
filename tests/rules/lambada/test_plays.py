"""Laying a card and what it costs: LB-9 to LB-21, and the test vectors."""

from __future__ import annotations

import pytest

from rules.lambada import GAME, CardLaid, Fined, ForbiddenChanged, Lay, Passed, PassedCard, preview
from rules.lambada.cards import CARDS, WORD
from tests.rules.lambada.build import (
    MIXED,
    OPEN,
    REDS,
    act,
    after,
    board,
    card,
    cards,
    code,
    events,
    give,
    hand,
    lay,
    refused,
    shown,
    table,
)

CLEAN, NON_MATCHING, FIFTH, FORBIDDEN = "clean", "non_matching", "fifth", "forbidden"


def judged(word: str, text: str, slot: int, pile: str = "grnA yelA pnkA purA") -> tuple[str, int]:
    """Lay a card and return what it was and how many cards were drawn for it; the preview has to agree."""
    state = table(f"{text} yelB yelB", "bluA", word=word, pile=pile)
    expected = preview(GAME.view(state, 0), 0, lay(text, slot))
    step = act(state, lay(text, slot))
    fined = events(step, Fined)
    found = (fined[0].kind, len(fined[0].cards)) if fined else (CLEAN, 0)

    assert found == (expected.kind, expected.fine)
    assert ("pass" if found == (CLEAN, 0) else "lay") == step.state.phase
    return found


@pytest.mark.parametrize(
    ("word", "text", "slot", "said"),
    [
        (MIXED, "redL", 0, (CLEAN, 0)),
        (MIXED, "redD", 5, (CLEAN, 0)),
        (MIXED, "yelM", 2, (NON_MATCHING, 1)),
        (MIXED, "grnB", 3, (FORBIDDEN, 3)),
        (MIXED.replace("orgD", "grnD"), "grnB", 3, (FORBIDDEN, 3)),
        (REDS, "redA", 4, (FIFTH, 3)),
        (REDS, "redA", 1, (CLEAN, 0)),
    ],
)
def test_vectors(word: str, text: str, slot: int, said: tuple[str, int]) -> None:
    """The plain cases: a match, no match, forbidden whether it shows or not, a fifth and four that stay four."""
    assert said == judged(word, text, slot)


def test_lb_9_every_card_of_the_deck_can_be_laid() -> None:
    """Each kind has as many places as its letter has in the word, and none elsewhere."""
    for each in CARDS:
        state = table(code(each.key), "bluA")
        slots = [action.slot for action in GAME.legal(state, 0) if isinstance(action, Lay)]

        assert [slot for slot, letter in enumerate(WORD) if letter == each.letter] == slots


@pytest.mark.parametrize("slot", [1, 4, 6])
def test_lb_10_the_player_chooses_among_the_three_a(slot: int) -> None:
    """The card lies where it was laid, on whatever lay there."""
    state = after(table("redA yelB", "bluA"), lay("redA", slot))

    assert card("redA") == state.board[slot][-1]
    assert 2 == len(state.board[slot])
    assert "wrong_letter" == refused(table("redA", "bluA"), lay("redA", 0))


def test_lb_11_the_colour_about_to_be_covered_still_counts() -> None:
    """Orange shows once, and a second orange on it is clean; so is the only blue, were it covered by red before."""
    assert (CLEAN, 0) == judged("bluL redA bluM redB bluA orgD redA", "orgD", 5)
    assert (CLEAN, 0) == judged("bluL redA bluM redB bluA orgD redA", "bluD", 5)
    assert (NON_MATCHING, 1) == judged("bluL redA bluM redB bluA orgD/redD redA", "orgD", 5)


def test_lb_12_gray_matches_nothing() -> None:
    """With one red card on the word anything but red is fined, on a gray letter or not."""
    assert (NON_MATCHING, 1) == judged(". redA . . . . .", "bluL", 0)
    assert (CLEAN, 0) == judged(". redA . . . . .", "redL", 0)


def test_lb_13_a_fifth_is_counted_after_the_card_is_laid() -> None:
    """Four and one make five; five that stay five are too many as well; five that become four cannot be laid."""
    five = "redL redA redM redB redA bluD orgA"

    assert (FIFTH, 3) == judged(REDS, "redD", 5)
    assert (FIFTH, 3) == judged(five, "redA", 1)
    assert (FIFTH, 3) == judged(five, "redA", 6)
    assert (CLEAN, 0) == judged(REDS, "redM", 2)
    assert (CLEAN, 0) == judged(MIXED, "redD", 5)


def test_lb_14_a_new_colour_is_no_fifth() -> None:
    """It is fined as one that does not match, and by one card."""
    assert (NON_MATCHING, 1) == judged("redL redA redM redB redA redD redA", "bluA", 1)


def test_lb_15_forbidden_is_the_top_card_before_any_draw() -> None:
    """What the fine brings to the top counts for the next card only."""
    state = table("yelM bluA bluA", "orgL redL", pile="grnA orgA yelA")
    step = act(state, lay("yelM", 2))

    assert [NON_MATCHING] == [event.kind for event in events(step, Fined)]
    assert [FORBIDDEN] == [event.kind for event in events(act(step.state, lay("orgL", 0)), Fined)]


@pytest.mark.parametrize(
    ("word", "text", "slot", "pile"),
    [(REDS, "redA", 4, "redA yelA pnkA purA"), (MIXED, "grnD", 5, "grnA yelA pnkA purA")],
)
def test_lb_16_only_the_worst_fine_is_paid(word: str, text: str, slot: int, pile: str) -> None:
    """Forbidden and a fifth, or forbidden and not matching: three cards."""
    assert (FORBIDDEN, 3) == judged(word, text, slot, pile)


def test_lb_17_after_a_clean_card_one_must_be_passed() -> None:
    """The turn stays until it is, the choice is free, and only giver and receiver learn which card it was."""
    state = after(table("redA yelB pnkL", "bluA", "bluA"), lay("redA", 1))
    step = act(state, give("pnkL"))
    (told,) = events(step, PassedCard)

    assert ["pass_first", "not_in_hand"] == [refused(state, lay("yelB", 3)), refused(state, give("redA"))]
    assert (0, "pass") == (state.turn, state.phase)
    assert ("yelB", "bluA pnkL") == (hand(step.state, 0), hand(step.state, 1))
    assert (card("pnkL"), (0, 1)) == (told.card, told.audience)
    assert [Passed(seat=0, to=1)] == events(step, Passed)
    assert 1 == step.state.turn


def test_lb_18_the_last_card_is_passed_and_wins() -> None:
    """Two cards in hand, a clean one laid, all letters covered: the other one is passed, and that is it."""
    state = after(table("redA yelB", "bluA"), lay("redA", 1), give("yelB"))

    assert (0, (1, 0), ()) == (state.winner, state.wins, state.hands[0])


def test_lb_19_with_no_card_left_nothing_is_passed() -> None:
    """A clean last card wins at once."""
    step = act(table("redA", "bluA"), lay("redA", 1))

    assert (0, "between") == (step.state.winner, step.state.phase)
    assert [] == events(step, Passed)


def test_lb_20_a_draw_is_seen_by_all_and_a_pass_by_two() -> None:
    """The fine names its cards to everyone; each seat could remember them, and the giver the card passed."""
    fined = act(table("grnA yelB", "bluA", "bluA"), lay("grnA", 1))
    passed = after(table("redA yelB pnkL", "bluA", "bluA"), lay("redA", 1), give("pnkL"))

    assert [(cards("grnA yelA pnkA"), None)] == [(event.cards, event.audience) for event in events(fined, Fined)]
    assert cards("grnA yelA pnkA") == GAME.view(fined.state, 2).hints.known[0]
    assert [cards("pnkL"), (), ()] == [GAME.view(passed, seat).hints.known[1] for seat in (0, 1, 2)]


def test_lb_21_every_change_of_the_forbidden_colour_is_told() -> None:
    """A new top card of another colour is told after the draw, one of the same colour is not."""
    state = table("yelM bluA bluA", "orgL redL", pile="grnA orgA yelA")
    same = table("yelM bluA bluA", "orgL redL", pile="grnA grnL yelA")

    assert [ForbiddenChanged(colour="orange")] == events(act(state, lay("yelM", 2)), ForbiddenChanged)
    assert [] == events(act(same, lay("yelM", 2)), ForbiddenChanged)
    assert "green" == GAME.view(state, None).public.forbidden


def test_what_was_covered_is_told() -> None:
    """The log can say "Red D on Orange", and a gray letter is one."""
    on_orange = act(table("redD yelB", "bluA"), lay("redD", 5))
    on_gray = act(table("redM yelB", "bluA", word=OPEN), lay("redM", 2))

    assert [CardLaid(seat=0, card="red_d", slot=5, on="orange")] == events(on_orange, CardLaid)
    assert ["gray"] == [event.on for event in events(on_gray, CardLaid)]
    assert "bluL redA orgM redB bluA orgD/redD redA" == shown(on_orange.state)
    assert board(MIXED) != on_orange.state.board
