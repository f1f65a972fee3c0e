"""What may know what, read from the imports and words of every file."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from rules.core.discovery import find_games

ROOT = Path(__file__).parents[1]
LAYERS = ("cogs", "rules", "db")
TOPS = ("bot", "sandbox")
HOST = "hosting"
"""Helpers of bot.py that know all layers as it does, and that no layer knows."""
GAMES = find_games()

BANNED_IN_RULES = {"random", "secrets", "uuid", "time", "datetime", "os", "sqlite3", "threading", "socket"}
"""Chance, clocks and the world outside: a game gets the first two by `Ctx` and needs no more."""

ASYNC_DOORS = ("rules/core/tables.py", "rules/core/vault.py", "rules/tournaments/door.py")


def modules(*tops: str) -> list[Path]:
    """Return the Python files of the named packages and top modules, relative to the project."""
    files = [file for top in tops for file in [ROOT / f"{top}.py", *(ROOT / top).rglob("*.py")] if file.is_file()]
    return sorted(file.relative_to(ROOT) for file in files)


def tree(file: Path) -> ast.Module:
    """Return a file's syntax tree."""
    return ast.parse((ROOT / file).read_text(encoding="utf-8"))


def imports(file: Path) -> Iterator[str]:
    """Yield the full name of every module that *file* imports anywhere, be it for types alone."""
    package = (file.parent / "x").parts[:-1]
    for node in ast.walk(tree(file)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = [*package[: len(package) - node.level + 1]] if node.level else []
            start = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{start}.{name.name}" for name in node.names)


def heads(file: Path) -> set[str]:
    """Return the first part of every import of *file*."""
    return {name.partition(".")[0] for name in imports(file)}


def squeezed(text: str) -> str:
    """Return *text* in small letters and digits alone, in which a game's name looks the same however it is written."""
    return re.sub(r"[\W_]", "", text.lower())


def naming(file: Path, game: str) -> bool:
    """Tell whether *file* names *game* by key or title."""
    words = squeezed((ROOT / file).read_text(encoding="utf-8"))
    return any(squeezed(name) in words for name in (game, GAMES[game].spec.title))


def home(layer: str, game: str) -> list[Path]:
    """Return the files of *layer* that belong to *game*."""
    return [file for file in modules(layer) if file.parts[1] in (game, f"{game}.py")]


def shared(layer: str) -> list[Path]:
    """Return the files of *layer* that belong to no game."""
    return [file for file in modules(layer) if file.parts[1].removesuffix(".py") not in GAMES]


def test_there_is_something_to_look_at() -> None:
    """The other tests here would pass on an empty folder."""
    assert all(len(modules(layer)) > 2 for layer in LAYERS)
    assert ["bot.py", "sandbox.py"] == [str(file) for file in modules(*TOPS)]
    assert len(modules(HOST)) > 2
    assert {"os", "discord.ext.commands"} <= set(imports(Path("bot.py"))) | set(imports(Path("cogs/app.py")))


@pytest.mark.parametrize("file", modules("rules"), ids=str)
def test_rules_know_no_discord_no_sql_no_clock_and_no_chance(file: Path) -> None:
    """Rules are built on msgspec, themselves, and the harmless part of the standard library."""
    allowed = {"rules", "msgspec"} | (set(sys.stdlib_module_names) - BANNED_IN_RULES)
    if file.as_posix() not in ASYNC_DOORS:
        allowed.discard("asyncio")

    assert set() == heads(file) - allowed


@pytest.mark.parametrize("file", modules("db"), ids=str)
def test_the_database_knows_only_the_port(file: Path) -> None:
    """Storage sees what the kernel asks of it, and neither games nor Discord."""
    ours = {name for name in imports(file) if name.partition(".")[0] not in sys.stdlib_module_names}

    assert all(re.match(r"(db|msgspec|aiosqlite|rules\.core\.ports)(\.|$)", name) for name in ours), ours


@pytest.mark.parametrize("file", modules("cogs"), ids=str)
def test_cogs_know_no_database(file: Path) -> None:
    """Cogs speak with Discord and with the rules."""
    assert set() == heads(file) & {"db", "sqlite3", "aiosqlite", "simcord", HOST, *TOPS}


@pytest.mark.parametrize("file", modules(*LAYERS, HOST, *TOPS), ids=str)
def test_only_the_top_knows_all(file: Path) -> None:
    """bot.py and sandbox.py put the layers together, hosting helps; nothing that runs knows tests or benchmarks."""
    known = heads(file)

    assert not known & {"tests", "benchmarks", "pytest"}
    if str(file) not in ("bot.py", "sandbox.py"):
        assert "simcord" not in known
        assert not known & set(TOPS)
        if file.parts[0] != HOST:
            assert not known >= set(LAYERS)


@pytest.mark.parametrize("file", shared("rules"), ids=str)
def test_the_kernel_imports_no_game(file: Path) -> None:
    """Games are found: no file of the kernel or of the tournaments imports one, and the kernel no tournament."""
    allowed = ["rules.core", "rules.data"]
    if file.parts[1] == "tournaments":
        allowed.append("rules.tournaments")
    assert all(name.startswith(tuple(allowed)) for name in imports(file) if name.startswith("rules."))


@pytest.mark.parametrize("game", GAMES)
def test_nothing_shared_names_a_game(game: str) -> None:
    """Kernel, shared cogs and database work for any game; only the game's own files name it."""
    own = [*home("rules", game), *home("cogs", game)]
    sql = [file.relative_to(ROOT) for file in (ROOT / "db").rglob("*.sql")]
    common = [*shared("rules"), *shared("cogs"), *modules("db"), *sql]

    assert sql
    assert any(naming(file, game) for file in own), "this test would see nothing"
    assert [] == [str(file) for file in [*common, *modules(HOST), Path("bot.py")] if naming(file, game)]


@pytest.mark.parametrize("game", GAMES)
def test_no_game_names_another(game: str) -> None:
    """A game could be taken out without a trace in the others."""
    others = [other for other in GAMES if other != game]
    own = [*home("rules", game), *home("cogs", game), Path(f"rules/data/{game}.toml")]

    assert [] == [(str(file), other) for other in others for file in own if naming(file, other)]


@pytest.mark.parametrize("game", GAMES)
def test_a_game_is_three_files_under_its_key(game: str) -> None:
    """Rules, cog and data are found under the key of the game; rules and cog are a module or a package."""
    assert home("rules", game)
    assert home("cogs", game)
    assert (ROOT / "rules" / "data" / f"{game}.toml").is_file()
    assert GAMES[game] is import_module(f"rules.{game}").GAME


@pytest.mark.parametrize("file", modules(*LAYERS, HOST, *TOPS, "tests", "benchmarks"), ids=str)
def test_every_module_says_what_it_is(file: Path) -> None:
    """A docstring opens every file that holds anything."""
    body = tree(file)

    assert not body.body or ast.get_docstring(body)
