"""What a crew may do: one check a kind of action, and the list of all that pass them."""

from __future__ import annotations

from collections.abc import Mapping

from rules.breakdancing_meeples.actions import (
    Action,
    Attach,
    Buy,
    Done,
    Fill,
    Force,
    Place,
    Ready,
    Return,
    Roll,
    Skip,
    Swap,
    Take,
)
from rules.breakdancing_meeples.dance import (
    closed,
    matching_pair,
    next_roll_ms,
    open_places,
    slot_for,
    swaps,
)
from rules.breakdancing_meeples.data import FORCE_MS
from rules.breakdancing_meeples.model import DANCING, STANCES, Crew, Remix, State
from rules.core.contract import Refusal, Seat

REFUSALS = (
    "malformed",
    "over",
    "no_such_seat",
    "other_dance_off",
    "already_ready",
    "dance_off_is_on",
    "not_dancing",
    "bell_rang",
    "bell_not_rung",
    "crew_is_done",
    "old_roll",
    "already_placed",
    "all_locked",
    "too_early",
    "too_late",
    "too_fast",
    "no_such_routine",
    "no_such_stance",
    "no_slots",
    "no_cubes",
    "squares_full",
    "no_slot",
    "no_dancer",
    "nothing_fits",
    "no_matching_pair",
    "no_pair",
    "no_remix",
    "other_remix",
    "not_your_pick",
    "already_picked",
    "return_first",
    "attach_first",
    "nothing_to_return",
    "nothing_to_attach",
    "no_such_place",
    "gone",
    "to_be_bought",
    "not_a_rally",
    "too_dear",
    "no_room_for_rally",
)
"""Every code that a refusal of this game may carry."""

RALLY_BENEATH_MATCHING_PAIR: bool = False
"""BM-30: whether a Rally may be put beneath a Matching Pair card, which is never completed."""


def awaited(state: State) -> frozenset[Seat]:
    """
    Return whom the game waits for.

    In a Dance Off these are the crews that can roll and have a cube left for what comes of it; a crew
    without either watches until the bell, though it may roll on for fun.
    """
    match state.phase:
        case "ready":
            return frozenset(seat for seat, crew in enumerate(state.crews) if not crew.ready)
        case "dance":
            return frozenset(seat for seat, crew in enumerate(state.crews) if crew.free and crew.cubes)
        case "placing":
            return frozenset(seat for seat, crew in enumerate(state.crews) if not crew.done)
        case "remix" if state.remix is not None:
            return frozenset(state.remix.waiting)
        case _:
            return frozenset()


# Checks: return the code of the refusal, or `None` when the action is allowed


def _ready_fault(state: State, crew: Crew, action: Ready | Force) -> str | None:
    """Check a readiness or a start without everybody: before this very Dance Off."""
    if state.phase != "ready":
        return "dance_off_is_on"
    if action.dance_off != state.dance_off:
        return "other_dance_off"
    return "already_ready" if isinstance(action, Ready) and crew.ready else None


def _roll_fault(state: State, crew: Crew, action: Roll) -> str | None:
    """Check a roll apart from its time: in a Dance Off, with dancers to roll, and after the roll that was seen."""
    if state.phase == "placing":
        return "bell_rang"
    if state.phase not in ("count", "dance"):
        return "not_dancing"
    if action.roll != crew.rolls:
        return "old_roll"
    return None if crew.free else "all_locked"


def _placing_fault(state: State, crew: Crew, action: Place | Fill | Swap) -> str | None:
    """Check a placement: dancers lie there, as many as were seen, and where they are to go is room (BM-12, BM-17)."""
    if state.phase not in ("count", "dance", "placing"):
        return "not_dancing"
    if crew.done:
        return "crew_is_done"
    if action.roll != crew.rolls:
        return "old_roll"
    if action.routine is not None and not 0 <= action.routine < len(crew.routines):
        return "no_such_routine"
    match action:
        case Place():
            return _place_fault(crew, action)
        case Fill():
            return _fill_fault(crew, action)
        case Swap():
            return _swap_fault(crew, action)


def _place_fault(crew: Crew, action: Place) -> str | None:
    if action.stance not in DANCING:
        return "no_such_stance"
    if action.free != crew.count(action.stance):
        return "already_placed"
    if not action.free:
        return "no_dancer"
    return _room_fault(crew, action.routine, action.stance)


