"""People's names, made harmless: they may hold markdown, mentions, line breaks, anything."""

from __future__ import annotations

import re
import unicodedata

from rules.core.table import Sitting

NAME_LENGTH = 20
_MARKDOWN = re.compile(r"([\\*_~`|>#\[\]()<@:\-.!+])")
_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and signs that look like spaces."""
_CLAIM = re.compile(r"\(\s*computer\s*\)", re.IGNORECASE)
_MARKS_A_LETTER = 2


def plain(name: str, length: int = NAME_LENGTH) -> str:
    """
    Return *name* on one line, without control, direction and stacked marks, cut to *length* with ``…``.

    For places that read no markdown: button labels, select options.
    """
    letters: list[str] = []
    marks = 0
    for letter in unicodedata.normalize("NFC", name):
        kind = unicodedata.category(letter)
        if kind in ("Zs", "Zl", "Zp") or letter in "\t\n\r" or letter in _BLANK:
            letters.append(" ")
        elif kind in ("Mn", "Me"):
            marks += 1
            if marks <= _MARKS_A_LETTER:
                letters.append(letter)
            continue
        elif not kind.startswith("C") or letter == "\u200d":  # a joiner holds emoji together
            letters.append(letter)
        marks = 0
    text = " ".join("".join(letters).split()).strip("\u200d ")
    if not text:
        return "Somebody"
    return text if len(text) <= length else text[: length - 1].rstrip("\u200d ") + "…"


def shown(name: str, length: int = NAME_LENGTH) -> str:
    """Return *name* for message text: as `plain`, with markdown and mentions put out of action."""
    text = _MARKDOWN.sub(r"\\\1", plain(name, length))
    return f"\u2068{text}\u2069" if _RTL.search(text) else text


def label(who: Sitting, length: int = NAME_LENGTH) -> str:
    """Return who sits there, for text without markdown; computers are marked in words."""
    return plain(_claimed(who), length) + ("" if who.user_id is not None else " (computer)")


def sitter(who: Sitting, length: int = NAME_LENGTH) -> str:
    """Return who sits there, for message text; computers are marked in words."""
    return shown(_claimed(who), length) + ("" if who.user_id is not None else " (computer)")


def _claimed(who: Sitting) -> str:
    """Return the name, without the mark of a computer that a person may have put into it."""
    return who.name if who.user_id is None else _CLAIM.sub("", plain(who.name, len(who.name)))
