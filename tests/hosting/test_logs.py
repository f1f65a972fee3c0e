"""The log of a host: readable by people or machines, and without secrets."""

from __future__ import annotations

import json
import logging

import pytest

from hosting.logs import HIDDEN, Formatter

SECRET = "MTIz.Ab.cd-ef"  # noqa: S105 - no token of anybody


def record(text: str, *args: object, error: BaseException | None = None) -> logging.LogRecord:
    """Return a record of a warning."""
    info = (type(error), error, error.__traceback__) if error else None
    return logging.LogRecord("dance", logging.WARNING, __file__, 1, text, args, info)


def fail() -> None:
    """Raise an error whose text holds the secret."""
    raise ValueError(f"{SECRET}\nsecond line")


def raised() -> BaseException:
    """Return an error with its traceback."""
    with pytest.raises(ValueError, match="second line") as caught:
        fail()
    return caught.value


def test_json_is_one_object_a_line() -> None:
    """Time, level, logger, message, and the traceback in a field."""
    line = Formatter("json", SECRET).format(record("%s ä\n%d", "one", 2, error=raised()))
    fields = json.loads(line)

    assert "\n" not in line
    assert ("WARNING", "dance", "one ä\n2") == (fields["level"], fields["logger"], fields["message"])
    assert fields["time"].endswith("+00:00")
    assert "ValueError" in fields["error"]
    assert SECRET not in line


@pytest.mark.parametrize("log_format", ["plain", "json"])
def test_no_secret_is_shown(log_format: str) -> None:
    """Neither the bot's token, wherever it turns up, nor those of interactions in addresses."""
    base = "https://discord.com/api/v10"
    told = (
        f"{base}/webhooks/17/aW50ZXJh-_.x/messages/@original?thread_id=1",
        f"{base}/interactions/18/aW50ZXJh-_.x/callback",
    )
    line = Formatter(log_format, SECRET).format(record("%s %s %s", *told, SECRET, error=raised()))

    assert SECRET not in line
    assert "aW50" not in line
    assert f"/webhooks/17/{HIDDEN}/messages/@original?thread_id=1" in line
    assert f"/interactions/18/{HIDDEN}/callback" in line


def test_without_a_secret_nothing_is_hidden() -> None:
    """An empty token is no text to look for."""
    assert Formatter("plain", "").format(record("all fine")).endswith("WARNING dance: all fine")
