"""From one phase to the next: ready, count-in, go, bell, placing, score, and what a stop of the bot does to them."""

from __future__ import annotations

import msgspec

from rules.breakdancing_meeples import remix
from rules.breakdancing_meeples.dance import placeable
from rules.breakdancing_meeples.data import COUNT_IN_MS, GRACE_MS, LOST_MS, PICK_MS, PLACING_MS
from rules.breakdancing_meeples.deck import DANCE_OFFS
from rules.breakdancing_meeples.events import (
    BellRang,
    CountIn,
    CrewDone,
    CrewReady,
    GameOver,
    Resumed,
    Scored,
    Voided,
    Went,
)
from rules.breakdancing_meeples.model import CardScore, Crew, CrewScore, Sheet, State
from rules.breakdancing_meeples.remix import with_crew
from rules.breakdancing_meeples.result import outcome
from rules.breakdancing_meeples.setup import to_ready
from rules.core.contract import Event, Seat, Step

replace = msgspec.structs.replace

GO, BELL, PLACING, PICK = "go", "bell", "placing", "pick"
"""Names of the deadlines."""


def deadlines(state: State) -> dict[str, int]:
    """Return the one deadline of the phase, UTC ms; a roll made in time may arrive a little after the bell (BM-4)."""
    match state.phase:
        case "count":
            return {GO: state.starts_ms}
        case "dance":
            return {BELL: state.ends_ms + GRACE_MS}
        case "placing":
            return {PLACING: state.closes_ms}
        case "remix":
            return {PICK: state.closes_ms}
        case _:
            return {}


def time_is_up(state: State, name: str, now_ms: int) -> Step[State]:
    """Do what follows when the deadline *name*, which there is, passes."""
    told: list[Event] = []
    if name == GO:
        state = go(state, told)
    elif name == BELL:
        state = _bell(state, now_ms, told)
    elif name == PLACING:
        state = _score(state, now_ms, told)
    else:
        state, told = remix.time_is_up(state, now_ms)
    return Step(state, tuple(told))


# Before the bell


def get_ready(state: State, seat: Seat, now_ms: int) -> Step[State]:
    """Note that a crew is ready; the last one starts the count-in."""
    told: list[Event] = [CrewReady(seat=seat, dance_off=state.dance_off)]
    state = with_crew(state, seat, replace(state.crews[seat], ready=True))
    if all(crew.ready for crew in state.crews):
        state = count_in(state, now_ms, told)
    return Step(state, tuple(told))


def count_in(state: State, now_ms: int, told: list[Event]) -> State:
    """Count in the Dance Off, without the crews that are not ready: they may still come in while it lasts (BM-54)."""
    starts_ms = now_ms + COUNT_IN_MS
    ends_ms = starts_ms + state.round_ms
    late = tuple(seat for seat, crew in enumerate(state.crews) if not crew.ready)
    told.append(CountIn(dance_off=state.dance_off, starts_ms=starts_ms, ends_ms=ends_ms, forced=late))
    crews = tuple(replace(crew, completed=()) for crew in state.crews)
    return replace(state, crews=crews, phase="count", starts_ms=starts_ms, ends_ms=ends_ms, voided=False, lost_ms=0)


def go(state: State, told: list[Event]) -> State:
    """Start the Dance Off."""
    told.append(Went(dance_off=state.dance_off, ends_ms=state.ends_ms))
    return replace(state, phase="dance")


# After the bell


def _bell(state: State, now_ms: int, told: list[Event]) -> State:
    """Ring the bell: what lies rolled may still be placed, by those who can (BM-19)."""
    state = _settled(state)
    can = tuple(seat for seat, crew in enumerate(state.crews) if not crew.done)
    closes_ms = now_ms + PLACING_MS if can else 0
    told.append(BellRang(dance_off=state.dance_off, placing=can, closes_ms=closes_ms))
    state = replace(state, phase="placing", closes_ms=closes_ms)
    return state if can else _score(state, now_ms, told)