def _fill_fault(crew: Crew, action: Fill) -> str | None:
    if action.free != crew.dancing:
        return "already_placed"
    if any(crew.count(stance) and action.routine in (None, index) for index, stance in open_places(crew)):
        return None
    return "nothing_fits" if action.routine is None else closed(crew, action.routine) or "nothing_fits"


def _swap_fault(crew: Crew, action: Swap) -> str | None:
    """Check an exchange: a Matching Pair card, two free dancers in one stance, and a third one (BM-24, BM-25)."""
    if action.stance not in DANCING or action.pair not in DANCING or action.third not in STANCES:
        return "no_such_stance"
    if not matching_pair(crew):
        return "no_matching_pair"
    if action.free != crew.dancing:
        return "already_placed"
    if (action.pair, action.third) not in swaps(crew):
        return "no_pair"
    return _room_fault(crew, action.routine, action.stance)


def _room_fault(crew: Crew, index: int, stance: str) -> str | None:
    return closed(crew, index) or (None if slot_for(crew, index, stance) is not None else "no_slot")


def _done_fault(state: State, crew: Crew, action: Done) -> str | None:
    """Check a Done: after the bell of this very Dance Off, once."""
    if state.phase != "placing":
        return "bell_not_rung"
    if action.dance_off != state.dance_off:
        return "other_dance_off"
    return "crew_is_done" if crew.done else None


def _pick_fault(state: State, seat: Seat, action: Take | Buy | Return | Attach | Skip) -> str | None:
    """Check a pick: in this very Remix, by a crew whose turn it is, and the second press after the first (BM-37)."""
    remix, crew = state.remix, state.crews[seat]
    if remix is None:
        return "no_remix"
    if action.remix != remix.number:
        return "other_remix"
    if seat not in remix.waiting:
        return "already_picked" if any(seat in group for group in remix.groups[: remix.group + 1]) else "not_your_pick"
    pending = remix.pending_of(seat)
    returning = pending is not None and pending.rally is None
    attaching = pending is not None and pending.rally is not None
    match action:
        case Return():
            if not returning:
                return "nothing_to_return"
            return None if 0 <= action.routine < len(crew.routines) else "no_such_routine"
        case _ if returning:
            return "return_first"
        case Attach():
            return _attach_fault(crew, action.routine) if attaching else "nothing_to_attach"
        case Skip():
            return None
        case Take() | Buy():
            return "attach_first" if attaching else _offer_fault(remix, crew, action)


def _attach_fault(crew: Crew, index: int) -> str | None:
    if not 0 <= index < len(crew.routines):
        return "no_such_routine"
    return None if index in roomy(crew) else "no_room_for_rally"


def _offer_fault(remix: Remix, crew: Crew, action: Take | Buy) -> str | None:
    """Check what is wanted of the row: still there, of the right kind, and affordable (BM-34, BM-43)."""
    if not 0 <= action.place < len(remix.row):
        return "no_such_place"
    offer = remix.row[action.place]
    if offer is None:
        return "gone"
    if isinstance(action, Take):
        return "to_be_bought" if offer.card.kind == "rally" else None
    if offer.card.kind != "rally":
        return "not_a_rally"
    if offer.card.cost > crew.total:
        return "too_dear"
    return None if roomy(crew) else "no_room_for_rally"


def roomy(crew: Crew) -> tuple[int, ...]:
    """Return the indexes of the Routines that a Rally may be put beneath (BM-30, BM-45)."""
    return tuple(
        index
        for index, routine in enumerate(crew.routines)
        if RALLY_BENEATH_MATCHING_PAIR or routine.card.kind == "routine"
    )


def _fault(state: State, seat: Seat, action: Action) -> str | None:
    """Check a well-formed action of a seat at the table, apart from its time."""
    crew = state.crews[seat]
    match action:
        case Roll():
            return _roll_fault(state, crew, action)
        case Place() | Fill() | Swap():
            return _placing_fault(state, crew, action)
        case Ready() | Force():
            return _ready_fault(state, crew, action)
        case Done():
            return _done_fault(state, crew, action)
        case Take() | Buy() | Return() | Attach() | Skip():
            return _pick_fault(state, seat, action)


