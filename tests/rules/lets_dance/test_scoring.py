"""Scoring the rest: LD-71 to LD-77."""

from __future__ import annotations

from functools import cache
from itertools import combinations, product

import msgspec
import pytest

from rules.lets_dance import GAME, Pass
from tests.rules.lets_dance.build import after, final, floor, sheet, table, worth


@cache
def best_floorwork(counts: tuple[int, ...]) -> int:
    """Try every partition into sets of different moves."""
    best = 0
    for size, points in ((1, 1), (2, 3), (3, 6)):
        for kinds in combinations(range(3), size):
            if all(counts[kind] for kind in kinds):
                rest = tuple(count - (kind in kinds) for kind, count in enumerate(counts))
                best = max(best, points + best_floorwork(rest))
    return best


@pytest.mark.parametrize("counts", list(product(range(4), repeat=3)))
def test_ld_71_floorwork_takes_the_best_partition(counts: tuple[int, int, int]) -> None:
    """Threes, then pairs, then singles are as good as any partition."""
    backspins, worms, knees = counts

    assert best_floorwork(counts) == worth("Backspin " * backspins + "Worm " * worms + "Knee " * knees)


def test_ld_71_breaks_do_not_part_floorwork() -> None:
    """Sets are made over the whole floor, each card in one."""
    assert (6, 1) == sheet("Worm | Knee Y | Worm Backspin").floorwork


def test_ld_72_several_sets_of_letters() -> None:
    """Every full set scores, each letter in one set, breaks or not."""
    assert (15, 15) == sheet("Y M C A Y | M C A Y M").ymca


@cache
def most_in_order(letters: str, open_words: tuple[int, int, int] = (0, 0, 0)) -> int:
    """Try every way to put each letter into a word or leave it."""
    if not letters:
        return 0
    first, rest = letters[0], letters[1:]
    best = most_in_order(rest, open_words)
    begun = list(open_words)
    place = "YMCA".index(first)
    if place and not begun[place - 1]:
        return best
    if place:
        begun[place - 1] -= 1
    if place == 3:
        return max(best, 1 + most_in_order(rest, tuple(begun)))
    begun[place] += 1
    return max(best, most_in_order(rest, tuple(begun)))


@pytest.mark.parametrize(
    "letters",
    [
        "YMCA",
        "AMCY",
        "YAMCA",
        "YYMMCCAA",
        "YMCAACMY",
        "YMYCMACA",
        "MYCYMACA",
        "ACMYACMY",
        "YMMCYCAAYMCA",
        "CAYMCAYMYMCA",
        "MCAYMCAYMCAY",
    ],
)
def test_ld_73_as_many_sets_in_order_as_possible(letters: str) -> None:
    """Words in order score 15, the other full sets 10."""
    sets = min(letters.count(letter) for letter in "YMCA")
    ordered = most_in_order(letters)

    assert 15 * ordered + 10 * (sets - ordered) == worth(" ".join(letters))


def test_ld_74_an_incomplete_ymca() -> None:
    """It is worth nothing but Euphoria's bonus."""
    assert (0, 2) == (worth("Y M C"), worth("Euphoria Y M"))


def test_ld_75_face_down_cards_never_score() -> None:
    """Whatever lies face-down is worth nothing, and completes nothing."""
    assert 0 == worth("|Shuffle |Worm |Spin |Conga |Fever Y M C |A")


def test_ld_76_cards_in_hand_do_not_matter() -> None:
    """Two like floors are worth the same whatever is held."""
    outcome = GAME.outcome(after(final("Toes Shuffle Y M", "", floors=["Y", "Y"]), Pass(), Pass()))

    assert outcome is not None
    assert (5, 5) == outcome.scores


def test_ld_77_totals_may_be_negative() -> None:
    """A Party Pooper without a point is below zero."""
    outcome = GAME.outcome(after(final("", "", floors=["|", ""]), Pass(), Pass()))

    assert outcome is not None
    assert (-5, 0) == outcome.scores
    assert ((2, 1), "finished") == (outcome.places, outcome.reason)


def test_the_sheet_adds_up() -> None:
    """The total is the sum of what is listed, flourishes only once the game is over."""
    floors = ["Euphoria Shuffle Fever Worm Y M C A Spin Conga2 Fever", "Y |"]
    playing = GAME.view(final("", "", floors=floors), None).public.floors[0].sheet
    ended = GAME.view(after(final("", "", floors=floors), Pass(), Pass()), None).public.floors[0].sheet

    summands = [
        value for name, value in msgspec.structs.asdict(playing).items() if name not in ("longest", "breaks", "total")
    ]
    flat = [number for value in summands for number in (value if isinstance(value, tuple) else (value,))]
    assert sum(flat) == playing.total == playing.worth
    assert (playing.worth, playing.worth + 10) == (ended.worth, ended.total)
    assert (5, 5, 0) == (ended.machine, ended.finish, ended.pooper)


def test_a_tie_is_a_shared_victory() -> None:
    """Tied players share the first place, and the next place is skipped."""
    outcome = GAME.outcome(after(final("", "", "", floors=["Down", "Down", ""]), Pass(), Pass(), Pass()))

    assert outcome is not None
    assert ((1, 1, 3), "shared") == (outcome.places, outcome.reason)


def test_no_outcome_before_the_end() -> None:
    """A running game has no places."""
    assert floor("") == ()
    assert GAME.outcome(table("Y", "Y")) is None
