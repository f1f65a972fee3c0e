"""
Bytes for what is kept: table snapshots and logged inputs.

JSON, so that a host can read the database with any tool. States carry their schema version:
an older one is lifted step by step on load, a newer one is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, cast

import msgspec

from rules.core.computers import NAMES
from rules.core.contract import Game
from rules.core.ports import LogRow
from rules.core.table import Act, Entry, Happening, KernelEvent, Play, Record, Table, own_facts


class NewerState(Exception):
    """The stored state was written by a newer version of the game than this one."""


class _Saved(msgspec.Struct, frozen=True):
    table: Table
    version: int
    state: msgspec.Raw
    recent: msgspec.Raw


NOBODY = "Somebody"
"""Stands where the name of somebody stood who was forgotten."""

_NAME_FIELDS = frozenset({"left", "leaver", "before", "after"})
"""Fields that hold the name of a person without their id beside it."""

_EXACT = 2**53
"""Integers beyond it are not read exactly by everything that reads JSON."""

_encode = msgspec.json.Encoder().encode
_saved = msgspec.json.Decoder(_Saved)
_happening = msgspec.json.Decoder(Happening)


@cache
def _entries(event_type: Any) -> type[Entry]:
    """Return `Entry` narrowed to the events of one game and the kernel's own."""
    fields = [("seat", int | None), ("by", str), ("events", tuple[event_type | KernelEvent, ...])]
    return cast("type[Entry]", msgspec.defstruct("Entry", fields, frozen=True))


def dump_state(state: Any) -> bytes:
    """Encode a state of any game; `load_state` with the game's current version brings it back."""
    return _encode(state)


def load_state(game: Game, body: bytes | msgspec.Raw, version: int) -> Any:
    """
    Decode a state of *game* that was written at schema *version*.

    Raises:
        NewerState: *version* is beyond what this code knows.
    """
    spec = game.spec
    if version > spec.state_version:
        raise NewerState(f"{spec.title}: stored state has version {version}, this bot knows {spec.state_version}")
    if version == spec.state_version:
        return msgspec.json.decode(body, type=spec.state_type)
    old = msgspec.json.decode(body)
    for upgrade in spec.upgrades[version - 1 :]:
        old = upgrade(old)
    return msgspec.convert(old, type=spec.state_type)


def dump_record(game: Game, record: Record) -> bytes:
    """Encode a table with its state."""
    state = msgspec.Raw(b"null" if record.state is None else dump_state(record.state))
    return _encode(_Saved(record.table, game.spec.state_version, state, msgspec.Raw(_encode(record.recent))))


def load_record(game: Game, body: bytes) -> Record:
    """
    Decode a table with its state.

    Raises:
        NewerState: the state is beyond what this code knows.
    """
    saved = _saved.decode(body)
    recent = _recent(game, saved.recent)
    if bytes(saved.state) == b"null":
        return Record(saved.table, None, recent)
    state = load_state(game, saved.state, saved.version)
    facts = () if saved.table.phase == "over" else own_facts(game, state, saved.table)
    return Record(saved.table, state, recent, facts)


def _recent(game: Game, body: msgspec.Raw) -> tuple[Entry, ...]:
    """Decode the last entries; none at all when an older version of the game wrote other events."""
    try:
        narrow = msgspec.json.decode(body, type=tuple[_entries(game.spec.event_type), ...])  # type: ignore[misc]
    except msgspec.ValidationError:
        return ()
    return tuple(Entry(entry.seat, entry.by, entry.events) for entry in narrow)


def dump_input(happening: Happening) -> bytes:
    """Encode an input for the log."""
    return _encode(happening)


def load_input(game: Game, body: bytes) -> Happening:
    """Decode a logged input, its action narrowed to the game's type."""
    happening: Happening = _happening.decode(body)
    if isinstance(happening, Act | Play):
        action = msgspec.convert(happening.action, type=game.spec.action_type)
        return msgspec.structs.replace(happening, action=action)
    return happening


# --- what is kept about one person ---------------------------------------------------------------


