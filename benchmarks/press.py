"""
Measure how long a press takes, from the payload that Discord sends to the request that answers it.

People play at 64 tables of Let's Dance, two at each, pressing what they see: they open their hand, look at cards, and
move, which is saved before it is answered. Beside it stands a bare discord.py bot: it is sent the same payloads and
answers each with the layout that the pressed message has already, made beforehand. Both run on simcord, an
in-process stand-in for Discord, so no network is in the figures; each gets its share of the time in turns.

*One at a time*: the next press comes when everything the last one led to has been done. *64 at once*: all payloads
are handed over before the first is looked at, so most of the time is waiting for the others. Goal: the p50 is at
most 4 times that of the bare bot.

*A press that is saved* waits for the disk: its commit is synced, which the bare bot never does.
"""

from __future__ import annotations

import asyncio
import gc
import random
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter_ns
from typing import Any

import discord
import msgspec
import simcord
from discord import ui
from simcord.backend import serializers
from simcord.types import HttpLogEntry

from benchmarks.report import Line, Result, percentile, span
from tests.cogs.players import ACTS
from tests.cogs.staging import LAYOUT_FLAG, Pressed
from tests.cogs.world import World, knobs, selects, world

TABLES = 64
ROUNDS = 12
WARM_UP = 2
MOST_TIMES = 4
COMMAND = "letsdance new"
HAND = "My hand"
EPHEMERAL_FLAG = 1 << 6
PAUSE_S = 2.0
MOST_S = 30


class Stamps(list[HttpLogEntry]):
    """
    The requests of a bot: kept is only when each press was answered, by the id of its interaction.

    Args:
        wanted: how many answers to wait for.
    """

    def __init__(self, wanted: int) -> None:
        super().__init__()
        self.at_ns: dict[int, int] = {}
        self.all = asyncio.Event()
        self._wanted = wanted

    def append(self, entry: HttpLogEntry) -> None:
        """Note the time."""
        _, kind, number, *_ = [*entry.path.split("/"), "", ""]
        if kind == "interactions":
            self.at_ns.setdefault(int(number), perf_counter_ns())
            if len(self.at_ns) == self._wanted:
                self.all.set()


class Press(msgspec.Struct, frozen=True):
    """What is pressed: by whom, on which message, which knob, with which choice."""

    who: int
    message: Any
    custom_id: str
    values: Sequence[str] = ()


class Timed(msgspec.Struct, frozen=True):
    """One press that was answered: how long it took, how many were sent at once, and whether it was saved."""

    took_ns: int
    at_once: int
    saved: bool = False


class Player:
    """
    Whoever is to act at one table.

    Args:
        here: the server.
        table_id: the table.
        dice: all chance.
    """

    def __init__(self, here: World, table_id: int, dice: random.Random) -> None:
        self._here = here
        self._table_id = table_id
        self._dice = dice
        self._panel: Any = None
        self._who = 0

    async def next(self) -> Press | None:
        """Return what is pressed now, `None` when the game is over."""
        table = (await self._here.bot.tables.glance(self._table_id)).table
        if table.phase != "playing":
            return None
        if self._panel is None:
            ids = [person.id for person in self._here.people]
            self._who = ids.index(table.sittings[table.to_act[0]].user_id or 0)
            board = self._here.board(self._table_id)
            return Press(self._who, board, next(k["custom_id"] for k in knobs(board) if k["label"] == HAND))
        acting = [knob for knob in knobs(self._panel) if knob["style"] in ACTS]
        menus = selects(self._panel)
        if acting and (not menus or self._dice.random() < 0.5):  # noqa: PLR2004 - a coin
            return Press(self._who, self._panel.message, self._dice.choice(acting)["custom_id"])
        if menus:
            menu = self._dice.choice(menus)
            value = self._dice.choice(menu["options"])["value"]
            return Press(self._who, self._panel.message, menu["custom_id"], (value,))
        looking = [knob for knob in knobs(self._panel) if ":first:" in knob["custom_id"]]
        return Press(self._who, self._panel.message, self._dice.choice(looking)["custom_id"])

    async def answered(self, press: Press, response: Any) -> bool:
        """Look at the answer; return whether the press moved."""
        moved = press.custom_id in {k["custom_id"] for k in knobs(press.message) if k["style"] in ACTS}
        moved = moved and press.custom_id.split(":")[4] != "hand"
        self._panel = None if moved else response
        return moved


class Place:
    """Where `Pressed` presses: the part of a `World` that it needs."""

    def __init__(self, env: simcord.Env) -> None:
        self.env = env
        self.guild = env.create_guild("The Dance Hall")
        self.channel = self.guild.create_text_channel("dance-floor")
        self.people = [self.guild.add_member(env.create_user(f"dancer{number}")) for number in range(2)]


class Bare(discord.Client):
    """A bot that answers and does nothing else."""

    def __init__(self) -> None:
        super().__init__(intents=discord.Intents(guilds=True), max_messages=None)
        self.views: dict[int, ui.LayoutView] = {}

    async def on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        """Answer as the real bot does: over a private message, below a public one."""
        assert interaction.message is not None
        view = self.views.get(interaction.message.id)
        if view is None:
            view = self.views[interaction.message.id] = ui.LayoutView.from_message(interaction.message)
            view.stop()
        if interaction.message.flags.ephemeral:
            await interaction.response.edit_message(view=view)
        else:
            await interaction.response.send_message(view=view, ephemeral=True)


