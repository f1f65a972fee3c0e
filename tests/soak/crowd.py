"""People who press whatever they find, many at once and without waiting for an answer."""

from __future__ import annotations

import json
import random
import re
from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from typing import Any

import simcord
from simcord.backend import serializers
from simcord.backend.models import Interaction
from simcord.interactions import base_payload
from simcord.types import HttpLogEntry

from cogs.app import Dancefloor
from cogs.ui.ids import HOUSE, Press
from rules.core.codec import dump_record
from rules.core.replay import replay
from tests.cogs.players import ACTS
from tests.cogs.world import check_payload, knobs, parts, selects

COMMAND, COMPONENT_PRESS = 2, 3
ROW, BUTTON, SELECT, TEXT = 1, 2, 3, 10
EPHEMERAL_FLAG = 1 << 6
TOKEN_LIFE_S = 15 * 60
HOUR_S = 3610
SECOND_S = 0.99
"""The bot's clock counts milliseconds and hears Discord's, so a second may come out this short."""
LOADING, DEFERRED_UPDATE = "deferred", "deferred_update"
CLOCKS = (None, None, 1, 1, 2)
"""Turn clocks of new tables in minutes, `None` for the usual one of hours."""
PAUSES_S = (0.0, 0.0, 0.2, 0.5, 1.0, 1.0, 2.0, 3.0)
LONG_PAUSES_S = (70.0, 140.0, TOKEN_LIFE_S + 5.0)


class Requests(list[HttpLogEntry]):
    """The bot's requests, with the time of each."""

    def __init__(self, env: simcord.Env) -> None:
        super().__init__()
        self._env = env
        self.times: list[float] = []

    def append(self, entry: HttpLogEntry) -> None:
        """Keep a request."""
        self.times.append(self._env.backend.clock.elapsed)
        super().append(entry)

    def clear(self) -> None:
        """Forget them."""
        self.times.clear()
        super().clear()


class Slot:
    """
    A place for one table after another.

    Attributes:
        channel_id: where.
        people: who plays there, the host first.
        computers: how many of them sit in.
        clock: the turn clock in minutes, `None` for the usual one.
        table_id: the table, 0 while there is none.
        board_id: its public message.
        phase: as in `Table`.
        to_act: ids of the people it waits for.
        opening: the command that opens the next one, until it was answered.
    """

    def __init__(self, channel_id: int, people: Sequence[int], computers: int, clock: int | None) -> None:
        self.channel_id = channel_id
        self.people = people
        self.computers = computers
        self.clock = clock
        self.table_id = 0
        self.board_id: int | None = None
        self.phase = ""
        self.to_act: Sequence[int] = ()
        self.opening: Interaction | None = None