def pseudonymise(bodies: Sequence[bytes], user_id: int, alias: int) -> Sequence[bytes]:
    """
    Rewrite all that is kept of one table so that nothing in it names a certain person.

    Their id becomes *alias* and their name `NOBODY`, so that the rewritten inputs lead to the rewritten
    table, byte for byte. Hence a name that a computer could have stays: were it free again, a computer
    would sit down under it. And where their name stands without an id, as that of somebody who left
    does, namesakes at this table become `NOBODY` as well: nothing tells whose name it was.

    Args:
        bodies: the table's body and each of its inputs; a name may stand in one and its owner in another.
        user_id: the person.
        alias: nobody's id.
    """
    digits = str(user_id).encode()
    mentions = [msgspec.json.decode(body) for body in bodies if digits in body]
    names = frozenset(name for value in mentions for name in names_of(value, user_id)).difference(NAMES)
    marks = [digits, *(_encode(name) for name in names)]
    found = [msgspec.json.decode(body) if any(mark in body for mark in marks) else None for body in bodies]
    shared = frozenset(name for value in found for name in _lone(value)) & names
    return [
        body if value is None else _encode(_renamed(value, user_id, alias, names, shared))
        for body, value in zip(bodies, found, strict=True)
    ]


def names_of(value: Any, user_id: int) -> set[str]:
    """Return the names that stand beside a person's id anywhere in a JSON value."""
    if isinstance(value, list):
        return {name for item in value for name in names_of(item, user_id)}
    if not isinstance(value, dict):
        return set()
    names = {name for item in value.values() for name in names_of(item, user_id)}
    return names | {value["name"]} if value.get("user_id") == user_id and "name" in value else names


def _lone(value: Any) -> set[str]:
    """Return the names that stand without an id anywhere in a JSON value."""
    if isinstance(value, list):
        return {name for item in value for name in _lone(item)}
    if not isinstance(value, dict):
        return set()
    here = {value[field] for field in _NAME_FIELDS & value.keys() if isinstance(value[field], str)}
    return here.union(*(_lone(item) for item in value.values()))


def _renamed(value: Any, user_id: int, alias: int, names: frozenset[str], shared: frozenset[str]) -> Any:
    """Return a JSON value with a person's id and *names* replaced, and namesakes where a name is in *shared*."""
    if isinstance(value, list):
        return [_renamed(item, user_id, alias, names, shared) for item in value]
    if isinstance(value, dict):
        who = value.get("user_id")
        own = names if who == user_id else shared if who is not None else frozenset[str]()
        going = {"name": own, **dict.fromkeys(_NAME_FIELDS, names)}
        return {
            key: NOBODY
            if isinstance(item, str) and item in going.get(key, ())
            else _renamed(item, user_id, alias, names, shared)
            for key, item in value.items()
        }
    return alias if type(value) is int and value == user_id else value


def about(body: bytes, rows: Sequence[LogRow], user_id: int) -> Mapping[str, Any] | None:
    """
    Return what a table holds about one person, without anybody else's id or name; `None` when it is nothing.

    Their place at the table, their name there, score and place of a finished game, and the inputs
    that they made or that were made about them. Nothing hidden from them is in it.
    """
    digits = str(user_id).encode()
    decoded = [(row, msgspec.json.decode(row.input)) for row in rows if digits in row.input]
    inputs = [(row, value) for row, value in decoded if holds(value, user_id)]
    table = _saved.decode(body).table
    seat = table.seat_of(user_id)
    if not inputs and seat is None:
        return None
    names = {name for _, value in inputs for name in names_of(value, user_id)}
    role = "nobody" if not names else "left"
    if seat is not None:
        role = "host" if table.host_id == user_id else "player"
    return {
        "role": role,
        "names": sorted(names),
        "place": table.places[seat] if seat is not None and table.places else None,
        "score": table.scores[seat] if seat is not None and table.scores else None,
        "inputs": [{"at_ms": row.at_ms, "input": own(value, user_id)} for row, value in inputs],
    }


def holds(value: Any, user_id: int) -> bool:
    """Tell whether a person's id is anywhere in a JSON value."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return any(holds(item, user_id) for item in value)
    return type(value) is int and value == user_id


def own(value: Any, user_id: int) -> Any:
    """Return a JSON value with a person's id as *you*, and without the ids and names of others."""
    if isinstance(value, list):
        return [own(item, user_id) for item in value]
    if isinstance(value, dict):
        stranger = value.get("user_id", user_id) != user_id
        hidden = {"user_id", "name"} if stranger else set()
        if value.get("target_id", user_id) != user_id:
            hidden.add("target_id")
        return {key: own(item, user_id) for key, item in value.items() if key not in hidden}
    if type(value) is int:
        return "you" if value == user_id else str(value) if value > _EXACT else value
    return value
