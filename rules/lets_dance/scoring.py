"""What a dance floor is worth: one function a chapter of the score."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import msgspec

from rules.core.contract import Outcome
from rules.lets_dance.cards import BASIC, CONGA, EUPHORIA, FAMILY, FEVER, FLOORWORK, LETTERS, POINTS, SCORING, SPIN
from rules.lets_dance.model import Laid, Sheet

SEVERAL_YMCA_SETS: bool = True
"""LD-72, contested: the strict reading scores the four letters once a floor."""


def sequences(floor: Sequence[Laid]) -> list[list[Laid]]:
    """Split *floor* at its face-down cards into sequences, empty ones left out (LD-21, LD-22)."""
    found: list[list[Laid]] = [[]]
    for laid in floor:
        if laid.down:
            found.append([])
        else:
            found[-1].append(laid)
    return [sequence for sequence in found if sequence]


def current_sequence(floor: Sequence[Laid]) -> Sequence[Laid]:
    """Return the cards after the last face-down one; empty when there is no sequence to go on with."""
    start = len(floor)
    while start and not floor[start - 1].down:
        start -= 1
    return floor[start:]


def floorwork_values(cards: Sequence[str]) -> tuple[int, ...]:
    """Return the value of each combination, the largest first: taking triples first is best (LD-71)."""
    counts = [cards.count(card) for card in dict.fromkeys(cards)]
    values = []
    while different := sum(count > 0 for count in counts):
        values.append(SCORING.floorwork[different - 1])
        counts = [count - 1 for count in counts]
    return tuple(values)


def words_begun(letters: Sequence[str]) -> list[int]:
    """
    Spell Y, M, C, A from left to right as often as possible (LD-73).

    Returns:
        the number of words that got as far as none, one, two, three and all four letters.
    """
    words = [len(letters)] + [0] * len(LETTERS)
    for letter in letters:
        place = LETTERS.index(letter)
        if words[place]:
            words[place] -= 1
            words[place + 1] += 1
    return words


def ymca_values(letters: Sequence[str]) -> tuple[int, ...]:
    """
    Return the value of each set of four letters, those in order first (LD-72, LD-73, LD-74).

    Args:
        letters: those of the whole floor, from left to right.
    """
    sets = min(letters.count(letter) for letter in LETTERS)
    ordered = words_begun(letters)[-1]
    if not SEVERAL_YMCA_SETS:
        sets, ordered = min(sets, 1), min(ordered, 1)
    return (SCORING.ymca_in_order,) * ordered + (SCORING.ymca,) * (sets - ordered)


def spin_sets(run: int) -> list[int]:
    """Cut *run* adjacent Spins from the left into sets of up to three; return their sizes (LD-51, contested)."""
    whole, rest = divmod(run, len(SCORING.spin))
    return [len(SCORING.spin)] * whole + ([rest] if rest else [])


def spin_values(sequence: Sequence[Laid]) -> list[int]:
    """Return the value of each set of adjacent Spins, over any number of turns (LD-51, LD-52)."""
    values: list[int] = []
    run = 0
    for laid in (*sequence, None):
        if laid is not None and laid.card == SPIN:
            run += 1
        elif run:
            values += [SCORING.spin[size - 1] for size in spin_sets(run)]
            run = 0
    return values


def fever_value(sequence: Sequence[Laid], place: int) -> int:
    """
    Return what the Dance Fever at *place* adds to the step just before it (LD-66 to LD-69).

    A Basic move counts alone; of Spins it is the last set of the cut, which in a run of four is the
    lone fourth (LD-67, contested). The bonus of Euphoria is not doubled (LD-65).
    """
    if place == 0:
        return 0
    before = sequence[place - 1].card
    if FAMILY[before] == BASIC:
        return POINTS[before] * (SCORING.fever - 1)
    run = 0
    while run < place and sequence[place - 1 - run].card == SPIN:
        run += 1
    return SCORING.spin[spin_sets(run)[-1] - 1] * (SCORING.fever - 1) if run else 0


def euphoria_value(sequence: Sequence[Laid]) -> int:
    """Return the bonus for all cards to the right of a Euphoria in its sequence (LD-63, LD-64)."""
    for place, laid in enumerate(sequence):
        if laid.card == EUPHORIA:
            return SCORING.euphoria * (len(sequence) - 1 - place)
    return 0


@lru_cache(maxsize=4096)
def score(floor: tuple[Laid, ...], line: int = 0) -> Sheet:
    """
    Score one floor without flourishes; face-down cards never count (LD-75).

    Args:
        floor: from left to right.
        line: players in the open Conga Line, what its card is worth so far.
    """
    parts = sequences(floor)
    cards = [laid.card for laid in floor if not laid.down]
    basic = tuple(POINTS[card] for card in cards if FAMILY[card] == BASIC)
    floorwork = floorwork_values([card for card in cards if FAMILY[card] == FLOORWORK])
    ymca = ymca_values([card for card in cards if card in LETTERS])
    spin = tuple(value for part in parts for value in spin_values(part)) if SPIN in cards else ()
    conga = tuple(laid.worth or line for laid in floor if laid.card == CONGA and not laid.down)
    fever = (
        tuple(fever_value(part, place) for part in parts for place, laid in enumerate(part) if laid.card == FEVER)
        if FEVER in cards
        else ()
    )
    euphoria = sum(euphoria_value(part) for part in parts) if EUPHORIA in cards else 0
    return Sheet(
        basic=basic,
        floorwork=floorwork,
        ymca=ymca,
        spin=spin,
        conga=conga,
        fever=fever,
        euphoria=euphoria,
        longest=max(map(len, parts), default=0),
        breaks=len(floor) - len(cards),
        total=sum(basic) + sum(floorwork) + sum(ymca) + sum(spin) + sum(conga) + sum(fever) + euphoria,
    )


def big_finish(floor: tuple[Laid, ...]) -> bool:
    """Tell whether the floor ends with a face-up Dance Fever (LD-70)."""
    return bool(floor) and floor[-1].card == FEVER and not floor[-1].down


def final_sheets(floors: Sequence[tuple[Laid, ...]]) -> tuple[Sheet, ...]:
    """
    Score all floors with the flourishes, each at most once a player, ties all alike (LD-23 to LD-26, LD-70).

    Nobody has a longest sequence of no card, or the most of no breaks.
    """
    sheets = [score(floor) for floor in floors]
    longest = max(sheet.longest for sheet in sheets)
    breaks = max(sheet.breaks for sheet in sheets)
    ended = []
    for floor, sheet in zip(floors, sheets, strict=True):
        machine = SCORING.dance_machine if 0 < sheet.longest == longest else 0
        finish = SCORING.big_finish if big_finish(floor) else 0
        pooper = SCORING.party_pooper if 0 < sheet.breaks == breaks else 0
        total = sheet.total + machine + finish + pooper
        ended.append(msgspec.structs.replace(sheet, machine=machine, finish=finish, pooper=pooper, total=total))
    return tuple(ended)


def result(floors: Sequence[tuple[Laid, ...]]) -> Outcome:
    """Rank the floors by total; tied players share their place, and a tie for the first is a shared victory."""
    scores = tuple(sheet.total for sheet in final_sheets(floors))
    places = tuple(1 + sum(other > own for other in scores) for own in scores)
    return Outcome(places=places, scores=scores, reason="finished" if places.count(1) == 1 else "shared")
