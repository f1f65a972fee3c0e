"""`python bot.py verify FILE`: whether a replay file is what it says it is."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from cogs.ui.screens import FINGERPRINT_SHOWN
from hosting.settings import EXIT_SETTINGS
from rules.core.contract import Game
from rules.core.replay import verify

FAULTS = {
    "not_a_replay": "this is no replay file, or only a part of one.\nGet it anew with `/table replay`.",
    "other_format": "this bot cannot read replay files of this kind.\nUse the version of the bot that wrote it.",
    "unknown_game": "this bot does not know the game in this file.\nUse the version of the bot that wrote it.",
    "other_rules": "it was written for version {version} of the game's rules, and this bot plays another one.\n"
    "Use the version of the bot that wrote it.",
    "seed": "the seed does not fit the fingerprint.\nIt is not the seed that was promised before the deal.",
    "input": "the rules refuse input {seq}.\nDealt from this seed, that cannot have happened.",
    "result": "the inputs do not lead to the result in the file.\nOne or the other was changed.",
    "altered": "the file was changed after it was written.\nThe deal and the result stand, but times or moves may not.",
}
"""What is wrong with a replay file, and what that means, by `Verdict.code`."""


def verify_file(path: Path, games: Mapping[str, Game]) -> int:
    """Say whether a replay file is what it says it is; return the exit status."""
    try:
        body = path.read_bytes()
    except OSError as error:
        sys.stderr.write(f"{path} cannot be read: {error.strerror}.\n")
        return EXIT_SETTINGS
    verdict = verify(games, body)
    replay = verdict.replay
    if verdict.code == "fine" and replay is not None:
        sys.stdout.write(
            f"{games[replay.game].spec.title}, table {replay.table}: fine.\n"
            f"Dealt from the seed in the file, its {len(replay.inputs)} inputs are allowed and lead to its result.\n"
            f"Fingerprint {replay.fingerprint[:FINGERPRINT_SHOWN]}...: it must be the one shown in the lobby.\n"
        )
        return 0
    sys.stdout.write("NOT fine: " + FAULTS[verdict.code].format(seq=verdict.seq, version=verdict.rules_version) + "\n")
    return 1
