"""`/about` says which bot this is: public facts alone."""

from __future__ import annotations

import re
from pathlib import Path

from cogs.app import VERSION
from tests.cogs.staging import said
from tests.cogs.world import world

ROOT = Path(__file__).parents[2]


async def test_version_and_uptime(tmp_path: Path) -> None:
    """To anybody, privately, in a server or not; nothing of the machine."""
    async with world(tmp_path / "dance.sqlite3") as here:
        answer = (await here.people[0].slash(here.channel, "about")).response
        (since_ms,) = {here.bot.started_ms}

    assert answer.message.flags.ephemeral if hasattr(answer, "message") else answer.flags.ephemeral
    assert f"Version {VERSION}, running since <t:{since_ms // 1000}:R>" in said(answer)
    assert "unofficial" in said(answer)
    assert str(tmp_path) not in said(answer)


def test_the_version_is_that_of_the_changelog() -> None:
    """A release is named in both; between releases the next one is being developed."""
    released = re.findall(r"^## \[(\d\S*)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)

    assert VERSION.endswith(".dev0") or [VERSION] == released[:1]