def _settled(state: State) -> State:
    """Note as done the crews that can place nothing (more)."""
    crews = tuple(crew if crew.done or placeable(crew) else replace(crew, done=True) for crew in state.crews)
    return replace(state, crews=crews)


def be_done(state: State, seat: Seat, now_ms: int) -> Step[State]:
    """Note that a crew places no more; the last one ends the Dance Off."""
    told: list[Event] = [CrewDone(seat=seat)]
    state = after_placing(with_crew(state, seat, replace(state.crews[seat], done=True)), now_ms, told)
    return Step(state, tuple(told))


def after_placing(state: State, now_ms: int, told: list[Event]) -> State:
    """Score as soon as nobody can or wants to place any more; before the bell nothing follows."""
    if state.phase != "placing":
        return state
    state = _settled(state)
    return _score(state, now_ms, told) if all(crew.done for crew in state.crews) else state


def _score(state: State, now_ms: int, told: list[Event]) -> State:
    """Add up the covered squares (BM-23) and go on to the Remix or the end."""
    scores = tuple(map(_scored, state.crews))
    sheet = Sheet(state.dance_off, scores)
    told.append(Scored(sheet=sheet))
    crews = tuple(
        replace(crew, total=score.total, scores=(*crew.scores, score.points))
        for crew, score in zip(state.crews, scores, strict=True)
    )
    state = replace(state, crews=crews, sheet=sheet, closes_ms=0)
    if state.dance_off < DANCE_OFFS:
        return remix.begin(state, now_ms, told)
    state = replace(state, phase="over")
    ended = outcome(crews)
    told.append(GameOver(places=ended.places, scores=ended.scores, reason=ended.reason))
    return state


def _scored(crew: Crew) -> CrewScore:
    """Add up what a crew covered, card by card; unfinished Routines bring nothing for it (BM-21)."""
    cards = tuple(
        CardScore(card.key, card.name, cubes, sum(card.squares[:cubes]))
        for routine in crew.routines
        for card, cubes in ((routine.card, routine.cubes), *((rally.card, rally.cubes) for rally in routine.rallies))
    )
    points = sum(card.points for card in cards)
    return CrewScore(cards, points, crew.total + points)


# After a stop of the bot


def resume(state: State, since_ms: int, now_ms: int) -> Step[State]:
    """
    Go on after a stop.

    A Dance Off that lost its start, or more than `LOST_MS` of its time, is called off and comes again;
    one that lost less goes on and ends when it would have. The time for placing and for picks begins
    anew when it is over or lost as much. Nothing else is lost.
    """
    match state.phase:
        case "count" | "dance":
            return _resume_dance(state, since_ms, now_ms)
        case "placing" | "remix":
            if now_ms < state.closes_ms and now_ms - since_ms <= LOST_MS:
                return Step(state)
            closes_ms = now_ms + (PICK_MS if state.phase == "remix" else PLACING_MS)
            told = Resumed(lost_ms=max(0, now_ms - since_ms), until_ms=closes_ms, anew=True)
            return Step(replace(state, closes_ms=closes_ms), (told,))
        case _:
            return Step(state)


def _resume_dance(state: State, since_ms: int, now_ms: int) -> Step[State]:
    lost_ms = max(0, min(now_ms, state.ends_ms) - max(since_ms, state.starts_ms))
    start_lost = state.phase == "count" and since_ms < state.starts_ms <= now_ms
    if start_lost or lost_ms > LOST_MS:
        crews = tuple(replace(crew, completed=()) for crew in state.crews)
        state = to_ready(replace(state, crews=crews), state.dance_off, now_ms, voided=True)
        return Step(state, (Voided(dance_off=state.dance_off, lost_ms=lost_ms),))
    if now_ms >= state.ends_ms:
        return Step(state)
    told = Resumed(lost_ms=lost_ms, until_ms=state.ends_ms)
    return Step(replace(state, lost_ms=state.lost_ms + lost_ms), (told,))
