"""
The private panel of Let's Dance, "card first": pick the card that goes first, then what follows it.

Every page is made from the view and the legal actions alone; what was picked so far stands in the
ids of its buttons.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import discord
from discord import ui

from cogs.lets_dance import words
from cogs.ui.face import Face
from cogs.ui.ids import PICK, Press
from cogs.ui.layout import MAX_OPTIONS, Element, Knob, Style, ago, button, line, option, page, rows, select, text
from cogs.ui.names import label
from cogs.ui.words import seat_name
from rules.core.contract import Event, Refusal
from rules.core.tables import Scene
from rules.lets_dance import (
    CARD,
    FAMILY,
    HAND_SIZE,
    RANK,
    Action,
    Dance,
    Follow,
    Keep,
    Own,
    Pass,
    Preview,
    Public,
    Renew,
    Replenish,
    SitOut,
    StepOnToes,
    preview,
)

CERTAIN = 1000
JOIN = "."
"""Between cards in an id."""


def split(arg: str) -> tuple[str, ...]:
    """Return the cards of an id's last part."""
    return tuple(arg.split(JOIN)) if arg else ()


def action(press: Press) -> Action | None:
    """Return the move that a press makes, `None` when it only chooses or shows."""
    cards = split(press.arg)
    match press.verb:
        case "dance" if cards:
            return Dance(cards)
        case "toes" if press.arg.isdecimal():
            return StepOnToes(int(press.arg))
        case "keep" if cards:
            return Keep(cards[0])
        case "renew" if cards:
            return Renew(cards[0], cards[1:])
        case "sit" if cards:
            return SitOut(cards[0])
        case "follow":
            return Follow()
        case "replenish":
            return Replenish()
        case "pass":
            return Pass()
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
        self.version = self.table.versions[self.seat]

    def press(self, verb: str, *cards: str) -> Press:
        """Return the press of this panel that does *verb* with *cards*."""
        return Press(self.face.key, verb, self.table.table_id, self.version, JOIN.join(cards))

    def button(self, title: str, verb: str, *cards: str, style: Style = Style.secondary, emoji: str = "") -> Knob:
        """Return a button of this panel."""
        return button(title, self.press(verb, *cards), style, emoji=emoji)

    def page(self, *parts: Element) -> ui.LayoutView:
        """Return a page in the game's colour."""
        return page(self.face.accent, *parts)

    def preview(self, move: Action) -> Preview:
        """Say what a legal move would do."""
        return preview(self.scene.view, self.seat, move)

    @property
    def heading(self) -> str:
        """The small line below a title: the table and how long the turn lasts."""
        due = self.table.due_ms[self.seat] if self.table.due_ms else None
        ends = f", ends {ago(due)}" if due is not None else ""
        return f"-# Table {self.table.table_id} · your move{ends}"

    # --- the hand ----------------------------------------------------------------------------

    def hand(self, told: Sequence[Event], note: str) -> ui.LayoutView:
        """Return the hand with what may be done now."""
        news = [note, *words.told(told, self.table, self.seat)]
        if self.table.phase == "over":
            return self.page(text("## 🃏 The party is over", *news, "The board has the result."))
        mine = self.public.turn == self.seat
        heading = self.heading if mine else f"-# Table {self.table.table_id} · {self._waiting()}"
        floor = self.public.floors[self.seat]
        state = text(
            *self._cards(self.own.hand),
            f"**Your floor: {floor.sheet.worth}**",
            words.floor(floor.laid, len(self.public.conga)),
        )
        parts: list[Element] = [text(f"## {self._title(mine=mine)}", heading)]
        if any(news):
            parts += [text(*news), line()]
        parts.append(state)
        if mine:
            parts += [line(), *self._choices()]
        return self.page(*parts)

    def _title(self, *, mine: bool) -> str:
        if mine and self.public.awaits == "conga":
            return "🚂 Conga Line!"
        if mine and self.public.awaits == "keep":
            return "🦶 Oops, sorry!"
        return "🃏 Your hand"

    def _waiting(self) -> str:
        return f"{seat_name(self.table, self.public.turn)} is dancing"

    def _cards(self, cards: Sequence[str]) -> list[str]:
        lines = []
        for card in dict.fromkeys(cards):
            held = cards.count(card)
            lines.append(f"{_times(held)}{words.signed(card)}: {words.about(card, held)}")
        return lines or ["*Your hand is empty.*"]

    def _choices(self) -> list[Element]:
        match self.public.awaits:
            case "keep":
                return self._keep()
            case "conga":
                return self._conga()
            case _:
                return self._first("")

    # --- a normal turn -----------------------------------------------------------------------

    def _first(self, picked: str) -> list[Element]:
        """Return the cards to begin with, and what needs no card."""
        hand = self.own.hand
        knobs = []
        for card in dict.fromkeys(hand):
            label = _times(hand.count(card)) + words.name(card)
            style = Style.primary if card == picked else Style.secondary
            knobs.append(self.button(label, "first", card, style=style, emoji=words.sign(card)))
        if picked:
            return [line(), text("-# Another card first?"), *rows(knobs, 2)]
        renew = any(isinstance(move, Renew) for move in self.scene.legal)
        hint = "-# To renew, pick the card you would lay face-down." if renew else ""
        ask = "**Which card goes first?**" if knobs else "**Your hand is empty: catch your breath.**"
        parts: list[Element] = [text(ask, hint if knobs else ""), *rows(knobs, 2)]
        for move in self.scene.legal:
            if isinstance(move, Replenish):
                drawn = f"Replenish: draw {HAND_SIZE - len(hand)}"
                parts += rows([self.button(drawn, "replenish", style=Style.success)])
            if isinstance(move, Pass):
                parts += rows([self.button("Pass", "pass", style=Style.success)])
        return parts

    def first(self, card: str) -> ui.LayoutView:
        """Return what can be done when *card* goes first."""
        if card not in self.own.hand or self.public.awaits != "turn":
            raise Refusal("stale")
        legal = self.scene.legal
        dances = [move for move in legal if isinstance(move, Dance) and move.cards[0] == card]
        alone = [move for move in dances if len(move.cards) == 1]
        renews = [move for move in legal if isinstance(move, Renew) and move.face_down == card]
        parts: list[Element] = []
        if FAMILY[card] == "toes":
            parts += self._victims()
        else:
            parts.append(text(f"## {words.sign(card)} {words.name(card)} first", self.heading))
        for move in alone:
            told = self.preview(move)
            parts.append(text(f"**{words.name(card)} alone:** {self._gain(told)}", self._risk(told)))
            label_ = "Start a Conga Line" if FAMILY[card] == "conga" else f"Dance {words.name(card)}"
            parts += rows([self.button(label_, "dance", card, style=Style.success)])
        if not alone and FAMILY[card] == "euphoria":
            parts.append(text("Your sequence has a Euphoria already: it cannot be danced before a break."))
        more = self._follow_ups([move for move in dances if len(move.cards) > 1])
        if more:
            parts.append(select("…or dance more with it", self.press(PICK, "more"), more))
        if renews:
            drops = [self._drop_option(move) for move in renews[:MAX_OPTIONS]]
            parts.append(select("…or renew and drop…", self.press(PICK, "drop"), drops))
        return self.page(*parts, *self._first(card))

    def _follow_ups(self, dances: Sequence[Dance]) -> list[discord.SelectOption]:
        """Return the longer dances, best first, one for each order that can make a difference."""
        distinct = {order_that_matters(move.cards): move for move in reversed(dances)}
        ranked = sorted(
            ((self.preview(move), move) for move in distinct.values()),
            key=lambda pair: (-pair[0].after, pair[0].fall_permille, [RANK[card] for card in pair[1].cards]),
        )
        return [
            option(
                words.names(move.cards),
                "plan",
                JOIN.join(move.cards),
                about=" · ".join(part for part in (self._gain(told), self._risk(told).lower()) if part),
                emoji=words.sign(move.cards[0]),
            )
            for told, move in ranked[:MAX_OPTIONS]
        ]

    def _drop_option(self, move: Renew) -> discord.SelectOption:
        what = words.names(move.drop) if move.drop else "Nothing, keep the rest"
        return option(what, "plan_renew", JOIN.join((move.face_down, *move.drop)))

    def _victims(self) -> list[Element]:
        """Return whose toes can be stepped on, the longest sequence first; each press acts at once."""
        targets = [move.victim for move in self.scene.legal if isinstance(move, StepOnToes)]
        targets.sort(key=lambda seat: -_running(self.public, seat))
        others = [seat for seat in range(self.public.players) if seat != self.seat and seat not in targets]
        resting = ", ".join(seat_name(self.table, seat) for seat in others)
        knobs = [
            self.button(
                f"{label(self.table.sittings[seat], 16)}: {_running(self.public, seat)} in a row",
                "toes",
                str(seat),
                style=Style.danger,
            )
            for seat in targets
        ]
        draws = "" if self.public.final else " and draw two"
        lines = [
            "## 🦶 Step on whose toes?",
            self.heading,
            f"They sit one out{draws}. You grab two of their cards and keep one." if targets else "",
            f"-# No toes to step on: {resting}" if resting else "",
        ]
        return [text(*lines), *rows(knobs, 1)]

    def plan(self, cards: tuple[str, ...]) -> ui.LayoutView:
        """Return the page that confirms a dance of several cards."""
        move = self._legal(Dance(cards))
        told = self.preview(move)
        floor = self.public.floors[self.seat].laid
        spins = cards.count("spin")
        returned = [card for card in cards if card != "spin"]
        fall = ""
        if spins:
            gone = "the Spin is" if spins == 1 else f"all {spins} Spins are"
            back = f", {words.names(returned)} comes back" if returned else ""
            fall = f"**{self._risk(told)}.** In a fall {gone} gone{back}, and you sit one out."
        finish = ", and 5 more if it stays your last card" if cards[-1] == "fever" else ""
        added = " ".join(CARD[card].short for card in cards)
        return self.page(
            text(f"## {words.sign(cards[0])} {words.names(cards)}", self.heading),
            text(
                f"**{self._gain(told)}**{finish}.",
                f"{words.floor(floor, len(self.public.conga), 400)} + `{added}`",
                fall,
                f"-# Then you {self._then(told, len(cards))}.",
            ),
            *rows([self.button("Dance!", "dance", *cards, style=Style.success), self.button("Choose again", "back")]),
        )

    def plan_renew(self, cards: tuple[str, ...]) -> ui.LayoutView:
        """Return the page that confirms a Renew: *cards* are the face-down one and those thrown away."""
        move = self._legal(Renew(cards[0], cards[1:]) if cards else None)
        told = self.preview(move)
        kept = list(self.own.hand)
        for card in cards:
            kept.remove(card)
        return self.page(
            text("## 🪑 Renew your hand", self.heading),
            text(
                f"**Face-down:** {words.name(cards[0])}. You sit one out; what you danced keeps its points.",
                f"**Thrown away:** {words.names(cards[1:]) or 'nothing'}",
                f"**Kept:** {words.names(kept) or 'nothing'}",
                f"**Drawn:** {told.draws} card{'' if told.draws == 1 else 's'}",
            ),
            *rows([self.button("Renew", "renew", *cards, style=Style.success), self.button("Choose again", "back")]),
        )

    # --- Conga Line and grabbed cards ----------------------------------------------------------

    def _conga(self) -> list[Element]:
        line_up = ", ".join(seat_name(self.table, seat) for seat in self.public.conga)
        worth = len(self.public.conga)
        draw = "" if self.public.final else ", you draw 1"
        follows = any(isinstance(move, Follow) for move in self.scene.legal)
        follow = (
            f"**Follow:** worth {worth + 1} each{draw}." if follows else "You hold no Conga Line card to follow with."
        )
        cards = [move.card for move in self.scene.legal if isinstance(move, SitOut)]
        parts: list[Element] = [
            text(
                f"In it: {line_up}. And you?",
                follow,
                f"**Sit out:** it ends at {worth} each, you draw nothing and then take a normal turn.",
            )
        ]
        if follows:
            parts += rows([self.button("Follow the line", "follow", style=Style.success, emoji="🚂")])
        options = [option(words.name(card), "plan_sit", card, emoji=words.sign(card)) for card in cards]
        parts.append(select("…or sit out, laying…", self.press(PICK, "sit"), options))
        return parts

    def plan_sit(self, card: str) -> ui.LayoutView:
        """Return the page that confirms sitting out of a Conga Line."""
        self._legal(SitOut(card))
        worth = len(self.public.conga)
        return self.page(
            text("## 🪑 Sit this one out", self.heading),
            text(
                f"**Face-down:** {words.name(card)}. What you danced keeps its points.",
                f"**The Conga Line** ends at {worth} each.",
                "You draw nothing, then take a normal turn.",
            ),
            *rows([self.button("Sit out", "sit", card, style=Style.success), self.button("Choose again", "back")]),
        )

    def _keep(self) -> list[Element]:
        grabbed = self.own.grabbed
        return [
            text(
                "**You grabbed two. Which do you keep?**", *self._cards(grabbed), "-# The other goes on the discards."
            ),
            *rows(
                self.button(f"Keep {words.name(card)}", "keep", card, style=Style.success, emoji=words.sign(card))
                for card in grabbed
            ),
        ]

    # --- small words ---------------------------------------------------------------------------

    def _legal(self, move: Any) -> Any:
        if move not in self.scene.legal:
            raise Refusal("stale")
        return move

    def _gain(self, told: Preview) -> str:
        return f"{told.before} → {told.after} ({told.after - told.before:+d})"

    def _risk(self, told: Preview) -> str:
        return f"Fall risk {percent(told.fall_permille)}" if told.fall_permille else ""

    def _then(self, told: Preview, played: int) -> str:
        left = len(self.own.hand) - played + told.draws
        drawn = f"draw {told.draws} and " if told.draws else ""
        return f"{drawn}hold {left} card{'' if left == 1 else 's'}"


