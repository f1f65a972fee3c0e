"""Points, tie-breaks and places, beside an oracle that knows the definitions alone."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from rules.core.contract import Refusal
from rules.tournaments.points import UNIT, Scheme, award, check_places, check_scheme, sole_win
from rules.tournaments.standings import TIES, Ledger, Row, Seated, rank
from tests.tournaments.oracle import Oracle, Round

SCHEMES = ("share", "5-3-2-1", "6-4-2-0", "win-draw", "custom")


def history(dice: random.Random) -> tuple[list[int], list[Round]]:
    """Draw an event: who plays, and rounds with ties, byes, absences, drops and late entries."""
    people = dice.randint(2, 20)
    rounds: list[Round] = []
    low = dice.randint(-3, 2)
    for _ in range(dice.randint(0, 5)):
        there = [who for who in range(1, people + 1) if dice.random() < 0.9]
        dice.shuffle(there)
        tables = []
        while len(there) >= 2 and dice.random() < 0.95:
            size = dice.randint(2, min(6, len(there)))
            at, there = there[:size], there[size:]
            scores = [dice.randint(low, low + dice.choice([0, 2, 9])) for _ in at]
            places = [1 + sum(other > score for other in scores) for score in scores]
            if dice.random() < 0.2:  # places need not follow from scores
                places = [
                    1 + sum(other < roll for other in rolls)
                    for rolls in [[dice.random() for _ in at]]
                    for roll in rolls
                ]
            tables.append(list(zip(at, places, scores, strict=True)))
        cut = dice.randint(0, len(there))
        rounds.append({"tables": tables, "byes": there[:cut], "absent": there[cut:]})
    return list(range(1, people + 1)), rounds


def ledger(players: list[int], rounds: list[Round], dice: random.Random) -> Ledger:
    """Tell the code under test the same."""
    return Ledger(
        entrants=tuple(dice.sample(players, len(players))),
        tables=tuple(Seated(*zip(*table, strict=True)) for made in rounds for table in made["tables"]),  # type: ignore[arg-type]
        byes=Counter(who for made in rounds for who in made["byes"]),
        absences=Counter(who for made in rounds for who in made["absent"]),
        lots={who: dice.randint(0, 9999) for who in players},
    )


def same(row: Row, oracle: Oracle) -> None:
    """Compare every value that is shown."""
    who = row.entrant
    assert Fraction(row.points, UNIT) == oracle.points(who)
    assert Fraction(row.table_points, UNIT) == oracle.from_tables(who)
    assert row.played == len(oracle.mine(who))
    assert row.byes == oracle.byes(who)
    assert row.absences == oracle.absences(who)
    assert Fraction(*row.wins) == oracle.wins(who)
    assert Fraction(*row.score_index) == oracle.score_index(who)
    assert Fraction(*row.opponents) / UNIT == oracle.opponents(who)
    assert [*row.places, *[0] * (6 - len(row.places))] == oracle.places(who)


@pytest.mark.parametrize("chunk", range(10))
def test_a_thousand_random_events_are_reckoned_alike(chunk: int) -> None:
    """Every value and every place, for every scheme and any order of tie-breaks."""
    for number in range(chunk * 100, chunk * 100 + 100):
        dice = random.Random(number)
        players, rounds = history(dice)
        scheme = SCHEMES[number % len(SCHEMES)]
        tops = dice.randint(3, 9)
        lists = {size: sorted((dice.randint(0, tops) for _ in range(size)), reverse=True) for size in range(2, 7)}
        ties = tuple(dice.sample(TIES, dice.randint(0, len(TIES)))) if number % 2 else TIES
        usual = dice.randint(2, 6)
        made = Scheme(scheme, tuple(tuple(lists[size]) for size in lists) if scheme == "custom" else ())  # type: ignore[arg-type]
        oracle = Oracle(rounds, scheme, lists, usual)

        rows = rank(ledger(players, rounds, dice), made, usual, ties)

        groups: dict[int, list[int]] = {}
        for row in rows:
            same(row, oracle)
            groups.setdefault(row.place, []).append(row.entrant)
        wanted = oracle.order(players, ties)
        assert [sorted(group) for group in groups.values()] == [sorted(group) for group in wanted], number
        assert list(groups) == [1 + sum(map(len, wanted[:at])) for at in range(len(wanted))]


def test_points_of_the_written_examples() -> None:
    """Shares are exact: two who tie for first of four in 5-3-2-1 get four each."""
    assert award(Scheme("5-3-2-1"), (1, 1, 3, 4)) == (480, 480, 240, 120)
    assert award(Scheme("share"), (1, 2, 3, 4)) == (120, 80, 40, 0)
    assert award(Scheme("share"), (1, 1, 1)) == (60, 60, 60)
    assert award(Scheme("win-draw"), (1, 1, 3)) == (120, 120, 0)
    assert award(Scheme("win-draw"), (1, 2, 2)) == (600, 0, 0)
    assert award(Scheme("6-4-2-0"), (1, 2, 2, 2, 5, 5)) == (720, 440, 440, 440, 60, 60)
    assert award(Scheme("share"), (1,)) == (0,)
    assert sole_win(Scheme("custom", ((7, 1),)), 2) == 840


@pytest.mark.parametrize(
    ("scheme", "low", "high", "code"),
    [
        (Scheme("custom", ((3, 1),)), 2, 3, "unknown_size"),
        (Scheme("custom", ((1, 3),)), 2, 2, "bad_points"),
        (Scheme("custom", ((3, 1), (3, 0))), 2, 2, "bad_points"),
        (Scheme("custom", ((3, -1),)), 2, 2, "bad_points"),
        (Scheme(), 1, 4, "bad_sizes"),
        (Scheme(), 2, 7, "bad_sizes"),
    ],
)
def test_schemes_that_cannot_be_reckoned_are_refused(scheme: Scheme, low: int, high: int, code: str) -> None:
    """Each size needs one falling list."""
    with pytest.raises(Refusal) as refused:
        check_scheme(scheme, low, high)
    assert refused.value.code == code


@pytest.mark.parametrize("places", [(1, 1, 2), (2, 3), (0, 1), (1, 3)])
def test_places_that_no_table_gives_are_refused(places: tuple[int, ...]) -> None:
    """Ties share a place, the next one is skipped."""
    with pytest.raises(Refusal):
        check_places(places)


def ranked(given: dict[str, Any], **more: Any) -> list[Row]:
    """Rank with shares at tables of three."""
    return list(rank(Ledger(**given), Scheme(), 3, **more))


def test_a_bye_is_half_a_win_at_first_and_the_own_mean_later() -> None:
    """It is reckoned anew, rounded down, and nobody's opponents hear of it."""
    table = Seated((1, 2, 3), (1, 2, 3), (0, 0, 0))

    first = {row.entrant: row.points for row in ranked({"entrants": (1, 2, 3, 4), "byes": {4: 1}})}
    later = {row.entrant: row.points for row in ranked({"entrants": (1, 2, 3), "tables": (table,), "byes": {1: 1}})}

    assert first[4] == 60
    assert later == {1: 240, 2: 60, 3: 0}


