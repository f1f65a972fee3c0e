"""
The written form of a game: a head, then a line an input with what happened indented below, then the end.

A golden holds both what is played again and what must come of it: the inputs are read from it, played,
and written again.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from rules.core.contract import Event, Game, Outcome
from tests.helpers import START_MS, Input, Setting, deal, tell

HERE = Path(__file__).parent

WANTED: Mapping[str, Mapping[str, Sequence[str]]] = tomllib.loads((HERE / "wanted.toml").read_text(encoding="utf-8"))
"""By game: names of further games to be recorded, and the patterns that must be found in them."""

SEATS, OPTION, SEED = "seats", "option", "seed"
_ACTION, _DEADLINE = "seat", "deadline"


def path_of(game: Game, name: str) -> Path:
    """Return where the golden game of an end reason, or of a name in `WANTED`, lies."""
    return HERE / game.spec.key / f"{name}.txt"


def wanted(game: Game) -> Mapping[str, Sequence[str]]:
    """Return the names of further golden games, and what they have to show."""
    return WANTED.get(game.spec.key, {})


def shown_after(lines: Sequence[str], patterns: Sequence[str]) -> int | None:
    """Return after how many inputs a golden has shown all *patterns*, `None` if it never does."""
    found = [next((at for at, line in enumerate(lines) if re.search(pattern, line)), None) for pattern in patterns]
    if None in found:
        return None
    last = max(at for at in found if at is not None)
    return sum(line.partition(" ")[0].isdecimal() for line in lines[: last + 1])


def write(game: Game, setting: Setting, inputs: Sequence[Input]) -> Iterator[str]:
    """
    Play *inputs* and write down, line by line, what comes of them.

    Raises:
        Refusal: the rules do not allow one of them (any more).
    """
    yield f"# {game.spec.title}"
    yield f"{SEATS} {setting.seats}"
    yield from (f"{OPTION} {key} {value}" for key, value in setting.options)
    yield f"{SEED} {setting.seed.hex()}"
    yield ""
    step = deal(game, setting)
    yield "deal"
    yield from _told(step.events)
    for number, given in enumerate(inputs):
        yield f"{given.at_ms - START_MS} {_input(given)}"
        step = tell(game, step.state, given, setting.seed, f"step {number}")
        yield from _told(step.events)
    yield ""
    yield from _end(game.outcome(step.state))
    yield f"view {_json(game.view(step.state, None).public)}"


def read(game: Game, text: str) -> tuple[Setting, list[Input]]:
    """Read setting and inputs from a golden; what happened is left to be found out."""
    setting = Setting(0)
    inputs = []
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        if word == SEATS:
            setting = msgspec.structs.replace(setting, seats=int(rest))
        elif word == OPTION:
            key, value = rest.split(" ")
            setting = msgspec.structs.replace(setting, options=(*setting.options, (key, value)))
        elif word == SEED:
            setting = msgspec.structs.replace(setting, seed=bytes.fromhex(rest))
        elif word.isdecimal():
            inputs.append(_read_input(game, int(word), rest))
    return setting, inputs


def _input(given: Input) -> str:
    if given.seat is None:
        return f"{_DEADLINE} {given.name}"
    return f"{_ACTION} {given.seat} {type(given.action).__name__} {_json(given.action)}"


def _read_input(game: Game, at_ms: int, text: str) -> Input:
    word, _, rest = text.partition(" ")
    if word == _DEADLINE:
        return Input(START_MS + at_ms, None, name=rest)
    seat, kind, fields = rest.split(" ", 2)
    action = {**_tagged(game, kind), **msgspec.json.decode(fields)}
    return Input(START_MS + at_ms, int(seat), msgspec.convert(action, type=game.spec.action_type))


def _tagged(game: Game, kind: str) -> dict[str, Any]:
    """Return the tag that names the class *kind* among the game's actions."""
    types = getattr(game.spec.action_type, "__args__", (game.spec.action_type,))
    config = next(each for each in types if each.__name__ == kind).__struct_config__
    return {config.tag_field: config.tag} if config.tag_field else {}


def _told(events: Sequence[Event]) -> Iterator[str]:
    for event in events:
        to = "" if event.audience is None else f"to {', '.join(map(str, event.audience))}: "
        yield f"    {to}{type(event).__name__} {_json(event, 'audience')}"


def _end(outcome: Outcome | None) -> Iterator[str]:
    if outcome is None:
        yield "end none"
        return
    yield f"end {outcome.reason}"
    yield f"places {' '.join(map(str, outcome.places))}"
    yield f"scores {' '.join(map(str, outcome.scores))}"


def _json(value: Any, *without: str) -> str:
    """Return the fields of a struct as JSON with room to breathe, its tag and *without* left out."""
    fields = {name: getattr(value, name) for name in value.__struct_fields__ if name not in without}
    return msgspec.json.format(msgspec.json.encode(fields), indent=0).decode()
