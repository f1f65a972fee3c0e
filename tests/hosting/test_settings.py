"""What the host may set, and what is said about a setting that makes no sense."""

from __future__ import annotations

from pathlib import Path

import pytest

from hosting.settings import BadSetting, Settings, read


def test_nothing_set_means_the_usual() -> None:
    """All servers, all shards, a plain log, a database in this folder."""
    assert Settings(database=Path("dancefloor.sqlite3").resolve()) == read({})
    assert read({}) == read({"DEV_GUILDS": "", "SHARD_IDS": " ", "EXPECT_DATA": "0", "LOG_FORMAT": "plain"})


def test_everything_set() -> None:
    """Lists are sorted; the option wins over the variable; the token is not kept."""
    environ = {
        "DISCORD_TOKEN": "hush",
        "DANCEFLOOR_DATABASE": "/data/a",
        "EXPECT_DATA": "1",
        "LOG_FORMAT": "json",
        "DEV_GUILDS": "2, 1",
        "SHARD_IDS": "3 2",
        "SHARD_COUNT": "4",
    }
    wanted = Settings(
        database=Path("/data/a"),
        expect_data=True,
        log_format="json",
        dev_guilds=(1, 2),
        shard_ids=(2, 3),
        shard_count=4,
    )

    assert wanted == read(environ)
    assert Path("/data/b") == read(environ, "/data/b").database
    assert "hush" not in repr(read(environ))


@pytest.mark.parametrize(
    ("environ", "named"),
    [
        ({"EXPECT_DATA": "yes"}, "EXPECT_DATA"),
        ({"LOG_FORMAT": "xml"}, "LOG_FORMAT"),
        ({"DEV_GUILDS": "my server"}, "DEV_GUILDS"),
        ({"SHARD_IDS": "0"}, "SHARD_COUNT"),
        ({"SHARD_IDS": "0,4", "SHARD_COUNT": "4"}, "SHARD_COUNT"),
        ({"SHARD_COUNT": "0"}, "SHARD_COUNT"),
        ({"SHARD_COUNT": "1,2"}, "SHARD_COUNT"),
        ({"SHARD_COUNT": "-1"}, "SHARD_COUNT"),
    ],
)
def test_nonsense_is_named(environ: dict[str, str], named: str) -> None:
    """One sentence that names the setting."""
    with pytest.raises(BadSetting, match=named):
        read(environ)
