"""What each onlooker may know: everything but the order of the deck."""

from __future__ import annotations

import msgspec

from rules.breakdancing_meeples.actions import Action, Fill, Place, Swap
from rules.breakdancing_meeples.dance import next_roll_ms, placed, slot_for
from rules.breakdancing_meeples.data import FORCE_MS
from rules.breakdancing_meeples.model import Crew, Phase, Remix, Sheet, State
from rules.core.contract import Seat, View
from rules.core.rng import Rng


class Public(msgspec.Struct, frozen=True, kw_only=True):
    """
    What everyone sees.

    Attributes:
        phase: what the game waits for.
        dance_off: 1 to 4; in a Remix the one that was danced last.
        crews: by seat, all that lies in front of them, with totals and round scores.
        round_ms: length of a Dance Off.
        interval_ms: least time between two rolls of a crew.
        young: whether the game is without Rallies.
        deck_title: what the deck of cards is called.
        force_ms: in phase "ready" the earliest the host may start without everybody, UTC ms, else 0.
        starts_ms: when this Dance Off starts or started, UTC ms, 0 before the count-in.
        ends_ms: when its bell rings or rang, UTC ms, 0 before the count-in.
        closes_ms: when placing, or the pick of a group, is over, UTC ms, else 0.
        remix: the Remix under way: row, order, who picks, second presses due.
        sheet: what the last Dance Off scored, `None` before the first.
        voided: whether this Dance Off was called off once and is danced anew.
        lost_ms: how much of this Dance Off a stop of the bot cost, though it went on.
        deck: cards left for later Remixes.
        aside: keys of cards set aside for the rest of the game.
    """

    phase: Phase
    dance_off: int
    crews: tuple[Crew, ...]
    round_ms: int
    interval_ms: int
    young: bool
    deck_title: str
    force_ms: int
    starts_ms: int
    ends_ms: int
    closes_ms: int
    remix: Remix | None
    sheet: Sheet | None
    voided: bool
    lost_ms: int
    deck: int
    aside: tuple[str, ...]


class Own(msgspec.Struct, frozen=True, kw_only=True):
    """
    The panel of one crew: all of it lies open, but a change of it outdates this seat's panel alone.

    Attributes:
        seat: whose.
        crew: what lies in front of it; see `Crew.lying`, `unrolled`, `last_roll`, `rolls`, `cubes`.
        next_roll_ms: the earliest moment of its next roll, UTC ms; 0 outside of a Dance Off.
        picking: whether it has still to pick, or to finish its pick, in the Remix.
        returning: whether one of its four Routines is to be returned now.
        attaching: the Rally that is to be put beneath a Routine now, as a key, else "".
    """

    seat: Seat
    crew: Crew
    next_roll_ms: int = 0
    picking: bool = False
    returning: bool = False
    attaching: str = ""


SeatView = View[Public, Own]


def view(state: State, seat: Seat | None) -> SeatView:
    """Build what *seat* knows; the public part is the same for everyone, `None` has nothing else."""
    public = Public(
        phase=state.phase,
        dance_off=state.dance_off,
        crews=state.crews,
        round_ms=state.round_ms,
        interval_ms=state.interval_ms,
        young=state.young,
        deck_title=state.deck_title,
        force_ms=state.since_ms + FORCE_MS if state.phase == "ready" else 0,
        starts_ms=state.starts_ms,
        ends_ms=state.ends_ms,
        closes_ms=state.closes_ms,
        remix=state.remix,
        sheet=state.sheet,
        voided=state.voided,
        lost_ms=state.lost_ms,
        deck=len(state.deck),
        aside=state.aside,
    )
    if seat is None or not 0 <= seat < len(state.crews):
        return View(public, None)
    return View(public, own(state, seat))


def own(state: State, seat: Seat) -> Own:
    """Build the panel of *seat*."""
    crew = state.crews[seat]
    if state.remix is None:
        return Own(seat=seat, crew=crew, next_roll_ms=next_roll_ms(state, crew))
    pending = state.remix.pending_of(seat)
    rally = None if pending is None else pending.rally
    return Own(
        seat=seat,
        crew=crew,
        picking=seat in state.remix.waiting,
        returning=pending is not None and rally is None,
        attaching="" if rally is None else rally.key,
    )


# What a panel asks before a press


def fits(crew: Crew, routine: int, stance: str) -> bool:
    """Tell whether the Routine with index *routine* would take a dancer in *stance* now."""
    return slot_for(crew, routine, stance) is not None


def after(crew: Crew, action: Action) -> Crew:
    """Return *crew* after a placing action that is legal now; other actions leave it as it is."""
    return placed(crew, 0, action)[0] if isinstance(action, Place | Fill | Swap) else crew


def locks_out(crew: Crew, action: Action) -> bool:
    """Tell whether *action*, legal now, would lock the last dancer that could be rolled and complete nothing."""
    return crew.free > 0 and after(crew, action).free == 0


def resample(state: State, rng: Rng) -> State:
    """Redraw what nobody knows: the order of the deck."""
    return msgspec.structs.replace(state, deck=tuple(rng.shuffled(state.deck)))