async def timed(here: Any, presses: Sequence[Press]) -> list[tuple[Pressed, int]]:
    """Press everything at once; return each press and the nanoseconds until its answer."""
    stamps = here.env.backend.http_requests = Stamps(len(presses))
    flying = [Pressed(here, press.who, press.message, press.custom_id, press.values) for press in presses]
    here.env.backend.transcript.clear()
    start = perf_counter_ns()
    for each in flying:
        each.emit()
    await asyncio.wait_for(stamps.all.wait(), MOST_S)  # not settle, whose looks at every task would be timed as well
    await here.env.settle(timeout=60, idle=0.001)
    return [(each, stamps.at_ns[each.record.id] - start) for each in flying]


@contextmanager
def frozen() -> Iterator[None]:
    """Keep the collector away from what was loaded, as the bot itself does."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


@asynccontextmanager
async def party(path: Path) -> AsyncIterator[tuple[World, list[Player]]]:
    """Run the bot with people at its tables, the games just begun."""
    seeds = iter(range(1, 1 + TABLES))
    async with world(path, new_seed=lambda: next(seeds).to_bytes(16, "big")) as here:
        for table_id in range(1, 1 + TABLES):
            await here.people[0].slash(here.channel, COMMAND)
            await here.start(2, table_id)
        await here.env.advance_time(PAUSE_S)
        dice = random.Random(1)  # noqa: S311 - the same presses in every run
        yield here, [Player(here, table_id, dice) for table_id in range(1, 1 + TABLES)]


async def play(path: Path, rounds: int) -> tuple[list[Timed], list[dict[str, Any]]]:
    """Have everybody press in turns, one at a time and all at once; return the times, and what was pressed last."""
    found: list[Timed] = []
    pressed: list[dict[str, Any]] = []
    async with party(path) as (here, players):
        with frozen():
            for number in range(rounds):
                chosen = [(player, press) for player in players if (press := await player.next())]
                pressed = []
                batches = [chosen] if number % 2 else [[each] for each in chosen]
                for batch in batches:
                    for (player, press), (each, took_ns) in zip(
                        batch, await timed(here, [press for _, press in batch]), strict=True
                    ):
                        saved = await player.answered(press, each.response)
                        pressed.append({"message": each.payload["message"], "custom_id": press.custom_id})
                        if number >= WARM_UP:
                            found.append(Timed(took_ns, len(batch), saved))
                    await here.env.advance_time(PAUSE_S)
    return found, pressed


async def answer(pressed: Sequence[dict[str, Any]], rounds: int) -> list[Timed]:
    """Have the bare bot answer the same presses as often."""
    found: list[Timed] = []
    bot = Bare()
    try:
        async with simcord.run(bot) as env:
            place = Place(env)
            presses = [Press(0, _planted(place, each["message"]), each["custom_id"]) for each in pressed]
            with frozen():
                for number in range(rounds):
                    for batch in [presses] if number % 2 else [[press] for press in presses]:
                        for _, took_ns in await timed(place, batch):
                            if number >= WARM_UP:
                                found.append(Timed(took_ns, len(batch)))
    finally:
        await bot.close()
    return found


def _planted(place: Place, message: dict[str, Any]) -> Any:
    """Have the same message stand in the bare bot's channel."""
    private = message["flags"] & EPHEMERAL_FLAG
    stored = place.env.backend.create_message(
        place.channel.id,
        place.env.backend.bot_user.id,
        components=message["components"],
        flags=LAYOUT_FLAG | private,
    )
    assert serializers.message_payload(place.env.backend, stored)["components"]
    return stored


async def both(folder: Path, rounds: int) -> tuple[list[Timed], list[Timed]]:
    """Return the times of ours and of the bare bot, measured in two turns each."""
    ours: list[Timed] = []
    theirs: list[Timed] = []
    for turn in range(2):
        found, pressed = await play(folder / f"{turn}.sqlite3", rounds)
        ours += found
        theirs += await answer(pressed, rounds)
    return ours, theirs


def line(name: str, ours: Sequence[Timed], theirs: Sequence[Timed], percent: int, *, goal: bool) -> Line:
    """Return one line of the table."""
    mine = percentile([each.took_ns for each in ours], percent)
    other = percentile([each.took_ns for each in theirs], percent)
    return Line(
        name=f"{name}, p{percent}",
        ours=span(mine),
        reference=f"{span(other)} bare bot",
        ratio=mine / other,
        goal=f"at most {MOST_TIMES} times" if goal else "",
        met=mine / other <= MOST_TIMES if goal else None,
    )


def measure() -> Result:
    """Run this benchmark."""
    with TemporaryDirectory(prefix=".bench-", dir=Path.cwd()) as folder:
        ours, theirs = asyncio.run(both(Path(folder), ROUNDS))
    one = [each for each in ours if each.at_once == 1]
    bare_one = [each for each in theirs if each.at_once == 1]
    many = [each for each in ours if each.at_once > 1]
    bare_many = [each for each in theirs if each.at_once > 1]
    lines = (
        line("a press, one at a time", one, bare_one, 50, goal=True),
        line("a press, one at a time", one, bare_one, 99, goal=False),
        line("of these: a look", [each for each in one if not each.saved], bare_one, 50, goal=False),
        line("of these: a move that is saved", [each for each in one if each.saved], bare_one, 50, goal=False),
        line(f"{TABLES} presses at once", many, bare_many, 50, goal=True),
        line(f"{TABLES} presses at once", many, bare_many, 99, goal=False),
    )
    saved = sum(each.saved for each in ours)
    return Result(lines, (f"{len(ours):,} presses were timed, {saved:,} of them moves that are saved.",))