def _roll_time(state: State, crew: Crew, now_ms: int) -> None:
    """
    Check the time of a roll: from "8!" to the bell, and not too soon after the last one (BM-5, BM-20).

    Raises:
        Refusal: `too_early` or `too_fast` with `wait_ms`, `too_late` with `bell_ms` and `at_ms`.
    """
    if now_ms < state.starts_ms:
        raise Refusal("too_early", wait_ms=state.starts_ms - now_ms)
    if now_ms > state.ends_ms:
        raise Refusal("too_late", bell_ms=state.ends_ms, at_ms=now_ms)
    due_ms = next_roll_ms(state, crew)
    if now_ms < due_ms:
        raise Refusal("too_fast", wait_ms=due_ms - now_ms)


FIELDS: Mapping[str, type] = {"stance": str, "pair": str, "third": str}
"""Types of the fields of actions by name; all others are whole numbers."""


def _well_formed(action: object) -> bool:
    """Tell whether *action* is one of ours with fields of the right types, which only a forged press lacks."""
    if not isinstance(action, Action):
        return False
    whole = isinstance(action, Fill) and action.routine is None  # which means all Routines
    return all(
        type(getattr(action, name)) is FIELDS.get(name, int)
        for name in action.__struct_fields__
        if not (whole and name == "routine")
    )


def require(state: State, seat: Seat, action: Action, now_ms: int) -> None:
    """
    Make sure that *seat* may do *action* now.

    Args:
        state: the game.
        seat: who wants it.
        action: what.
        now_ms: when it was pressed, UTC ms.

    Raises:
        Refusal: with one of `REFUSALS`; `wait_ms` says how much too early it is, `bell_ms` and `at_ms` when
            the bell rang and when a roll was pressed after it.
    """
    if state.phase == "over":
        raise Refusal("over")
    if not 0 <= seat < len(state.crews):
        raise Refusal("no_such_seat")
    if not _well_formed(action):
        raise Refusal("malformed")
    fault = _fault(state, seat, action)
    if fault == "bell_rang":
        raise Refusal(fault, bell_ms=state.ends_ms, at_ms=now_ms)
    if fault is not None:
        raise Refusal(fault)
    if isinstance(action, Roll):
        _roll_time(state, state.crews[seat], now_ms)
    elif isinstance(action, Force) and now_ms < state.since_ms + FORCE_MS:
        raise Refusal("too_early", wait_ms=state.since_ms + FORCE_MS - now_ms)


# The list of all that pass


def legal(state: State, seat: Seat) -> list[Action]:
    """Return every action that `require` lets *seat* do, time aside, in a fixed order."""
    if not 0 <= seat < len(state.crews):
        return []
    crew = state.crews[seat]
    match state.phase:
        case "ready":
            ready: list[Action] = [] if crew.ready else [Ready(state.dance_off)]
            return [*ready, Force(state.dance_off)]
        case "count" | "dance":
            roll: list[Action] = [Roll(crew.rolls)] if crew.free else []
            return roll + _placements(crew)
        case "placing" if not crew.done:
            return [*_placements(crew), Done(state.dance_off)]
        case "remix" if state.remix is not None and seat in state.remix.waiting:
            return _picks(state.remix, crew, seat)
        case _:
            return []


def _placements(crew: Crew) -> list[Action]:
    """Return every way to place a free dancer: one by one, filling up, and by an exchange."""
    dancing = crew.dancing
    places = open_places(crew) if dancing else []
    fitting = [(index, stance) for index, stance in places if crew.count(stance)]
    found: list[Action] = [Place(index, stance, crew.rolls, crew.count(stance)) for index, stance in fitting]
    if fitting:
        found.append(Fill(None, crew.rolls, dancing))
        found += [Fill(index, crew.rolls, dancing) for index in dict.fromkeys(index for index, _ in fitting)]
    if places:
        found += [
            Swap(pair, third, index, stance, crew.rolls, dancing)
            for pair, third in swaps(crew)
            for index, stance in places
        ]
    return found


def _picks(remix: Remix, crew: Crew, seat: Seat) -> list[Action]:
    """Return what a crew may do whose pick it is."""
    pending = remix.pending_of(seat)
    if pending is not None and pending.rally is None:
        return [Return(remix.number, index) for index in range(len(crew.routines))]
    skip = Skip(remix.number)
    if pending is not None:
        return [*(Attach(remix.number, index) for index in roomy(crew)), skip]
    wanted = (
        (Buy if offer.card.kind == "rally" else Take)(remix.number, place)
        for place, offer in enumerate(remix.row)
        if offer is not None
    )
    return [*(action for action in wanted if _offer_fault(remix, crew, action) is None), skip]