def test_head_to_head_needs_every_pair_to_have_met() -> None:
    """Among three who are equal, two of whom never met, it is not asked, and the row says so."""
    tables = (Seated((1, 2), (1, 2), (1, 0)), Seated((2, 3), (1, 2), (1, 0)), Seated((3, 4), (1, 2), (1, 0)))
    rows = ranked({"entrants": (1, 2, 3, 4), "tables": tables}, ties=("head_to_head",))

    assert [(row.entrant, row.place, row.head_to_head) for row in rows][1:] == [
        (2, 1, None),
        (3, 1, None),
        (4, 4, None),
    ]

    met = (*tables[:2], Seated((3, 1), (1, 2), (1, 0)), Seated((1, 2), (2, 1), (0, 1)), Seated((3, 1), (2, 1), (0, 1)))
    rows = ranked({"entrants": (1, 2, 3), "tables": met}, ties=("head_to_head",))

    assert min((row.entrant, row.head_to_head, row.parted) for row in rows) == (1, 0, "")


def test_a_lot_parts_only_where_it_is_asked_for() -> None:
    """The lower lot goes first; else the place is shared, and the lots only order the lines."""
    given = {"entrants": (1, 2), "lots": {1: 9, 2: 3}}

    assert [(row.entrant, row.place, row.parted) for row in ranked(given)] == [(2, 1, ""), (1, 1, "")]
    assert [(row.entrant, row.place, row.parted) for row in ranked(given, by_lot=True)] == [(2, 1, ""), (1, 2, "lot")]


def test_stages_come_before_points_and_the_disqualified_last() -> None:
    """Whoever came further stands above."""
    table = Seated((1, 2, 3), (1, 2, 3), (0, 0, 0))
    given = {"entrants": (1, 2, 3), "tables": (table,), "stage": {3: (2, -1)}, "last": frozenset({1})}

    assert [row.entrant for row in ranked(given)] == [3, 2, 1]