def percent(permille: int) -> str:
    """Return a risk in whole per cent; what is possible is never 0%, what is not certain never 100%."""
    if permille in (0, CERTAIN):
        return f"{permille // 10}%"
    return f"{min(99, max(1, (permille + 5) // 10))}%"


def order_that_matters(cards: tuple[str, ...]) -> tuple[str, ...]:
    """
    Return what two orders of the same cards must share to be the same dance.

    Floorwork scores wherever it lies. Of Basic moves only one before a Dance Fever, or the last one
    (a Fever may follow next turn), needs its place; letters, Spins and extras always do.
    """

    def place(at: int) -> str:
        card = cards[at]
        if FAMILY[card] == "floorwork":
            return "floorwork"
        stands = at == len(cards) - 1 or cards[at + 1] == "fever"
        return "basic" if FAMILY[card] == "basic" and not stands else card

    return (*(place(at) for at in range(len(cards))), *sorted(cards))


def _running(public: Public, seat: int) -> int:
    """Return the length of the sequence that *seat* is dancing now."""
    length = 0
    for laid in reversed(public.floors[seat].laid):
        if laid.down:
            break
        length += 1
    return length


def _times(held: int) -> str:
    """Return how often a card is held, as the beginning of its line or label; nothing when once."""
    return f"{held}× " if held > 1 else ""
