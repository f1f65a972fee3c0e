"""Games are found, not listed: any module of the given packages with a `GAME` is one."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from importlib import import_module
from importlib.resources import files
from pkgutil import iter_modules
from typing import Any, Protocol, runtime_checkable

from rules.core.contract import Game

GAME_PACKAGES = ("rules",)


def find_games(packages: Iterable[str] = GAME_PACKAGES) -> Mapping[str, Game]:
    """
    Import every module directly below *packages* and return the games by key, in order of their keys.

    Raises:
        ValueError: two modules claim the same key.
    """
    games: dict[str, Game] = {}
    for package in packages:
        for found in iter_modules(import_module(package).__path__, f"{package}."):
            game: Game | None = getattr(import_module(found.name), "GAME", None)
            if game is None:
                continue
            if game.spec.key in games:
                raise ValueError(f"two games are called {game.spec.key}: see {found.name}")
            games[game.spec.key] = game
    return dict(sorted(games.items()))


@runtime_checkable
class HasDeck(Protocol):
    """What a game adds that can be played with cards of the host's own."""

    def with_deck(self, text: str) -> Game:
        """
        Return the game with the deck that *text* describes in place of its own.

        Raises:
            ValueError: it cannot be played with; says where and why, as in `line 41: reason`.
        """
        ...


def load_data(key: str, package: str = "rules.data") -> dict[str, Any]:
    """Return the data file of game *key* as nested dicts."""
    return tomllib.loads(files(package).joinpath(f"{key}.toml").read_text(encoding="utf-8"))
