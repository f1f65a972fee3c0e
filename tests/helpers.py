"""The games that are found, and walks through them: whole games played by chance, input by input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import msgspec

from rules.core.contract import Ctx, Event, Game, RealTime, Refusal, Seat, Step
from rules.core.discovery import find_games, load_data
from rules.core.rng import SEED_BYTES, Rng

GAME_PACKAGES = ("rules", "tests.fixture_game.rules")
"""Where games are looked for; one of the tests' own comes last."""

START_MS = 1_767_225_600_000
BOUND = 2_000
"""No game takes more inputs than that, however badly it is played."""


@cache
def games() -> Mapping[str, Game]:
    """Return all games by key."""
    return find_games(GAME_PACKAGES)


@cache
def card_keys(key: str) -> tuple[str, ...]:
    """Return the keys of every card in the data file of game *key*; where it has colours, of each card in each."""
    package = next(each for each in GAME_PACKAGES if key in find_games((each,)))
    parent, _, _ = package.rpartition(".")
    for data in (f"{package}.data", f"{parent}.data"):
        try:
            found = load_data(key, data)
        except (ModuleNotFoundError, FileNotFoundError):
            continue
        cards = [card["key"] for rows in CARD_ROWS for card in found.get(rows, ())]
        colours = [colour["key"] for colour in found.get("colour", ())]
        return tuple(f"{colour}_{card}" for colour in colours for card in cards) if colours else tuple(cards)
    raise FileNotFoundError(f"no data file of {key}")


CARD_ROWS = ("card", "starters", "routines", "rallies")
"""Rows of cards in a data file."""


RUSH = 50
"""One of so many inputs is a deadline where much happens before it; elsewhere one of a dozen."""


class Setting(msgspec.Struct, frozen=True):
    """
    What fixes a walk.

    Attributes:
        seats: how many.
        options: key and value of each option.
        seed: of the deal, of every step, and of the choices once *picks* are used up.
        picks: the first choices, each taken modulo what there is to choose from.
    """

    seats: int
    options: tuple[tuple[str, str], ...] = ()
    seed: bytes = bytes(SEED_BYTES)
    picks: tuple[int, ...] = ()


class Input(msgspec.Struct, frozen=True):
    """What a table is told: *action* of *seat*, or that the deadline *name* has passed, at *at_ms*."""

    at_ms: int
    seat: Seat | None
    action: Any = None
    name: str = ""


class Moment(msgspec.Struct, frozen=True):
    """One input of a walk: the state before, the input, the label of its stream, and what it did."""

    before: Any
    input: Input
    label: str
    step: Step[Any]


class Walk(msgspec.Struct, frozen=True):
    """A game from the deal to its end."""

    setting: Setting
    dealt: Step[Any]
    moments: tuple[Moment, ...]

    @property
    def states(self) -> tuple[Any, ...]:
        """Every state, the dealt one first."""
        return (self.dealt.state, *(moment.step.state for moment in self.moments))

    @property
    def end(self) -> Any:
        """The last state."""
        return self.states[-1]

    @property
    def steps(self) -> tuple[Step[Any], ...]:
        """Every step, the deal first."""
        return (self.dealt, *(moment.step for moment in self.moments))


class Chance:
    """Makes choices: as written in *picks*, then at random."""

    def __init__(self, setting: Setting) -> None:
        self._picks = iter(setting.picks)
        self._rng = Rng(setting.seed, "choices")

    def below(self, bound: int) -> int:
        """Choose a number from 0 to *bound* - 1."""
        pick = next(self._picks, None)
        return self._rng.below(bound) if pick is None else pick % bound

    def one_of(self, items: Sequence[Any]) -> Any:
        """Choose one of *items*."""
        return items[self.below(len(items))]


def deal(game: Game, setting: Setting) -> Step[Any]:
    """Set up a game."""
    return game.setup(setting.seats, dict(setting.options), Ctx(START_MS, Rng(setting.seed, "deal")))


def tell(game: Game, state: Any, given: Input, seed: bytes, label: str) -> Step[Any]:
    """
    Carry out one input with the stream *label*.

    Raises:
        Refusal: the rules say no.
    """
    ctx = Ctx(given.at_ms, Rng(seed, label))
    if given.seat is None:
        return game.expire(state, given.name, ctx)
    return game.apply(state, given.seat, given.action, ctx)


def in_time(game: Game, state: Any, given: Input, seed: bytes, label: str) -> tuple[Input, Step[Any]]:
    """
    Carry out one input, later if the rules say by how much it came too early.

    Raises:
        Refusal: the rules say no for another reason.
    """
    try:
        return given, tell(game, state, given, seed, label)
    except Refusal as refusal:
        wait_ms = refusal.facts.get("wait_ms")
        if not wait_ms:
            raise
        later = msgspec.structs.replace(given, at_ms=given.at_ms + wait_ms)
        return later, tell(game, state, later, seed, label)


