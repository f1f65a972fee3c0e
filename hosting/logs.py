"""The log on standard error: plain or one JSON object a line, and without secrets either way."""

from __future__ import annotations

import json
import logging
import re
import sys
from datetime import UTC, datetime

PLAIN = "%(asctime)s %(levelname)s %(name)s: %(message)s"
HIDDEN = "[hidden]"

# Whoever knows the token of an interaction can answer in the bot's name for a quarter of an hour. discord.py writes
# whole addresses into its warnings.
_ADDRESS = re.compile(r"(/(?:interactions|webhooks)/\d+/)[\w.-]+")


class Formatter(logging.Formatter):
    """
    Formats a line and takes out what nobody should read.

    Args:
        log_format: `plain` or `json`.
        secret: never shown; empty for none.
    """

    def __init__(self, log_format: str, secret: str) -> None:
        super().__init__(PLAIN)
        self._json = log_format == "json"
        self._secret = secret

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of *record*; a traceback follows it, or is in its field `error`."""
        return self._clean(self._object(record) if self._json else super().format(record))

    def _object(self, record: logging.LogRecord) -> str:
        fields = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            fields["error"] = self.formatException(record.exc_info)
        return json.dumps(fields, ensure_ascii=False)

    def _clean(self, text: str) -> str:
        text = _ADDRESS.sub(rf"\1{HIDDEN}", text)
        return text.replace(self._secret, HIDDEN) if self._secret else text


def start(log_format: str, secret: str) -> None:
    """Log to standard error from now on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Formatter(log_format, secret))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
