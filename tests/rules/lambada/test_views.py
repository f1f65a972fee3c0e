"""Views, previews and redrawing: what a seat knows and no more."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest

from rules.core.rng import Rng
from rules.lambada import (
    CARD,
    GAME,
    WORD,
    Caught,
    Happening,
    Lay,
    Letter,
    OwnUp,
    Pass,
    PickToken,
    Ready,
    State,
    preview,
)
from rules.lambada.cards import DECK
from rules.lambada.model import EVERYONE, Known
from tests.rules.lambada.build import (
    MIXED,
    OPEN,
    act,
    after,
    cards,
    catching,
    deal,
    give,
    lay,
    table,
    walk,
)


def notes_hold(state: State) -> bool:
    """Tell whether every seat's notes name cards that are in those hands, each as often as it is noted."""
    return all(
        Counter(note.card for note in state.known if note.holder == holder and note.witness in (seat, EVERYONE))
        <= Counter(hand)
        for holder, hand in enumerate(state.hands)
        for seat in range(state.players)
    )


@pytest.mark.parametrize(("seats", "penalties"), [(2, "auto"), (3, "catch"), (6, "catch")])
def test_redrawing_changes_nothing_that_a_seat_sees(seats: int, penalties: str) -> None:
    """View and legal actions stay, cards are conserved, and something really moves."""
    moved = 0
    for number, (state, _) in enumerate(walk(seats, seats, penalties, most=250)):
        for seat in (None, *range(seats)):
            other = GAME.resample(state, seat, Rng(bytes(16), f"redraw {number} {seat}"))

            assert GAME.view(state, seat) == GAME.view(other, seat)
            assert seat is None or GAME.legal(state, seat) == GAME.legal(other, seat)
            assert GAME.to_act(state) == GAME.to_act(other)
            assert GAME.census(state) == GAME.census(other)
            assert (
                other.laid is None
                or other.laid.settled
                or not other.laid.passed
                or (other.laid.passed in other.hands[other.laid.to])
            )
            assert notes_hold(other)
            moved += state != other
        assert notes_hold(state)
    assert moved > number * seats


@pytest.mark.parametrize("penalties", ["auto", "catch"])
def test_a_match_redrawn_on_the_way_goes_on(penalties: str) -> None:
    """Any redrawn state can be played on: whatever is legal works, calls that return a card included."""
    for number, (state, _) in enumerate(walk(4, 8, penalties, most=200)):
        other = GAME.resample(state, number % 4, Rng(bytes(16), f"redraw {number}"))
        for seat in range(4):
            for action in GAME.legal(other, seat):
                assert Counter(DECK) == GAME.census(act(other, action, seat).state)


@pytest.mark.parametrize("seats", [2, 5])
def test_the_public_part_is_the_same_for_all(seats: int) -> None:
    """Spectators and seats see the same table."""
    for state, _ in walk(seats, 9, "catch", most=200):
        public = GAME.view(state, None).public

        assert all(GAME.view(state, seat).public == public for seat in range(seats))
        assert None is GAME.view(state, None).own
        assert None is GAME.view(state, seats).own


@pytest.mark.parametrize("penalties", ["auto", "catch"])
def test_states_and_events_survive_the_codec(penalties: str) -> None:
    """What is stored comes back, all 56 cards with it."""
    for state, step in walk(3, 4, penalties):
        assert state == msgspec.msgpack.decode(msgspec.msgpack.encode(state), type=type(state))
        assert list(step.events) == msgspec.msgpack.decode(
            msgspec.msgpack.encode(list(step.events)), type=list[Happening]
        )
        assert Counter(DECK) == GAME.census(state)


def test_public_facts() -> None:
    """Letters with what lies on them, colours in sight, the pile and the Forbidden Colour."""
    state = table("redA yelB", "bluA", word="yelL/bluL redA . redB bluA orgD redA")
    public = GAME.view(state, 1).public

    assert Letter("l", "blue", 2) == public.letters[0]
    assert Letter("m", "gray", 0) == public.letters[2]
    assert WORD == tuple(letter.letter for letter in public.letters)
    assert (("blue", 2), ("orange", 1), ("red", 3)) == public.showing
    assert (1, 4, "green_a", "green") == (public.gray, public.pile, public.top, public.forbidden)
    assert ((2, 1), None, "lay") == (public.hands, public.last, public.awaits)


def test_the_last_card_is_public_and_what_it_was_is_not() -> None:
    """Who laid what where on which colour, and whether it may be called; no word of foul or fine."""
    state = after(catching("grnA redD pnkB", "bluA"), lay("grnA", 4), at=1000)
    last = GAME.view(state, 1).public.last

    assert last is not None
    assert (1, 0, "green_a", 4, "blue", "green", True, 6000) == (
        last.number,
        last.seat,
        last.card,
        last.slot,
        last.on,
        last.forbidden,
        last.open,
        last.until_ms,
    )
    assert not {"kind", "fine", "passed"} & {*last.__struct_fields__}


def test_a_foul_that_is_settled_is_shown_no_longer() -> None:
    """Fined or owned up to, it is no secret of its owner any more, and nobody can call it."""
    fined = after(table("grnA redD pnkB", "bluA"), lay("grnA", 4))
    owned = after(catching("grnA redD pnkB", "bluA"), lay("grnA", 4), OwnUp())

    for state in (fined, owned):
        own, last = GAME.view(state, 0).own, GAME.view(state, 0).public.last

        assert own is not None
        assert last is not None
        assert ("", 0, False) == (own.foul, own.fine, last.open)


