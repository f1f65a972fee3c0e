"""Bytes for what is kept of a tournament: its record and its logged inputs, as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from rules.core import codec
from rules.core.codec import NewerState
from rules.core.ports import LogRow
from rules.tournaments.inputs import Happening
from rules.tournaments.ledger import standings
from rules.tournaments.model import Tournament
from rules.tournaments.people import draw_lot
from rules.tournaments.points import UNIT

UPGRADES: tuple[Callable[[dict[str, Any]], dict[str, Any]], ...] = ()
"""`UPGRADES[v - 1]` lifts a stored record from version *v* to *v + 1*, dict to dict."""


class _Saved(msgspec.Struct, frozen=True):
    version: int
    tournament: msgspec.Raw


_encode = msgspec.json.Encoder().encode
_saved = msgspec.json.Decoder(_Saved)
_record = msgspec.json.Decoder(Tournament)
_happening = msgspec.json.Decoder(Happening)


def dump_record(record: Tournament) -> bytes:
    """Encode a tournament."""
    return _encode(_Saved(len(UPGRADES) + 1, msgspec.Raw(_encode(record))))


def load_record(body: bytes) -> Tournament:
    """
    Decode a tournament.

    Raises:
        NewerState: it was written by a newer version of the bot.
    """
    saved = _saved.decode(body)
    if saved.version > len(UPGRADES) + 1:
        raise NewerState(f"stored tournament has version {saved.version}, this bot knows {len(UPGRADES) + 1}")
    if saved.version == len(UPGRADES) + 1:
        return _record.decode(saved.tournament)
    old = msgspec.json.decode(saved.tournament)
    for upgrade in UPGRADES[saved.version - 1 :]:
        old = upgrade(old)
    return msgspec.convert(old, Tournament)


def dump_input(happening: Happening) -> bytes:
    """Encode an input for the log."""
    return _encode(happening)


def load_input(body: bytes) -> Happening:
    """Decode a logged input."""
    happening: Happening = _happening.decode(body)
    return happening


def is_tournament(body: bytes) -> bool:
    """Tell whether a stored body is that of a tournament, not of a table."""
    return body.startswith(b'{"version":')


# --- what is kept about one person ---------------------------------------------------------------

ERASED = "(erased)"
"""Stands where a note on somebody stood who was forgotten."""
_ABOUT_ONE = ("entrant", "entrants", "order", "absent", "byes")
"""Fields of inputs that name entrants by number."""


def pseudonymise(bodies: Sequence[bytes], user_id: int, alias: int) -> Sequence[bytes]:
    """
    Rewrite all that is kept of one tournament so that nothing in it names a certain person.

    As for a table, the rewritten inputs lead to the rewritten record. The lot of an entrant is drawn from
    their id, hence it is written down where the id goes; notes of the staff on them are erased.

    Args:
        bodies: the tournament's body and each of its inputs.
        user_id: the person.
        alias: nobody's id.
    """
    record = load_record(bodies[0])
    own = _own_numbers(record, user_id)
    lot = draw_lot(record, user_id)
    body, *inputs = codec.pseudonymise([_with_lot(each, user_id, lot) for each in bodies], user_id, alias)
    return [_without_notes(body, own), *(_unsaid(each, own) for each in inputs)]


def _without_notes(body: bytes, own: Sequence[int]) -> bytes:
    """Return a record whose notes on these entrants are erased."""
    value = msgspec.json.decode(body)
    for note in value["tournament"].get("notes", ()):
        if note["entrant"] in own:
            note["text"] = ERASED
    return _encode(value)


def _unsaid(body: bytes, own: Sequence[int]) -> bytes:
    """Return an input, erased if it is a note on one of these entrants."""
    value = msgspec.json.decode(body)
    if value.get("type") == "Remember" and value["entrant"] in own:
        return _encode({**value, "text": ERASED})
    return body


def _own_numbers(record: Tournament, user_id: int) -> list[int]:
    """Return the numbers of the places that a person holds or has held."""
    return [
        who.number
        for who in record.entrants
        if who.user_id == user_id or any(before.user_id == user_id for before in who.former)
    ]


def _with_lot(body: bytes, user_id: int, lot: int) -> bytes:
    """Return an input with the person's lot beside them, where it enters them."""
    if str(user_id).encode() not in body:
        return body
    value = msgspec.json.decode(body)
    entered = {"Join": value, "AddToTable": value.get("person")}.get(value.get("type"))
    if entered and entered["user_id"] == user_id:
        return _encode({**value, "lot": lot})
    people = value.get("people", ()) if value.get("type") == "AddMany" else ()
    if any(one["user_id"] == user_id for one in people):
        known = value.get("lots") or [None] * len(people)
        lots = [lot if one["user_id"] == user_id else before for one, before in zip(people, known, strict=True)]
        return _encode({**value, "lots": lots})
    return body


def about(body: bytes, rows: Sequence[LogRow], user_id: int) -> Mapping[str, Any] | None:
    """
    Return what a tournament holds about one person, without anybody else's id or name; `None` when it is nothing.

    What they were there, their place and points, their tables, the notes of its staff on them, and every
    input that they made or that was made about them.
    """
    record = load_record(body)
    own = _own_numbers(record, user_id)
    inputs = []
    names = set()
    for logged in rows:
        value = msgspec.json.decode(logged.input)
        if codec.holds(value, user_id) or _is_about(value, own):
            names |= codec.names_of(value, user_id)
            inputs.append({"at_ms": logged.at_ms, "input": codec.own(value, user_id)})
    if not inputs and not own and record.host_id != user_id:
        return None
    now = record.entrant_of(user_id)
    row = next((row for row in standings(record) if now and row.entrant == now.number), None)
    return {
        "role": "organiser" if record.host_id == user_id else now.status if now else "left",
        "names": sorted(names),
        "place": row.place if row else None,
        "score": row.points / UNIT if row else None,
        "rounds": [
            {"round": played.number, "table": pod.number, **_at(pod.players, pod.places, pod.scores, now.number)}
            for played in record.rounds
            for pod in played.pods
            if now and now.number in pod.seats
        ],
        "notes": [{"level": note.level, "text": note.text} for note in record.notes if note.entrant in own],
        "inputs": inputs,
    }


def _is_about(value: Mapping[str, Any], own: Sequence[int]) -> bool:
    named = [value.get(field) for field in _ABOUT_ONE]
    named += [line[:1] for line in value.get("played", ())]  # of a result set by hand
    return any(one in own for item in named for one in (item if isinstance(item, list) else [item]))


def _at(players: Sequence[int], places: Sequence[int], scores: Sequence[int], one: int) -> dict[str, int | None]:
    """Return somebody's place and score at a table, if they played there."""
    if one not in players or not places:
        return {"place": None, "score": None}
    at = players.index(one)
    return {"place": places[at], "score": scores[at]}
