"""Evenings on which anything may happen at any time, pressed and typed by chance."""

from __future__ import annotations

import logging
import random
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.cogs.evening import evening
from tests.cogs.monkey import Monkey
from tests.cogs.staging import admin

FORMATS = ("swiss", "groups", "knockout", "league")
GAMES = ("lets_dance", "lambada", "breakdancing_meeples", "lets_dance, lambada")
STEPS = 40
MANY_STEPS, SEEDS = 150, 25


async def walk(path: Path, kind: str, seed: int, steps: int) -> None:
    """Create a tournament, have so many things happen, and bring it to its end."""
    dice, seeds = random.Random(f"{kind} {seed}"), count(1 << 100)
    people = dice.choice((2, 3, 4, 6, 7, 9, 12))
    options: dict[str, Any] = {
        "format": kind,
        "game": dice.choice(GAMES),
        "rounds": dice.choice((1, 2, 3)),
        "table_size": dice.choice((2, 3, 4)),
        "final": dice.choice((0, 2, 3, 4)),
        "check_in": dice.choice(("none", "none", "first", "every")) if kind != "league" else "none",
    }
    async with evening(path, people, new_seed=lambda: next(seeds).to_bytes(16, "little")) as night:
        monkey = await Monkey.let_in(night, dice, admin(night.here, "Sandy"), options)
        for _ in range(steps):
            await monkey.step()
        await monkey.check()
        await monkey.rescue()
        await monkey.check()
        assert [] == list(await night.here.bot.store.owed("tournament"))
        assert [] == list(await night.here.bot.store.find(guild_id=night.here.guild.id))


def fail_on_errors(caplog: pytest.LogCaptureFixture) -> None:
    """Make sure that nothing was logged that is ours to mend."""
    assert [] == [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]


@pytest.mark.parametrize("kind", FORMATS)
async def test_whatever_is_pressed_and_typed_a_tournament_comes_to_its_end(
    tmp_path: Path, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    """All is answered and fits, the log makes the record, no secret is told, and the status page leads to the end."""
    await walk(tmp_path, kind, 1, STEPS)
    fail_on_errors(caplog)


@pytest.mark.soak
@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("seed", range(2, SEEDS + 2))
async def test_so_does_it_on_many_evenings(
    tmp_path: Path, kind: str, seed: int, caplog: pytest.LogCaptureFixture
) -> None:
    """The same for longer."""
    await walk(tmp_path, kind, seed, MANY_STEPS)
    fail_on_errors(caplog)
