"""
A table told again from its log: the record it led to, its public history, and a file that anybody can check.

A replay file holds the seed, every input and the result of a table that is over. `verify` deals again
from that seed and plays the inputs by the rules. People, servers and channels are numbered in it, so
that no id of Discord's leaves.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Literal

import msgspec

from rules.core.codec import dump_input, load_input
from rules.core.contract import Ctx, Game, Refusal
from rules.core.life import advance
from rules.core.ports import LogRow
from rules.core.rng import Rng, fingerprint
from rules.core.table import Entry, Input, Open, Person, Record, Table

FORMAT = 1
"""Version of the replay file, raised when its shape changes."""

PLACES = {"guild_id", "channel_id"}
OURS = "table_id"


class Told(msgspec.Struct, frozen=True):
    """
    One public entry of a table's history.

    Attributes:
        at_ms: time of the input, UTC ms.
        table: the table just after it, so that names are those of that moment.
    """

    at_ms: int
    entry: Entry
    table: Table


def reveal(record: Record, seed: bytes) -> Record:
    """Publish the seed of a table that is over, so that anyone can check the deal."""
    if record.table.phase != "over" or record.state is None:
        return record
    return msgspec.structs.replace(record, table=msgspec.structs.replace(record.table, seed=seed.hex()))


def _fold(game: Game, rows: Sequence[LogRow], seed: bytes) -> Iterator[Record]:
    """Yield the record after each input."""
    record: Record | None = None
    for row in rows:
        ctx = Ctx(row.at_ms, Rng(seed, f"step {row.seq}"))
        record = reveal(advance(game, record, load_input(game, row.input), ctx).record, seed)
        yield record


def replay(game: Game, rows: Sequence[LogRow], seed: bytes) -> Record:
    """
    Fold logged inputs into the record they led to.

    Raises:
        Refusal: the rows were not written by these rules from this seed.
    """
    record: Record | None = None
    for after in _fold(game, rows, seed):
        record = after
    if record is None:
        raise Refusal("no_table")
    return record


def history(game: Game, rows: Sequence[LogRow], seed: bytes) -> tuple[Told, ...]:
    """
    Return everything that a table made public, the oldest first.

    Raises:
        Refusal: `other_rules`, the rows were written by other rules than these.
    """
    told: list[Told] = []
    before: tuple[Entry, ...] = ()
    try:
        for row, record in zip(rows, _fold(game, rows, seed), strict=True):
            new = [entry for entry in record.recent if not any(entry is old for old in before)]
            told += [Told(row.at_ms, entry, record.table) for entry in new]
            before = record.recent
    except (Refusal, msgspec.ValidationError) as error:
        raise Refusal("other_rules") from error
    return tuple(told)


# --- the file ------------------------------------------------------------------------------------


class Logged(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One input, people and places numbered."""

    seq: int
    at_ms: int
    input: msgspec.Raw


