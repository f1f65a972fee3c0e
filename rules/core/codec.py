"""
Bytes for what is kept: table snapshots and logged inputs.

JSON, so that a host can read the database with any tool. States carry their schema version:
an older one is lifted step by step on load, a newer one is refused.
"""

from __future__ import annotations

from functools import cache
from typing import Any, cast

import msgspec

from rules.core.contract import Game
from rules.core.table import Act, Entry, Happening, KernelEvent, Play, Record, Table, own_facts


class NewerState(Exception):
    """The stored state was written by a newer version of the game than this one."""


class _Saved(msgspec.Struct, frozen=True):
    table: Table
    version: int
    state: msgspec.Raw
    recent: msgspec.Raw


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
    narrow = msgspec.json.decode(saved.recent, type=tuple[_entries(game.spec.event_type), ...])  # type: ignore[misc]
    recent = tuple(Entry(entry.seat, entry.by, entry.events) for entry in narrow)
    if bytes(saved.state) == b"null":
        return Record(saved.table, None, recent)
    state = load_state(game, saved.state, saved.version)
    facts = () if saved.table.phase == "over" else own_facts(game, state, saved.table)
    return Record(saved.table, state, recent, facts)


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
