"""Benchmarks are run by hand, so something has to notice when what they measure has moved."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import memory, minute, pairing, press, rules, start, store
from benchmarks.__main__ import machine
from benchmarks.report import Line, markdown


async def test_the_store_benchmark_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few moves are timed, and as many bare writes of the same rows."""
    monkeypatch.setattr(store, "MOVES", 20)
    monkeypatch.setattr(store, "WARM_UP", 5)

    ours, bare, writes = await store.play(tmp_path)

    assert 20 <= len(ours) == len(bare) == len(writes) <= 25


async def test_the_press_benchmark_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both bots answer as many presses, one at a time and all at once; some of ours are moves that are saved."""
    monkeypatch.setattr(press, "TABLES", 3)
    monkeypatch.setattr(press, "WARM_UP", 0)

    ours, theirs = await press.both(tmp_path, 4)

    assert 2 * 4 * 3 == len(ours) == len(theirs)
    assert {1, 3} == {each.at_once for each in ours} == {each.at_once for each in theirs}
    assert {True, False} == {each.saved for each in ours}
    assert press.line("x", ours, theirs, 50, goal=True).ratio


async def test_the_minute_benchmark_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A short Dance Off in real time: every press is answered and every roll saved."""
    for name, value in (("TABLES", 1), ("CREWS", 2), ("MINUTE_S", 3.1), ("AFTER_S", 0.1)):
        monkeypatch.setattr(minute, name, value)

    took, sent, answered, rolls, _ = await minute.dance(tmp_path / "minute.sqlite3")

    assert 4 == sent == answered == rolls == len(took)


async def test_the_start_benchmark_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Full and empty starts in turns; memory is counted in the last of each, and a table costs some."""
    monkeypatch.setattr(start, "TABLES", 5)
    monkeypatch.setattr(start, "TURNS", 1)

    ours, empty, size = await start.starts(tmp_path)

    assert 2 == len(ours) == len(empty)
    assert 0 == ours[0].started
    assert ours[1].looked > empty[1].looked > 0
    assert size > 5 * 1_000


async def test_the_memory_benchmark_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few presses of a small crowd; what it counts means something only in a process without other tests."""
    for name, value in (("TABLES", 2), ("CHANNELS", 1), ("PEOPLE", 6), ("AT_ONCE", 5)):
        monkeypatch.setattr(memory, name, value)

    _, _, crowd = await memory.play(tmp_path / "crowd.sqlite3", 10, 30)

    assert crowd.presses >= 30


def test_decisions_are_made_for_ever() -> None:
    """One game after another."""
    for game in rules.GAMES:
        decisions = rules.our_decisions(game)
        for _ in range(300):
            next(decisions)


def test_results_are_a_table_of_markdown() -> None:
    """As many cells in each row; the machine is named by processor, cores and Python."""
    rows = markdown([Line(name="a", ours="1", reference="2 x", ratio=0.5, goal="less", met=True)]).splitlines()

    assert "| a | 1 | 2 x | 0.50 | less | met |" == rows[2]
    assert {7} == {row.count("|") for row in rows}
    assert "cores" in machine()


def test_the_pairing_benchmark_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small event is played to its end, with and without the reference."""
    monkeypatch.setattr(pairing, "LARGEST", 8)

    played = pairing.play(12, pairing.FOURS)

    assert [12] * pairing.ROUNDS == [sum(map(len, tables)) for tables in played.rounds]
    assert pairing.rematches(played.rounds) >= 18
    assert [None, None] == [line.met for line in pairing.beside(8, there=False)]
    assert 6 == len(list(pairing.largest()))
