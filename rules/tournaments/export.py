"""A tournament as files: standings and tables as CSV, everything that is public as JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import msgspec

from rules.tournaments.ledger import standings
from rules.tournaments.model import Tournament
from rules.tournaments.points import UNIT
from rules.tournaments.standings import Ratio, Row
from rules.tournaments.steps import Happened

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet would take for a formula at the beginning of a name."""

EXACT = 2**53
"""Integers beyond it are not read exactly by everything that reads JSON."""

COLUMNS = (
    "place", "name", "substitute_for", "mark", "points", "table_points", "played", "byes", "absences", "wins",
    "head_to_head", "score_index", "opponents", "places", "parted_by",
)  # fmt: skip


def files(record: Tournament, log: Iterable[Happened]) -> dict[str, bytes]:
    """Return all files by name; takes some tenths of a second for hundreds of people, so keep it off the event loop."""
    return {
        "standings.csv": standings_csv(record).encode(),
        "tables.csv": tables_csv(record).encode(),
        "all.json": as_json(record, log),
    }


def exact(points: int) -> str:
    """Write points in 1/120 as an exact number, as short as can be: 5, 2.5, 17/3."""
    value = Fraction(points, UNIT)
    if value.denominator == 1:
        return str(value.numerator)
    as_decimal = f"{points / UNIT:.3f}".rstrip("0")
    return as_decimal if Fraction(as_decimal) == value else str(value)


def standings_csv(record: Tournament) -> str:
    """Return the standings of now as CSV; every value is exact."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in standings(record):
        who = record.entrant(row.entrant)
        cells = (
            row.place,
            _plain(who.name),
            _plain(", ".join(before.name for before in who.former)),
            row.mark,
            exact(row.points),
            exact(row.table_points),
            row.played,
            row.byes,
            row.absences,
            _ratio(row.wins),
            "" if row.head_to_head is None else row.head_to_head,
            _ratio(row.score_index),
            str(Fraction(*row.opponents) / UNIT),
            "-".join(map(str, row.places)),
            row.parted,
        )
        writer.writerow(cells)
    return out.getvalue()


def tables_csv(record: Tournament) -> str:
    """Return every table of every round as CSV, a line a seat."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("round", "kind", "table", "seat", "name", "place", "score", "counts_as", "result"))
    for played in record.rounds:
        for pod in played.pods:
            done = dict(zip(pod.players, zip(pod.places, pod.scores, strict=True), strict=True)) if pod.places else {}
            for seat, one in enumerate(pod.seats, start=1):
                place, score = done.get(one, ("", ""))
                how = "absent" if one in pod.absent else "bye" if one in pod.byes else "played" if one in done else ""
                name = _plain(record.entrant(one).name)
                writer.writerow((played.number, played.kind, pod.number, seat, name, place, score, how, pod.result))
        for how, entrants in (("bye", played.byes), ("absent", played.absent)):
            for one in entrants:
                name = _plain(record.entrant(one).name)
                writer.writerow((played.number, played.kind, "", "", name, "", "", how, ""))
    return out.getvalue()


def as_json(record: Tournament, log: Iterable[Happened] = ()) -> bytes:
    """
    Return all that is public of a tournament as JSON: rules, people, rounds, standings and the log.

    The secret of its chance is in it once it is finished, so that the lots can be drawn again; not when it was called
    off, for then it has lots to come should it be opened again. Notes of the staff never are.
    """
    value: dict[str, Any] = {
        "tournament": record.tournament_id,
        "phase": record.phase,
        "unit_of_points": UNIT,
        "salt": record.salt if record.phase == "finished" else "",
        "rules": msgspec.to_builtins(record.setup),
        "entrants": [msgspec.to_builtins(who) for who in record.entrants],
        "rounds": [
            {**msgspec.to_builtins(played), "rows": [_row(row) for row in played.rows]} for played in record.rounds
        ],
        "standings": [_row(row) for row in standings(record)],
        "log": [msgspec.to_builtins(line) for line in log if not line.staff],
    }
    return msgspec.json.format(msgspec.json.encode(_readable(value)), indent=2)


def _row(row: Row) -> dict[str, Any]:
    """Return one line of standings with its values by name."""
    return {field: msgspec.to_builtins(getattr(row, field)) for field in row.__struct_fields__}


def _readable(value: Any) -> Any:
    """Return a JSON value with numbers as text where not every reader would take them exactly, such as ids."""
    if isinstance(value, dict):
        return {key: _readable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_readable(item) for item in value]
    return str(value) if type(value) is int and abs(value) > EXACT else value


def _ratio(value: Ratio) -> str:
    return str(Fraction(*value))


def _plain(name: str) -> str:
    """Keep a name from being a formula."""
    return f"'{name}" if name.startswith(FORMULA) else name
