"""
What a crew can want.

Every action names what its player saw: the Dance Off, the Remix, or the number of the roll and the
free dancers. So an old button, or the second press of a double one, is refused and hits nothing else.
"""

from __future__ import annotations

import msgspec


class Move(msgspec.Struct, frozen=True, gc=False, tag=True):
    """Base of all actions."""


class Ready(Move, frozen=True):
    """Be ready for Dance Off number *dance_off*."""

    dance_off: int


class Force(Move, frozen=True):
    """Start Dance Off number *dance_off* although not all crews are ready (the host alone, BM-54)."""

    dance_off: int


class Roll(Move, frozen=True):
    """Roll every free dancer; *roll* is `Crew.rolls` before it."""

    roll: int


class Place(Move, frozen=True):
    """
    Place one free dancer.

    Attributes:
        routine: index of the Routine.
        stance: "feet", "side" or "head"; a slot of just that stance is filled before an "any" slot.
        roll: `Crew.rolls` as seen.
        free: `Crew.count(stance)` as seen.
    """

    routine: int
    stance: str
    roll: int
    free: int


class Fill(Move, frozen=True):
    """
    Place every free dancer that fits, slots of just that stance first (a comfort, BM-11).

    Attributes:
        routine: index of the Routine, `None` for all from the top.
        roll: `Crew.rolls` as seen.
        free: `Crew.dancing` as seen.
    """

    routine: int | None
    roll: int
    free: int


class Swap(Move, frozen=True):
    """
    Exchange two matching dancers for any dancer by a Matching Pair card.

    Attributes:
        pair: stance of the two free dancers that are spent: "feet", "side" or "head".
        third: stance in which the dancer to be placed lies now, "back" included.
        routine: index of the Routine it goes to.
        stance: the stance it gets: "feet", "side" or "head".
        roll: `Crew.rolls` as seen.
        free: `Crew.dancing` as seen.
    """

    pair: str
    third: str
    routine: int
    stance: str
    roll: int
    free: int


class Done(Move, frozen=True):
    """Place no more after the bell of Dance Off number *dance_off*."""

    dance_off: int


class Take(Move, frozen=True):
    """Take the Routine at *place* of the row in Remix number *remix*, with the Rallies beneath it."""

    remix: int
    place: int


class Buy(Move, frozen=True):
    """Reserve the Rally at *place* of the row; it is paid by `Attach`."""

    remix: int
    place: int


class Return(Move, frozen=True):
    """Return the own Routine with index *routine*, one of four, to the row; the new one is the last of them."""

    remix: int
    routine: int


class Attach(Move, frozen=True):
    """Put the Rally just reserved beneath the own Routine with index *routine*, and pay it."""

    remix: int
    routine: int


class Skip(Move, frozen=True):
    """Pick nothing in Remix number *remix*; a Rally just reserved goes back."""

    remix: int


Action = Ready | Force | Roll | Place | Fill | Swap | Done | Take | Buy | Return | Attach | Skip
