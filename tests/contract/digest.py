"""Prints what a few walks through every game come to; run twice with other hash seeds, it must say the same."""

from __future__ import annotations

import sys
from hashlib import sha256

from tests.helpers import games, settings_of, walk

WALKS = 6


def digest() -> str:
    """Return one line a game: the hash of every state, input and event of its walks."""
    lines = []
    for key, game in games().items():
        total = sha256()
        for setting in settings_of(game, WALKS):
            total.update(repr(walk(game, setting)).encode())
        lines.append(f"{key} {total.hexdigest()}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(digest() + "\n")