def too_late(refusal: Refusal | None) -> bool:
    """Tell whether an input was refused for coming after a bell, and for nothing else: `legal` knows no time."""
    return refusal is not None and refusal.code == "too_late" and "bell_ms" in refusal.facts


def happen(game: Game, state: Any, given: Input, seed: bytes, label: str) -> tuple[Input, Step[Any]]:
    """
    Carry out one input as `in_time` does; where it cannot come before the bell any more, the bell comes instead.

    Raises:
        Refusal: the rules say no for another reason.
    """
    try:
        return in_time(game, state, given, seed, label)
    except Refusal as refusal:
        if not too_late(refusal):
            raise
    name, due_ms = min(game.deadlines(state).items(), key=lambda named: (named[1], named[0]))
    bell = Input(due_ms, None, name=name)
    return bell, tell(game, state, bell, seed, label)


def movers(game: Game, state: Any, seats: int) -> list[Seat]:
    """Return the seats that have a legal action."""
    return [seat for seat in range(seats) if game.legal(state, seat)]


def next_input(game: Game, state: Any, now_ms: int, seats: int, chance: Chance) -> Input:
    """
    Choose what happens next: mostly a move of somebody the game waits for, the kind of it first.

    Now and then a deadline passes, a seat moves that nobody waits for, or a computer chooses, which takes
    a game to places where chance seldom comes. Where it keeps silent, as it may where nobody waits for it, chance
    moves after all.
    """
    deadlines = sorted(game.deadlines(state).items(), key=lambda named: (named[1], named[0]))
    at_ms = now_ms + 400 * chance.below(4)
    awaited = sorted(game.to_act(state))
    others = [seat for seat in movers(game, state, seats) if seat not in awaited]
    seldom = RUSH if isinstance(game, RealTime) else 12
    if deadlines and (at_ms >= deadlines[0][1] or chance.below(seldom) == 11 or not (awaited or others)):
        return Input(deadlines[0][1], None, name=deadlines[0][0])
    seat = chance.one_of(others if others and (not awaited or chance.below(4) == 3) else awaited)
    legal = game.legal(state, seat)
    if chance.below(3) == 2:
        level = chance.one_of(sorted(game.computers))
        chosen = game.computers[level](game.view(state, seat), legal, Rng(bytes(16), f"{now_ms}"))
        if chosen is not None:
            return Input(at_ms, seat, chosen)
        assert seat not in awaited, f"the {level} computer keeps silent though it is awaited"
    kind = chance.one_of(sorted({type(action).__name__ for action in legal}))
    return Input(at_ms, seat, chance.one_of([action for action in legal if type(action).__name__ == kind]))


def walk(game: Game, setting: Setting) -> Walk:
    """Play a game by chance until it ends, `BOUND` inputs at most."""
    dealt = deal(game, setting)
    chance = Chance(setting)
    state, now_ms = dealt.state, START_MS
    moments: list[Moment] = []
    while game.outcome(state) is None and len(moments) < BOUND:
        label = f"step {len(moments)}"
        given, step = happen(game, state, next_input(game, state, now_ms, setting.seats, chance), setting.seed, label)
        moments.append(Moment(state, given, label, step))
        state, now_ms = step.state, given.at_ms
    return Walk(setting, dealt, tuple(moments))


def settings_of(game: Game, number: int) -> Iterator[Setting]:
    """Return *number* settings with all seat counts and options in turn, each with a seed of its own."""
    spec = game.spec
    for count in range(number):
        seats = spec.min_seats + count % (spec.max_seats - spec.min_seats + 1)
        options = tuple(
            (option.key, option.choices[(count // (1 + place)) % len(option.choices)].key)
            for place, option in enumerate(spec.options)
        )
        yield Setting(seats, options, count.to_bytes(SEED_BYTES, "big"))


def named(value: Any, field: str = "") -> Iterator[str]:
    """Return the cards named anywhere inside *value*: what is in rows of strings, or in a field `card` or `key`."""
    if isinstance(value, str):
        if field in ("card", "key"):
            yield value
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from named(getattr(value, name), name)
    elif isinstance(value, tuple):
        for item in value:
            yield from named(item, "card")


def heard(events: Sequence[Event], seat: Seat | None) -> list[Event]:
    """Return the events that *seat* (`None`: a spectator) learns of."""
    return [event for event in events if event.heard_by(seat)]
