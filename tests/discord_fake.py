"""What a Discord on this machine is asked and answers; the fixture `discord_says` runs it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

TOKEN = "mistyped-on-purpose"  # noqa: S105 - no token of anybody

ME = {"id": "1", "username": "dancefloor", "discriminator": "0", "avatar": None}
APPLICATION = {
    "id": "1",
    "name": "dancefloor",
    "description": "",
    "icon": None,
    "bot_public": True,
    "bot_require_code_grant": False,
    "owner": ME,
    "verify_key": "",
}
Answer = tuple[int, Any]
Discord = Callable[[dict[str, Answer]], list[str]]