class Seated(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who sat in a seat at the end; *left* is the person whose seat a computer took over, else empty."""

    name: str
    computer: bool
    left: str


class Result(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the table ended, see `Table`."""

    ended: str
    places: tuple[int, ...]
    scores: tuple[int, ...]
    reason: str


class Export(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """
    A replay file.

    Attributes:
        format: `FORMAT` of whoever wrote it.
        rules_version: of the game whose rules wrote it.
        fingerprint: what was shown before the deal: the SHA-256 of *seed*.
        seed: in hex.
        seats: in turn order.
        sha256: of all the rest as JSON with sorted keys and without spaces; finds what was changed by accident.
    """

    format: int
    game: str
    rules_version: int
    table: int
    fingerprint: str
    seed: str
    seats: tuple[Seated, ...]
    result: Result
    inputs: tuple[Logged, ...]
    sha256: str = ""


class _Head(msgspec.Struct, frozen=True):
    """What tells whether the rest can be read."""

    format: int
    game: str
    rules_version: int


Code = Literal[
    "fine",
    "not_a_replay",
    "other_format",
    "unknown_game",
    "other_rules",
    "seed",
    "input",
    "result",
    "altered",
]


class Verdict(msgspec.Struct, frozen=True):
    """
    What came of checking a replay file.

    Attributes:
        code: `fine`, or the first thing wrong with it: `not_a_replay`; `other_format`, `unknown_game` or
            `other_rules`, which this bot cannot check; `seed`, which does not fit the fingerprint; `input`, which
            the rules refuse; `result`, which the inputs do not lead to; `altered`, a change that makes no difference.
        seq: the input that is refused, else 0.
        rules_version: of the file.
        replay: the file, when it could be read.
    """

    code: Code
    seq: int = 0
    rules_version: int = 0
    replay: Export | None = None


_sorted = msgspec.json.Encoder(order="deterministic").encode
_head = msgspec.json.Decoder(_Head)
_export = msgspec.json.Decoder(Export)


class _Numbers:
    """Gives every id a number from 1 in the order they come up, people, servers and channels each by themselves."""

    def __init__(self) -> None:
        self._given: defaultdict[str, dict[int, int]] = defaultdict(dict)

    def masked(self, part: Any) -> Any:
        """Return an input, or a part of one, with numbers for ids; what belongs to a game is left alone."""
        if not isinstance(part, Input | Person):
            return part
        changes = {name: self._field(name, getattr(part, name)) for name in part.__struct_fields__}
        return msgspec.structs.replace(part, **changes)

    def _field(self, name: str, value: Any) -> Any:
        if not name.endswith("_id") or name == OURS:
            return self.masked(value)
        given = self._given[name if name in PLACES else "person"]
        return given.setdefault(value, len(given) + 1)


def export(game: Game, table: Table, rows: Sequence[LogRow], seed: bytes) -> bytes:
    """
    Return the replay file of a table that is over.

    Raises:
        Refusal: `not_over`; `other_rules`, the rows were written by other rules than these.
    """
    if table.phase != "over":
        raise Refusal("not_over")
    numbers = _Numbers()
    try:
        inputs = [numbers.masked(load_input(game, row.input)) for row in rows]
    except msgspec.ValidationError as error:
        raise Refusal("other_rules") from error
    whole = Export(
        format=FORMAT,
        game=game.spec.key,
        rules_version=inputs[0].rules_version if isinstance(inputs[0], Open) else 0,
        table=table.table_id,
        fingerprint=table.fingerprint,
        seed=seed.hex(),
        seats=_seated(table),
        result=_result(table),
        inputs=tuple(
            Logged(row.seq, row.at_ms, msgspec.Raw(dump_input(happening)))
            for row, happening in zip(rows, inputs, strict=True)
        ),
    )
    digest = _digest(msgspec.json.decode(msgspec.json.encode(whole)))
    return msgspec.json.format(msgspec.json.encode(msgspec.structs.replace(whole, sha256=digest)), indent=1)


def _seated(table: Table) -> tuple[Seated, ...]:
    return tuple(Seated(who.name, who.user_id is None, who.left) for who in table.sittings)


def _result(table: Table) -> Result:
    return Result(table.ended, table.places, table.scores, table.reason)


def _digest(body: dict[str, Any]) -> str:
    return sha256(_sorted({name: value for name, value in body.items() if name != "sha256"})).hexdigest()


def verify(games: Mapping[str, Game], body: bytes) -> Verdict:
    """Check a replay file: deal from its seed, play its inputs, compare the result. Takes any bytes."""
    try:
        head = _head.decode(body)
        whole = msgspec.json.decode(body)
        digest = _digest(whole)
    except (ValueError, RecursionError):
        return Verdict("not_a_replay")
    if head.format != FORMAT:
        return Verdict("other_format")
    game = games.get(head.game)
    if game is None:
        return Verdict("unknown_game")
    if head.rules_version != game.spec.rules_version:
        return Verdict("other_rules", rules_version=head.rules_version)
    try:
        replayed = _export.decode(body)
        seed = bytes.fromhex(replayed.seed)
    except ValueError:
        return Verdict("not_a_replay")
    verdict = _checked(game, replayed, seed)
    if verdict.code == "fine" and replayed.sha256 != digest:
        return msgspec.structs.replace(verdict, code="altered")
    return verdict


def _checked(game: Game, replayed: Export, seed: bytes) -> Verdict:
    def verdict(code: Code, seq: int = 0) -> Verdict:
        return Verdict(code, seq, replayed.rules_version, replayed)

    if fingerprint(seed) != replayed.fingerprint:
        return verdict("seed")
    rows = [LogRow(logged.seq, logged.at_ms, None, bytes(logged.input)) for logged in replayed.inputs]
    record: Record | None = None
    done = 0
    try:
        for done, record in enumerate(_fold(game, rows, seed), 1):  # noqa: B007 - both are read below
            if rows[done - 1].seq != done:
                return verdict("input", done)
    except Exception:  # noqa: BLE001 - a file may hold anything; what the rules trip over is not allowed by them
        return verdict("input", done + 1)
    if record is None:
        return verdict("result")
    table = record.table
    if table.fingerprint != replayed.fingerprint:
        return verdict("seed")
    same = (table.game, table.table_id, _seated(table), _result(table)) == (
        replayed.game,
        replayed.table,
        replayed.seats,
        replayed.result,
    )
    return verdict("fine" if same and table.phase == "over" else "result")
