"""A small Discord server with the real bot in it, and what a person can do there."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import simcord

from bot import build
from cogs.app import Dancefloor
from cogs.ui.ids import MARK

MAX_COMPONENTS = 40
MAX_TEXT = 4000
DOORS = ("My hand", "My crew")
NAMES = ("Ana Banana", "Bea", "Kapitän Wackelknie", "Maximiliane-Theodora von Walzer", "sir_dances_a_lot_2000", "Kim")


def parts(message: Any) -> Iterator[dict[str, Any]]:
    """Yield every component of a message, nested ones too."""

    def walk(components: Any) -> Iterator[dict[str, Any]]:
        for component in components:
            part = component if isinstance(component, dict) else component.to_dict()
            yield part
            yield from walk(part.get("components", ()))
            yield from walk([part["accessory"]] if "accessory" in part else ())

    yield from walk(message.components)


def words(message: Any) -> str:
    """Return all text of a message."""
    return "\n".join([message.content, *(part["content"] for part in parts(message) if part["type"] == 10)])


def knobs(message: Any) -> list[dict[str, Any]]:
    """Return the buttons that can be pressed."""
    return [part for part in parts(message) if part["type"] == 2 and "custom_id" in part and not part.get("disabled")]


def selects(message: Any) -> list[dict[str, Any]]:
    """Return the selects, the values without the mark that tells when they were sent."""
    return [
        {**part, "options": [{**option, "value": option["value"].partition(MARK)[0]} for option in part["options"]]}
        for part in parts(message)
        if part["type"] == 3
    ]


async def choose(actor: Any, message: Any, menu: dict[str, Any], value: str) -> Any:
    """Have somebody choose a value of a select, as it was sent; return what came back."""
    handle = getattr(message, "message", message)
    as_sent = next((part for part in parts(handle) if part.get("custom_id") == menu["custom_id"]), menu)
    values = [option["value"] for option in as_sent["options"] if option["value"].partition(MARK)[0] == value]
    return await actor.select(handle, values or [value], custom_id=menu["custom_id"])


def labels(message: Any) -> list[str]:
    """Return the labels of the buttons."""
    return [knob["label"] for knob in knobs(message)]


def columns(row: str) -> int:
    """Return how many letters of a line take room: marks of direction take none."""
    return sum(unicodedata.category(letter) != "Cf" for letter in row)


def check_payload(payload: dict[str, Any]) -> None:
    """
    Hold a message against Discord's limits.

    Raises:
        AssertionError: Discord would refuse it.
    """

    class Sent:
        components = payload.get("components") or ()
        content = payload.get("content") or ""

    found = list(parts(Sent))
    assert len(found) <= MAX_COMPONENTS
    assert sum(len(part["content"]) for part in found if part["type"] == 10) <= MAX_TEXT
    assert len(Sent.content) <= 2000
    ids = [part["custom_id"] for part in found if part.get("custom_id")]
    assert len(ids) == len(set(ids))
    assert all(len(custom_id) <= 100 for custom_id in ids)
    for part in found:
        assert len(part.get("label") or "") <= 80
        assert len(part.get("placeholder") or "") <= 150
        if part["type"] == 3:
            assert 1 <= len(part["options"]) <= 25
            for option in part["options"]:
                assert all(len(option.get(field) or "") <= 100 for field in ("label", "value", "description"))
        if part["type"] == 10:
            for block in re.findall(r"```\n(.*?)```", part["content"], re.DOTALL):
                assert all(columns(row) <= 27 for row in block.splitlines()), block


class World:
    """The server, its people, and the bot."""

    def __init__(self, env: simcord.Env, bot: Dancefloor, path: Path, names: tuple[str, ...], options: Any) -> None:
        self.env = env
        self.bot = bot
        self.path = path
        self.options = options
        self.names = names
        self.guild = env.create_guild("The Dance Hall")
        self.channel = self.guild.create_text_channel("dance-floor")
        self.people = [
            self.guild.add_member(env.create_user(f"dancer{number}", global_name=name))
            for number, name in enumerate(names)
        ]

    async def restart(self) -> None:
        """Stop the bot and start a new one on the same database."""
        await self.bot.close()
        self.bot = build(self.path, **self.options)
        await self.env.restart_bot(self.bot)

    def messages(self) -> list[Any]:
        """Return what stands in the channel for all to see, the oldest first."""
        return [message for message in self.channel.history() if not message.flags.ephemeral]

    def board(self, table_id: int = 1) -> Any:
        """Return the newest public message of a table: lobby, board or result."""
        marks = (f"Table {table_id} ", f"table {table_id} ")
        found = [m for m in self.messages() if m.components and any(mark in words(m) for mark in marks)]
        return next(message for message in reversed(found) if "your turn at" not in words(message))

    def pings(self) -> list[Any]:
        """Return the messages that call somebody."""
        return [message for message in self.messages() if "your turn at" in words(message)]

    async def open(self, command: str = "letsdance new", who: int = 0, **options: Any) -> Any:
        """Open a lobby and return its message."""
        await self.people[who].slash(self.channel, command, **options)
        return self.board(max(1, await self.bot.store.last_table_id()))

    async def press(self, who: int, message: Any, label: str) -> Any:
        """Press the button with this label; return what came back."""
        knob = next(knob for knob in knobs(message) if knob["label"] == label)
        return await self.people[who].click(getattr(message, "message", message), custom_id=knob["custom_id"])

    async def choose(self, who: int, message: Any, menu: dict[str, Any], value: str) -> Any:
        """Choose a value of a select; return what came back."""
        return await choose(self.people[who], message, menu, value)

    async def hand(self, who: int, table_id: int = 1) -> Any:
        """Press the main door under the board, *My hand* or *My crew*, and return the panel."""
        board = self.board(table_id)
        door = next(label for label in labels(board) if label in DOORS)
        return (await self.press(who, board, door)).response

    async def start(self, people: int, table_id: int = 1) -> None:
        """Have the others join the lobby and the host start it."""
        for who in range(1, people):
            await self.press(who, self.board(table_id), "Join")
        await self.press(0, self.board(table_id), "Start")

    def to_act(self, table_id: int = 1) -> int:
        """Return the index of the person whom the board names."""
        named = re.search(r"### 👉 (.+?)(?: to dance|: follow| chooses)", words(self.board(table_id)))
        assert named, words(self.board(table_id))
        shown = named[1].replace("\\", "").rstrip("…")
        return next(who for who, name in enumerate(self.names) if name.startswith(shown))

    def over(self, table_id: int = 1) -> bool:
        """Tell whether the table shows its result."""
        return "Party's over!" in words(self.board(table_id)) or "ended early" in words(self.board(table_id))

    def check_sizes(self) -> None:
        """Hold every message the bot sent or edited against Discord's limits."""
        for request in self.env.http_requests:
            body = request.json if isinstance(request.json, dict) else {}
            payload = body.get("data") if isinstance(body.get("data"), dict) else body
            if isinstance(payload, dict) and ("components" in payload or "content" in payload):
                check_payload(payload)


@asynccontextmanager
async def world(path: Path, names: tuple[str, ...] = NAMES, **options: Any) -> AsyncIterator[World]:
    """Run the bot on the database at *path* in a new server with members of these names."""
    bot = build(path, **options)
    made: World | None = None
    try:
        async with simcord.run(bot) as env:
            made = World(env, bot, path, names, options)
            yield made
    finally:
        await (made.bot if made else bot).close()
