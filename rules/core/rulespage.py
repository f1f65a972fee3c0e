"""
The rules of each game as a page, `docs/rules/<game>.md`, from its data file.

What the page needs there: `[[section]]` with `title`, `text` and perhaps `house`; `[[ruling]]` with
`id`, `text` and perhaps `house`; for a table of cards `[[card]]`, and perhaps `[headings]` with the
title of a column by field, "" for one that is left out. Where cards are of several kinds
`[tables]` has the title of each table by the name of its rows. A value `{ ..., source = "house" }` is marked as ours.

    python -m rules.core.rulespage
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rules.core.discovery import find_games, load_data

PAGES = Path(__file__).parents[2] / "docs" / "rules"
HOUSE = "🏠"
BULLET = "· "
UNSHOWN = ("key", "short", "source", "check")
"""Fields of a card that only the program needs."""

Rows = Sequence[Mapping[str, Any]]


def render(data: Mapping[str, Any]) -> str:
    """
    Return the page of one game in Markdown.

    Args:
        data: the game's data file, as `load_data` returns it.
    """
    parts = [
        "<!-- Written by `make docs` from the game's file in rules/data: change it there. -->",
        f"# {data['title']}",
        "The rules as this bot plays them, in our own words. Unofficial: the game belongs to its makers.",
        f"What carries a {HOUSE} is a house value: the rulebook does not say it, so this bot had to choose.",
    ]
    for section in data["section"]:
        parts += [f"## {section['title']}", *_paragraphs(section["text"])]
        if section.get("house"):
            parts.append(f"> {HOUSE} {section['house']}")
    for rows, title in data.get("tables", {"card": "Cards"}).items():
        if data.get(rows):
            parts += [f"## {title}", _cards(data[rows], data.get("headings", {}))]
    if data.get("ruling"):
        rulings = [(ruling["id"], ruling["text"] + _mark(house=ruling.get("house"))) for ruling in data["ruling"]]
        parts += [
            "## Rulings",
            "Where the rulebook can be read in two ways, this is how the bot reads it. Tests carry the same ids.",
            _grid(("Id", "Ruling"), rulings),
        ]
    return "\n\n".join(parts) + "\n"


def _paragraphs(text: str) -> list[str]:
    """Return what Discord shows line by line as paragraphs and lists."""
    parts: list[str] = []
    for line in text.strip().splitlines():
        item = line.startswith(BULLET)
        shown = f"- {line.removeprefix(BULLET)}" if item else line
        if item and parts and parts[-1].startswith("- "):
            parts[-1] += f"\n{shown}"
        elif shown:
            parts.append(shown)
    return parts


def _cards(cards: Rows, headings: Mapping[str, str]) -> str:
    """Return a table with a column for every field that a card has, in the order of first appearance."""
    fields = dict.fromkeys(
        field for card in cards for field in card if field not in UNSHOWN and headings.get(field) != ""
    )
    titles = [headings.get(field, field.replace("_", " ").capitalize()) for field in fields]
    return _grid(titles, [[_value(card.get(field, "")) for field in fields] for card in cards])


def _value(value: Any) -> str:
    """Return what a card's field says, `{ points = 2, source = "house" }` as a 2 with the mark."""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if not isinstance(value, Mapping):
        return str(value)
    said = ", ".join(str(part) for name, part in value.items() if name != "source")
    return said + _mark(house=value.get("source") == "house")


def _mark(*, house: Any) -> str:
    return f" {HOUSE}" if house else ""


def _grid(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join(f"| {' | '.join(_cell(text) for text in line)} |" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def pages() -> Mapping[str, str]:
    """Return the page of every game by key; a game without sections in its data file has none."""
    found = {key: load_data(key) for key in find_games()}
    return {key: render(data) for key, data in found.items() if "section" in data}


def main(folder: Path = PAGES) -> None:
    """Write every page into *folder*."""
    folder.mkdir(parents=True, exist_ok=True)
    for key, page in pages().items():
        (folder / f"{key}.md").write_text(page, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
