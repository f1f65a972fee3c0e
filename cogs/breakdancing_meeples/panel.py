"""
The private panel of a crew. During the minute every press acts, and its answer is the panel anew.

Each button has its place whatever happens, and is off where it would be useless; Roll is the last one
on the left, since a chat grows upwards and the thumb stays. One line says what the last press did, also
why it did nothing: a message of its own would push the panel away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from discord import ui

from cogs.breakdancing_meeples import words
from cogs.ui.face import Face
from cogs.ui.ids import PICK, Press, to_number
from cogs.ui.layout import (
    MAX_LABEL,
    MAX_OPTIONS,
    Element,
    Knob,
    Style,
    ago,
    button,
    line,
    option,
    page,
    rows,
    select,
    text,
)
from rules.breakdancing_meeples import (
    DANCE_OFFS,
    DANCING,
    Action,
    Attach,
    Buy,
    Card,
    Done,
    Fill,
    Force,
    Own,
    Place,
    Public,
    Ready,
    Remix,
    Return,
    Roll,
    Skip,
    Swap,
    Take,
    after,
    locks_out,
)
from rules.core.contract import Event, Refusal
from rules.core.tables import Scene

JOIN = "."
ALL = "-"
WARN = "warn"
MORE = "more"

KINDS: Mapping[str, type[Any]] = {
    kind.__name__.lower(): kind
    for kind in (Ready, Force, Roll, Place, Fill, Swap, Done, Take, Buy, Return, Attach, Skip)
}
"""Kinds of action by the verb of their buttons."""


def press_of(action: Action) -> tuple[str, str]:
    """Return verb and arg of the button that does *action*."""
    fields = msgspec.structs.astuple(action)
    return type(action).__name__.lower(), JOIN.join(ALL if field is None else str(field) for field in fields)


def action(press: Press) -> Action | None:
    """
    Return the move that a press makes, `None` when it only chooses or shows.

    Raises:
        Refusal: `old_button`, it says something that no button of ours says.
    """
    kind = KINDS.get(press.verb)
    if kind is None:
        return None
    try:
        given = [_field(part) for part in press.arg.split(JOIN)]
        made: Action = msgspec.convert(dict(zip(kind.__struct_fields__, given, strict=True)), kind)
    except (ValueError, msgspec.ValidationError):
        raise Refusal("old_button") from None
    return made


def _field(part: str) -> int | str | None:
    if part == ALL:
        return None
    return to_number(part) if part.isdigit() else part


class Panel:
    """Makes the pages of one crew's panel at one moment."""

    def __init__(self, face: Face, scene: Scene) -> None:
        if scene.seat is None or scene.view is None or scene.view.own is None:
            raise Refusal("not_seated")
        self.face = face
        self.scene = scene
        self.table = scene.table
        self.seat: int = scene.seat
        self.public: Public = scene.view.public
        self.own: Own = scene.view.own
        self.crew = self.own.crew
        self.legal = frozenset(scene.legal)
        self.sure: Action | None = None  # was warned of already
        self.first = 0  # of the exchanges on offer, where there are more than a select holds

    def button(self, title: str, act: Action, style: Style = Style.secondary, emoji: str = "") -> Knob:
        """Return the button of an action: off while it is not possible, asking first where it would cost the minute."""
        verb, arg = press_of(act)
        possible = act in self.legal
        if possible and act != self.sure and self._stuck(act):
            verb, arg = WARN, f"{verb}{JOIN}{arg}"
        return button(title, self._press(verb, arg), style, emoji=emoji, off=not possible)

    def _press(self, verb: str, arg: str) -> Press:
        return Press(self.face.key, verb, self.table.table_id, self.table.versions[self.seat], arg)

    def _stuck(self, act: Action) -> bool:
        return self.public.phase == "dance" and isinstance(act, Place | Fill | Swap) and locks_out(self.crew, act)

    def hand(self, told: Sequence[Event], note: str) -> ui.LayoutView:
        """Return the panel as it is now."""
        status = note or words.told(told, self.seat)
        match "over" if self.table.phase == "over" else self.public.phase:
            case "ready":
                parts = self._ready(status)
            case "count" | "dance":
                parts = self._dance(status)
            case "placing":
                parts = self._placing(status)
            case "remix":
                parts = self._remix(status)
            case _:
                parts = [text(f"## {self._name()}", status, "The dance is over. The board has the result.")]
        return page(self.face.accent, *parts)

    def warning(self, press: Press) -> ui.LayoutView:
        """Return the panel on which a placing that would lock the last free dancer can be pressed again."""
        verb, _, arg = press.arg.partition(JOIN)
        self.sure = action(msgspec.structs.replace(press, verb=verb, arg=arg))
        if self.sure not in self.legal:
            raise Refusal("stale")
        return self.hand(
            (), "❗ That locks your last dancer with nothing completed: no more rolls. Press again to do it."
        )

    def further(self, press: Press) -> ui.LayoutView:
        """Return the panel with the exchanges from another one on."""
        self.first = to_number(press.arg)
        return self.hand((), "")

    def _name(self) -> str:
        return f"{words.SIGNS[self.seat]} Crew {words.CREWS[self.seat]}"

    # --- between Dance Offs ----------------------------------------------------------------------

    def _ready(self, status: str) -> list[Element]:
        public = self.public
        off = public.dance_off
        ask = (
            "The board shows who is still to come. Keep this panel open: you roll here."
            if self.crew.ready
            else "Press **Ready**, then keep this panel open: you roll here."
        )
        knobs = [self.button("Ready", Ready(off), Style.success)]
        if self.table.host_id == self.table.sittings[self.seat].user_id:
            knobs.append(self.button("Start without the rest", Force(off), Style.danger))
        return [
            text(
                f"## {self._name()}",
                f"-# Table {self.table.table_id} · Dance Off {off} of {DANCE_OFFS} · Crowd Appeal {self.crew.total}",
            ),
            *self._cards(),
            text(f"-# {status}" if status else "", ask),
            *rows(knobs),
        ]

    def _cards(self) -> list[Element]:
        """Return the crew's cards with all they say, to be read in peace, without the last dancers and cubes."""
        return [
            text(
                f"**{one.card.name}**",
                words.printed(one.card),
                *(
                    told
                    for rally in one.rallies
                    for told in (f"🎁 `{words.squares(rally.card, 0)}` {rally.card.name}", f"-# {rally.card.text}")
                ),
            )
            for one in self.crew.routines
        ]

    # --- the minute --------------------------------------------------------------------------------

    def _dance(self, status: str) -> list[Element]:
        public = self.public
        bell = ago(public.ends_ms)
        when = f"🔔 Bell {bell}" if public.phase == "dance" else f"**5, 6, 7, 8!** Dance {ago(public.starts_ms)}"
        last = " ".join(part for part in (status or self._last_roll(), self._finished()) if part)
        return [
            text(f"## {self._name()}", f"-# {when} · cubes left {self.crew.cubes}"),
            *self._floor(),
            text(f"-# {last}"),
            *rows(
                [
                    self.button("Roll free dancers", Roll(self.crew.rolls), Style.primary, emoji="🎲"),
                    self.button("Fill all", self._fill(None), Style.success),
                ]
            ),
        ]

    def _last_roll(self) -> str:
        return words.lying(self.crew.last_roll) if self.crew.round_rolls else "Roll as soon as it starts."

    def _finished(self) -> str:
        """Say when there is nothing left to do before the bell."""
        if not self.crew.cubes:
            return "All six cubes are out: watch the others until the bell."
        return "" if self.crew.free else "🔒 All your dancers are locked: watch the others until the bell."

    def _placing(self, status: str) -> list[Element]:
        public = self.public
        off = public.dance_off
        ask = (
            "You are done: the others are still placing."
            if self.crew.done
            else "No more rolls. Place what lies, then **Done**."
        )
        return [
            text(
                f"## {self._name()}",
                f"-# 🔔 Time's up · scored {ago(public.closes_ms)} · cubes left {self.crew.cubes}",
            ),
            *self._floor(),
            text(f"-# {status}" if status else "", ask),
            *rows(
                [
                    button("Bell!", self._press("bell", ""), Style.primary, emoji="🔔", off=True),
                    self.button("Fill all", self._fill(None), Style.success),
                    self.button("Done", Done(off), Style.success),
                ]
            ),
        ]

    def _floor(self) -> list[Element]:
        """Return the dancers, and each Routine with its buttons."""
        crew = self.crew
        locked = sum(bool(there) for one in crew.routines for there in one.locked)
        counts = " · ".join(
            f"{words.STANCE_SIGN[stance]} {words.STANCE[stance]} {crew.count(stance)}" for stance in DANCING
        )
        rest = [f"💤 Back {crew.count('back')}, lazy", f"🔒 on cards {locked}"]
        if crew.unrolled:
            rest.append(f"to be rolled {crew.unrolled}")
        parts: list[Element] = [text(f"### {counts}", " · ".join(rest))]
        for index, one in enumerate(crew.routines):
            if one.card.kind == "matching_pair":
                continue
            parts.append(text(f"**{one.card.name}**", words.routine(one), *words.rallies(one)))
            parts += rows(
                [
                    *(self.button(words.STANCE[stance], self._place(index, stance)) for stance in DANCING),
                    self.button("Fill", self._fill(index)),
                ]
            )
        return parts + self._trade()

    def _place(self, index: int, stance: str) -> Place:
        return Place(index, stance, self.crew.rolls, self.crew.count(stance))

    def _fill(self, index: int | None) -> Fill:
        return Fill(index, self.crew.rolls, self.crew.dancing)

    def _trade(self) -> list[Element]:
        """Return the exchange by Matching Pair, with those first that complete a Routine and spare a good dancer."""
        pair = next((one for one in self.crew.routines if one.card.kind == "matching_pair"), None)
        if pair is None:
            return []
        swaps = sorted((act for act in self.legal if isinstance(act, Swap)), key=self._worth)
        title = text(f"**{pair.card.name}**: swap two alike for any dancer")
        if not swaps:
            return [title, select("No pair to trade now", self._press(PICK, "swap"), ())]
        options = []
        several = len(swaps) > MAX_OPTIONS
        first = self.first if self.first < len(swaps) else 0
        for act in swaps[first : first + MAX_OPTIONS - several]:
            verb, arg = press_of(act)
            goes = self.crew.routines[act.routine].card.name
            done = "completes it, " if self._completes(act) else ""
            stuck = self._stuck(act) and act != self.sure
            options.append(
                option(
                    f"{words.STANCE[act.stance]} on {goes}",
                    WARN if stuck else verb,
                    f"{verb}{JOIN}{arg}" if stuck else arg,
                    about=f"{done}two {words.STANCE[act.pair]} spent, the dancer lay on {words.STANCE[act.third]}",
                )
            )
        if several:
            following = first + len(options) if first + len(options) < len(swaps) else 0
            options.append(option("More…" if following else "Back to the first…", MORE, str(following)))
        return [title, select("Trade a pair…", self._press(PICK, "swap"), options)]

    def _completes(self, act: Swap) -> bool:
        return len(after(self.crew, act).completed) > len(self.crew.completed)

    def _worth(self, act: Swap) -> tuple[Any, ...]:
        lazy_first = ("back", *DANCING).index(act.third)
        return (not self._completes(act), lazy_first, act.routine, DANCING.index(act.stance), DANCING.index(act.pair))

    # --- the Remix -----------------------------------------------------------------------------------

    def _remix(self, status: str) -> list[Element]:
        remix = self.public.remix
        if remix is None:
            raise Refusal("stale")
        head = text(
            f"## {self._name()}",
            f"-# 💿 Remix {remix.number} · Crowd Appeal {self.crew.total}" + self._until(),
            f"-# {status}" if status else "",
        )
        pending = remix.pending_of(self.seat)
        if pending is not None:
            second = self._return(remix.number) if pending.rally is None else self._attach(remix, pending.rally)
            return [head, *second]
        if not self.own.picking:
            later = any(self.seat in group for group in remix.groups[remix.group + 1 :])
            turn = "Your turn comes." if later else "You have had yours."
            return [head, *self._cards(), line(), text(f"👉 The board shows who picks now. {turn}")]
        return [head, *self._cards(), line(), *self._offers(remix)]

    def _until(self) -> str:
        return f" · time ends {ago(self.public.closes_ms)}" if self.own.picking else ""

    def _offers(self, remix: Remix) -> list[Element]:
        options = []
        for place, one in enumerate(remix.row):
            if one is None:
                continue
            rally = one.card.kind == "rally"
            act: Action = (Buy if rally else Take)(remix.number, place)
            if act not in self.legal:
                continue
            verb, arg = press_of(act)
            price = f", a Rally for {one.card.cost}" if rally else ""
            options.append(
                option(f"{one.card.name}{price}", verb, arg, about=words.about(one), emoji="🎁" if rally else "")
            )
        tied = "-# Others pick at the same time: the first press gets the card."
        several = len(remix.waiting) > 1
        rallies = [
            f"-# 🎁 {one.card.name}: {one.card.text}"
            for one in remix.row
            if one is not None and one.card.kind == "rally"
        ]
        parts: list[Element] = [text("### 👉 Your pick: one card, or none", tied if several else "", *rallies)]
        if options:
            parts.append(select("Take a card…", self._press(PICK, "pick"), options))
        return [*parts, *rows([self.button("Take nothing", Skip(remix.number))])]

    def _return(self, number: int) -> list[Element]:
        *old, new = range(len(self.crew.routines))
        knobs = [*(self._return_button(number, index) for index in old), self._return_button(number, new, "Not ")]
        rallied = any(one.rallies for one in self.crew.routines)
        paid = "-# A Rally goes along with its Routine, and nothing is paid back." if rallied else ""
        return [
            *self._cards(),
            line(),
            text("### Three is the limit: which Routine goes back?", paid),
            *rows(knobs, 1),
        ]

    def _return_button(self, number: int, index: int, before: str = "") -> Knob:
        one = self.crew.routines[index]
        after_ = " + its Rally" if one.rallies else ""
        name = words.short(one.card.name, MAX_LABEL - len(before) - len(after_))
        return self.button(f"{before}{name}{after_}", Return(number, index), Style.danger)

    def _attach(self, remix: Remix, card: Card) -> list[Element]:
        knobs = [
            self.button(f"Beneath {words.short(one.card.name)}", Attach(remix.number, index), Style.success)
            for index, one in enumerate(self.crew.routines)
            if one.card.kind == "routine"
        ]
        return [
            *self._cards(),
            line(),
            text(
                f"### 🎁 {card.name}, for {card.cost}: beneath which Routine?",
                f"-# {card.text} `{words.squares(card, 0)}`",
                "It stays there for the rest of the game.",
            ),
            *rows([*knobs, self.button("Take nothing", Skip(remix.number))], 1),
        ]
