"""Decks of the host: a file in place of the cards that come with a game."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from hosting.settings import BadSetting
from rules.core.contract import Game
from rules.core.discovery import HasDeck


def variable(key: str) -> str:
    """Return the name of the variable that names the deck of game *key*."""
    return f"{key.upper()}_DECK"


def with_decks(games: Mapping[str, Game], environ: Mapping[str, str]) -> Mapping[str, Game]:
    """
    Return *games* with the decks that the environment names.

    Raises:
        BadSetting: a file cannot be read, the game refuses it, or it takes no deck.
    """
    dealt = dict(games)
    for key, game in games.items():
        name = variable(key)
        path = environ.get(name, "").strip()
        if not path:
            continue
        if not isinstance(game, HasDeck):
            raise BadSetting(f"{name} is set, but {game.spec.title} takes no deck of the host's: unset it.")
        try:
            dealt[key] = game.with_deck(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise BadSetting(f"{name}: {path} cannot be read: {error.strerror}.") from None
        except UnicodeDecodeError:
            raise BadSetting(f"{name}: {path} is no text in UTF-8.") from None
        except ValueError as error:
            raise BadSetting(f"{name}: {path}: {error}") from None
    return dealt