class Crowd:
    """
    The people of a server, and what they did.

    Args:
        env: the server.
        bot: the bot in it.
        dice: all chance.
        tables: how many tables at once.
        channels: in how many channels.
        people: how many people there are; fewer than seats, so that many sit at several tables.

    Attributes:
        presses: how many presses and commands were sent.
        kinds: how they were answered, in counts.
        finished: how many tables are over, by why.
        edits: how many times a board was edited.
        faults: what went wrong.
    """

    def __init__(
        self, env: simcord.Env, bot: Dancefloor, dice: random.Random, *, tables: int, channels: int, people: int
    ) -> None:
        self.env = env
        self.bot = bot
        self.dice = dice
        self.guild = env.create_guild("The Dance Hall")
        places = [self.guild.create_text_channel(f"floor-{number}").id for number in range(channels)]
        self.people = [
            self.guild.add_member(env.create_user(f"dancer{number}", global_name=f"Dancer {number}")).id
            for number in range(people)
        ]
        self.slots = [self._slot(places[number % channels]) for number in range(tables)]
        self.presses = 0
        self.kinds: Counter[str] = Counter()
        self.finished: Counter[str] = Counter()
        self.over: deque[int] = deque(maxlen=50)
        self.edits = 0
        self.faults: list[str] = []
        self._requests = env.backend.http_requests = Requests(env)
        self._flying: list[tuple[Interaction, int]] = []
        self._panels: dict[tuple[int, int], deque[tuple[int, int]]] = defaultdict(lambda: deque(maxlen=4))
        self._old: deque[tuple[int, dict[str, Any]]] = deque(maxlen=100)
        self._edited_s: dict[int, float] = {}
        self._all: deque[Interaction] = deque()

    def _slot(self, channel_id: int) -> Slot:
        dice = self.dice
        people = dice.sample(self.people, dice.randint(1, 6))
        most = 6 - len(people)
        computers = dice.randint(1, max(1, min(3, most))) if len(people) == 1 or (most and dice.random() < 0.3) else 0
        return Slot(channel_id, people, computers, dice.choice(CLOCKS))

    # --- pressing ----------------------------------------------------------------------------

    def _send(self, kind: int, channel_id: int, user_id: int, data: dict[str, Any], message: Any = None) -> Interaction:
        record, payload = base_payload(
            self.env.backend,
            type=kind,
            channel_id=channel_id,
            guild_id=self.guild.id,
            user_id=user_id,
            data=data,
        )
        if message is not None:
            payload["message"] = message
            record.source_message_id = int(message["id"])
        times = 2 if self.dice.random() < 0.02 else 1  # Discord delivers now and then twice
        for _ in range(times):
            self.env.backend.emit("INTERACTION_CREATE", payload)
        self.presses += 1
        self._flying.append((record, times))
        return record

    def command(self, channel_id: int, user_id: int, *path: str, **options: int | None) -> Interaction:
        """Send a slash command; *options* are whole numbers."""
        given = [{"name": name, "type": 4, "value": value} for name, value in options.items() if value is not None]
        data: dict[str, Any] = {"id": "1", "name": path[0], "type": 1, "options": given}
        if len(path) > 1:
            data["options"] = [{"name": path[1], "type": 1, "options": given}]
        return self._send(COMMAND, channel_id, user_id, data)

    def press(self, channel_id: int, user_id: int, message: dict[str, Any], knob: dict[str, Any]) -> None:
        """Press a button, or choose something of a select; some press twice."""
        data = {"custom_id": knob["custom_id"], "component_type": knob["type"]}
        if knob["type"] == SELECT:
            data["values"] = [self.dice.choice(knob["options"])["value"]]
        for _ in range(2 if self.dice.random() < 0.08 else 1):
            self._send(COMPONENT_PRESS, channel_id, user_id, data, message)

    def _message(self, channel_id: int, message_id: int | None) -> dict[str, Any] | None:
        stored = self.env.backend.messages.get(channel_id, {}).get(message_id or 0)
        return None if stored is None else dict(serializers.message_payload(self.env.backend, stored))

    def press_something(self) -> None:
        """Somebody does something somewhere."""
        dice = self.dice
        slot = dice.choice(self.slots)
        if not slot.table_id:
            if slot.opening is None:
                slot.opening = self.command(
                    slot.channel_id,
                    slot.people[0],
                    "letsdance",
                    "new",
                    computer_players=slot.computers,
                    turn_clock=slot.clock,
                )
            return
        fate = dice.random()
        if fate < 0.03:
            self._type(slot)
        elif fate < 0.06:
            self._press_old()
        elif fate < 0.10:
            self._press_foreign(slot)
        elif slot.phase == "lobby":
            self._gather(slot)
        elif fate < 0.80:
            self._play(slot, dice.choice(slot.to_act or slot.people))
        elif fate < 0.92:
            self._play(slot, dice.choice(slot.people))
        else:
            self._press_board(slot, dice.choice(self.people))

    def _type(self, slot: Slot) -> None:
        paths: tuple[tuple[str, ...], ...] = (
            ("hand",),
            ("table", "show"),
            ("table", "log"),
            ("table", "leave"),
            ("table", "end"),
            ("letsdance", "rules"),
            ("help",),
        )
        self.command(slot.channel_id, self.dice.choice(slot.people), *self.dice.choice(paths))

    def _press_old(self) -> None:
        """Press what stood there once and may mean nothing any more."""
        if not self._old:
            return
        channel_id, message = self.dice.choice(self._old)
        found = _choices(message)
        if found and self._message(channel_id, int(message["id"])) is not None:
            self.press(channel_id, self.dice.choice(self.people), message, self.dice.choice(found))

    def _press_foreign(self, slot: Slot) -> None:
        """Send an id from somebody else's panel, as a tampered client can."""
        panel, board = self._panel(slot, self.dice.choice(slot.people)), self._message(slot.channel_id, slot.board_id)
        found = _choices(panel) if panel else []
        if panel and board and found:
            forged = {**board, "components": panel["components"]}
            self.press(slot.channel_id, self.dice.choice(self.people), forged, self.dice.choice(found))

    def _gather(self, slot: Slot) -> None:
        """Fill a lobby and start it, with an occasional change of mind."""
        board = self._message(slot.channel_id, slot.board_id)
        found = {knob["label"]: knob for knob in _choices(board) if knob["type"] == BUTTON} if board else {}
        if not board or not found:
            return
        fate = self.dice.random()
        if fate < 0.15:
            who, label = self.dice.choice(self.people), self.dice.choice(sorted(found.keys() - {"Cancel"}))
        elif fate < 0.17:
            who, label = slot.people[0], "Cancel"
        elif fate < 0.75:
            who, label = self.dice.choice(slot.people), "Join"
        else:
            who, label = slot.people[0], "Start"
        if label in found:
            self.press(slot.channel_id, who, board, found[label])

    def _panel(self, slot: Slot, user_id: int) -> dict[str, Any] | None:
        """Return a panel of a person at a table, mostly the newest."""
        known = self._panels.get((slot.table_id, user_id))
        if not known:
            return None
        channel_id, message_id = known[-1] if self.dice.random() < 0.9 else self.dice.choice(known)
        return self._message(channel_id, message_id) if channel_id == slot.channel_id else None

    def _play(self, slot: Slot, user_id: int) -> None:
        """Press something of one's open hand, or open it."""
        panel = self._panel(slot, user_id)
        found = _choices(panel) if panel else []
        if not panel or not found or self.dice.random() < 0.05:
            self._press_board(slot, user_id, "My hand")
            return
        acting = [knob for knob in found if knob.get("style") in ACTS]
        if acting and self.dice.random() < 0.7:
            found = acting
        if self.dice.random() < 0.05:
            self._old.append((slot.channel_id, panel))
        self.press(slot.channel_id, user_id, panel, self.dice.choice(found))

    def _press_board(self, slot: Slot, user_id: int, label: str = "") -> None:
        board = self._message(slot.channel_id, slot.board_id)
        found = [knob for knob in _choices(board) if not label or knob.get("label") == label] if board else []
        if board and found:
            if self.dice.random() < 0.1:
                self._old.append((slot.channel_id, board))
            self.press(slot.channel_id, user_id, board, self.dice.choice(found))

    # --- the course of things ----------------------------------------------------------------

    async def burst(self, most: int) -> None:
        """Send some presses at once, and let time pass."""
        for _ in range(self.dice.randint(1, most)):
            self.press_something()
        await self._happened(self.dice.choice(LONG_PAUSES_S if self.dice.random() < 0.02 else PAUSES_S))

    async def _happened(self, seconds: float) -> None:
        """Let time pass, and look at what came of it all."""
        await self.env.advance_time(seconds)
        self._look_at_answers()
        self._look_at_requests()
        await self._look_at_tables()
        self._forget()

    def _look_at_answers(self) -> None:
        for record, times in self._flying:
            kind = str(record.response_kind)
            self.kinds[kind] += 1
            if not record.responded or kind == LOADING:
                self.faults.append(f"press {record.id} was not answered: {kind}")
            callbacks = self._count(f"/interactions/{record.id}/")
            if not 1 <= callbacks <= times:
                self.faults.append(f"press {record.id}, sent {times} times, was answered {callbacks} times")
            if kind == DEFERRED_UPDATE and not self._count(
                f"/webhooks/{self.env.backend.application_id}/{record.token}"
            ):
                self.faults.append(f"press {record.id} was put off for ever")
            self._keep_panel(record)
            self._all.append(record)
        self._flying.clear()

    def _count(self, path: str) -> int:
        return sum(request.path.startswith(path) for request in self._requests)

    def _keep_panel(self, record: Interaction) -> None:
        message = self._message(record.channel_id, record.message_id)
        if not message or not message["flags"] & EPHEMERAL_FLAG:
            return
        for knob in _choices(message):
            table_id = int(knob["custom_id"].split(":")[2])
            known = self._panels[table_id, record.user_id]
            place = (record.channel_id, int(message["id"]))
            if place in known:
                known.remove(place)
            known.append(place)
            break

    def _look_at_requests(self) -> None:
        """Hold what was sent against Discord's limits, and count how often each table's board was edited."""
        for request, at_s in zip(self._requests, self._requests.times, strict=True):
            body = request.json if isinstance(request.json, dict) else {}
            payload = body.get("data") if isinstance(body.get("data"), dict) else body
            if not isinstance(payload, dict) or not ("components" in payload or "content" in payload):
                continue
            try:
                check_payload(payload)
            except AssertionError as error:
                self.faults.append(f"{request.method} {request.path} is too large: {error}")
            named = re.search(r"\b[Tt]able (\d+)\b", json.dumps(payload))
            if request.method != "PATCH" or not request.path.startswith("/channels/") or not named:
                continue
            self.edits += 1
            table_id = int(named[1])
            if at_s - self._edited_s.get(table_id, -SECOND_S) < SECOND_S:
                self.faults.append(f"table {table_id}: edits at {self._edited_s[table_id]} and {at_s}")
            self._edited_s[table_id] = at_s

    async def _look_at_tables(self) -> None:
        """Do as people do: find the new board, see whose turn it is, open another table when one is over."""
        for number, slot in enumerate(self.slots):
            if slot.opening is not None:
                await self._look_at_opening(slot)
            if not slot.table_id:
                continue
            table = (await self.bot.tables.glance(slot.table_id)).table
            posted = await self.bot.store.posted(slot.table_id)
            slot.board_id = posted.board_id if posted else None
            slot.phase = table.phase
            slot.to_act = [who for who in (table.sittings[seat].user_id for seat in table.to_act) if who]
            if table.phase == "over":
                self.finished[table.ended] += 1
                self.over.append(slot.table_id)
                for key in [key for key in self._panels if key[0] == slot.table_id]:
                    old = self._panels.pop(key)[-1]
                    message = self._message(*old)
                    if message:
                        self._old.append((old[0], message))
                self._edited_s.pop(slot.table_id, None)
                self.slots[number] = self._slot(slot.channel_id)

    async def _look_at_opening(self, slot: Slot) -> None:
        assert slot.opening is not None
        answer = self._message(slot.channel_id, slot.opening.message_id)
        opened = re.search(r"Table (\d+) is open", answer["content"]) if answer else None
        if opened is None:
            self.faults.append(f"no table was opened: {answer and answer['content']}")
        else:
            slot.table_id = int(opened[1])
        slot.opening = None

    def _forget(self) -> None:
        """Have the stand-in forget what Discord forgets too, and what was looked at."""
        backend = self.env.backend
        self._requests.clear()
        backend.transcript.clear()
        while self._all and self._all[0].expires_at is not None and self._all[0].expires_at < backend.now_iso():
            gone = self._all.popleft()
            backend.interactions.pop(gone.id, None)
            backend.interaction_tokens.pop(gone.token, None)

    async def rest(self) -> None:
        """Let ten seconds pass in which nobody presses anything."""
        await self._happened(10.0)

    def __str__(self) -> str:
        return (
            f"{self.presses} presses in {self.env.backend.clock.elapsed / 60:.0f} minutes of play, answered "
            f"{dict(self.kinds)}; {self.edits} edits of boards; tables over: {dict(self.finished)}"
        )

    @property
    def live(self) -> int:
        """How many tables there are."""
        return sum(slot.table_id != 0 for slot in self.slots)

    # --- the end -----------------------------------------------------------------------------

    async def go_home(self) -> None:
        """Have every host end their table and open no other, and wait until whatever was planned for them is done."""
        while live := [slot for slot in self.slots if slot.table_id]:
            for slot in live:
                board = self._message(slot.channel_id, slot.board_id)
                host_id = (await self.bot.tables.glance(slot.table_id)).table.host_id
                custom_id = Press(HOUSE, "end", slot.table_id).encode()
                knob = {"type": BUTTON, "style": 4, "label": "End it", "custom_id": custom_id}
                if board:
                    asked = {**board, "components": [{"type": ROW, "components": [knob]}]}
                    self.press(slot.channel_id, host_id, asked, knob)
            await self._happened(3.0)
        await self._happened(HOUR_S)

    async def check_logs(self, most: int) -> int:
        """
        Replay the logs of some tables, live and over, and return of how many.

        Raises:
            AssertionError: a log does not lead to what is stored.
        """
        live = [slot.table_id for slot in self.slots if slot.table_id]
        known = [*live, *self.over]
        chosen = self.dice.sample(known, min(most, len(known)))
        for table_id in chosen:
            saved = await self.bot.store.load(table_id)
            assert saved is not None
            game = self.bot.games[saved.game]
            rows = await self.bot.store.log(table_id)
            assert [row.seq for row in rows] == list(range(1, saved.seq + 1))
            assert dump_record(game, replay(game, rows, saved.seed)) == saved.body, table_id
        return len(chosen)

    async def check_boards(self) -> int:
        """
        Compare the boards with the tables once all redraws are done, and return how many there are.

        Raises:
            AssertionError: a board shows something else, or something is still owed.
        """
        checked = 0
        assert await self.bot.store.owed() == []
        for slot in self.slots:
            if not slot.table_id:
                continue
            glance = await self.bot.tables.glance(slot.table_id)
            posted = await self.bot.store.posted(slot.table_id)
            assert posted is not None
            board = self._message(slot.channel_id, posted.board_id)
            assert board is not None, slot.table_id
            if posted.rendered_seq == glance.table.seq:  # computers may have moved this very moment
                assert _looks(board["components"]) == _looks(self.bot.boards.render(glance).to_components())
                checked += 1
        return checked


def _looks(components: Any) -> list[Any]:
    """Return what people see and press of a message."""

    class Sent:
        pass

    Sent.components = components  # type: ignore[attr-defined]
    return [
        part["content"] if part["type"] == TEXT else part.get("custom_id")
        for part in parts(Sent)
        if part["type"] in (BUTTON, SELECT, TEXT)
    ]


def _choices(message: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the buttons and selects of a message that can be pressed."""

    class Shown:
        components = message["components"]

    return [*knobs(Shown), *selects(Shown)]
