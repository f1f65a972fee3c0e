"""One crew in a Dance Off: rolling, locking, completing, exchanging, and what its Rallies make of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import accumulate

import msgspec

from rules.breakdancing_meeples.actions import Fill, Place, Swap
from rules.breakdancing_meeples.events import Completed, Placed, RallyCube, Rolled, Swapped
from rules.breakdancing_meeples.model import ANY, DANCING, STANCES, Card, Crew, Rally, Routine, State
from rules.core.contract import Event, Seat
from rules.core.rng import Rng

replace = msgspec.structs.replace

MILLION = 1_000_000
NO_DANCERS = (0,) * len(STANCES)

FREED_KEEP_STANCE: bool = False
"""BM-15: whether a dancer freed by a completion could be placed again as it lies, without a roll."""

AGAIN = "attached_full_completed_again"
"""The condition of the Rally that the rulebook quotes (BM-50)."""


def fresh(card: Card, rallies: tuple[Rally, ...] = ()) -> Routine:
    """Return *card* as a Routine without dancers and cubes; its Rallies stay beneath it (BM-42)."""
    return Routine(card, ("",) * len(card.slots), 0, tuple(replace(rally, cubes=0, count=0) for rally in rallies))


def matching_pair(crew: Crew) -> bool:
    """Tell whether *crew* has a Matching Pair card; a second one adds nothing (BM-31)."""
    return any(routine.card.kind == "matching_pair" for routine in crew.routines)


# Where a dancer may go


def closed(crew: Crew, index: int) -> str | None:
    """Return why no dancer at all may be placed on a Routine of *crew* now, `None` if one may (BM-17, BM-18, BM-28)."""
    routine = crew.routines[index]
    if not routine.card.slots:
        return "no_slots"
    if crew.cubes == 0:
        return "no_cubes"
    if routine.cubes < len(routine.card.squares) or any(
        rally.card.condition == AGAIN and rally.cubes < len(rally.card.squares) for rally in routine.rallies
    ):
        return None
    return "squares_full"


def slot_for(crew: Crew, index: int, stance: str, *, wild: bool = True) -> int | None:
    """
    Return the slot that a dancer in *stance* would take on a Routine: one of just that stance before "any".

    Args:
        crew: whose.
        index: of the Routine.
        stance: one of `DANCING`; anything else fits nowhere (BM-22).
        wild: whether "any" slots are looked at too.
    """
    if stance not in DANCING or closed(crew, index) is not None:
        return None
    routine = crew.routines[index]
    for wanted in (stance, ANY)[: 1 + wild]:
        for slot, (asked, there) in enumerate(zip(routine.card.slots, routine.locked, strict=True)):
            if asked == wanted and not there:
                return slot
    return None


def open_places(crew: Crew) -> list[tuple[int, str]]:
    """Return every Routine (by index) and stance that together have a slot open."""
    return [
        (index, stance)
        for index in range(len(crew.routines))
        if closed(crew, index) is None
        for stance in DANCING
        if slot_for(crew, index, stance) is not None
    ]


def swaps(crew: Crew) -> list[tuple[str, str]]:
    """Return the stances of pair and third dancer of every exchange that *crew* has the dancers for (BM-24, BM-25)."""
    if not matching_pair(crew):
        return []
    return [
        (pair, third)
        for pair in DANCING
        for third in STANCES
        if crew.count(pair) >= PAIR + (third == pair) and crew.count(third) > 0
    ]


PAIR = 2
"""Dancers of one stance that an exchange spends."""


def placeable(crew: Crew) -> bool:
    """Tell whether *crew* could place a dancer as they lie now, be it by an exchange (BM-27)."""
    places = open_places(crew)
    return bool(places) and (any(crew.count(stance) for _, stance in places) or bool(swaps(crew)))


# Rolling


def next_roll_ms(state: State, crew: Crew) -> int:
    """Return the earliest moment of the next roll of *crew*, UTC ms; 0 when nobody dances (BM-5)."""
    if state.phase not in ("count", "dance"):
        return 0
    return crew.rolled_ms + state.interval_ms if crew.round_rolls else state.starts_ms


def rolled(crew: Crew, seat: Seat, weights: tuple[int, ...], now_ms: int, rng: Rng) -> tuple[Crew, list[Event]]:
    """Roll every free dancer of *crew*, good ones left lying included (BM-6, BM-7)."""
    back, feet, side = accumulate(weights[:-1])
    counts = [0, 0, 0, 0]
    for _ in range(crew.free):
        drawn = rng.below(MILLION)
        counts[0 if drawn < back else 1 if drawn < feet else 2 if drawn < side else 3] += 1
    lying = tuple(counts)
    crew = replace(
        crew,
        lying=lying,
        last_roll=lying,
        unrolled=0,
        rolls=crew.rolls + 1,
        round_rolls=crew.round_rolls + 1,
        rolled_ms=now_ms,
    )
    told: list[Event] = [
        Rolled(seat=seat, back=lying[0], feet=lying[1], side=lying[2], head=lying[3], roll=crew.round_rolls)
    ]
    return _rewarded(crew, seat, Moment(rolled=lying), told), told


# Placing


def placed(crew: Crew, seat: Seat, action: Place | Fill | Swap) -> tuple[Crew, list[Event]]:
    """Carry out a placing action, which is legal, and tell what came of it."""
    told: list[Event] = []
    match action:
        case Place(index, stance):
            crew = _lock(_pick_up(crew, stance), seat, index, stance, told)
        case Fill(index):
            crew = _fill(crew, seat, range(len(crew.routines)) if index is None else (index,), told)
        case Swap(pair, third, index, stance):
            told.append(Swapped(seat=seat, pair=pair, third=third, stance=stance))
            crew = _pick_up(_pick_up(crew, pair, PAIR), third)
            crew = _lock(replace(crew, unrolled=crew.unrolled + PAIR), seat, index, stance, told)  # spent (BM-26)
    return crew, told


def _pick_up(crew: Crew, stance: str, dancers: int = 1) -> Crew:
    """Take free dancers, which lie there in *stance*, into the hand."""
    at = STANCES.index(stance)
    return replace(crew, lying=(*crew.lying[:at], crew.lying[at] - dancers, *crew.lying[at + 1 :]))


def _fill(crew: Crew, seat: Seat, indexes: Iterable[int], told: list[Event]) -> Crew:
    """Place what fits on the Routines *indexes*, and again what fits after a completion."""
    while (choice := _best_fit(crew, indexes)) is not None:
        index, stance = choice
        crew = _lock(_pick_up(crew, stance), seat, index, stance, told)
    return crew


def _best_fit(crew: Crew, indexes: Iterable[int]) -> tuple[int, str] | None:
    """Return which dancer goes where next: to a slot of just its stance, else the most common one to an "any" slot."""
    lying = sorted((stance for stance in DANCING if crew.count(stance)), key=crew.count, reverse=True)
    return next(
        (
            (index, stance)
            for wild in (False, True)
            for index in indexes
            for stance in lying
            if slot_for(crew, index, stance, wild=wild) is not None
        ),
        None,
    )


def _lock(crew: Crew, seat: Seat, index: int, stance: str, told: list[Event]) -> Crew:
    """Lock a dancer in hand on a slot that fits; the last one completes the Routine (BM-13, BM-14)."""
    slot = slot_for(crew, index, stance)
    if slot is None:
        raise ValueError("no slot fits")
    routine = crew.routines[index]
    locked = (*routine.locked[:slot], stance, *routine.locked[slot + 1 :])
    routine = replace(routine, locked=locked)
    told.append(Placed(seat=seat, routine=index, card=routine.card.key, slot=slot, stance=stance))
    if not all(locked):
        return _rewarded(_with(crew, index, routine), seat, Moment(routine=index), told)
    return _complete(_with(crew, index, routine), seat, index, told)


def _complete(crew: Crew, seat: Seat, index: int, told: list[Event]) -> Crew:
    """Put the cube of a completion on the leftmost open square, then those of the Rallies; free the dancers (BM-45)."""
    routine = crew.routines[index]
    full = routine.cubes == len(routine.card.squares)
    points = 0 if full else routine.card.squares[routine.cubes]
    cubes = crew.cubes - (not full)
    told.append(Completed(seat=seat, card=routine.card.key, name=routine.card.name, points=points, cubes=cubes))
    crew = replace(crew, cubes=cubes, completed=(*crew.completed, routine.card.name))
    crew = _with(crew, index, replace(routine, cubes=routine.cubes + (not full)))
    crew = _rewarded(_counted(crew, index), seat, Moment(routine=index, completed=True, full=full), told)
    routine = crew.routines[index]
    freed = routine.locked
    rallies = tuple(replace(each, count=0) if each.card.condition == SAME else each for each in routine.rallies)
    crew = _with(crew, index, replace(routine, locked=("",) * len(freed), rallies=rallies))
    if FREED_KEEP_STANCE:
        lying = tuple(there + freed.count(stance) for there, stance in zip(crew.lying, STANCES, strict=True))
        return replace(crew, lying=lying)
    return replace(crew, unrolled=crew.unrolled + len(freed))


def _with(crew: Crew, index: int, routine: Routine) -> Crew:
    """Return *crew* with another Routine at *index*."""
    return replace(crew, routines=(*crew.routines[:index], routine, *crew.routines[index + 1 :]))


# Rallies


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """
    What just happened to a crew, as its Rallies are asked about it.

    Attributes:
        rolled: what was rolled just now, by stance.
        routine: index of the Routine that a dancer was locked on just now, -1 for none.
        completed: whether that completed it; its dancers still stand there, its own cube has been put.
        full: whether all its squares were full before.
    """

    rolled: tuple[int, ...] = NO_DANCERS
    routine: int = -1
    completed: bool = False
    full: bool = False


Condition = Callable[[Rally, int, Crew, Moment], bool]
"""Whether a Rally beneath the Routine with that index gets a cube now."""


def _completed_again(_rally: Rally, index: int, _crew: Crew, moment: Moment) -> bool:
    """Tell whether the Routine was completed although all its squares were full already (BM-50)."""
    return moment.completed and moment.routine == index and moment.full


def _each_holds_cubes(rally: Rally, _index: int, crew: Crew, moment: Moment) -> bool:
    """Tell, after a completion, whether each ordinary Routine holds as many cubes as the number of the next square."""
    held = [routine.cubes for routine in crew.routines if routine.card.kind == "routine"]
    return moment.completed and min(held) > rally.cubes


def _same_stance(rally: Rally, index: int, crew: Crew, moment: Moment) -> bool:
    """Tell whether so many dancers in one stance are locked on the Routine; once for each of its completions."""
    locked = crew.routines[index].locked
    return moment.routine == index and not rally.count and max(map(locked.count, DANCING)) >= rally.card.needs


def _twice_in_a_row(rally: Rally, index: int, _crew: Crew, moment: Moment) -> bool:
    """Tell whether the Routine was completed so many times with no other in between."""
    return moment.completed and moment.routine == index and rally.count >= rally.card.needs


def _nobody_on_its_back(rally: Rally, _index: int, _crew: Crew, moment: Moment) -> bool:
    """Tell whether this was a roll of so many dancers or more, none of them on its back."""
    return sum(moment.rolled) >= rally.card.needs and moment.rolled[0] == 0


SAME = "three_same_stance_locked"
IN_A_ROW = "attached_completed_twice_in_a_row"
NO_BACK = "no_back_after_roll"
EACH = "all_routines_hold_cubes"

CONDITIONS: Mapping[str, Condition] = {
    AGAIN: _completed_again,
    EACH: _each_holds_cubes,
    SAME: _same_stance,
    IN_A_ROW: _twice_in_a_row,
    NO_BACK: _nobody_on_its_back,
}
"""Conditions of Rallies by their names in deck files."""

AFTER_CUBE: Mapping[str, int] = {SAME: 1, IN_A_ROW: 0}
"""`Rally.count` after a cube: no second one for this completion; the row begins afresh."""


def _counted(crew: Crew, completed: int) -> Crew:
    """Count a completion for the Rallies that want several in a row: one more above it, none above another Routine."""
    if not any(rally.card.condition == IN_A_ROW for routine in crew.routines for rally in routine.rallies):
        return crew
    return replace(
        crew,
        routines=tuple(
            replace(
                routine,
                rallies=tuple(
                    replace(rally, count=rally.count + 1 if index == completed else 0)
                    if rally.card.condition == IN_A_ROW
                    else rally
                    for rally in routine.rallies
                ),
            )
            for index, routine in enumerate(crew.routines)
        ),
    )


def _rewarded(crew: Crew, seat: Seat, moment: Moment, told: list[Event]) -> Crew:
    """Put one cube on each Rally that is met and has an open square, in the order bought, while cubes last (BM-45)."""
    met = sorted(
        (rally.bought, index, at)
        for index, routine in enumerate(crew.routines)
        for at, rally in enumerate(routine.rallies)
        if rally.cubes < len(rally.card.squares) and CONDITIONS[rally.card.condition](rally, index, crew, moment)
    )
    for _, index, at in met[: crew.cubes]:
        routine = crew.routines[index]
        rally = routine.rallies[at]
        card = rally.card
        points = card.squares[rally.cubes]
        crew = replace(crew, cubes=crew.cubes - 1)  # one of the six (BM-49)
        rally = replace(rally, cubes=rally.cubes + 1, count=AFTER_CUBE.get(card.condition, 0))
        crew = _with(crew, index, replace(routine, rallies=(*routine.rallies[:at], rally, *routine.rallies[at + 1 :])))
        told.append(RallyCube(seat=seat, card=card.key, name=card.name, points=points, cubes=crew.cubes))
    return crew
