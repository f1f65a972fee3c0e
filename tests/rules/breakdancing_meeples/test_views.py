"""What an onlooker may know."""

from __future__ import annotations

import msgspec

from rules.breakdancing_meeples import GAME, REFUSALS, Done, Fill, Own, Place, Roll, Swap
from rules.core.rng import Rng
from tests.rules.breakdancing_meeples.build import HH_ROW, crew, deal, expire, placing, refused, remixing, table


def test_all_but_the_order_of_the_deck_is_open() -> None:
    """The public half shows crews, row and sheet; the deck is a number."""
    state = deal(3)
    public = GAME.view(state, None).public

    assert public.crews == state.crews
    assert (public.phase, public.dance_off, public.deck, public.aside) == ("ready", 1, 28, ())
    assert (public.starts_ms, public.ends_ms, public.closes_ms) == (0, 0, 0)
    assert b"windmill" not in msgspec.json.encode(public)
    other = GAME.resample(state, None, Rng(bytes(16), "other"))
    assert other.deck != state.deck
    assert sorted(card.key for card in other.deck) == sorted(card.key for card in state.deck)


def test_the_panel_of_a_crew() -> None:
    """Its dancers and cards, when it may roll, and what it has to pick."""
    state = table(crew(lying="FFSB"), crew())

    panel = GAME.own(state, 0)

    assert panel == Own(seat=0, crew=state.crews[0], next_roll_ms=11_500)
    assert (panel.crew.dancing, panel.crew.count("feet"), panel.crew.free) == (3, 2, 6)
    assert GAME.own(placing(crew(lying="F")), 0).next_roll_ms == 0
    picking = remixing(crew(), crew(), row=HH_ROW, waiting=(0,))
    assert (GAME.own(picking, 0).picking, GAME.own(picking, 1).picking) == (True, False)
    assert GAME.view(picking, 2).own is None


def test_the_sheet_of_the_last_dance_off_stays() -> None:
    """Until the next one is scored."""
    state = expire(table(crew(), crew())).state

    public = GAME.view(state, None).public
    assert public.sheet is not None
    assert public.sheet.dance_off == 1
    assert public.remix is not None


def test_forged_presses_are_refused() -> None:
    """Fields of other types, seats that are not there, things that are no action."""
    state = table(crew(lying="FF"))

    assert refused(state, Roll("1")) == "malformed"  # type: ignore[arg-type]
    assert refused(state, Roll(True)) == "malformed"
    assert refused(state, Fill("0", 1, 2)) == "malformed"  # type: ignore[arg-type]
    assert refused(state, Place(0, 1, 1, 2)) == "malformed"  # type: ignore[arg-type]
    assert refused(state, "Roll") == "malformed"
    assert refused(state, Roll(1), seat=2) == "no_such_seat"
    assert refused(state, Swap("feet", "belly", 0, "feet", 1, 2)) == "no_such_stance"
    assert refused(state, Place(None, "feet", 1, 2)) == "malformed"  # type: ignore[arg-type]
    assert refused(deal(), Fill(None, 0, 0)) == "not_dancing"
    assert refused(placing(crew(lying="F"), crew(done=True)), Fill(None, 1, 0), seat=1) == "crew_is_done"
    assert refused(deal(), Done(1)) == "bell_not_rung"


def test_every_code_is_listed_once() -> None:
    """So that each has its sentence."""
    assert len(REFUSALS) == len(set(REFUSALS))
