"""What each onlooker may know, the odds that follow from it, and what can be redrawn without anyone noticing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from math import comb
from typing import assert_never

from rules.core.contract import Seat, View
from rules.core.rng import Rng
from rules.lets_dance.cards import CONGA, DIZZY, HAND_SIZE, OVER, PACKET, SPIN, TOES, copies, in_order
from rules.lets_dance.model import (
    EVERYONE,
    FIRST_SEAT,
    Action,
    Dance,
    Floor,
    Follow,
    Grab,
    Hints,
    Keep,
    Laid,
    Own,
    Pass,
    Preview,
    Public,
    Renew,
    Replenish,
    SitOut,
    State,
    StepOnToes,
)
from rules.lets_dance.scoring import final_sheets, score

FULL = {small: copies(small=small) for small in (False, True)}

SeatView = View[Public, Own]


def view(state: State, seat: Seat | None) -> SeatView:
    """Build what *seat* knows; the public part is the same for everyone, `None` has nothing else."""
    public = _public(state)
    if seat is None or not 0 <= seat < state.players:
        return View(public, None)
    return View(public, own(state, seat), Hints(fall_permille=_falls(state, public, seat)))


def own(state: State, seat: Seat) -> Own:
    """Build what *seat* alone knows."""
    grab = state.grab
    return Own(
        hand=state.hands[seat],
        grabbed=grab.cards if grab is not None and seat == state.turn else (),
        face_down=tuple(laid.card for laid in state.floors[seat] if laid.down),
    )


def _public(state: State) -> Public:
    """Build what everyone sees."""
    line = len(state.conga)
    sheets = final_sheets(state.floors) if state.over else [score(floor, line) for floor in state.floors]
    return Public(
        players=state.players,
        first=FIRST_SEAT,
        turn=state.turn,
        round=state.round,
        final=state.final,
        party_over=state.last_round > 0,
        awaits=state.awaits,
        floors=tuple(
            Floor(_seen(floor), len(hand), sheet)
            for floor, hand, sheet in zip(state.floors, state.hands, sheets, strict=True)
        ),
        deck=len(state.deck),
        discards=state.discards,
        conga=state.conga,
        small=state.small,
    )


@lru_cache(maxsize=4096)
def _seen(floor: tuple[Laid, ...]) -> tuple[Laid, ...]:
    """Return *floor* as the others see it (LD-20)."""
    return tuple(laid if laid.public else Laid("", down=True, public=False) for laid in floor)


# Odds


@lru_cache(maxsize=4096)
def _faces(floor: tuple[Laid, ...]) -> tuple[str, ...]:
    """Return the cards of *floor* that everyone can name."""
    return tuple(laid.card for laid in floor if laid.card)


def unseen(public: Public, seen: Iterable[str]) -> tuple[int, int, int]:
    """
    Count the cards that may be anywhere: all of the game but those in public sight.

    Args:
        public: what everyone sees.
        seen: cards that the onlooker knows beside, each named once.

    Returns:
        how many, and the Spins and the Step on Toes among them, without Party's Over, which is no card to
        be drawn or held.
    """
    sight = [*public.discards, *seen]
    for floor in public.floors:
        sight += _faces(floor.laid)
    full = FULL[public.small]
    cards = sum(full.values()) - full[OVER] - len(sight)
    return cards, full[SPIN] - sight.count(SPIN), full[TOES] - sight.count(TOES)


def _falls(state: State, public: Public, seat: Seat) -> tuple[int, int, int]:
    """Reckon the risk of one, two and three Spins from what *seat* knows."""
    grab = state.grab
    taken = grab.cards if grab is not None and seat in (state.turn, grab.victim) else ()
    hidden = (laid.card for laid in state.floors[seat] if not laid.public)
    others = (known.card for known in state.known if known.holder != seat and known.witness in (seat, EVERYONE))
    left = unseen(public, (*state.hands[seat], *taken, *hidden, *others))
    deck = public.deck - (not public.party_over)
    pools = (deck, *left)
    pile = (len(public.discards), public.discards.count(SPIN), public.discards.count(TOES))
    return fall_permille(1, pools, pile), fall_permille(2, pools, pile), fall_permille(3, pools, pile)


@lru_cache(maxsize=4096)
def fall_permille(spins: int, deck: tuple[int, int, int, int], discards: tuple[int, int, int]) -> int:
    """
    Return the risk of falling, of 1,000, rounded.

    The cards shown come from the deck, any of the unseen cards with equal chance; where the deck is
    too short the rest comes from the shuffled discards (LD-56, LD-79), and what is in neither is skipped.

    Args:
        spins: Spins danced, 1 to 3.
        deck: cards in the deck; then unseen cards, the Spins and the Step on Toes among these.
        discards: cards in the discards, the Spins and the Step on Toes among them.
    """
    cards, *pool = deck
    first = min(spins, cards)
    second = min(spins - first, discards[0])
    allowed = DIZZY - 1 - spins
    held = sum(
        _ways(first, one, *pool) * _ways(second, two, *discards)
        for one in range(min(first, allowed) + 1)
        for two in range(min(second, allowed - one) + 1)
    )
    every = comb(pool[0], first) * comb(discards[0], second)
    return (2000 * (every - held) + every) // (2 * every)


def _ways(shown: int, spins: int, cards: int, all_spins: int, toes: int) -> int:
    """Count the choices of *shown* of *cards* with exactly *spins* Spins and no Step on Toes."""
    if spins > shown:
        return 0
    return comb(all_spins, spins) * comb(cards - all_spins - toes, shown - spins)


# Preview


def preview(view: SeatView, seat: Seat, action: Action) -> Preview:
    """
    Say what *action*, a legal one, would do to the floor of *seat*; reckoned from its view alone.

    Nobody falls, nobody else follows in a Conga Line, and deck and discards give what is asked of them.

    Raises:
        ValueError: the view is not that of a seat.
    """
    if view.own is None:
        raise ValueError("a spectator has nothing to preview")
    public, own, hints = view.public, view.own, view.hints
    floor = public.floors[seat]
    before = after = floor.sheet.worth
    risk = draws = 0
    match action:
        case Dance(cards):
            after = score(floor.laid + tuple(map(Laid, cards)), 1).total
            spins = cards.count(SPIN)
            risk = hints.fall_permille[spins - 1] if spins else 0
            draws = 1
        case Follow():
            after = score((*floor.laid, Laid(CONGA)), len(public.conga) + 1).total
            draws = 1
        case Replenish():
            draws = HAND_SIZE - len(own.hand)
        case Renew(_, drop):
            draws = HAND_SIZE - (len(own.hand) - 1 - len(drop))
        case SitOut() | StepOnToes() | Keep() | Pass():
            draws = 0
        case _:
            assert_never(action)
    return Preview(before=before, after=after, fall_permille=risk, draws=0 if public.final else draws)


# Redrawing


def resample(state: State, seat: Seat | None, rng: Rng) -> State:
    """
    Redraw what *seat* (`None`: a spectator) cannot know, leaving what it sees and may do as it is.

    Redrawn are the others' hands, their hidden face-down cards, a theft under way of which *seat* is
    no part, and the order of the deck. Kept are the sizes, the cards in `State.known`, and Party's Over
    among the bottom cards where it was put (LD-2). Not kept is the finer knowledge of a very good
    memory: which cards a deck made of discards may hold, and what a play lets one guess.
    """
    witnesses = (seat, EVERYONE)
    fixed: list[list[str]] = []
    for holder, hand in enumerate(state.hands):
        known = [note.card for note in state.known if note.holder == holder and note.witness in witnesses]
        fixed.append(list(hand) if holder == seat else known)
    pool = [card for card in state.deck if card != OVER]
    for holder, hand in enumerate(state.hands):
        pool += (Counter(hand) - Counter(fixed[holder])).elements()
    pool += [
        laid.card for holder, floor in enumerate(state.floors) if holder != seat for laid in floor if not laid.public
    ]
    grab = state.grab
    redraw_grab = grab is not None and seat not in (state.turn, grab.victim)
    if grab is not None and redraw_grab:
        pool += grab.cards
    pool = rng.shuffled(pool)
    if grab is not None and redraw_grab:
        while pool[-1] == pool[-2]:  # a choice is pending, so the two differ
            pool = rng.shuffled(pool)
        grab = Grab(grab.victim, in_order((pool.pop(), pool.pop())))

    hands = tuple(
        in_order((*fixed[holder], *(pool.pop() for _ in range(len(hand) - len(fixed[holder])))))
        for holder, hand in enumerate(state.hands)
    )
    floors = tuple(
        floor
        if holder == seat
        else tuple(laid if laid.public else Laid(pool.pop(), down=True, public=False) for laid in floor)
        for holder, floor in enumerate(state.floors)
    )
    if OVER in state.deck:
        pool.insert(rng.below(min(len(state.deck), PACKET + 1)), OVER)
    return State(
        small=state.small,
        hands=hands,
        floors=floors,
        deck=tuple(pool),
        discards=state.discards,
        turn=state.turn,
        round=state.round,
        last_round=state.last_round,
        conga=state.conga,
        grab=grab,
        known=tuple(note for note in state.known if note.witness in witnesses or note.holder == seat),
    )
