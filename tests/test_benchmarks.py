"""Benchmarks are run by hand, so something has to notice when what they measure has moved."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import pairing, store


async def test_the_store_benchmark_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few moves are timed, and as many bare writes of the same rows."""
    monkeypatch.setattr(store, "MOVES", 20)
    monkeypatch.setattr(store, "WARM_UP", 5)

    ours, bare, writes = await store.play(tmp_path)

    assert 20 <= len(ours) == len(bare) == len(writes) <= 25


def test_the_pairing_benchmark_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small event is played to its end, with and without the reference."""
    monkeypatch.setattr(pairing, "LARGEST", 8)

    played = pairing.play(12, pairing.FOURS)

    assert [12] * pairing.ROUNDS == [sum(map(len, tables)) for tables in played.rounds]
    assert pairing.rematches(played.rounds) >= 18
    assert [None, None] == [line.met for line in pairing.beside(8, there=False)]
    assert 6 == len(list(pairing.largest()))
