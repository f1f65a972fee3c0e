"""Steps to write, and a look into the file past the store."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

import msgspec
import pytest

from rules.core.ports import LogRow, Opened, Owed, Write

ROOT = Path(__file__).parents[2]

GUILD, CHANNEL = 1_100_000_000_000_000_001, 1_100_000_000_000_000_002
ANA, BO, CY = 11, 12, 13

WAIT_S = 30
"""After this long a test that waits for another thread or process has failed."""

STATEMENTS = (
    "BEGIN",
    "UPDATE tables",
    "INSERT INTO log",
    "DELETE FROM players",
    "INSERT INTO players",
    "INSERT INTO outbox",
    "COMMIT",
)
"""What a full step runs, in order."""


def body(seq: int) -> bytes:
    """Return the table after *seq* inputs, of the usual size."""
    return b"body %d;" % seq * 256


def opening(table_id: int = 1, /, **changes: Any) -> Write:
    """Return the first step of a table, with *changes* to it."""
    write = Write(
        table_id=table_id,
        row=LogRow(seq=1, at_ms=1_000, seat=None, input=b"open"),
        interaction_id=None,
        body=body(1),
        due_ms=None,
        live=True,
        channel_id=CHANNEL,
        opened=Opened(game="hopscotch", guild_id=GUILD, seed=b"seed of sixteen."),
    )
    return msgspec.structs.replace(write, **changes)


def step(seq: int, table_id: int = 1, /, **changes: Any) -> Write:
    """Return a full step of a table: new people, two messages owed; with *changes* to it."""
    write = Write(
        table_id=table_id,
        row=LogRow(seq=seq, at_ms=1_000 * seq, seat=seq % 3, input=b"input %d" % seq),
        interaction_id=1_000_000 * table_id + seq,
        body=body(seq),
        due_ms=60_000 * seq,
        live=True,
        channel_id=CHANNEL,
        players=(ANA, BO + seq),
        owed=(owed(table_id, seq, "turn"), owed(table_id, seq, "clock")),
    )
    return msgspec.structs.replace(write, **changes)


def owed(table_id: int, seq: int, kind: str) -> Owed:
    """Return the message of that *kind* that a step owes."""
    return Owed(nonce=f"{table_id}-{seq}-{kind}", table_id=table_id, kind=kind, seat=seq % 3)


def contents(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of every table of the file, committed ones only."""
    with closing(sqlite3.connect(path)) as connection:
        names = ("tables", "log", "players", "outbox")
        return {name: connection.execute(f"SELECT * FROM {name} ORDER BY 1, 2").fetchall() for name in names}


def seqs(path: Path) -> dict[int, int]:
    """
    Return `seq` of every table by id, after looking at what must hold in any file at rest.

    Written with `step`, a table has its log without gaps up to its `seq`, its body, people and
    messages owed are those of that same step, and SQLite finds the file sound.
    """
    with closing(sqlite3.connect(path)) as connection:
        assert [("ok",)] == connection.execute("PRAGMA integrity_check").fetchall()
        assert [] == connection.execute("PRAGMA foreign_key_check").fetchall()
        found = {}
        for table_id, seq, saved in connection.execute("SELECT table_id, seq, body FROM tables").fetchall():
            of_table = (table_id,)
            logged = connection.execute("SELECT seq FROM log WHERE table_id = ?1 ORDER BY seq", of_table)
            people = connection.execute("SELECT user_id FROM players WHERE table_id = ?1 ORDER BY 1", of_table)
            nonces = connection.execute("SELECT nonce FROM outbox WHERE table_id = ?1 ORDER BY rowid", of_table)
            done = range(2, seq + 1)
            assert [(number,) for number in range(1, seq + 1)] == logged.fetchall()
            assert body(seq) == saved
            assert ([(ANA,), (BO + seq,)] if seq > 1 else []) == people.fetchall()
            assert [(owed(table_id, n, kind).nonce,) for n in done for kind in ("turn", "clock")] == nonces.fetchall()
            found[table_id] = seq
        return found


def on_statement(monkeypatch: pytest.MonkeyPatch, callback: Callable[[str], None]) -> None:
    """Call *callback* with each statement of a store opened later, on its thread, before it runs."""
    connect = sqlite3.connect

    def traced(path: Path, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(path, **options)
        if path.suffix != ".lock":
            connection.set_trace_callback(lambda statement: callback(" ".join(statement.split())))
        return connection

    monkeypatch.setattr(sqlite3, "connect", traced)


def child(script: str, *arguments: object) -> Popen[str]:
    """Start Python on *script* with the project on its path; what it prints is at `stdout`."""
    return Popen(
        [sys.executable, "-W", "error", "-c", script, *map(str, arguments)], cwd=ROOT, stdout=PIPE, text=True, bufsize=1
    )
