"""The Remix: cards on offer, who picks when, and picks that need a second press."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import TypeVar

import msgspec

from rules.breakdancing_meeples.actions import Attach, Buy, Return, Skip, Take
from rules.breakdancing_meeples.dance import fresh
from rules.breakdancing_meeples.data import PICK_MS
from rules.breakdancing_meeples.deck import ROUTINE_LIMIT
from rules.breakdancing_meeples.events import (
    Bought,
    PicksNext,
    RemixDealt,
    RemixOver,
    Reserved,
    ReturnedCard,
    SkippedPick,
    Took,
)
from rules.breakdancing_meeples.model import Card, Crew, Pending, Rally, Remix, Routine, State
from rules.breakdancing_meeples.setup import to_ready
from rules.core.contract import Event, Seat

replace = msgspec.structs.replace

T = TypeVar("T")

MORE_THAN_CREWS = 1
"""Cards on offer beyond the number of crews (BM-32)."""

ORDER_BY_TOTAL: bool = True
"""BM-33: whether the lowest total picks first; else the lowest score of the Dance Off just danced."""

RALLIES_STAY_ATTACHED: bool = True
"""BM-47: whether who takes a returned Routine gets the Rallies beneath it too, and for nothing."""


def pick_order(crews: tuple[Crew, ...]) -> tuple[tuple[Seat, ...], ...]:
    """Return groups of seats in the order of picking: lowest Crowd Appeal first, ties in one group (BM-33, BM-34)."""

    def standing(seat: Seat) -> int:
        return crews[seat].total if ORDER_BY_TOTAL else crews[seat].scores[-1]

    return tuple(tuple(group) for _, group in groupby(sorted(range(len(crews)), key=standing), standing))


# Beginning and end


def begin(state: State, now_ms: int, told: list[Event]) -> State:
    """Deal the cards on offer (BM-32, BM-40); with none left there is nothing to pick, and on it goes."""
    deck = list(state.deck)
    row: list[Card] = []
    discarded: list[str] = []
    while deck and len(row) < len(state.crews) + MORE_THAN_CREWS:
        card = deck.pop()
        if state.young and card.kind == "rally":
            discarded.append(card.key)  # and another one in its place (BM-41)
        else:
            row.append(card)
    remix = Remix(
        number=state.dance_off,
        row=tuple(map(fresh, row)),
        groups=pick_order(state.crews),
        group=-1,
        waiting=(),
    )
    cards = tuple(card.key for card in row)
    told.append(RemixDealt(remix=remix.number, cards=cards, discarded=tuple(discarded), groups=remix.groups))
    state = replace(state, phase="remix", deck=tuple(deck), aside=(*state.aside, *discarded), remix=remix)
    return _next_group(state, remix, now_ms, told) if row else _end(state, remix, now_ms, told)


def _next_group(state: State, remix: Remix, now_ms: int, told: list[Event]) -> State:
    """Let the next crews pick, or go on to the next Dance Off after the last of them."""
    group = remix.group + 1
    if group == len(remix.groups):
        return _end(state, remix, now_ms, told)
    seats = remix.groups[group]
    closes_ms = now_ms + PICK_MS
    told.append(PicksNext(seats=seats, closes_ms=closes_ms))
    return replace(state, closes_ms=closes_ms, remix=replace(remix, group=group, waiting=seats, pending=()))


def _end(state: State, remix: Remix, now_ms: int, told: list[Event]) -> State:
    """Set aside what nobody wanted, for the rest of the game (BM-39)."""
    left = tuple(key for offer in remix.row if offer is not None for key in keys_of(offer))
    told.append(RemixOver(remix=remix.number, cards=left))
    return to_ready(replace(state, aside=(*state.aside, *left)), state.dance_off + 1, now_ms)


def keys_of(routine: Routine) -> tuple[str, ...]:
    """Return the keys of a Routine and of the Rallies beneath it."""
    return (routine.card.key, *(rally.card.key for rally in routine.rallies))


# Picks


def carry_out(
    state: State, seat: Seat, action: Take | Buy | Return | Attach | Skip, now_ms: int
) -> tuple[State, list[Event]]:
    """Carry out a pick, which is legal, and let the next crews pick once the group is through."""
    told: list[Event] = []
    match action:
        case Take(place=place):
            state = _take(state, seat, place, told)
        case Buy(place=place):
            state = _reserve(state, seat, place, told)
        case Return(routine=index):
            state = _return(state, seat, index, told)
        case Attach(routine=index):
            state = _attach(state, seat, index, told)
        case Skip():
            state = _give_up(state, seat, told)
    return _gone_on(state, now_ms, told), told


def time_is_up(state: State, now_ms: int) -> tuple[State, list[Event]]:
    """End the picks that are not finished: a fourth Routine goes back, a Rally is not bought, else skipped (BM-35)."""
    told: list[Event] = []
    for seat in _remix(state).waiting:
        pending = _remix(state).pending_of(seat)
        if pending is not None and pending.rally is None:
            state = _return(state, seat, ROUTINE_LIMIT, told, timeout=True)
        else:
            state = _give_up(state, seat, told, timeout=True)
    return _gone_on(state, now_ms, told), told


def _remix(state: State) -> Remix:
    """Return the Remix, which is under way."""
    if state.remix is None:
        raise ValueError("no Remix")
    return state.remix


def _gone_on(state: State, now_ms: int, told: list[Event]) -> State:
    remix = _remix(state)
    return state if remix.waiting else _next_group(state, remix, now_ms, told)


def _take(state: State, seat: Seat, place: int, told: list[Event]) -> State:
    """Give a Routine on offer to a crew, which returns one if it has four now (BM-36, BM-37, BM-38)."""
    remix = _remix(state)
    offer = remix.row[place]
    if offer is None:
        raise ValueError("gone")
    told.append(Took(seat=seat, card=offer.card.key, name=offer.card.name, rallies=keys_of(offer)[1:]))
    crew = state.crews[seat]
    routines = (*crew.routines, offer)
    state = with_crew(state, seat, replace(crew, routines=routines))
    remix = replace(remix, row=_put(remix.row, place, None))
    if len(routines) <= ROUTINE_LIMIT:
        return replace(state, remix=_picked(remix, seat))
    return replace(state, remix=replace(remix, pending=(*remix.pending, Pending(seat, place))))


def _return(state: State, seat: Seat, index: int, told: list[Event], *, timeout: bool = False) -> State:
    """Put one of four Routines on offer again, with the Rallies beneath it (BM-46, BM-47, BM-48)."""
    remix = _remix(state)
    crew = state.crews[seat]
    back = crew.routines[index]
    routines = (*crew.routines[:index], *crew.routines[index + 1 :])
    told.append(
        ReturnedCard(seat=seat, card=back.card.key, name=back.card.name, rallies=keys_of(back)[1:], timeout=timeout)
    )
    offers = (
        (fresh(back.card, back.rallies),)
        if RALLIES_STAY_ATTACHED
        else (fresh(back.card), *(fresh(rally.card) for rally in back.rallies))
    )
    state = with_crew(state, seat, replace(crew, routines=routines))
    return replace(state, remix=_picked(replace(remix, row=(*remix.row, *offers)), seat))


def _reserve(state: State, seat: Seat, place: int, told: list[Event]) -> State:
    """Keep a Rally for a crew until it is put beneath a Routine."""
    remix = _remix(state)
    offer = remix.row[place]
    if offer is None:
        raise ValueError("gone")
    told.append(Reserved(seat=seat, card=offer.card.key, name=offer.card.name))
    pending = (*remix.pending, Pending(seat, place, offer.card))
    return replace(state, remix=replace(remix, row=_put(remix.row, place, None), pending=pending))


def _attach(state: State, seat: Seat, index: int, told: list[Event]) -> State:
    """Pay a Rally and put it beneath a Routine for the rest of the game (BM-43, BM-44)."""
    remix = _remix(state)
    pending = remix.pending_of(seat)
    if pending is None or pending.rally is None:
        raise ValueError("nothing to attach")
    card = pending.rally
    crew = state.crews[seat]
    above = crew.routines[index]
    above = replace(above, rallies=(*above.rallies, Rally(card, state.bought + 1)))
    told.append(Bought(seat=seat, card=card.key, name=card.name, beneath=above.card.key, cost=card.cost))
    crew = replace(
        crew, routines=_put(crew.routines, index, above), total=crew.total - card.cost, paid=crew.paid + card.cost
    )
    return replace(with_crew(state, seat, crew), bought=state.bought + 1, remix=_picked(remix, seat))


def _give_up(state: State, seat: Seat, told: list[Event], *, timeout: bool = False) -> State:
    """Pick nothing; a Rally that was reserved lies on offer again where it lay."""
    remix = _remix(state)
    pending = remix.pending_of(seat)
    card = ""
    if pending is not None and pending.rally is not None:
        card = pending.rally.key
        remix = replace(remix, row=_put(remix.row, pending.place, fresh(pending.rally)))
    told.append(SkippedPick(seat=seat, card=card, timeout=timeout))
    return replace(state, remix=_picked(remix, seat))


def _picked(remix: Remix, seat: Seat) -> Remix:
    """Note that *seat* is through with its pick."""
    return replace(
        remix,
        waiting=tuple(other for other in remix.waiting if other != seat),
        pending=tuple(pending for pending in remix.pending if pending.seat != seat),
    )


def _put(row: Iterable[T], place: int, item: T) -> tuple[T, ...]:
    return tuple(item if number == place else each for number, each in enumerate(row))


def with_crew(state: State, seat: Seat, crew: Crew) -> State:
    """Return *state* with another *crew* at *seat*."""
    return replace(state, crews=(*state.crews[:seat], crew, *state.crews[seat + 1 :]))
