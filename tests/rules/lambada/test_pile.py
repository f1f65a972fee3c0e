"""The pile running out: LB-32 to LB-35."""

from __future__ import annotations

from rules.lambada import GAME, Fined, ForbiddenChanged, Reshuffled
from tests.rules.lambada.build import MIXED, act, after, card, cards, events, hand, lay, shown, table

DEEP = "yelL/bluL redA orgM redB purA/pnkA/bluA orgD redA"
"""As `MIXED`, with a yellow L, a purple and a pink A covered."""


def test_lb_32_a_new_pile_is_made_in_the_middle_of_a_fine() -> None:
    """One card is left for a fine of three: the covered ones are shuffled and the draw goes on."""
    step = act(table("grnM yelB", "bluA", word=DEEP, pile="grnA"), lay("grnM", 2))
    (fined,) = events(step, Fined)

    assert [Reshuffled(cards=4)] == events(step, Reshuffled)
    assert card("grnA") == fined.cards[0]
    assert {*fined.cards[1:]} < {*cards("yelL purA pnkA orgM")}
    assert 2 == len(step.state.pile)


def test_lb_32_a_pile_that_ends_with_the_draw_is_made_anew_at_once() -> None:
    """The last card is drawn, and there is a Forbidden Colour all the same."""
    step = act(table("yelM yelB", "bluA", word=DEEP, pile="grnA"), lay("yelM", 2))

    assert [Reshuffled(cards=4)] == events(step, Reshuffled)
    assert cards("grnA") == events(step, Fined)[0].cards
    assert 4 == len(step.state.pile)
    assert "" != GAME.view(step.state, None).public.forbidden


def test_lb_33_with_nothing_covered_the_rest_is_forgiven() -> None:
    """No colour is forbidden then, and the card laid next is not, whatever it uncovers."""
    bare = table("grnL yelB", "purA pnkA bluM", word=". redA . redB . . .", pile="grnA")
    step = act(bare, lay("grnL", 0))
    state = step.state

    assert [cards("grnA")] == [event.cards for event in events(step, Fined)]
    assert ((), "") == (state.pile, GAME.view(state, None).public.forbidden)
    assert [ForbiddenChanged(colour="")] == events(step, ForbiddenChanged)


def test_lb_33_the_pile_is_tried_again_before_the_own_fine() -> None:
    """A card that covers another makes a pile of one, from which its own fine of one is drawn."""
    state = table("purA yelB", "bluM", word=". redA . redB . . .", pile="")
    step = act(state, lay("purA", 1))

    assert [(Reshuffled, 1)] == [(type(event), event.cards) for event in events(step, Reshuffled)]
    assert [("non_matching", cards("redA"))] == [(event.kind, event.cards) for event in events(step, Fined)]
    assert ["redA", "yelB"] == sorted(hand(step.state, 0).split())
    assert () == step.state.pile


def test_lb_33_a_clean_card_brings_a_forbidden_colour_back() -> None:
    """What lies under it is the new pile; it was not forbidden when the card was laid."""
    step = act(table("redA yelB bluB", "bluM", word=". redA . redB . . .", pile=""), lay("redA", 1))

    assert [] == events(step, Fined)
    assert [ForbiddenChanged(colour="red")] == events(step, ForbiddenChanged)
    assert "pass" == step.state.phase


def test_lb_34_a_new_pile_may_change_the_forbidden_colour() -> None:
    """It is the colour of the new top card, told once after the draw."""
    seen = set()
    for seed in range(20):
        step = act(table("yelM yelB", "bluA", word=DEEP, pile="grnA"), lay("yelM", 2), seed=seed)
        (changed,) = events(step, ForbiddenChanged)
        seen.add(changed.colour)

        assert GAME.view(step.state, None).public.forbidden == changed.colour
    assert {"yellow", "purple", "pink", "orange"} == seen


def test_lb_35_hands_and_top_cards_stay() -> None:
    """Only what is covered goes into the new pile."""
    state = table("yelM yelB", "bluA pnkL", word=DEEP, pile="grnA")
    after_fine = act(state, lay("yelM", 2)).state

    assert MIXED.replace("orgM", "yelM") == shown(after_fine)
    assert "bluA pnkL" == hand(after_fine, 1)
    assert GAME.census(state) == GAME.census(after_fine)


def test_cards_drawn_in_that_fine_are_not_shuffled_in() -> None:
    """The drawn card is in the hand, not in the new pile."""
    state = after(table("yelM yelB", "bluA", word=DEEP, pile="grnA"), lay("yelM", 2))

    assert card("grnA") not in state.pile
