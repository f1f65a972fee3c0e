"""People with a crew in Breakdancing Meeples, who press what their panel shows them."""

from __future__ import annotations

import random
import re
from collections.abc import Awaitable, Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import msgspec
import pytest
import simcord.http.router

from cogs.breakdancing_meeples.panel import JOIN, WARN, press_of
from rules.breakdancing_meeples import GAME, HOUSE_DECK, Action, Card, Rally, Remix, Routine, State
from rules.breakdancing_meeples import Crew as Lying
from rules.core.rng import Rng
from rules.core.table import Record
from tests.cogs.players import nothing
from tests.cogs.staging import Pressed, plant, press_id, rewrite, sitting
from tests.cogs.world import World, knobs, selects, words

BEAT_S = 1.6
"""Between two rolls: a little more than the shortest pause."""
COUNT_IN_S = 4
MINUTE_S = 60
GRACE_S = 1.5
PLACING_S = 30
PICK_S = 30
REFUSED = "✋"

FF_ANY, SSH_ANY = HOUSE_DECK.starters
PAIR = next(card for card in HOUSE_DECK.remix if card.kind == "matching_pair")
RALLIES = [card for card in HOUSE_DECK.remix if card.kind == "rally"]
ROUTINES = [card for card in HOUSE_DECK.remix if card.kind == "routine"]

replace = msgspec.structs.replace


async def public(here: World, table_id: int = 1) -> Any:
    """Return what everybody may know of the game."""
    return (await here.bot.tables.glance(table_id)).seen_by(None).view.public


def now_ms(here: World) -> int:
    """Return the time in that world, UTC ms."""
    return round(here.env.now().timestamp() * 1000)


async def until(here: World, moment_ms: int) -> None:
    """Let time pass until a moment, UTC ms."""
    await here.env.advance_time(max(0.0, (moment_ms - now_ms(here)) / 1000))


def ids(message: Any, verb: str) -> list[str]:
    """Return the ids of the buttons with this verb that can be pressed."""
    return [knob["custom_id"] for knob in knobs(message) if f":{verb}:" in knob["custom_id"]]


def all_messages(here: World) -> int:
    """Return how many messages stand in the channel, private ones included."""
    return len(here.env.backend.messages[here.channel.id])


async def crew_of(here: World, who: int, table_id: int = 1) -> Any:
    """Return what lies in front of somebody's crew."""
    scene = (await here.bot.tables.glance(table_id)).seen_by(here.people[who].id)
    return scene.view.own.crew


async def inputs(here: World, table_id: int = 1) -> int:
    """Return how many inputs a table has taken."""
    return len(await here.bot.store.log(table_id))


def forged(action: Action, table_id: int = 1) -> str:
    """Return the id of a button that does *action*, on some old panel."""
    verb, arg = press_of(action)
    return f"d:breakdancing_meeples:{table_id}:1:{verb}:{arg}"


async def press_old(here: World, who: int, custom_id: str) -> Any:
    """Press a button on a private panel that has long been forgotten; its answer takes its place and adds none."""
    panel = plant(here, [custom_id], private=True)
    count = all_messages(here)
    answer = await press_id(here, who, panel, custom_id)
    assert panel.id == answer.id, words(answer)
    assert count == all_messages(here)
    return answer


async def alter(here: World, change: Callable[[State], State], **fields: Any) -> None:
    """Have the running game go on from a state of our own, as if it had come to this, and restart."""

    def changed(record: Record) -> Record:
        state = change(record.state)
        versions = tuple(version + 1 for version in record.table.versions)
        due = {"to_act": tuple(sorted(GAME.to_act(state))), "deadlines": dict(GAME.deadlines(state))}
        return Record(msgspec.structs.replace(record.table, versions=versions, **due, **fields), state, record.recent)

    await rewrite(here, changed)
    await here.env.advance_time(0.1)


class Request(NamedTuple):
    """One request of the bot: when it was made, and what it was."""

    at_ms: int
    method: str
    path: str
    json: Any


