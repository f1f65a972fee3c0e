"""`/tournament` itself, and the kinds of options that its commands share."""

from __future__ import annotations

from discord import app_commands

from cogs.tournaments import words
from rules.tournaments.desk import MOST_TEXT
from rules.tournaments.rights import MOST_REASON

tournament = app_commands.Group(name="tournament", description="Tournaments with any of the games", guild_only=True)

FORMATS = [app_commands.Choice(name=title, value=key) for key, title in words.FORMATS.items()]
CHECK_INS = [app_commands.Choice(name=title, value=key) for key, title in words.CHECK_IN.items()]
LEVELS = [app_commands.Choice(name=level, value=level) for level in ("note", "caution", "warning")]
Number = app_commands.Range[int, 1]
Reason = app_commands.Range[str, 1, MOST_REASON]
Text = app_commands.Range[str, 1, MOST_TEXT]
