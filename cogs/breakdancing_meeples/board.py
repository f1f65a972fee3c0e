"""What everybody sees of Breakdancing Meeples: crews, the minute, the score sheet, the Remix, the result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from discord import ui

from cogs.breakdancing_meeples import words
from cogs.breakdancing_meeples.panel import press_of
from cogs.ui.face import Face
from cogs.ui.ids import HOUSE, Press
from cogs.ui.layout import Element, Knob, Style, ago, button, line, rows, text
from cogs.ui.screens import again, arranged, board_buttons, deadline, fairness, just_now
from cogs.ui.words import ended, placed_name, seat_name
from rules.breakdancing_meeples import (
    DANCE_OFFS,
    Action,
    Buy,
    Completed,
    CrewScore,
    Force,
    Public,
    RallyCube,
    Ready,
    Remix,
    Resumed,
    Routine,
    Sheet,
    Skip,
    Take,
)
from rules.core.table import Table
from rules.core.tables import Scene

NONE_YET = "·"
CALLS = (Completed, RallyCube)
DRAW = "draw"


def board(face: Face, scene: Scene) -> list[Element]:
    """Return the board of a game under way, or its result."""
    public: Public = scene.view.public
    table = scene.table
    if table.phase == "over":
        return result(face, table, public)
    match public.phase:
        case "ready":
            return between(face, scene, public)
        case "remix" if public.remix is not None:
            return offers(face, scene, public, public.remix)
        case _:
            return dance(face, scene, public)


def _head(face: Face, table: Table, public: Public) -> ui.TextDisplay[Any]:
    where = f"-# Table {table.table_id} · Dance Off {public.dance_off} of {DANCE_OFFS}"
    return text(f"## {face.title}", f"{where} · {public.deck_title.lower()}")


def _knob(face: Face, table: Table, title: str, act: Action, style: Style = Style.secondary) -> Knob:
    verb, arg = press_of(act)
    return button(title, Press(face.key, verb, table.table_id, arg=arg), style)


# --- before a Dance Off ------------------------------------------------------------------------------


def between(face: Face, scene: Scene, public: Public) -> list[Element]:
    """Return who is ready for the next Dance Off, with the score of the last one."""
    table = scene.table
    off = public.dance_off
    ready = sum(crew.ready for crew in public.crews)
    crews = [f"{'✅' if crew.ready else '⏳'} {words.crew_name(table, seat)}" for seat, crew in enumerate(public.crews)]
    anew = f"⚠️ The bot was away in the middle of Dance Off {off}: it is danced anew." if public.voided else ""
    told = just_now(face, scene)
    hosted = table.seat_of(table.host_id) is not None  # at a tournament's table the bot is host, and hurries nobody
    knobs = [_knob(face, table, "Ready", Ready(off), Style.success)]
    if hosted:
        knobs.append(_knob(face, table, "Start without the rest", Force(off), Style.danger))
    return [
        _head(face, table, public),
        text(
            f"### 👉 Ready for Dance Off {off}? {ready} of {len(public.crews)} crews are",
            anew,
            *crews,
            deadline(table),
            f"-# From {words.clock(public.force_ms)} on the host may start without the rest." if hosted else "",
        ),
        line(),
        *([score_table(public), sheet(table, public.sheet)] if public.sheet else [_repertoire(public)]),
        *([line(), told] if told else []),
        *rows(knobs),
        *board_buttons(face, table),
    ]


def _repertoire(public: Public) -> ui.TextDisplay[Any]:
    """Return how it goes, and the cards that all crews begin with."""
    cards = [told for one in public.crews[0].routines for told in (f"**{one.card.name}**", words.routine(one))]
    length, gap = words.seconds(public.round_ms), words.seconds(public.interval_ms)
    return text(
        "**All crews begin with**",
        *cards,
        f"-# {length} of rolling, a roll each {gap} at most. Lock dancers on your cards; a full one scores.",
        "-# **Ready** opens your crew's panel: keep it at the bottom of the chat.",
    )


def score_table(public: Public) -> ui.TextDisplay[Any]:
    """Return totals, the score of each Dance Off, and what Rallies cost; 27 columns."""
    head = f"{'Crew':<6}{'Sum':>4}" + "".join(f"{off:>3}" for off in range(1, DANCE_OFFS + 1)) + f"{'Ral.':>5}"
    lines = [head]
    for seat, crew in enumerate(public.crews):
        scores = [*map(str, crew.scores), *[NONE_YET] * (DANCE_OFFS - len(crew.scores))]
        paid = f"-{crew.paid}" if crew.paid else NONE_YET
        lines.append(
            f"{words.CREWS[seat]:<6}{crew.total:>4}" + "".join(f"{score:>3}" for score in scores) + f"{paid:>5}"
        )
    return text("```", *lines, "```")


def sheet(table: Table, last: Sheet) -> ui.TextDisplay[Any]:
    """Return what the last Dance Off brought each crew, card by card."""
    return text(
        f"**Dance Off {last.dance_off}**", *(_crew_score(table, seat, crew) for seat, crew in enumerate(last.crews))
    )


def _crew_score(table: Table, seat: int, crew: CrewScore) -> str:
    cards = ", ".join(f"{card.name} ×{card.cubes} = {card.points}" for card in crew.cards if card.cubes)
    return (
        f"{words.SIGNS[seat]} **{words.CREWS[seat]} {crew.points}** · {seat_name(table, seat)}\n-# {cards or 'no cube'}"
    )


# --- the minute, and placing after the bell ----------------------------------------------------------


def dance(face: Face, scene: Scene, public: Public) -> list[Element]:
    """
    Return the Dance Off: when it starts or ends, cubes left, Routines completed, the last one called out.

    What else happened is told below; completions and stops are not, for rolls would soon push them out.
    """
    table = scene.table
    away = _away(public)
    standing = (*CALLS, Resumed) if away else CALLS
    others = tuple(entry for entry in scene.recent if not any(isinstance(event, standing) for event in entry.events))
    told = just_now(face, msgspec.structs.replace(scene, recent=others))
    rolled = " · ".join(str(crew.round_rolls) for crew in public.crews)
    crews = [
        told_
        for seat, crew in enumerate(public.crews)
        for told_ in (
            f"{words.SIGNS[seat]} **{words.CREWS[seat]} {crew.total}** · {seat_name(table, seat)}",
            f"-# {_left(crew.cubes)}{' · done' if public.phase == 'placing' and crew.done else ''}"
            + (f" · {words.called(crew)}" if crew.completed else ""),
        )
    ]
    return [
        _head(face, table, public),
        text(_clock(public), away),
        line(),
        text(*crews, f"-# Rolled so far: {rolled}"),
        *([line(), told] if told else []),
        *board_buttons(face, table),
    ]


def _away(public: Public) -> str:
    if not public.lost_ms or public.phase != "dance":
        return ""
    return f"⚠️ The bot was away for {words.seconds(public.lost_ms)}; the bell keeps its time."


def _left(cubes: int) -> str:
    return f"Cubes left {cubes}" if cubes else "All cubes out"


def _clock(public: Public) -> str:
    match public.phase:
        case "count":
            return f"### 5, 6, 7, 8! Dance {ago(public.starts_ms)}"
        case "dance":
            return f"### 🔔 Dance! The bell rings {ago(public.ends_ms)}"
        case _:
            return f"### 🔔 Stop! Place what lies: scored {ago(public.closes_ms)}, or when all are done"


# --- the Remix -------------------------------------------------------------------------------------------


def offers(face: Face, scene: Scene, public: Public, remix: Remix) -> list[Element]:
    """Return the cards on offer, who picks now, and the score."""
    table = scene.table
    picking = words.listed([seat_name(table, seat) for seat in remix.waiting])
    later = ", ".join(seat_name(table, seat) for group in remix.groups[remix.group + 1 :] for seat in group)
    first = " The first press gets the card." if len(remix.waiting) > 1 else ""
    told = just_now(face, scene)
    last = public.sheet
    cards = [
        ui.Section(
            text(*_offer(one)),
            accessory=_knob(face, table, *_grab(remix.number, place, one)),
        )
        for place, one in enumerate(remix.row)
        if one is not None
    ]
    return [
        text(
            f"## 💿 Remix {remix.number} of {DANCE_OFFS - 1}",
            f"-# Table {table.table_id} · one card each, or none · lowest Crowd Appeal first",
        ),
        text(
            f"### 👉 {picking} to pick",
            f"Then {later}." if later else "",
            f"-# Skipped {ago(public.closes_ms)}.{first}",
        ),
        line(),
        *cards,
        line(),
        score_table(public),
        *([sheet(table, last)] if last else []),
        *([line(), told] if told else []),
        *board_buttons(face, table, _knob(face, table, "Take nothing", Skip(remix.number))),
    ]


def _grab(number: int, place: int, one: Routine) -> tuple[str, Action]:
    return ("Buy", Buy(number, place)) if one.card.kind == "rally" else ("Take", Take(number, place))


def _offer(one: Routine) -> Sequence[str]:
    card = one.card
    if card.kind == "rally":
        return (f"🎁 **{card.name}** · Rally, costs {card.cost}", f"`{words.squares(card, 0)}` {card.text}")
    beneath = [f"-# with 🎁 {rally.card.name} `{words.squares(rally.card, 0)}`" for rally in one.rallies]
    return (f"**{card.name}**", words.routine(one), *beneath)


# --- the end ---------------------------------------------------------------------------------------------


def result(face: Face, table: Table, public: Public) -> list[Element]:
    """Return the end of a table: who won, or why nobody did; a draw offers to play again (BM-53)."""
    if not table.places:
        return [
            text(f"## {face.title}", f"-# Table {table.table_id} · Dance Off {public.dance_off} · ended early"),
            text(f"### 🛑 {ended(table)}"),
            score_table(public),
            text(fairness(table), again(face, table)),
        ]
    order = sorted(range(len(public.crews)), key=lambda seat: (table.places[seat], seat))
    first = [seat for seat in order if table.places[seat] == 1]
    winners = words.listed([placed_name(table, seat) for seat in first])
    says = {
        DRAW: f"### 🤝 A draw: {winners}",
        "final_round": f"### 🏆 {winners} wins by the last Dance Off",
    }.get(table.reason, f"### 🏆 {winners} wins with {table.scores[first[0]]}")
    rematched = table.reason == DRAW and not arranged(table)  # a tournament counts it as a draw
    rematch = button("Rematch", Press(HOUSE, "rematch", table.table_id), Style.success)
    return [
        text(f"## {face.title}", f"-# Table {table.table_id} · {DANCE_OFFS} Dance Offs · finished"),
        text(
            says,
            "Equal in all and in the last Dance Off: dance it out once more!" if rematched else "",
            *(
                f"{table.places[seat]}\\. {words.SIGNS[seat]} {placed_name(table, seat)}: **{table.scores[seat]}**"
                for seat in order
            ),
        ),
        score_table(public),
        *([sheet(table, public.sheet)] if public.sheet else []),
        text(fairness(table), again(face, table)),
        *(rows([rematch]) if rematched else []),
    ]