def listen(here: World, monkeypatch: pytest.MonkeyPatch) -> list[Request]:
    """Return a list to which every further request of the bot is added."""
    dispatch = simcord.http.router.dispatch
    heard: list[Request] = []

    def noted(backend: Any, method: str, path: str, **options: Any) -> Any:
        heard.append(Request(now_ms(here), method, path, options.get("json")))
        return dispatch(backend, method, path, **options)

    monkeypatch.setattr(simcord.http.router, "dispatch", noted)
    return heard


def edits(heard: list[Request], message_id: int) -> list[Request]:
    """Return the edits of one public message."""
    return [each for each in heard if each.method == "PATCH" and each.path.endswith(f"/messages/{message_id}")]


def gaps(moments: Sequence[int]) -> list[int]:
    """Return what lies between each moment and the next."""
    return [later - earlier for earlier, later in pairwise(moments)]


def status(panel: Any) -> str:
    """Return what the panel says about the last press: its refusal, or what came of it."""
    return " ".join(line.removeprefix("-# ") for line in words(panel).splitlines() if line.startswith("-# "))


class Crew:
    """
    One person and their open panel.

    Attributes:
        panel: the panel; it shows what Discord shows, also after the bot edited it.
        refused: what was refused, in order.
        most: presses that the longest pick took.
    """

    def __init__(self, here: World, who: int, table_id: int = 1) -> None:
        self.here = here
        self.who = who
        self.table_id = table_id
        self.panel: Any = None
        self.refused: list[str] = []
        self.presses = 0
        self.lost = False  # whether the bot has forgotten the panel since, and edits it no more
        self.between: Callable[[], Awaitable[None]] = nothing

    async def open(self) -> Any:
        """Open the panel by the door under the board."""
        self.panel = await self.here.hand(self.who, self.table_id)
        self.lost = False
        return self.panel

    async def press(self, custom_id: str) -> Any:
        """Press a button of the panel; the answer takes the panel's place."""
        await self.between()
        return self.heard((await self.here.people[self.who].click(self.panel.message, custom_id=custom_id)).response)

    async def choose(self, value: str) -> Any:
        """Choose a value of the panel's select."""
        await self.between()
        menu = next(menu for menu in selects(self.panel) if value in [each["value"] for each in menu["options"]])
        return self.heard((await self.here.choose(self.who, self.panel, menu, value)).response)

    def heard(self, answer: Any) -> Any:
        """Note an answer: it is the panel itself, never a message of its own."""
        assert answer is not None, "no answer"
        assert answer.id == self.panel.id, words(answer)
        self.presses += 1
        self.lost = False
        if REFUSED in words(answer):
            self.refused.append(status(answer))
        return answer

    async def try_press(self, verb: str, *, last: bool = False) -> bool:
        """Press the first button with this verb if there is one that can be pressed."""
        found = ids(self.panel, verb)
        if found:
            await self.press(found[-1 if last else 0])
        return bool(found)

    async def beat(self, dice: random.Random) -> None:
        """Do what a good dancer would, or anything else that the panel offers, until that is a roll."""
        for _ in range(4):
            wish = await self.wish(dice)
            verb, arg = press_of(wish) if wish is not None else ("roll", "")
            offered = [knob["custom_id"] for knob in knobs(self.panel) if ":pick:" not in knob["custom_id"]]
            trades = [each["value"] for menu in selects(self.panel) for each in menu["options"] if ":" in each["value"]]
            if dice.random() < 0.1 and offered + trades:
                chosen = dice.choice(offered + trades)
            else:
                ends = (f":{verb}:{arg}", f":{WARN}:{verb}{JOIN}{arg}")
                chosen = next((each for each in offered + trades if f":{each}".endswith(ends)), "")
            if chosen:
                await (self.choose(chosen) if chosen in trades else self.press(chosen))
            if not chosen or ":roll:" in chosen:
                break

    async def wish(self, dice: random.Random) -> Action | None:
        """Return what a good dancer would do here, from what this person sees."""
        scene = (await self.here.bot.tables.glance(self.table_id)).seen_by(self.here.people[self.who].id)
        moves = list(scene.legal)
        wish: Action | None = (
            GAME.computers["sharp"](scene.view, moves, Rng(dice.randbytes(16), "crew")) if moves else None
        )
        return wish

    async def pick(self, dice: random.Random) -> int:
        """Make a pick from the panel, with its second press if it needs one; return how many presses it took."""
        values = [each["value"] for menu in selects(self.panel) for each in menu["options"]]
        skip = ids(self.panel, "skip")
        if not (values or skip or ids(self.panel, "return")):
            return 0
        if values and dice.random() < 0.9:
            await self.choose(dice.choice(values))
        elif skip:
            await self.press(skip[0])
            return 1
        for presses, verb in enumerate(("return", "attach"), 1):
            found = ids(self.panel, verb)
            if found:
                await self.press(dice.choice(found))
                return 1 + (presses > 0)
        return 1


