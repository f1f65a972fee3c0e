"""
A deck of cards, read from a TOML text and checked so that any mistake in it is named with its line.

The form is that of `rules/data/breakdancing_meeples.toml`; what belongs to the rules page there is passed over.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any
from zlib import crc32

import msgspec

from rules.breakdancing_meeples.dance import CONDITIONS, IN_A_ROW, MILLION, NO_BACK, SAME
from rules.breakdancing_meeples.model import ANY, DANCING, STANCES, Card

KEY = "breakdancing_meeples"
MIN_CREWS = 2
MAX_CREWS = 4
DANCE_OFFS = 4
ROUTINE_LIMIT = 3
CREW_DANCERS = 6
CREW_CUBES = 6
STARTERS = 2

FIXED: Mapping[str, int | str] = {
    "schema": 1,
    "game": KEY,
    "players_min": MIN_CREWS,
    "players_max": MAX_CREWS,
    "dance_offs": DANCE_OFFS,
    "routine_limit": ROUTINE_LIMIT,
    "crew_dancers": CREW_DANCERS,
    "crew_cubes": CREW_CUBES,
}
"""What stands in `[deck]` of every deck and cannot be another, for the rulebook says it."""

PAGE_ONLY = frozenset({"title", "times", "headings", "tables", "section", "ruling"})
"""Parts of the data file that are no part of the deck."""


class RoundOption(msgspec.Struct, frozen=True):
    """Length of a Dance Off and the least time between two rolls of a crew, both in ms."""

    round_ms: int
    interval_ms: int


class Deck(msgspec.Struct, frozen=True):
    """
    All cards and odds that a game may be played with.

    Attributes:
        title: what it is called.
        weights: chance of each stance in millionths, in the order of `STANCES`.
        rounds: lengths to choose from, the usual one first.
        starters: the two Routines that every crew begins with (BM-2).
        remix: the cards of the Remix deck, each as often as it is in the box.
    """

    title: str
    weights: tuple[int, ...]
    rounds: tuple[RoundOption, ...]
    starters: tuple[Card, ...]
    remix: tuple[Card, ...]

    @property
    def checksum(self) -> int:
        """The CRC-32 of all that is in it, which tells decks apart."""
        return crc32(msgspec.json.encode(self))


class _Wrong(Exception):
    """A value is not what it should be: why, as a sentence, and where within it."""

    def __init__(self, reason: str, *path: str | int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.path = path


class _Unfit(_Wrong):
    """As `_Wrong`; the reason has still to be preceded by the name of what it is about."""


Check = Callable[[Any], Any]
"""Returns a value as it is wanted, or raises `_Wrong`."""


# --- checks of values ----------------------------------------------------------------------------


def _whole(low: int, high: int) -> Check:
    def check(value: Any) -> int:
        if type(value) is not int or not low <= value <= high:
            raise _Unfit(f"has to be a whole number from {low} to {high}")
        return value

    return check


def _number(low: str, high: str, unit: int, places: str) -> Check:
    """Take a number from *low* to *high* that is a whole one once multiplied by *unit*."""

    def check(value: Any) -> int:
        if (
            type(value) not in (int, Decimal)
            or not Decimal(value).is_finite()
            or not Decimal(low) <= value <= Decimal(high)
        ):
            raise _Unfit(f"has to be a number from {low} to {high}")
        if value * unit != int(value * unit):
            raise _Unfit(f"may have at most {places} decimal places")
        return int(value * unit)

    return check


def _text(most: int) -> Check:
    def check(value: Any) -> str:
        if not isinstance(value, str) or not value.strip() or not value.isprintable() or len(value) > most:
            raise _Unfit(f"has to be one line of text, at most {most} characters")
        return value

    return check


def _key(value: Any) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"[a-z0-9_]{1,40}", value):
        raise _Unfit("has to be made of small letters, digits and _, at most 40 characters")
    return value


def _one_of(known: Iterable[str]) -> Check:
    names = tuple(known)

    def check(value: Any) -> str:
        if not isinstance(value, str) or value not in names:
            raise _Unfit(f"unknown {value!r}: has to be one of {', '.join(names)}")
        return value

    return check


def _anything(value: Any) -> Any:
    return value


def _exactly(wanted: int | str) -> Check:
    def check(value: Any) -> int | str:
        if type(value) is not type(wanted) or value != wanted:
            raise _Unfit(f"has to be {wanted!r}")
        return wanted

    return check


def _list(item: Check, least: int = 0, most: int | None = None) -> Check:
    def check(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise _Unfit("has to be a list")
        if len(value) < least:
            raise _Unfit("must not be empty" if least == 1 else f"has to have at least {least} entries")
        if most is not None and len(value) > most:
            raise _Unfit(f"may have at most {most} entries, not {len(value)}")
        found = []
        for number, each in enumerate(value):
            try:
                found.append(item(each))
            except _Wrong as wrong:
                raise type(wrong)(wrong.reason, number, *wrong.path) from None
        return tuple(found)

    return check


def _table(needed: Mapping[str, Check], others: Mapping[str, Check] | None = None) -> Check:
    """Take a table with all keys of *needed* and perhaps some of *others*, and no more."""
    known = {**needed, **(others or {})}

    def check(value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise _Unfit("has to be a table")
        for name in value:
            if name not in known:
                raise _Wrong(f"unknown key {name!r}", name)
        for name in needed:
            if name not in value:
                raise _Wrong(f"missing key {name!r}")
        found = {}
        for name, each in value.items():
            try:
                found[name] = known[name](each)
            except _Wrong as wrong:
                reason = f"{name} {wrong.reason}" if isinstance(wrong, _Unfit) else wrong.reason
                raise _Wrong(reason, name, *wrong.path) from None
        return found

    return check


# --- the form of a deck --------------------------------------------------------------------------

_POINTS = _list(_whole(0, 999), 1)
_CARD: Mapping[str, Check] = {"key": _key, "name": _text(40), "copies": _whole(1, 20)}
_SOURCE: Mapping[str, Check] = {"source": _text(80)}

_ROUTINE_FIELDS = {
    **_CARD,
    "kind": _one_of(("routine", "matching_pair")),
    "slots": _list(_one_of((*DANCING, ANY)), 0, CREW_DANCERS),
    "squares": _list(_whole(0, 999)),
}
_RALLY_FIELDS = {
    **_CARD,
    "cost": _whole(0, 999),
    "condition": _one_of(CONDITIONS),
    "text": _text(200),
    "squares": _POINTS,
}
NEEDS: Mapping[str, str] = {SAME: "same_stance", IN_A_ROW: "in_a_row", NO_BACK: "min_rolled"}
"""The key that a Rally of that condition has its number in."""


def _rising(squares: tuple[int, ...]) -> None:
    if list(squares) != sorted(squares):
        raise _Wrong("squares must not decrease from left to right", "squares")


def _routine(value: Any) -> tuple[Card, int]:
    """Take a Routine, and say how many copies there are."""
    row = _table(_ROUTINE_FIELDS, _SOURCE)(value)
    if row["kind"] == "matching_pair":
        for name in ("slots", "squares"):
            if row[name]:
                raise _Wrong(f"a Matching Pair card has no {name}", name)
    else:
        for name in ("slots", "squares"):
            if not row[name]:
                raise _Wrong(f"a Routine needs {name}", name)
    _rising(row["squares"])
    return Card(row["key"], row["name"], row["kind"], row["slots"], row["squares"]), row["copies"]


def _starter(value: Any) -> tuple[Card, int]:
    """Take a starting Routine: an ordinary one, of which each crew can have its own (BM-2)."""
    card, copies = _routine(value)
    if card.kind != "routine":
        raise _Wrong("a starter has to be an ordinary Routine", "kind")
    if copies < MAX_CREWS:
        raise _Wrong(f"a starter needs at least {MAX_CREWS} copies, one a crew", "copies")
    return card, copies


def _rally(value: Any) -> tuple[Card, int]:
    """Take a Rally, with the number that its condition needs."""
    condition = value.get("condition") if isinstance(value, dict) else None
    needs = NEEDS.get(condition, "") if isinstance(condition, str) else ""
    number = {needs: _whole(1, CREW_DANCERS)} if needs else {}
    strange = {} if isinstance(condition, str) and condition in CONDITIONS else dict.fromkeys(NEEDS.values(), _anything)
    row = _table({**_RALLY_FIELDS, **number}, {**_SOURCE, "check": _text(400), **strange})(value)
    _rising(row["squares"])
    card = Card(
        key=row["key"],
        name=row["name"],
        kind="rally",
        slots=(),
        squares=row["squares"],
        cost=row["cost"],
        condition=row["condition"],
        needs=row.get(needs, 0),
        text=row["text"],
    )
    return card, row["copies"]


_INTERVAL = _number("0.5", "60", 1000, "three")
_DECK_FIELDS = {
    **{name: _exactly(FIXED[name]) for name in ("schema", "game")},
    "title": _text(40),
}
_DECK_OTHERS = {
    **_SOURCE,
    **{name: _exactly(value) for name, value in FIXED.items() if name not in _DECK_FIELDS},
    "note": _text(400),
    "round_seconds": _whole(10, 900),
    "min_roll_interval_seconds": _INTERVAL,
    "tuned_for_rolls_per_round": _list(_whole(1, 999), 2, 2),
}
_ROUND_FIELDS = {"seconds": _whole(10, 900), "min_roll_interval_seconds": _INTERVAL}
_WHOLE_DECK = _table(
    {
        "deck": _table(_DECK_FIELDS, _DECK_OTHERS),
        "stance_weights": _table({stance: _number("0", "1", MILLION, "six") for stance in STANCES}, _SOURCE),
        "round_options": _list(_table(_ROUND_FIELDS), 1, 25),
        "starters": _list(_starter, STARTERS, STARTERS),
        "routines": _list(_routine, 1, 100),
    },
    {"rallies": _list(_rally, 0, 100), **dict.fromkeys(PAGE_ONLY, _anything)},
)


def read_deck(text: str) -> Deck:
    """
    Read a deck.

    A deck of fewer cards than the Remixes would deal is fine (BM-40).

    Args:
        text: in TOML.

    Raises:
        ValueError: "line 41: …" with the line, from 1, and what is wrong there.
    """
    text = text.replace("\r\n", "\n")
    try:
        raw = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(_syntax(str(error), text)) from None
    except (RecursionError, ValueError, ArithmeticError):
        raise ValueError("line 1: this cannot be read as TOML") from None
    try:
        data = _WHOLE_DECK(raw)
        _fits_together(data)
    except _Wrong as wrong:
        raise ValueError(f"line {_line_of(wrong.path, text)}: {_named(raw, wrong)}") from None
    return Deck(
        title=data["deck"]["title"],
        weights=tuple(data["stance_weights"][stance] for stance in STANCES),
        rounds=tuple(
            RoundOption(row["seconds"] * 1000, row["min_roll_interval_seconds"]) for row in data["round_options"]
        ),
        starters=tuple(card for card, _ in data["starters"]),
        remix=tuple(card for card, copies in (*data["routines"], *data.get("rallies", ())) for _ in range(copies)),
    )


def _fits_together(data: Mapping[str, Any]) -> None:
    """
    Check what no value shows by itself.

    Raises:
        _Wrong: the first thing that does not fit.
    """
    weights = [data["stance_weights"][stance] for stance in STANCES]
    if sum(weights) != MILLION:
        raise _Wrong(f"the four weights have to add up to 1, not {Decimal(sum(weights)) / MILLION}", "stance_weights")
    lengths = [row["seconds"] for row in data["round_options"]]
    for number, seconds in enumerate(lengths):
        if seconds in lengths[:number]:
            raise _Wrong(f"there are two options of {seconds} seconds", "round_options", number, "seconds")
    usual = {"round_seconds": lengths[0], **data["round_options"][0]}
    for name in ("round_seconds", "min_roll_interval_seconds"):
        if data["deck"].get(name, usual[name]) != usual[name]:
            raise _Wrong(f"{name} has to be that of the first of the round_options", "deck", name)
    seen: set[str] = set()
    for kind in ("starters", "routines", "rallies"):
        for number, (card, _) in enumerate(data.get(kind, ())):
            if card.key in seen:
                raise _Wrong(f"there are two cards with the key {card.key!r}", kind, number, "key")
            seen.add(card.key)


# --- where something stands ----------------------------------------------------------------------

_PIECES = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*|[^\s"\'#\[\]{}]+|[^\S\n]+|.',
    re.DOTALL,
)
"""Strings, comments, words and blanks of a TOML text, and every other character by itself."""

_STATEMENT = re.compile(r"\s*(?:\[\[\s*(?P<row>[^\]\s]+)\s*\]\]|\[\s*(?P<table>[^\]\s]+)\s*\]|(?P<key>[^=\s]+)\s*=)")

Path = tuple[str | int, ...]


def _statements(text: str) -> Iterable[tuple[int, str]]:
    """Yield number and text of each line on which something begins: not one within a list or a string of many lines."""
    rows = text.split("\n")
    depth, line, begins = 0, 1, True
    for found in _PIECES.finditer(text):
        piece = found[0]
        if begins:
            yield line, rows[line - 1]
        depth += (piece in ("[", "{")) - (piece in ("]", "}"))
        line += piece.count("\n")
        begins = piece == "\n" and not depth


def _lines(text: str) -> Mapping[Path, int]:
    """Return the line on which each table, row of tables and value begins."""
    lines: dict[Path, int] = {}
    counts: dict[str, int] = {}
    inside: Path = ()
    for number, line in _statements(text):
        found = _STATEMENT.match(line)
        if found is None:
            continue
        if name := found["row"]:
            counts[name] = counts.get(name, -1) + 1
            lines.setdefault((name,), number)
            inside = (name, counts[name])
        elif name := found["table"]:
            inside = (name,)
        else:
            lines[*inside, found["key"].strip("\"'")] = number
            continue
        lines[inside] = number
    return lines


def _line_of(path: Path, text: str) -> int:
    """Return the line of *path*, or of the nearest thing around it that has one."""
    lines = _lines(text)
    return next((lines[path[:end]] for end in range(len(path), 0, -1) if path[:end] in lines), 1)


def _named(raw: Mapping[str, Any], wrong: _Wrong) -> str:
    """Return the reason with the name of the card or table before it."""
    match wrong.path:
        case (str(kind), int(number), *_) if isinstance(raw[kind][number], dict):
            return f"{raw[kind][number].get('key', f'{kind} {number + 1}')}: {wrong.reason}"
        case (str(kind), *_):
            return wrong.reason if kind in wrong.reason else f"{kind}: {wrong.reason}"
        case _:
            return wrong.reason


def _syntax(said: str, text: str) -> str:
    """Return the sentence about a syntax error with its line in front."""
    reason, _, place = said.rpartition(" (at ")
    line = re.match(r"line (\d+)", place)
    return f"line {line[1] if line else text.count(chr(10)) + 1}: {reason or said}"