def test_a_passed_card_is_shown_to_its_receiver() -> None:
    """Until the next card is laid, and to nobody else."""
    state = after(table("redA yelB pnkL", "bluA yelL", "bluA"), lay("redA", 1), give("pnkL"))

    assert ["", "pink_l", ""] == [own.received for seat in range(3) if (own := GAME.view(state, seat).own)]
    assert "" == GAME.view(after(state, lay("bluA", 1)), 1).own.received  # type: ignore[union-attr]


def test_knowledge_ends_when_a_card_leaves_unseen() -> None:
    """Cards drawn in sight are known until one is passed; then only the receiver can be sure of the others."""
    notes = tuple(Known(0, card, EVERYONE) for card in cards("grnA yelA"))
    state = table("redD grnA yelA pnkB", "bluA", "bluA", known=notes)
    laid = after(state, lay("redD", 5))
    passed = after(laid, give("grnA"))

    assert [cards("grnA yelA")] * 2 == [GAME.view(laid, seat).hints.known[0] for seat in (1, 2)]
    assert [cards("yelA"), ()] == [GAME.view(passed, seat).hints.known[0] for seat in (1, 2)]


def test_one_of_two_alike_is_still_known() -> None:
    """Whoever drew two green A in sight and lays one has the other."""
    state = table("grnA bluA", "bluA bluL", pile="grnA grnA pnkA redA purA")
    fined = after(state, lay("grnA", 1))
    laid = after(msgspec.structs.replace(fined, turn=0), lay("grnA", 1))

    assert cards("grnA grnA pnkA") == GAME.view(fined, 1).hints.known[0]
    assert cards("grnA pnkA") == tuple(card for card in GAME.view(laid, 1).hints.known[0] if card in cards("grnA pnkA"))


@pytest.mark.parametrize(
    ("hand", "word", "action", "said"),
    [
        ("redA yelB pnkB", MIXED, lay("redA", 1), (True, False, 0)),
        ("redA yelB", MIXED, lay("redA", 1), (True, True, 0)),
        ("redA", MIXED, lay("redA", 1), (False, True, 0)),
        ("redA yelB", OPEN, lay("redA", 1), (True, False, 1)),
        ("redA", OPEN, lay("redA", 1), (False, False, 1)),
        ("redM", OPEN, lay("redM", 2), (False, True, 0)),
        ("yelM", OPEN, lay("yelM", 2), (False, False, 1)),
        ("grnM redA", OPEN, lay("grnM", 2), (False, False, 3)),
    ],
)
def test_preview_says_what_a_card_leads_to(hand: str, word: str, action: Lay, said: tuple[bool, bool, int]) -> None:
    """Whether a card is passed then, whether it wins, and how many cards are drawn by the end of the turn."""
    seen = preview(GAME.view(table(hand, "bluA", word=word), 0), 0, action)

    assert said == (seen.passes, seen.wins, seen.draws)


def test_preview_of_the_rest() -> None:
    """Passing may win or draw one, owning up costs the fine, and the others cost nothing."""
    last = after(table("redA yelB", "bluA"), lay("redA", 1))
    gray = after(table("redA yelB", "bluA", word=OPEN), lay("redA", 1))
    foul = after(catching("grnA yelB pnkB", "bluA"), lay("grnA", 1))

    assert (True, 0) == ((seen := preview(GAME.view(last, 0), 0, give("yelB"))).wins, seen.draws)
    assert (False, 1) == ((seen := preview(GAME.view(gray, 0), 0, give("yelB"))).wins, seen.draws)
    assert ("forbidden", 3) == ((seen := preview(GAME.view(foul, 0), 0, OwnUp())).kind, seen.fine)
    assert 0 == preview(GAME.view(foul, 0), 0, give("yelB")).draws
    assert {0} == {preview(GAME.view(foul, 1), 1, each).draws for each in (Caught(1), Ready(), PickToken("rose"))}
    with pytest.raises(ValueError, match="spectator"):
        preview(GAME.view(last, None), 0, give("yelB"))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_preview_keeps_its_word(seed: int) -> None:
    """Along a match with fines by the bot, each previewed card draws what was said and wins when it was said."""
    for state, step in walk(2, seed):
        if state.phase == "lay" and state.turn == 0 and step.state.laid != state.laid:
            laid = step.state.laid
            assert laid is not None
            seen = preview(GAME.view(state, 0), 0, Lay(laid.card, laid.slot))

            assert (laid.kind, laid.fine) == (seen.kind, seen.fine)
            assert seen.passes == (step.state.phase == "pass")
            if not seen.passes:
                assert seen.wins == (step.state.winner == 0)
                assert len(step.state.hands[0]) == len(state.hands[0]) - 1 + seen.draws


def test_the_same_seed_deals_the_same_match() -> None:
    """Another seed deals another one, and inputs with the same stream lead to the same state."""
    first, again = ([step for _, step in walk(3, 6, "catch", most=80)] for _ in range(2))

    assert first == again
    assert deal(2, 1) != deal(2, 2)
    assert {card.letter for card in CARD.values()} == {*WORD}
    assert isinstance(give("redA"), Pass)
