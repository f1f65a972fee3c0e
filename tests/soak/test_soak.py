"""Ten thousand presses at fifty tables: `make soak`."""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import simcord

from bot import build
from tests.soak.crowd import Crowd
from tests.soak.watch import census, check_bounds, listening, watched

PRESSES, TABLES, CHANNELS, PEOPLE = 10_000, 50, 7, 90
STEP = 500
MOST_AT_ONCE = 60
GROWTH = 1.1


@pytest.mark.soak
async def test_ten_thousand_presses_at_fifty_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every press is answered once and within limits, boards keep to their pace, and what the bot holds stays flat."""
    bot = build(tmp_path / "soak.sqlite3")
    counted: list[dict[str, int]] = []
    try:
        async with simcord.run(bot, settle_timeout=60) as env:
            before = census(bot)
            crowd = Crowd(env, bot, random.Random(1), tables=TABLES, channels=CHANNELS, people=PEOPLE)
            with watched(monkeypatch) as holds, listening() as complaints:
                for goal in range(STEP, PRESSES + 1, STEP):
                    while crowd.presses < goal:
                        await crowd.burst(MOST_AT_ONCE)
                    await crowd.rest()
                    counted.append(census(bot))
                    check_bounds(counted[-1], crowd.live, CHANNELS)
                    assert crowd.faults == []
                assert await crowd.check_logs(TABLES) == TABLES
                assert await crowd.check_boards() > TABLES / 2
                await crowd.go_home()
            after = census(bot)

            assert crowd.faults == []
            assert complaints == []
            assert holds.long == []
            assert sum(crowd.finished.values()) > TABLES
            assert crowd.finished["finished"] > 0
            assert crowd.edits > PRESSES / 10
            # How far games have come differs from moment to moment, so the means around half-time and the end.
            assert _mean(counted[-5:]) <= GROWTH * _mean(counted[7:12]), [count["objects"] for count in counted]
            check_bounds(after, 0, CHANNELS)
            assert after["objects"] <= before["objects"] + 60
            sys.stdout.write(f"\n{crowd}\nworst {holds.worst * 1000:.1f} ms of {holds.count} callbacks\n")
            sys.stdout.write(f"held at half-time {counted[9]}\nin the end {counted[-1]}\nall gone {after}\n")
    finally:
        await bot.close()


def _mean(counted: Sequence[dict[str, int]]) -> float:
    return sum(count["objects"] for count in counted) / len(counted)
