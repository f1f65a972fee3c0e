"""
Computer crews in three strengths.

All of them press one thing at a time, as people do, and weigh each placement against rolling on. The
sharp one keeps to few Routines at a time and buys Rallies; the steady one spreads its dancers more and
looks away now and then; the sleepy one misses every other chance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

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
from rules.breakdancing_meeples.dance import AGAIN, EACH, IN_A_ROW, NO_BACK, SAME, placed
from rules.breakdancing_meeples.deck import DANCE_OFFS, ROUTINE_LIMIT
from rules.breakdancing_meeples.model import ANY, DANCING, Card, Crew, Pending, Routine
from rules.breakdancing_meeples.view import Public, SeatView
from rules.core.contract import Computer, Seat
from rules.core.rng import Rng

EFFORT: Mapping[str, int] = {"feet": 59, "side": 62, "head": 77, ANY: 22}
"""What a slot costs to fill, in tenths of a dancer rolled: the fewer dancers land so, the more."""


class Style(msgspec.Struct, frozen=True, kw_only=True):
    """
    How a computer crew dances.

    Attributes:
        dozes: in how many of a hundred presses it rolls on without looking.
        convex: how much a nearly finished Routine is worth beyond its share, in percent.
        press: what a press that does not roll costs, in hundredths of a point.
        mobility: what a dancer that can be rolled is worth, in hundredths of a point.
        rallies: whether it buys Rallies.
    """

    dozes: int = 0
    convex: int
    press: int
    mobility: int
    rallies: bool = False


STEADY = Style(dozes=10, convex=100, press=40, mobility=15)
SHARP = Style(convex=600, press=50, mobility=40, rallies=True)
SLEEPY = Style(dozes=50, convex=0, press=0, mobility=5)


def player(style: Style) -> Computer:
    """Return a computer crew that dances in *style*."""

    def choose(view: SeatView, legal: Sequence[Action], rng: Rng, /) -> Action | None:
        """Choose one of *legal*; nothing where a crew without cubes could but roll on."""
        moves = [action for action in legal if not isinstance(action, Force)]
        if view.own is None or not moves:
            return None
        crew = view.own.crew
        if isinstance(moves[0], Ready):
            return moves[0]
        if isinstance(moves[-1], Skip | Return):
            return _pick(view.public, crew, moves, _pending(view.public, view.own.seat), style)
        if not crew.cubes and not any(isinstance(action, Done) for action in moves):
            return None
        return _dance(crew, moves, rng, style)

    return choose


def _pending(public: Public, seat: Seat) -> Pending | None:
    """Return what *seat* has still to decide in the Remix, if anything."""
    return None if public.remix is None else public.remix.pending_of(seat)


# In the Dance Off


def _dance(crew: Crew, moves: Sequence[Action], rng: Rng, style: Style) -> Action:
    """Choose between placing and rolling, or being done after the bell."""
    rest = next((action for action in moves if isinstance(action, Roll | Done)), moves[0])
    placing = [action for action in moves if isinstance(action, Place | Fill | Swap)]
    if not placing or (isinstance(rest, Roll) and rng.below(100) < style.dozes):
        return rest
    return _best(crew, rest, placing, style)


def _best(crew: Crew, rest: Action, placing: Sequence[Place | Fill | Swap], style: Style) -> Action:
    """Return the placement that is worth the most, or *rest* when none is worth its press."""
    rolling = isinstance(rest, Roll)
    best, most = rest, worth(crew, style, rolling=rolling) + (style.press if rolling else 0)
    for action in placing:
        value = worth(placed(crew, 0, action)[0], style, rolling=rolling)
        if value > most:
            best, most = action, value
    return best


def worth(crew: Crew, style: Style, *, rolling: bool) -> int:
    """
    Return what a crew has and may hope for, in hundredths of a point.

    Args:
        crew: as it stands; dancers that lie there count for nothing, since a roll takes them up.
        style: how much a start on a Routine and a free dancer are worth.
        rolling: whether there is still time to roll; else only what is covered counts.
    """
    value = 0
    for routine in crew.routines:
        value += 100 * sum(routine.card.squares[: routine.cubes])
        for rally in routine.rallies:
            value += 100 * sum(rally.card.squares[: rally.cubes])
        if rolling:
            value += _hope(routine, style)
    if not rolling:
        return value + crew.free  # of two equal ones rather the one that leaves dancers to place
    return value + style.mobility * crew.free - (0 if crew.free else LOCKED_OUT)


LOCKED_OUT = 400
"""What it costs to have nothing left to roll, in hundredths of a point."""


def _hope(routine: Routine, style: Style) -> int:
    """Return what the dancers on a Routine promise of its next square."""
    if not any(routine.locked):
        return 0
    card = routine.card
    points = card.squares[routine.cubes] if routine.cubes < len(card.squares) else RALLY_ALONE
    whole = sum(EFFORT[slot] for slot in card.slots)
    done = sum(EFFORT[slot] for slot, there in zip(card.slots, routine.locked, strict=True) if there)
    share = 100 * done // whole
    return points * share * (100 + style.convex * share // 100) // (100 + style.convex)


RALLY_ALONE = 10
"""Points that a completion brings whose cube goes to a Rally, roughly."""


# In the Remix


def appeal(card: Card) -> int:
    """Return how much a Routine brings for the effort, in some unit; a Matching Pair brings what a fair one does."""
    if not card.slots:
        return MATCHING_PAIR
    effort = sum(EFFORT[slot] for slot in card.slots)
    return 100 * sum(card.squares[:3]) * 10 // (effort * min(3, len(card.squares)) + SETTLING)


MATCHING_PAIR = 12
SETTLING = 60


def _pick(public: Public, crew: Crew, moves: Sequence[Action], pending: Pending | None, style: Style) -> Action:
    """Return the pick that is worth the most, none where the best is worth nothing."""
    if public.remix is None:
        return moves[-1]
    row = public.remix.row
    rounds = DANCE_OFFS - public.dance_off

    def value(action: Action) -> int:
        match action:
            case Take(place=place) if (offer := row[place]) is not None:
                own = [appeal(routine.card) for routine in crew.routines]
                return appeal(offer.card) - (min(own) if len(own) >= ROUTINE_LIMIT else 0)
            case Return(routine=index):
                return -appeal(crew.routines[index].card) - DETACHED * len(crew.routines[index].rallies)
            case Buy(place=place) if (offer := row[place]) is not None and style.rallies:
                return max(_gain(offer.card, routine.card, rounds) for routine in crew.routines)
            case Attach(routine=index) if pending is not None and pending.rally is not None:
                return 1 + _gain(pending.rally, crew.routines[index].card, rounds)
            case _:
                return 0

    return max(moves, key=lambda action: (value(action), isinstance(action, Skip)))


DETACHED = 1000
"""A Routine with a Rally beneath it is returned last."""

LIKELY: Mapping[str, int] = {AGAIN: 15, IN_A_ROW: 20, NO_BACK: 20, SAME: 40, EACH: 20}
"""Share of a Rally's points that a Dance Off brings beyond those of the cubes it uses up, in percent."""

FEW_SQUARES = 2


def _gain(rally: Card, above: Card, rounds: int) -> int:
    """Return what a Rally beneath a Routine brings in the Dance Offs that are left, its cost deducted."""
    stances = max(sum(slot in (stance, ANY) for slot in above.slots) for stance in DANCING)
    if rally.condition == SAME and stances < rally.needs:
        return 0
    if rally.condition == AGAIN and len(above.squares) > FEW_SQUARES:
        return 0
    return sum(rally.squares) * LIKELY[rally.condition] * rounds // 100 - rally.cost


COMPUTERS: Mapping[str, Computer] = {"steady": player(STEADY), "sharp": player(SHARP), "sleepy": player(SLEEPY)}
"""The computer crews by level, the usual one first."""
