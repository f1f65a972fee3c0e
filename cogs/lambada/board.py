"""What everybody sees of Lambada: the board, the end of a round, the end of the match."""

from __future__ import annotations

from cogs.lambada import words
from cogs.ui.face import Face
from cogs.ui.ids import Press
from cogs.ui.layout import Element, Knob, Style, ago, button, line, rows, text
from cogs.ui.screens import again, board_buttons, deadline, fairness, hand_button, just_now, rules_button
from cogs.ui.words import ended, placed_name, seat_name
from rules.core.table import Table
from rules.core.tables import Scene
from rules.lambada import Public

FEW = 2
"""A hand of so few cards is shown bold: its owner is nearly out."""


def board(face: Face, scene: Scene) -> list[Element]:
    """Return the board of a match under way, or its result."""
    public: Public = scene.view.public
    table = scene.table
    if table.phase == "over":
        return result(face, table, public)
    if public.awaits in ("between", "token"):
        return between(face, scene, public)
    told = just_now(face, scene)
    return [
        text(f"## {face.title}", f"-# {_where(table, public)}"),
        text(*_turn(table, public), deadline(table)),
        text(*words.word(public.letters), words.forbidden(public.forbidden)),
        text(words.showing(public.showing), _gray(public)),
        line(),
        text(
            "**Cards left · tokens won**",
            *(_seat(table, public, seat) for seat in range(public.players)),
            f"-# Pass goes to the next in line. Pile: {public.pile}.",
        ),
        line(),
        *([told] if told else []),
        *board_buttons(face, table, *([_caught(face, table, public)] if public.catch else [])),
    ]


def _caught(face: Face, table: Table, public: Public) -> Knob:
    """Return the button that calls the last card; always there and never off, for its state must tell nothing."""
    number = public.last.number if public.last else 0
    return button("Caught!", Press(face.key, "caught", table.table_id, arg=str(number)), Style.danger)


def _where(table: Table, public: Public) -> str:
    mode = "fouls must be caught" if public.catch else "fines by the bot"
    return f"Table {table.table_id} · round {public.round} · {public.target} tokens win · {mode}"


def _turn(table: Table, public: Public) -> list[str]:
    mover = seat_name(table, public.turn)
    last = public.last
    if public.awaits == "pass":
        return [f"### 👉 {mover} to pass a card"]
    if public.awaits == "window" and last is not None:
        return [
            f"### 👀 Was {seat_name(table, last.seat)}'s {words.name(last.card)} clean?",
            f"Press **Caught!** before the next card. {mover} may lay {ago(last.until_ms)}.",
        ]
    asked = []
    if public.catch and last is not None and last.open:
        asked = [f"-# {seat_name(table, last.seat)}'s {words.name(last.card)} may still be called."]
    return [f"### 👉 {mover} to lay", *asked]


def _gray(public: Public) -> str:
    left = f"{public.gray} gray left. " if public.gray else "No gray left: the last card wins. "
    return f"-# {left}A fifth of a colour costs 3."


def _seat(table: Table, public: Public, seat: int) -> str:
    cards = public.hands[seat]
    held = f"**{cards}**" if cards <= FEW else str(cards)
    row = f"{seat + 1}\\. {seat_name(table, seat)}: {held} · {public.wins[seat]}"
    return f"👉 {row}" if seat == public.turn and public.winner < 0 else row


def between(face: Face, scene: Scene, public: Public) -> list[Element]:
    """Return the end of a round: LAMBADA!, tokens, and when the next round is dealt."""
    table = scene.table
    winner = seat_name(table, public.winner)
    people = [seat for seat, who in enumerate(table.sittings) if who.user_id is not None]
    ready = sum(seat in public.ready for seat in people)
    if public.awaits == "token":
        after = f"**The match is won.** {winner} picks the last token, {ago(public.until_ms)} at the latest."
    else:
        after = (
            f"**Round {public.round + 1}: {seat_name(table, public.turn)} starts.** Dealt {ago(public.until_ms)}, "
            f"or when all are ready ({ready} of {len(people)})."
        )
    told = just_now(face, scene)
    go = [button("Ready", Press(face.key, "ready", table.table_id), Style.success)]
    return [
        text(
            "## 🌹 LAMBADA!", f"-# Table {table.table_id} · round {public.round} is over · {public.target} tokens win"
        ),
        text(f"### 💃 {winner} is out! Hips, please"),
        text(*words.word(public.letters)),
        text("**Tokens won · cards left**", *(_score(table, public, seat) for seat in range(public.players)), after),
        *([told] if told else []),
        *rows([*(go if public.awaits == "between" else []), hand_button(face, table), rules_button(table)]),
    ]


def _score(table: Table, public: Public, seat: int) -> str:
    tokens = " ".join(words.TOKEN_SIGN.get(key, "🏆") for key in public.tokens[seat])
    row = f"{seat_name(table, seat)}: {public.wins[seat]} {tokens}".rstrip() + f" · {public.hands[seat]}"
    return f"{seat + 1}\\. **{row}**" if seat == public.winner else f"{seat + 1}\\. {row}"


def result(face: Face, table: Table, public: Public) -> list[Element]:
    """Return the end of a table: who won the match, or why nobody did."""
    seats = range(public.players)
    if not table.places:
        scores = [f"{seat_name(table, seat)}: {public.wins[seat]}" for seat in seats]
        return [
            text(f"## {face.title}", f"-# Table {table.table_id} · round {public.round} · ended early"),
            text(f"### 🛑 {ended(table)}", "**Tokens won**", *scores),
            text(fairness(table), again(face, table)),
        ]
    order = sorted(seats, key=lambda seat: (table.places[seat], seat))
    winners = " and ".join(placed_name(table, seat) for seat in order if table.places[seat] == 1)
    return [
        text("## 🌹 LAMBADA!", f"-# Lambada · table {table.table_id} · {public.round} rounds · finished"),
        text(
            f"### 🏆 {winners} wins the match",
            "**Tokens won**",
            *(
                f"{table.places[seat]}\\. {placed_name(table, seat)}: **{public.wins[seat]}** "
                + " ".join(words.token(key) for key in public.tokens[seat])
                for seat in order
            ),
        ),
        text(*words.word(public.letters)),
        text(fairness(table), again(face, table)),
    ]
