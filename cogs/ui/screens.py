"""Screens that look alike for every game: lobby, frame of the board, pings, rules, options."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import discord
from discord import ui

from cogs.ui.face import Face, Section
from cogs.ui.ids import HOUSE, PICK, Press
from cogs.ui.layout import (
    ACCENT_HOUSE,
    Element,
    Knob,
    Style,
    ago,
    button,
    check,
    line,
    option,
    page,
    rows,
    select,
    text,
)
from cogs.ui.names import shown, sitter
from cogs.ui.words import ended, kernel_words, span
from rules.core.contract import GameSpec
from rules.core.ports import Owed
from rules.core.table import CLOCKS_MS, KernelEvent, Table
from rules.core.tables import Glance, Scene

JUST_NOW_LINES = 3
JUST_NOW_LENGTH = 160
FINGERPRINT_SHOWN = 16
_PIECE = re.compile(r"\u2068[^\u2069]*\u2069|\\.|\*\*[^*]*\*\*|.", re.DOTALL)


def board(face: Face, spec: GameSpec, glance: Glance, note: str = "") -> ui.LayoutView:
    """Return the public message of a table, whatever its phase; *note* says what is wrong with it."""
    scene = glance.seen_by(None)
    table = scene.table
    if scene.view is None and table.phase == "lobby":
        return dealing(face, table) if arranged(table) else lobby(face, spec, table, note)
    if scene.view is None:
        return closed(face, table)
    parts = face.board(scene)
    if table.title:
        parts.insert(1, text(f"-# 🏆 {shown(table.title, 60)}"))
    if table.phase == "over":
        return page(ACCENT_HOUSE, *parts)
    if note:
        parts.insert(1, text(f"⚠️ {note}"))
    if table.votes:
        needed = len(table.people) // 2 + 1
        parts.insert(1, text(f"🛑 {len(table.votes)} of {needed} votes to end the game. For it? `/table end`"))
    return page(face.accent, *parts)


def lobby(face: Face, spec: GameSpec, table: Table, note: str = "") -> ui.LayoutView:
    """Return the lobby: who is in, the options, and the buttons for everyone, computers and the host."""
    host = table.seat_of(table.host_id)
    seats = [
        rf"{number}\. {sitter(who)}{', host' if number - 1 == host else ''}"
        for number, who in enumerate(table.sittings, 1)
    ]
    if len(seats) < spec.max_seats:
        seats.append(rf"{len(seats) + 1}\. *free: step right in*")

    def knob(label: str, verb: str, style: Style = Style.secondary) -> Knob:
        return button(label, Press(HOUSE, verb, table.table_id), style)

    return page(
        face.accent,
        text(
            f"## {face.title}",
            f"-# Table {table.table_id} · lobby · host {sitter(table.sittings[host]) if host is not None else '?'}",
            f"⚠️ {note}" if note else "",
        ),
        line(),
        text(
            f"**{face.place}: {len(table.sittings)} of {spec.max_seats}** ({spec.min_seats} are enough)",
            *seats,
            "**Options**",
            *option_lines(spec, table),
            f"-# Closes {ago(table.idle_due_ms or 0)} if nobody touches it.",
            f"-# Fairness: the deal is fixed by a secret whose fingerprint is `{fingerprint(table)}`.",
        ),
        *rows([knob("Join", "join", Style.success), knob("Leave", "leave"), rules_button(table)]),
        *rows([knob("Add computer", "add"), knob("Remove computer", "remove")]),
        *rows(
            [knob("Start", "start", Style.primary), knob("Options", "options"), knob("Cancel", "cancel", Style.danger)]
        ),
    )


def fingerprint(table: Table) -> str:
    """Return the beginning of the table's fingerprint, enough to compare by eye."""
    return table.fingerprint[:FINGERPRINT_SHOWN]


def fairness(table: Table) -> str:
    """Return the line that reveals the seed of a table that is over."""
    return f"-# Dealt fairly: the seed `{table.seed}` has the fingerprint `{fingerprint(table)}…` shown at the start."


def option_lines(spec: GameSpec, table: Table) -> list[str]:
    """Return the table's options in words."""
    chosen = [
        f"{known.title}: {next(choice.title for choice in known.choices if choice.key == table.options[known.key])}"
        for known in spec.options
    ]
    return [f"Turn clock: {span(table.clock_ms)}", *chosen]


