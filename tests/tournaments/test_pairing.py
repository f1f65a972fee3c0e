"""Pairing: beside every way there is in small fields, without rematches in larger ones, the same for ever."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import combinations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.core.contract import Refusal
from rules.core.rng import Rng
from rules.tournaments import inputs as i
from rules.tournaments import search
from rules.tournaments.designs import DESIGNS, design_for
from rules.tournaments.pairing import Cost, Group, Player, Request, check, cost, propose
from rules.tournaments.points import Scheme, award
from rules.tournaments.sizes import Sizes, Split, better_in_threes, split, unavoidable
from tests.tournaments.hall import GAME, Hall, setup


def asked(dice: random.Random, people: int, sizes: tuple[int, ...], rounds: int) -> Request:
    """Return a request with an arbitrary past."""
    players = tuple(
        Player(one, dice.getrandbits(32), dice.choice([0, 40, 60, 120, 240]), dice.randint(0, 2), dice.randint(0, 1))
        for one in range(1, people + 1)
    )
    met = tuple(
        (one, other, dice.randint(1, rounds))
        for one, other in combinations(range(1, people + 1), 2)
        if dice.random() < 0.4
    )
    return Request(round=2, attempt=1, groups=(Group(players, sizes),), met=met, seed=f"{dice.getrandbits(128):032x}")


def partitions(people: Sequence[int], sizes: Sequence[int]) -> Iterator[list[tuple[int, ...]]]:
    """Yield every way to seat *people*, by brute force."""
    if not sizes:
        yield []
        return
    for table in combinations(people, sizes[0]):
        rest = [one for one in people if one not in table]
        for others in partitions(rest, sizes[1:]):
            yield [table, *others]


def costs(request: Request, tables: Sequence[Sequence[int]]) -> tuple[int, int, int, int]:
    """Reckon a seating by the definitions, the best beginners chosen."""
    met = {frozenset((one, other)): times for one, other, times in request.met}
    after = dict(met)
    for table in tables:
        for pair in combinations(table, 2):
            after[frozenset(pair)] = after.get(frozenset(pair), 0) + 1
    points = {who.entrant: who.points for who in request.groups[0].players}
    starts = {who.entrant: who.starts for who in request.groups[0].players}
    return (
        sum(times**2 for times in after.values()),
        max(after.values(), default=0),
        sum(max(points[one] for one in table) - min(points[one] for one in table) for table in tables),
        sum(min(starts[one] for one in table) for table in tables),
    )


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 9), st.integers(2, 4), st.integers(0, 2**32))
def test_small_fields_are_paired_as_well_as_can_be(people: int, preferred: int, seed: int) -> None:
    """Up to nine people: no seating of all there are costs less."""
    shape = split(people, Sizes(2, preferred, 6))
    request = asked(random.Random(seed), people, shape.tables, 3)

    made = propose(request)
    check(request, made)
    seated = [one for table in made.tables[0] for one in table]
    best = min(costs(request, tables) for tables in partitions(seated, shape.tables))

    assert made.cost == Cost(*best)
    assert costs(request, made.tables[0]) == best


def test_the_only_way_without_a_rematch_is_found() -> None:
    """A-B, C-D, then A-C, B-D: the third round is A-D, B-C."""
    players = tuple(Player(one, one, points) for one, points in ((1, 240), (2, 120), (3, 120), (4, 0)))
    met = ((1, 2, 1), (3, 4, 1), (1, 3, 1), (2, 4, 1))
    request = Request(round=3, attempt=1, groups=(Group(players, (2, 2)),), met=met, seed="00" * 16)

    assert {frozenset(table) for table in propose(request).tables[0]} == {frozenset({1, 4}), frozenset({2, 3})}


def play_out(people: int, rounds: int, seed: int) -> tuple[int, int]:
    """Play whole rounds in fours by dice; return rematches, and the largest difference in starts."""
    hall = Hall(setup(rounds=rounds, games=(GAME,), sizes=Sizes(3, 4, 5)), seed)
    hall.enter(people)
    hall.start()
    for number in range(rounds):
        hall.play()
        if number + 1 < rounds:
            hall.next()
    met = [pair for made in hall.record.rounds for pod in made.pods for pair in combinations(sorted(pod.seats), 2)]
    starts = [
        sum(pod.seats[0] == one for made in hall.record.rounds for pod in made.pods) for one in range(1, people + 1)
    ]
    return len(met) - len(set(met)), max(starts) - min(starts)


@pytest.mark.parametrize("people", [20, 21, 22, 23, 24, 27, 32, 40])
def test_from_twenty_people_on_nobody_meets_again_in_four_rounds(people: int) -> None:
    """Fours, four rounds, points by dice."""
    again, difference = play_out(people, 4, people)

    assert again == 0
    assert difference <= 2


@pytest.mark.soak
@pytest.mark.parametrize("people", range(20, 97))
def test_nobody_meets_again_in_any_field(people: int) -> None:
    """The same for every number of people."""
    assert play_out(people, 4, people + 1000)[0] == 0


def test_sixteen_in_fours_meet_each_other_exactly_once_in_five_rounds() -> None:
    """The plane is followed, the whole of it."""
    assert play_out(16, 5, 3)[0] == 0


def test_the_order_of_registration_has_no_effect() -> None:
    """The same people in another order sit at the same tables, in every round."""
    seen = []
    for shuffle in (0, 1, 2):
        hall = Hall(setup(), 5)
        order = list(range(1, 15))
        random.Random(shuffle).shuffle(order)
        for number in order:
            hall.enter(1, number)
        hall.start()
        seen.append([[hall.user(one) for one in pod.seats] for pod in hall.round.pods])

    assert seen[0] == seen[1] == seen[2]


@settings(max_examples=15, deadline=None)
@given(st.integers(3, 22), st.integers(0, 2**32))
def test_the_order_of_the_request_has_no_effect(people: int, seed: int) -> None:
    """Players in another order, the same tables."""
    dice = random.Random(seed)
    request = asked(dice, people, split(people, Sizes(3, 4, 5)).tables, 2)
    players = list(request.groups[0].players)
    dice.shuffle(players)
    other = msgspec.structs.replace(request, groups=(Group(tuple(players), request.groups[0].sizes),))

    assert propose(request) == propose(other)


def test_an_all_draw_round_pairs() -> None:
    """Every score the same: nothing to go by, and still it is paired."""
    players = tuple(Player(one, one * 7 % 31, 60, 1) for one in range(1, 31))
    request = Request(
        round=2, attempt=1, groups=(Group(players, split(30, Sizes(3, 4, 5)).tables),), met=(), seed="07" * 16
    )

    assert propose(request).cost.spread == 0


def test_large_fields_stay_within_their_steps() -> None:
    """The work grows with the field and no faster: 256 people take at most so many exchanges."""
    players = tuple(Player(one, one * 7919 % 4099, one % 5 * 40, one % 2) for one in range(1, 257))
    request = Request(round=3, attempt=1, groups=(Group(players, (4,) * 64),), met=(), seed="01" * 16)

    made = propose(request)

    assert search.STEPS_EACH * 256 < 200_000
    assert made.cost.squares == 64 * 6
    assert made.cost.spread <= 4 * 40


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"round": 9}, "outdated_pairing"),
        ({"byes": ()}, "outdated_pairing"),
        ({"cost": Cost(0, 0, 0, 0)}, "bad_pairing"),
    ],
)
def test_wrong_proposals_are_refused(change: dict[str, object], code: str) -> None:
    """Other rounds, missing people, costs that are not so."""
    request = asked(random.Random(1), 10, (3, 3, 3), 1)
    made = propose(request)

    with pytest.raises(Refusal) as refused:
        check(request, msgspec.structs.replace(made, **change))
    assert refused.value.code == code


def test_a_proposal_with_needless_rematches_is_refused() -> None:
    """Also when it says so honestly; and one with other sizes or the wrong bye."""
    players = tuple(Player(one, one, 100 - one) for one in range(1, 8))
    met = ((1, 4, 5), (1, 5, 5))
    request = Request(round=2, attempt=1, groups=(Group(players, (3, 3)),), met=met, seed="00" * 16)
    made = propose(request)
    for tables, byes, why in (
        (((1, 4, 5), (2, 3, 6)), made.byes, "rematches"),
        (((1, 2), (3, 4, 5, 6)), made.byes, "sizes"),
        (((2, 3, 4), (5, 6, 7)), (1,), "byes"),
    ):
        bad = msgspec.structs.replace(made, tables=(tables,), byes=byes, cost=cost(request, tables))
        with pytest.raises(Refusal) as refused:
            check(request, bad)
        assert refused.value.facts["why"] == why


def test_nobody_has_a_second_bye_before_all_had_one() -> None:
    """The fewest byes first, then the fewest points."""
    hall = Hall(setup(sizes=Sizes(3, 3, 3), rounds=5), 4)
    hall.enter(7)
    hall.start()
    had: list[int] = []
    for number in range(5):
        assert len(hall.round.byes) == 1
        assert hall.round.byes[0] not in had
        had += hall.round.byes
        hall.play()
        if number < 4:
            hall.next()


def test_check_k5_the_first_table_is_the_closest_of_those_with_most_points() -> None:
    """Whoever is paired down sits at a later table, however large that one is."""
    players = tuple(Player(one, one, points) for one, points in enumerate((120, 120, 120, 120, 80, 80, 80, 80), 1))
    for seed in range(4):
        request = Request(round=2, attempt=1, groups=(Group(players, (5, 3)),), met=((1, 2, 1),), seed=f"{seed:032x}")
        (made,) = propose(request).tables
        assert [[120, 120, 120], [120, 80, 80, 80, 80]] == [
            sorted((players[one - 1].points for one in table), reverse=True) for table in made
        ]


# --- sizes and designs ---------------------------------------------------------------------------


def shapes(people: int, sizes: Sizes) -> Iterator[tuple[int, ...]]:
    """Yield every multiset of sizes that seats exactly so many."""

    def fill(left: int, most: int) -> Iterator[tuple[int, ...]]:
        if not left:
            yield ()
        for size in range(min(most, left), sizes.low - 1, -1):
            for rest in fill(left - size, size):
                yield (size, *rest)

    yield from fill(people, sizes.high)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 40), st.integers(2, 6), st.integers(0, 4), st.integers(0, 4))
def test_splits_are_the_best_there_are(people: int, low: int, more: int, most: int) -> None:
    """Against every split: as many as possible, then nearest to the preferred size, fewest sizes, fewest tables."""
    preferred = min(6, low + more)
    sizes = Sizes(low, preferred, min(6, preferred + most))
    made = split(people, sizes)

    seated = next(number for number in range(people, -1, -1) if list(shapes(number, sizes)))
    assert made.byes == people - seated

    def key(tables: tuple[int, ...]) -> tuple[int, int, int]:
        return sum(abs(size - preferred) for size in tables), len(set(tables)), len(tables)

    assert key(made.tables) == min(map(key, shapes(seated, sizes)))
    assert sum(made.tables) == seated


def test_the_written_arithmetic_of_sizes() -> None:
    """Who can be seated, and how many rematches nobody can avoid."""
    assert [n for n in range(1, 13) if split(n, Sizes(3, 4, 4)).byes] == [1, 2, 5]
    assert [n for n in range(1, 16) if split(n, Sizes(4, 4, 5)).byes] == [1, 2, 3, 6, 7, 11]
    assert split(256, Sizes(2, 4, 6)) == Split((4,) * 64)
    assert unavoidable(12, [(4, 4, 4)] * 3) == 9
    assert unavoidable(16, [(4,) * 4] * 5) == 0
    assert unavoidable(16, [(4,) * 4] * 6) == 24
    assert unavoidable(1, [(), ()]) == 0
    assert better_in_threes(12, Sizes(3, 4, 5), 3, 2)
    assert not better_in_threes(20, Sizes(3, 4, 5), 3, 2)


@pytest.mark.parametrize(
    "tables", [(3, 3, 3), (3, 3, 2), (4,) * 4, (3,) * 4, (4, 4, 3, 3), (5,) * 5, (4,) * 5, (5, 5, 4, 4, 4)]
)
def test_designs_have_no_rematch(tables: tuple[int, ...]) -> None:
    """Whole planes have everybody meet; cut ones keep everybody apart."""
    rounds = design_for(tables)
    pairs = [pair for made in rounds for table in made for pair in combinations(sorted(table), 2)]

    assert len(pairs) == len(set(pairs))
    for made in rounds:
        assert tuple(sorted(map(len, made), reverse=True)) == tables
        assert sorted(one for table in made for one in table) == list(range(sum(tables)))
    if sum(tables) in DESIGNS and len(set(tables)) == 1 and len(tables) == tables[0]:
        assert len(rounds) == len(tables) + 1


@pytest.mark.parametrize("tables", [(), (4, 4, 4), (4, 4), (6,) * 6, (4, 2, 3)])
def test_other_splits_have_no_design(tables: tuple[int, ...]) -> None:
    """Nothing is made up."""
    assert design_for(tables) == ()


def test_points_of_a_round_are_those_that_pairing_sees() -> None:
    """The second round puts winners together."""
    hall = Hall(setup(sizes=Sizes(4, 4, 4), rounds=2), 2)
    hall.enter(16)
    hall.start()
    hall.play()
    points = {
        one: value
        for pod in hall.round.pods
        for one, value in zip(pod.players, award(Scheme(), pod.places), strict=True)
    }
    hall.next()

    spread = sum(
        max(points[one] for one in pod.seats) - min(points[one] for one in pod.seats) for pod in hall.round.pods
    )
    assert spread <= 120


def test_a_design_goes_on_without_who_dropped() -> None:
    """Of 20 people one drops after the second round: nobody meets again all the same."""
    hall = Hall(setup(rounds=4), 11)
    hall.enter(20)
    hall.start()
    for number in (1, 2, 3):
        hall.play()
        if number == 2:
            hall.do(i.Leave(user_id=1007))
        hall.next()
    met = [pair for made in hall.record.rounds for pod in made.pods for pair in combinations(sorted(pod.seats), 2)]

    assert sorted(len(pod.seats) for pod in hall.round.pods) == [3, 4, 4, 4, 4]
    assert len(met) == len(set(met))


def test_a_round_gives_way_to_one_that_leads_on() -> None:
    """The best third round may leave the fourth no way; then another one is taken, if need be by a longer search."""
    dice = random.Random(9)
    points = [0] * 23
    met: dict[tuple[int, int], int] = {}
    for number in range(1, 5):
        field = search.Field(
            names=list(range(23)),
            points=sorted(points, reverse=True),
            starts=[0] * 23,
            met=[[met.get((min(a, b), max(a, b)), 0) for b in range(23)] for a in range(23)],
            sizes=[4, 4, 4, 4, 4, 3],
        )
        made = search.best_tables(field, 4 - number, Rng(bytes(16), str(number)))
        met |= dict.fromkeys((pair for table in made for pair in combinations(sorted(table), 2)), 1)
        points = [value + dice.choice([0, 40, 80, 120]) for value in field.points]

    assert len(met) == 4 * (5 * 6 + 3)
