"""Benchmarks are run by hand, so something has to notice when what they measure has moved."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import store


async def test_the_store_benchmark_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few moves are timed, and as many bare writes of the same rows."""
    monkeypatch.setattr(store, "MOVES", 20)
    monkeypatch.setattr(store, "WARM_UP", 5)

    ours, bare, writes = await store.play(tmp_path)

    assert 20 <= len(ours) == len(bare) == len(writes) <= 25
