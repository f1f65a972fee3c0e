"""
The private panel of Lambada: pick a card, for an A the letter, lay it, then pick the card to pass.

In catch games no cost is shown before a card lies, and what follows a foul looks like what follows a
clean card: the same select and the same button, so that nobody can count presses.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import discord
from discord import ui

from cogs.lambada import words
from cogs.ui.face import Face
from cogs.ui.ids import PICK, Press
from cogs.ui.layout import MAX_OPTIONS, Element, Knob, Style, ago, button, line, option, page, rows, select, text
from cogs.ui.names import plain
from cogs.ui.words import seat_name
from rules.core.contract import Event, Refusal
from rules.core.tables import Scene
from rules.lambada import (
    CARD,
    COLOUR,
    TOKENS,
    WORD,
    Action,
    Caught,
    Lay,
    Own,
    OwnUp,
    Pass,
    PickToken,
    Preview,
    Public,
    Ready,
    preview,
)

JOIN = "."


def action(press: Press) -> Action | None:
    """Return the move that a press makes, `None` when it only chooses or shows."""
    card, _, slot = press.arg.partition(JOIN)
    match press.verb:
        case "lay" if slot.isdecimal() and len(slot) == 1:
            return Lay(card, int(slot))
        case "pass" if card:
            return Pass(card)
        case "own_up":
            return OwnUp()
        case "caught" if card.isdecimal():
            return Caught(int(card))
        case "token" if card:
            return PickToken(card)
        case "ready":
            return Ready()
        case _:
            return None


class Panel:
    """Makes the pages of one seat's panel at one moment."""

    def __init__(self, face: Face, scene: Scene) -> None:
        if scene.seat is None or scene.view is None or scene.view.own is None:
            raise Refusal("not_seated")
        self.face = face
        self.scene = scene
        self.table = scene.table
        self.seat: int = scene.seat
        self.public: Public = scene.view.public
        self.own: Own = scene.view.own
        self.mine = self.public.turn == self.seat

    def press(self, verb: str, arg: str = "") -> Press:
        """Return the press of this panel that does *verb*."""
        return Press(self.face.key, verb, self.table.table_id, self.table.versions[self.seat], arg)

    def button(self, title: str, verb: str, arg: str = "", style: Style = Style.secondary) -> Knob:
        """Return a button of this panel."""
        return button(title, self.press(verb, arg), style)

    def page(self, *parts: Element) -> ui.LayoutView:
        """Return a page in the game's colour."""
        return page(self.face.accent, *parts)

    @property
    def heading(self) -> str:
        """The small line below a title: the table, and how long the turn lasts."""
        due = self.table.due_ms[self.seat] if self.table.due_ms else None
        ends = f", ends {ago(due)}" if due is not None else ""
        return f"-# Table {self.table.table_id} · your move{ends}"

    # --- the hand ----------------------------------------------------------------------------

    def hand(self, told: Sequence[Event], note: str) -> ui.LayoutView:
        """Return the hand with what may be done now."""
        if self.table.phase == "over":
            return self.page(text("## 🃏 The match is over", note, "The board has the result."))
        news = [note, *words.told(told, self.table, self.seat)]
        parts: list[Element] = [text(f"## {self._title()}", self._line())]
        if any(news):
            parts += [text(*news), line()]
        if self.public.awaits in ("between", "token"):
            return self.page(*parts, *self._between())
        laying = self.mine and self.public.awaits == "lay"
        parts.append(text(words.forbidden(self.public.forbidden), *self._cards(costs=not self.public.catch)))
        if laying:
            parts += self._lay_menus()
        elif self.mine and self.public.awaits == "pass":
            parts += [line(), *self._pass_page("")]
        elif self.mine and self.public.awaits == "window":
            until = self.public.last.until_ms if self.public.last else 0
            parts.append(text(f"-# You may lay {ago(until)}: the others may still call the last card."))
        return self.page(*parts)

    def _title(self) -> str:
        if self.mine and self.public.awaits == "pass":
            return "🎁 Pass a card, or own up" if self.own.foul else "🎁 Pass a card"
        if self.public.awaits in ("between", "token"):
            return "🌹 Between two rounds"
        return f"🃏 Your hand: {len(self.own.hand)} card{'' if len(self.own.hand) == 1 else 's'}"

    def _line(self) -> str:
        if self.mine and self.public.awaits in ("lay", "pass"):
            return self.heading
        if self.public.awaits in ("between", "token"):
            return f"-# Table {self.table.table_id}"
        return f"-# Table {self.table.table_id} · {seat_name(self.table, self.public.turn)} is to move"

    def _cards(self, *, costs: bool) -> list[str]:
        """Return the hand, a line a colour, with the least that a card of it costs where that may be shown."""
        lines = []
        for key, group in groupby(self.own.hand, key=COLOUR.__getitem__):
            cards = list(group)
            letters = [CARD[card].letter.upper() for card in cards]
            held = ", ".join(
                letter if letters.count(letter) == 1 else f"{letter}×{letters.count(letter)}"
                for letter in dict.fromkeys(letters)
            )
            cost = f": {self._cheapest(cards)}" if costs else ""
            lines.append(f"{words.SIGN[key]}\u00a0**{words.colour(key)}** {held}{cost}")
        return lines or ["*Your hand is empty.*"]

    def _cheapest(self, cards: Sequence[str]) -> str:
        return cost(min((self._preview(Lay(card, slot)) for card in cards for slot in CARD[card].slots), key=_fine))

    def _preview(self, move: Action) -> Preview:
        return preview(self.scene.view, self.seat, move)

    # --- laying --------------------------------------------------------------------------------

    def _lay_menus(self) -> list[Element]:
        """Return one select of the cards, or two where one would not hold them."""
        kinds = list(dict.fromkeys(self.own.hand))
        if len(kinds) <= MAX_OPTIONS:
            return [select("Which card do you lay?", self.press(PICK, "card"), self._lay_options(kinds))]
        half = ("blue", "green", "yellow", "orange")
        low = [card for card in kinds if COLOUR[card] in half]
        high = [card for card in kinds if COLOUR[card] not in half]
        menus = (("Lay Blue to Orange…", "low", low), ("…or Red to Pink", "high", high))
        return [
            select(title, self.press(PICK, place), self._lay_options(cards)) for title, place, cards in menus if cards
        ]

    def _lay_options(self, kinds: Sequence[str]) -> list[discord.SelectOption]:
        options = []
        for card in kinds:
            held = self.own.hand.count(card)
            more = f" ({held} of them)" if held > 1 else ""
            about = "" if self.public.catch else self._cheapest([card])
            options.append(option(words.name(card) + more, "card", card, about=about, emoji=words.sign(card)))
        return options

    def card(self, card: str) -> ui.LayoutView:
        """Return where a card may be laid; a letter that is there once has one place only."""
        if card not in self.own.hand or not self.mine or self.public.awaits != "lay":
            raise Refusal("stale")
        slots = CARD[card].slots
        knobs = []
        for slot in slots:
            on = self.public.letters[slot].colour
            where = f"{words.ORDINALS[slot]} letter, on {words.colour(on).lower()}" if len(slots) > 1 else "Lay it"
            told = "" if self.public.catch else f": {cost(self._preview(Lay(card, slot)))}"
            knobs.append(self.button(f"{where}{told}", "lay", f"{card}{JOIN}{slot}", Style.success))
        ask = f"{words.sign(card)} {words.name(card)} on which {WORD[slots[0]].upper()}?"
        one = self.public.letters[slots[0]].colour
        title = ask if len(slots) > 1 else f"{words.sign(card)} {words.name(card)} on {words.colour(one).lower()}"
        return self.page(
            text(f"## {title}", self.heading),
            text(*words.word(self.public.letters)[:1], words.showing(self.public.showing)),
            *rows(knobs, 1),
            *rows([self.button("Choose again", "back")]),
        )

    # --- passing -------------------------------------------------------------------------------

    def _pass_page(self, picked: str) -> list[Element]:
        """Return what follows a card laid; after a foul it has the same select and button, and a way to own up."""
        to = (self.seat + 1) % self.public.players
        receiver = seat_name(self.table, to)
        if self.own.foul:
            told = [
                f"🤫 Only you know: **that was {words.KIND[self.own.foul]}**. Fine: {self.own.fine}.",
                f"**Bluff:** pass a card as if it were clean. Anyone may call you until {receiver} lays.",
                f"**Own up:** draw {self.own.fine}, nothing is passed.",
            ]
        else:
            told = [f"Your card lies, clean. One card goes to {receiver}, in secret."]
        cards = list(dict.fromkeys(self.own.hand))
        parts: list[Element] = [text(*told)]
        for start in range(0, len(cards), MAX_OPTIONS):
            part = cards[start : start + MAX_OPTIONS]
            options = [option(words.name(card), "give", card, emoji=words.sign(card)) for card in part]
            parts.append(select("Pass which card?", self.press(PICK, f"give{start}"), options))
        knobs = []
        if picked:
            parts.append(text(f"{words.signed(picked)} is picked."))
            name = plain(self.table.sittings[to].name, 12)
            knobs.append(self.button(f"Pass {words.name(picked)} to {name}", "pass", picked, Style.success))
        if self.own.foul:
            knobs.append(self.button(f"Own up, draw {self.own.fine}", "own_up", style=Style.danger))
        return parts + rows(knobs, 1)

    def give(self, card: str) -> ui.LayoutView:
        """Return the page that confirms passing *card*."""
        if Pass(card) not in self.scene.legal:
            raise Refusal("stale")
        return self.page(text(f"## {self._title()}", self.heading), *self._pass_page(card))

    # --- between rounds --------------------------------------------------------------------------

    def _between(self) -> list[Element]:
        """Return the token to pick for the winner, and Ready for everybody."""
        parts: list[Element] = []
        tokens = [move.token for move in self.scene.legal if isinstance(move, PickToken)]
        if tokens:
            options = [option(TOKENS[key], "token", key, emoji=words.TOKEN_SIGN.get(key, "🏆")) for key in tokens]
            parts += [text("**Which Victory Token is yours?**"), select("Pick a token", self.press(PICK, "t"), options)]
        if any(isinstance(move, Ready) for move in self.scene.legal):
            parts += rows([self.button("Ready", "ready", style=Style.success)])
        if not parts:
            parts.append(text("You are ready. The next round is dealt in a moment."))
        return parts


def _fine(told: Preview) -> int:
    return told.fine


def cost(told: Preview) -> str:
    """Return what laying a card costs, in a word or two."""
    if told.fine:
        return f"draw {told.fine}"
    if told.wins:
        return "clean, and it wins"
    return "clean" if told.passes else "clean, your last"
