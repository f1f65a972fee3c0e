"""What each onlooker may know, what an action would cost, and what can be redrawn without anyone noticing."""

from __future__ import annotations

from collections import Counter
from typing import assert_never

import msgspec

from rules.core.contract import Seat, View
from rules.core.rng import Rng
from rules.lambada.cards import COLOUR, COLOURS, NOT_OUT_YET, WORD, in_order
from rules.lambada.model import (
    EVERYONE,
    NOBODY,
    Action,
    Caught,
    Hints,
    Laid,
    LastCard,
    Lay,
    Letter,
    Own,
    OwnUp,
    Pass,
    PickToken,
    Preview,
    Public,
    Ready,
    State,
)
from rules.lambada.verdict import FINE, colours, verdict

SeatView = View[Public, Own]


def view(state: State, seat: Seat | None) -> SeatView:
    """Build what *seat* knows; the public part is the same for everyone, `None` has nothing else."""
    public = _public(state)
    if seat is None or not 0 <= seat < state.players:
        return View(public, None)
    return View(public, own(state, seat), Hints(known=_known(state, seat)))


def _public(state: State) -> Public:
    """Build what everyone sees; what is to be said of the last card laid is not among it."""
    shown = colours(state.board)
    top = state.pile[-1] if state.pile else ""
    return Public(
        players=state.players,
        catch=state.catch,
        round=state.round,
        target=state.target,
        starter=state.starter,
        turn=state.turn,
        awaits=state.phase,
        wins=state.wins,
        tokens=state.tokens,
        hands=tuple(map(len, state.hands)),
        letters=tuple(map(Letter, WORD, shown, map(len, state.board))),
        showing=tuple((colour, shown.count(colour)) for colour in COLOURS if colour in shown),
        pile=len(state.pile),
        top=top,
        forbidden=COLOUR[top] if top else "",
        last=None if state.laid is None else _last(state.laid),
        winner=state.winner,
        ready=state.ready,
        until_ms=state.until_ms,
    )


def _last(laid: Laid) -> LastCard:
    """Return the last card laid as everyone sees it."""
    return LastCard(
        number=laid.number,
        seat=laid.seat,
        card=laid.card,
        slot=laid.slot,
        on=laid.on,
        forbidden=laid.forbidden,
        open=not laid.settled,
        barred=laid.barred,
        until_ms=laid.until_ms,
    )


def own(state: State, seat: Seat) -> Own:
    """Build what *seat* alone knows; an offender learns of the foul once it lies there (LB-38)."""
    laid = state.laid
    hand = state.hands[seat]
    if laid is None:
        return Own(seat=seat, hand=hand)
    if laid.seat == seat and laid.fine and not laid.settled:
        return Own(seat=seat, hand=hand, foul=laid.kind, fine=laid.fine)
    return Own(seat=seat, hand=hand, received=laid.passed if laid.to == seat else "")


def _known(state: State, seat: Seat) -> tuple[tuple[str, ...], ...]:
    """Return by seat the cards of the others that *seat* knows of."""
    found: list[list[str]] = [[] for _ in state.hands]
    for note in state.known:
        if note.witness in (seat, EVERYONE) and note.holder != seat:
            found[note.holder].append(note.card)
    return tuple(map(in_order, found))


# Preview


def preview(view: SeatView, seat: Seat, action: Action) -> Preview:
    """
    Say what *action*, a legal one, would lead to; reckoned from the view of *seat* alone.

    Of `Lay` it tells the fine as if it had to be paid, also in a catch game. The pile is taken to
    give what is asked of it.

    Raises:
        ValueError: the view is not that of a seat.
    """
    if view.own is None:
        raise ValueError("a spectator has nothing to preview")
    match action:
        case Lay():
            return _preview_lay(view.public, view.public.hands[seat], action)
        case Pass():
            return _preview_pass(view.public, view.own)
        case OwnUp():
            return _fined(view.own)
        case Caught() | PickToken() | Ready():
            return Preview(kind="clean")
        case _:
            assert_never(action)


def _preview_lay(public: Public, held: int, lay: Lay) -> Preview:
    """Judge a card before it is laid, with *held* cards in the hand."""
    kind = verdict([letter.colour for letter in public.letters], public.forbidden, lay.card, lay.slot)
    if FINE[kind]:
        return Preview(kind=kind, fine=FINE[kind], draws=FINE[kind])
    out = held <= 2  # noqa: PLR2004 - this card and the one passed after it
    covered = public.gray == (not public.letters[lay.slot].cards)
    return Preview(kind=kind, passes=held > 1, wins=out and covered, draws=NOT_OUT_YET if out and not covered else 0)


def _preview_pass(public: Public, own: Own) -> Preview:
    """Say what passing a card does; a bluff that would win is fined (LB-47)."""
    if len(own.hand) > 1:
        return Preview(kind="clean")
    if public.gray:
        return Preview(kind="clean", draws=NOT_OUT_YET)
    return _fined(own) if own.foul else Preview(kind="clean", wins=True)


def _fined(own: Own) -> Preview:
    """Return what the own foul costs."""
    kind = next(kind for kind in FINE if kind == own.foul)
    return Preview(kind=kind, fine=own.fine, draws=own.fine)


# Redrawing


def resample(state: State, seat: Seat | None, rng: Rng) -> State:
    """
    Redraw what *seat* (`None`: a spectator) cannot know, leaving what it sees and may do as it is.

    Redrawn are the others' hands, a passed card that *seat* neither gave nor got, and the pile under its
    top card. Kept are the sizes and the cards in `State.known`. Not kept is the finer knowledge of a
    very good memory: which cards a pile made of covered cards holds, and what a play lets one guess.
    """
    witnesses = (seat, EVERYONE)
    fixed: list[tuple[str, ...]] = []
    for holder, hand in enumerate(state.hands):
        notes = [note.card for note in state.known if note.holder == holder and note.witness in witnesses]
        fixed.append(hand if holder == seat else tuple(notes))
    pool = list(state.pile[:-1])
    for hand, kept in zip(state.hands, fixed, strict=True):
        pool += (Counter(hand) - Counter(kept)).elements()
    pool = rng.shuffled(pool)
    drawn = [
        tuple(pool.pop() for _ in range(len(hand) - len(kept))) for hand, kept in zip(state.hands, fixed, strict=True)
    ]
    laid = state.laid
    if laid is not None and laid.to != NOBODY and seat not in (laid.seat, laid.to) and not laid.settled:
        laid = msgspec.structs.replace(laid, passed=rng.choice(drawn[laid.to]))
    return msgspec.structs.replace(
        state,
        hands=tuple(in_order((*kept, *new)) for kept, new in zip(fixed, drawn, strict=True)),
        pile=(*pool, *state.pile[-1:]),
        laid=laid,
        known=tuple(note for note in state.known if note.witness in witnesses or note.holder == seat),
    )