class Dancers:
    """
    The people at one table, through a whole game.

    Args:
        here: the server; the table is open and started.
        people: indexes of those who have a crew.
        dice: chooses among what panels offer.
        beats: so many of the minute's beats are danced; the rest is waited for.
    """

    def __init__(self, here: World, people: list[int], dice: random.Random, beats: int = 30) -> None:
        self.here = here
        self.crews = [Crew(here, who) for who in people]
        self.dice = dice
        self.beats = beats
        self.picks: list[int] = []
        self.seen: set[str] = set()

    @property
    def refused(self) -> list[str]:
        """Everything that was refused in a panel."""
        return [line for crew in self.crews for line in crew.refused]

    async def ready(self) -> None:
        """All press Ready: on the board, which opens their panel, or in the panel they have."""
        for crew in self.crews:
            if crew.panel is None:
                crew.panel = (await self.here.press(crew.who, self.here.board(), "Ready")).response
                assert REFUSED not in words(crew.panel), words(crew.panel)
            elif not (await crew_of(self.here, crew.who)).ready:
                if not ids(crew.panel, "ready"):
                    await crew.open()
                await crew.try_press("ready")

    async def minute(self) -> None:
        """Dance until the bell has rung."""
        await until(self.here, (await public(self.here)).starts_ms)
        ends_ms = (await public(self.here)).ends_ms
        for _ in range(self.beats):
            if now_ms(self.here) > ends_ms:
                break
            for crew in self.crews:
                await crew.beat(self.dice)
            await self.here.env.advance_time(BEAT_S)
        await until(self.here, ends_ms + 2_000)

    async def place(self) -> None:
        """Place what lies, then be done, or let the time run out."""
        for crew in self.crews:
            if (await public(self.here)).phase != "placing":
                return
            await crew.try_press("fill", last=True)
            await crew.try_press("done")

    async def remix(self) -> None:
        """Pick when it is one's turn."""
        while (await public(self.here)).phase == "remix":
            before = len(self.picks)
            for crew in self.crews:
                if crew.lost:
                    await crew.open()
                presses = await crew.pick(self.dice)
                self.picks += [presses] * bool(presses)
            if len(self.picks) == before:
                await self.here.env.advance_time(2)

    async def game(self) -> None:
        """Play to the end, noting each heading that the board had."""
        while (await self.here.bot.tables.glance(1)).table.phase == "playing":
            self.note()
            match (await public(self.here)).phase:
                case "ready":
                    await self.ready()
                    await self.here.env.advance_time(
                        0.1 if all(c.ready for c in (await public(self.here)).crews) else 2
                    )
                case "count" | "dance":
                    await self.minute()
                case "placing":
                    await self.here.env.advance_time(3)
                    self.note()
                    await self.place()
                    await self.here.env.advance_time(PLACING_S if self.dice.random() < 0.3 else 1)
                case "remix":
                    await self.here.env.advance_time(3)
                    self.note()
                    await self.remix()
        await self.here.env.advance_time(4)

    def note(self) -> None:
        """Remember the heading of the board."""
        self.seen |= set(re.findall(r"(?m)^##+ (\S+)", words(self.here.board())))


# --- at the table ---------------------------------------------------------------------------------


async def opened(here: World, people: int = 2, **options: Any) -> list[Crew]:
    """Open a table, have people join, start, and return their crews by seat; the panels are open."""
    await here.open("meeples new", **options)
    await here.start(people)
    await here.env.advance_time(2)
    crews = [Crew(here, who) for who in await sitting(here) if who >= 0]
    for crew in crews:
        await crew.open()
    return crews