def closed(face: Face, table: Table) -> ui.LayoutView:
    """Return what is left of a lobby that never became a game."""
    return page(
        ACCENT_HOUSE,
        text(
            f"## {face.title}",
            f"-# Table {table.table_id} · closed",
            ended(table),
            again(face, table, "Another try?"),
        ),
    )


REMATCH_OF = "rematch of"
"""Begins what a table was opened for when those who drew wanted it."""


def arranged(table: Table) -> bool:
    """Tell whether a tournament had the table opened: then what follows is not for its people to choose."""
    return bool(table.origin) and not table.origin.startswith(REMATCH_OF)


def dealing(face: Face, table: Table) -> ui.LayoutView:
    """Return what stands for a moment before a tournament's table is dealt: who sits there, and nothing to press."""
    seats = [rf"{number}\. {sitter(who)}" for number, who in enumerate(table.sittings, 1)]
    return page(
        face.accent,
        text(
            f"## {face.title}",
            f"-# Table {table.table_id} · being dealt",
            "All are there: the game begins in a moment.",
            *seats,
            f"-# Fairness: the deal is fixed by a secret whose fingerprint is `{fingerprint(table)}`.",
        ),
    )


def again(face: Face, table: Table, asks: str = "Once more?") -> str:
    """Return the small line below a table that is over: how to play once more, or what comes next in a tournament."""
    if arranged(table):
        return "-# A table of a tournament: `/tournament me` tells what comes next."
    return f"-# {asks} `/{face.command} new`"


def options_panel(spec: GameSpec, table: Table) -> ui.LayoutView:
    """Return the host's private panel for turn clock and game options; each choice holds at once."""
    clocks = [
        discord.SelectOption(
            label=f"Turn clock: {span(clock)}", value=f"clock:{clock}", default=clock == table.clock_ms
        )
        for clock in CLOCKS_MS
    ]
    parts: list[Element] = [
        text(
            "## ⚙️ Options",
            f"-# Table {table.table_id} · {spec.title}",
            "Whoever lets the turn clock run out has a computer make that move.",
        ),
        select("Turn clock", Press(HOUSE, PICK, table.table_id, arg="clock"), clocks),
    ]
    for known in spec.options:
        choices = [
            discord.SelectOption(
                label=f"{known.title}: {choice.title}",
                value=f"option:{known.key}={choice.key}",
                default=table.options[known.key] == choice.key,
            )
            for choice in known.choices
        ]
        parts.append(select(known.title[:25], Press(HOUSE, PICK, table.table_id, arg=known.key), choices))
    return page(ACCENT_HOUSE, *parts)


def rules_button(table: Table) -> Knob:
    """Return the button that opens the rules of the table's game."""
    return button("Rules", Press(HOUSE, "rules", table.table_id, arg=table.game))


def hand_button(face: Face, table: Table) -> Knob:
    """Return the public button that opens one's own panel."""
    return button(face.door, Press(HOUSE, "hand", table.table_id), Style.primary)


def board_buttons(face: Face, table: Table, *own: Knob) -> list[Element]:
    """Return the row below a board: the own panel, what the game adds, Rules, and the way back for whoever is away."""
    back = [button("I'm back", Press(HOUSE, "back", table.table_id), Style.success)]
    away = any(table.away(seat) for seat in range(len(table.sittings)))
    return rows([hand_button(face, table), *own, rules_button(table), *(back if away else [])])


def deadline(table: Table) -> str:
    """Return the line that says until when the table waits, empty without a clock."""
    if table.turn_ends_ms is None:
        return ""
    late = any(table.warned(seat) for seat in table.to_act)
    half = "⏳ Half the time is gone. A computer moves" if late else "Turn ends"
    return f"-# {half} {ago(table.turn_ends_ms)}."


def just_now(face: Face, scene: Scene) -> ui.TextDisplay[Any] | None:
    """Return the last events in words, the newest first; `None` before the first."""
    lines = [entry_words(face, scene, index) for index in range(len(scene.recent) - 1, -1, -1)]
    told = [f"-# {words}" for words in lines if words][:JUST_NOW_LINES]
    return text("**Just now**", *told) if told else None


