"""A hall of tables on a real database, with a clock that is moved by hand."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from tests.core.hall import Hall, HallStore


@pytest_asyncio.fixture
async def hall(tmp_path: Path) -> AsyncIterator[Hall]:
    """Give an empty hall, closed in any case."""
    async with await HallStore.open(tmp_path / "hall.sqlite3") as store:
        opened = Hall(store)
        yield opened
        await opened.tables.close()