async def counted_in(here: World, people: int = 2, **options: Any) -> list[Crew]:
    """Have all of them ready, and computers too."""
    crews = await opened(here, people, **options)
    for crew in crews:
        await crew.try_press("ready")
    await here.env.advance_time(2.1 if options.get("computer_players") else 0.1)
    assert "count" == (await public(here)).phase
    return crews


async def dancing(here: World, people: int = 2, **options: Any) -> list[Crew]:
    """Have the Dance Off begun."""
    crews = await counted_in(here, people, **options)
    await until(here, (await public(here)).starts_ms)
    assert "dance" == (await public(here)).phase
    return crews


def fresh(card: Card, *rallies: Card, cubes: int = 0) -> Routine:
    """Return a Routine with Rallies beneath it."""
    return Routine(card, ("",) * len(card.slots), cubes, tuple(Rally(each, at) for at, each in enumerate(rallies, 1)))


def lying(crew: Lying, back: int = 0, feet: int = 0, side: int = 0, head: int = 0) -> Lying:
    """Return a crew that has just rolled this."""
    rolled = (back, feet, side, head)
    locked = sum(bool(there) for one in crew.routines for there in one.locked)
    return replace(
        crew, lying=rolled, last_roll=rolled, unrolled=6 - locked - sum(rolled), rolls=crew.rolls + 1, round_rolls=1
    )


def for_all(change: Callable[[Lying], Lying]) -> Callable[[State], State]:
    """Return what changes every crew."""
    return lambda state: replace(state, crews=tuple(map(change, state.crews)))


async def belled(here: World, change: Callable[[Lying], Lying], people: int = 2) -> list[Crew]:
    """Have the bell rung over crews that lie as *change* leaves them."""
    crews = await dancing(here, people)
    await alter(here, for_all(change))
    await until(here, (await public(here)).ends_ms + 2_000)
    return crews


def remixing(
    row: tuple[Routine | None, ...], groups: tuple[tuple[int, ...], ...], closes_ms: int, totals: tuple[int, ...] = ()
) -> Callable[[State], State]:
    """Return what puts a state into the first Remix."""

    def change(state: State) -> State:
        crews = tuple(
            replace(crew, total=(totals or (9,) * 9)[seat], scores=((totals or (9,) * 9)[seat],), completed=())
            for seat, crew in enumerate(state.crews)
        )
        remix = Remix(number=1, row=row, groups=groups, group=0, waiting=groups[0])
        return replace(state, crews=crews, phase="remix", remix=remix, closes_ms=closes_ms)

    return change


async def picking(
    here: World, row: tuple[Routine | None, ...], groups: tuple[tuple[int, ...], ...], people: int = 2, **more: Any
) -> list[Crew]:
    """Have a Remix under way."""
    crews = await opened(here, people)
    given: Callable[[Lying], Lying] = more.pop("crew", lambda crew: crew)
    closes_ms = now_ms(here) + PICK_S * 1_000
    await alter(here, lambda state: remixing(row, groups, closes_ms, **more)(for_all(given)(state)))
    await here.env.advance_time(3)
    for crew in crews:
        await crew.open()
    return crews


def three(crew: Lying) -> Lying:
    """Give a crew its third Routine."""
    return replace(crew, routines=(*crew.routines, fresh(ROUTINES[0])))


async def emit(here: World, *presses: Pressed) -> list[Any]:
    """Deliver presses together, before any is answered, and return the answers."""
    for each in presses:
        each.emit()
    await here.env.settle(idle=0.001)
    return [each.response for each in presses]


async def emit_one(here: World, pressed: Pressed) -> Any:
    """Deliver one press that was made earlier."""
    (answer,) = await emit(here, pressed)
    return answer


ROW = (fresh(ROUTINES[1]), fresh(RALLIES[0]), fresh(PAIR))
"""Cards on offer: a Routine, a Rally, a Matching Pair."""


def offer(crew: Crew, verb: str) -> str:
    """Return the first value of a select that stands for *verb*."""
    values = [each["value"] for menu in selects(crew.panel) for each in menu["options"]]
    return next(value for value in values if value.startswith(f"{verb}:"))
