"""
Settings of a host, read from the environment.

Nothing else looks there, except for the token, the decks, and the database in the quick health check.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

EXIT_SETTINGS = 2
"""Exit status when something has to be set right by the host first."""

TOKEN = "DISCORD_TOKEN"  # noqa: S105 - the name of the variable
DATABASE = "dancefloor.sqlite3"
VARIABLES = (
    TOKEN,
    "DANCEFLOOR_DATABASE",
    "EXPECT_DATA",
    "LOG_FORMAT",
    "DEV_GUILDS",
    "SHARD_IDS",
    "SHARD_COUNT",
)
"""Every variable there is, but for `<GAME>_DECK`."""

LOG_FORMATS = ("plain", "json")


class BadSetting(Exception):
    """A setting cannot be used; the text is one sentence for the host."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """
    How the bot is to run; the token is not among it, so that no `repr` shows it.

    Attributes:
        database: the SQLite file, links followed.
        expect_data: whether an empty or missing database is refused.
        log_format: one of `LOG_FORMATS`.
        dev_guilds: servers that alone get the commands; empty means all servers.
        shard_ids: the shards of this process; empty means all.
        shard_count: shards of all processes together, `None` to do as Discord advises.
    """

    database: Path
    expect_data: bool = False
    log_format: str = LOG_FORMATS[0]
    dev_guilds: tuple[int, ...] = ()
    shard_ids: tuple[int, ...] = ()
    shard_count: int | None = None


def read(environ: Mapping[str, str], database: str | None = None) -> Settings:
    """
    Return the settings; *database* wins over the variable.

    Raises:
        BadSetting: one of them makes no sense.
    """
    given = {name: environ.get(name, "").strip() for name in VARIABLES}
    expect_data, log_format = given["EXPECT_DATA"] or "0", given["LOG_FORMAT"] or LOG_FORMATS[0]
    if expect_data not in ("0", "1"):
        raise BadSetting(f"EXPECT_DATA must be 1 or 0, not {expect_data!r}.")
    if log_format not in LOG_FORMATS:
        raise BadSetting(f"LOG_FORMAT must be {' or '.join(LOG_FORMATS)}, not {log_format!r}.")
    shard_ids, counts = _numbers("SHARD_IDS", given), _numbers("SHARD_COUNT", given)
    if len(counts) > 1 or 0 in counts:
        raise BadSetting(f"SHARD_COUNT must be one number from 1, not {given['SHARD_COUNT']!r}.")
    shard_count = counts[0] if counts else None
    if shard_ids and (shard_count is None or max(shard_ids) >= shard_count):
        raise BadSetting("SHARD_IDS needs a SHARD_COUNT, the same for all processes, above every id: ids count from 0.")
    return Settings(
        database=Path(database or given["DANCEFLOOR_DATABASE"] or DATABASE).resolve(),
        expect_data=expect_data == "1",
        log_format=log_format,
        dev_guilds=_numbers("DEV_GUILDS", given),
        shard_ids=shard_ids,
        shard_count=shard_count,
    )


def _numbers(name: str, given: Mapping[str, str]) -> tuple[int, ...]:
    """Return the whole numbers of a list such as `1,2`, sorted, each once."""
    words = given[name].replace(",", " ").split()
    if not all(word.isascii() and word.isdecimal() for word in words):
        raise BadSetting(f"{name} must be numbers such as 1,2 and not {given[name]!r}.")
    return tuple(sorted(set(map(int, words))))
