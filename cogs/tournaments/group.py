"""`/tournament` itself, and the kinds of options that its commands share, with their descriptions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from discord import app_commands

from cogs.tournaments import words
from rules.tournaments.desk import MOST_TEXT
from rules.tournaments.rights import MOST_REASON

AnyCommand = TypeVar("AnyCommand", bound=Callable[..., Any])

tournament = app_commands.Group(name="tournament", description="Tournaments with any of the games", guild_only=True)

FORMATS = [app_commands.Choice(name=title, value=key) for key, title in words.FORMATS.items()]
CHECK_INS = [app_commands.Choice(name=title, value=key) for key, title in words.CHECK_IN.items()]
LEVELS = [app_commands.Choice(name=level, value=level) for level in ("note", "caution", "warning")]
Number = app_commands.Range[int, 1]
Reason = app_commands.Range[str, 1, MOST_REASON]
Text = app_commands.Range[str, 1, MOST_TEXT]

OPTIONS: Mapping[str, str] = {
    "number": "Which tournament, by the number under its name; without it the one here, or the only one",
    "reason": "Why; it stands in the public log",
    "table": "The table's number in its round",
}
"""What options are described as that mean the same in every command."""


def described(**own: str) -> Callable[[AnyCommand], AnyCommand]:
    """Describe the options of a command: those that others have as well in the words of all, or in its *own*."""

    def describe(command: AnyCommand) -> AnyCommand:
        shared = {name: OPTIONS[name] for name in inspect.signature(command).parameters if name in OPTIONS}
        return app_commands.describe(**{**shared, **own})(command)

    return describe