def entry_words(face: Face, scene: Scene, index: int) -> str:
    """Return one entry in words, cut to a phone's two or three lines."""
    entry = scene.recent[index]
    table = scene.table
    kernel = [kernel_words(event, table) for event in entry.events if isinstance(event, KernelEvent)]
    words = " ".join(kernel) if kernel else face.words(entry, table)
    if words and entry.by == "clock" and entry.seat is not None:
        words = f"Time ran out, so a computer moved: {words}"
    return words if len(words) <= JUST_NOW_LENGTH else cut(words, JUST_NOW_LENGTH)


def cut(words: str, length: int) -> str:
    """Return the beginning of *words* with ``…``; escapes, bold and turned-around names are kept or left out whole."""
    kept = ""
    for piece in _PIECE.findall(words):
        if len(kept) + len(piece) >= length:
            break
        kept += piece
    return kept.rstrip() + "…"


def call(
    face: Face, table: Table, owed: Owed, board_url: str, note: str = ""
) -> tuple[ui.LayoutView, int | None] | None:
    """
    Return an owed message and whom it pings, `None` when it does not hold any more.

    Args:
        face: looks of the table's game.
        table: as it is now, which may be later than when the message was owed.
        owed: what to say.
        board_url: link to the board.
        note: one more line.
    """
    seat = owed.seat
    if owed.kind == "closed":
        return _message([f"{face.title}, table {table.table_id}: {ended(table)}", note], []), None
    if seat is None or table.phase != "playing" or table.plain_computer(seat):
        return None
    user_id = table.sittings[seat].user_id
    board_link: ui.Button[Any] = ui.Button(label="Board", url=board_url)
    where = f"{face.title}, {shown(table.title, 60) if table.title else f'table {table.table_id}'}"
    due = table.due_ms[seat]
    waits = seat in table.to_act and not table.away(seat)
    hand: list[ui.Item[Any]] = [hand_button(face, table), board_link]
    gone = [sitter(who) for seat, who in enumerate(table.sittings) if table.away(seat)]
    back = button("I'm back", Press(HOUSE, "back", table.table_id), Style.success)
    match owed.kind:
        case "turn" if waits:
            ends = f" Turn ends {ago(due)}." if due is not None else ""
            away = f"-# A computer plays for {', '.join(gone)} until they are back." if gone else ""
            return _message(
                [f"<@{user_id}> your turn at {where}.{ends}", away, note], [*hand, *[back] * bool(gone)]
            ), user_id
        case "warning" if waits and due is not None:
            words = f"⏳ <@{user_id}> half your time is gone at {where}. A computer moves for you {ago(due)}."
            return _message([words, note], hand), user_id
        case "seated":
            words = f"<@{user_id}> you take over a seat at {where}: cards, score and all."
            return _message([words, note], hand), user_id
        case "away" if table.away(seat):
            name = sitter(table.sittings[seat])
            words = f"-# Three turns of {name} ran out at {where}. A computer keeps the seat until {name} is back."
            return _message([words, note], [back, board_link]), None
        case _:
            return None


def _message(lines: Sequence[str], knobs: Sequence[ui.Item[Any]]) -> ui.LayoutView:
    view = ui.LayoutView(timeout=None)
    view.add_item(text(*lines))
    if knobs:
        view.add_item(ui.ActionRow(*knobs))
    return check(view)


def rules_page(face: Face, number: int) -> ui.LayoutView:
    """Return one section of the rules, counted from 0, with the way to the others."""
    sections: Sequence[Section] = face.rules
    number = max(0, min(number, len(sections) - 1))
    section = sections[number]

    def to(label: str, target: int) -> Knob:
        press = Press(HOUSE, "rules_on" if target > number else "rules_back", arg=f"{face.key}={target}")
        return button(label, press, off=not 0 <= target < len(sections))

    contents = [option(f"{n}. {s.title}", "rules", f"{face.key}={n - 1}") for n, s in enumerate(sections, 1)]
    for entry, option_ in enumerate(contents):
        option_.default = entry == number
    return page(
        face.accent,
        text(
            f"## 📖 {section.title}",
            f"-# {face.title} · section {number + 1} of {len(sections)} · in our own words",
            section.text,
            f"-# 🏠 House value: {section.house}" if section.house else "",
        ),
        select("Go to section…", Press(HOUSE, PICK, arg=f"rules {face.key}"), contents),
        *rows([to("Back", number - 1), to("On", number + 1)]),
    )
