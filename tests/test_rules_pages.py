"""Rules pages: in step with the data files, and each ruling with a test."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

from rules.core.discovery import find_games, load_data
from rules.core.rulespage import PAGES, main, pages, render

TESTS = Path(__file__).parent
RULED = re.compile(r"test_([a-z]+)_(\d+)_\w+")

SAMPLE = """
title = "Hopscotch"

[headings]
worth = "Points"

[[card]]
key = "left"
name = "Left|Right"
copies = 2
worth = { points = 3, source = "house" }

[[card]]
key = "stop"
name = "Stop"
copies = 1

[[section]]
title = "How"
text = \"\"\"
Hop.
Either
· left, or
· right.
Stop.
\"\"\"
house = "The stop."

[[ruling]]
id = "HO-1"
text = "Nobody falls."

[[ruling]]
id = "HO-2"
text = "Everybody waits."
house = true
"""


def names_of_tests(folder: Path) -> set[str]:
    """Return the names of all tests in *folder* and below."""
    return {
        node.name
        for file in folder.rglob("test_*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def test_pages_are_up_to_date() -> None:
    """What is in docs/rules is what `make docs` would write, no page more and none less."""
    assert pages() == {page.stem: page.read_text(encoding="utf-8") for page in PAGES.glob("*.md")}


def test_every_game_has_its_page() -> None:
    """A game without sections in its data file would have no rules to show."""
    assert set(find_games()) == set(pages())


@pytest.mark.parametrize("game", sorted(find_games()))
def test_every_ruling_has_a_test_and_no_test_rules_alone(game: str) -> None:
    """The ids in the data file are those that begin the names of tests."""
    rulings = [ruling["id"] for ruling in load_data(game)["ruling"]]
    prefixes = {ruling.partition("-")[0] for ruling in rulings}
    tested = {
        f"{found[1].upper()}-{int(found[2])}"
        for found in map(RULED.fullmatch, names_of_tests(TESTS))
        if found is not None
    }

    assert len(rulings) == len(set(rulings))
    assert set(rulings) == {ruling for ruling in tested if ruling.partition("-")[0] in prefixes}


def test_a_page_in_full() -> None:
    """Lines become paragraphs and lists; cards and house values are marked, one column a field."""
    page = render(tomllib.loads(SAMPLE))

    assert page.startswith("<!--")
    assert "# Hopscotch\n" in page
    assert "## How\n\nHop.\n\nEither\n\n- left, or\n- right.\n\nStop.\n\n> 🏠 The stop.\n" in page
    assert "| Name | Copies | Points |\n| --- | --- | --- |\n| Left\\|Right | 2 | 3 🏠 |\n| Stop | 1 |  |\n" in page
    assert page.endswith("| HO-1 | Nobody falls. |\n| HO-2 | Everybody waits. 🏠 |\n")


def test_a_page_without_cards_and_rulings() -> None:
    """A game need not have either."""
    page = render({"title": "Musical Chairs", "section": [{"title": "How", "text": "Sit."}]})

    assert "## How\n\nSit.\n" in page
    assert "## Cards" not in page
    assert "## Rulings" not in page


def test_pages_are_written(tmp_path: Path) -> None:
    """The command makes the folder and one file a game."""
    main(tmp_path / "docs")

    assert set(pages()) == {page.stem for page in (tmp_path / "docs").iterdir()}
