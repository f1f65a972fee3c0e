"""A deck of the host's own takes the place of the one that comes with a game."""

from __future__ import annotations

from pathlib import Path

import pytest

import bot
from hosting.decks import variable, with_decks
from hosting.settings import BadSetting
from rules.core.contract import Ctx
from rules.core.discovery import HasDeck
from rules.core.rng import Rng
from tests.helpers import games

DECK = "20 hush\n1 stomp\n"


def test_the_named_file_is_played_with(tmp_path: Path) -> None:
    """The cards on the table are those of the file; other games, and the game itself, stay as they were."""
    path = tmp_path / "deck.txt"
    path.write_text(DECK)
    found = games()

    dealt = with_decks(found, {"CLAP_DECK": f" {path} ", "OTHER_DECK": "/nowhere"})
    clap = dealt["clap"]
    cards = [game.census(game.setup(2, {}, Ctx(0, Rng(bytes(16), "deal"))).state) for game in (clap, found["clap"])]

    assert {"hush": 20, "stomp": 1} == cards[0]
    assert {"hush", "tap", "clap", "stomp"} == set(cards[1])
    assert isinstance(clap, HasDeck)
    assert list(found) == list(dealt)
    assert all(dealt[key] is found[key] for key in found if key != "clap")
    assert dict(found) == with_decks(found, {"CLAP_DECK": " "})


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"20 hush\nmany stomps\n", ": line 2: expected a number and a card"),
        (b"2 hush", ": it needs 12 cards and has 2"),
        (b"\xff\xfe", " is no text in UTF-8"),
        (None, " cannot be read: No such file or directory."),
    ],
    ids=["line", "too few", "bytes", "missing"],
)
def test_a_bad_file_is_refused_with_a_sentence(tmp_path: Path, content: bytes | None, says: str) -> None:
    """It names the variable, the file and the line."""
    path = tmp_path / "deck.txt"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(BadSetting) as refused:
        with_decks(games(), {"CLAP_DECK": str(path)})

    assert f"CLAP_DECK: {path}{says}" in str(refused.value)


def test_a_game_without_such_decks_ends_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """One sentence and status 2, before anything is opened."""
    game = next(game for game in games().values() if not isinstance(game, HasDeck))
    monkeypatch.setenv("PYTHON_DOTENV_DISABLED", "1")
    monkeypatch.setenv("DISCORD_TOKEN", "x")
    monkeypatch.setenv(variable(game.spec.key), str(tmp_path / "deck.txt"))
    monkeypatch.chdir(tmp_path)

    assert 2 == bot.main([])
    said = capfd.readouterr().err
    assert f"{variable(game.spec.key)} is set, but {game.spec.title} takes no deck of the host's: unset it.\n" == said
    assert [] == list(tmp_path.iterdir())
