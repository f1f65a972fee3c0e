"""A database file and a store on it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from db import SqliteStore


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where the database of the test is."""
    return tmp_path / "dance.sqlite"


@pytest_asyncio.fixture
async def store(path: Path) -> AsyncIterator[SqliteStore]:
    """Give an open, empty store."""
    async with await SqliteStore.open(path) as opened:
        yield opened
