"""A tournament as its people run and play it: what they type and press, and what stands in the channel."""

from __future__ import annotations

import random
import re
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from rules.tournaments.model import Pod, Round, Tournament
from tests.cogs.players import ACTS
from tests.cogs.staging import Pressed, admin, said
from tests.cogs.world import World, choose, knobs, selects, words, world

DANCERS = (
    "Ana Banana", "Bea", "Kapitän Wackelknie", "Maximiliane-Theodora von Walzer", "sir_dances_a_lot_2000", "Kim",
    "Lou", "Mika", "Noor", "Ole", "Pia", "Quinn", "Rosa", "Sascha", "Toni", "Uma",
)  # fmt: skip
MINUTE_S = 60
PATIENCE_S = 60
"""Real time that computers may take to finish a round, on however slow a machine."""
MOST_PRESSES = 900
DOORS = ("My hand", "My crew")
CHOICES = 20


class Evening:
    """
    One tournament in a server.

    Attributes:
        here: the server.
        boss: an admin who does not play.
        number: the tournament's.
    """

    def __init__(self, here: World) -> None:
        self.here = here
        self.floor = here.channel
        self.boss = admin(here)
        self.number = 0
        here.env.settle_timeout = PATIENCE_S

    # --- what is stored --------------------------------------------------------------------------

    async def record(self) -> Tournament:
        """Return the tournament as it is."""
        return await self.here.bot.tournaments.look(self.number)

    async def round(self) -> Round:
        """Return its latest round."""
        played = (await self.record()).round
        assert played is not None
        return played

    async def log(self) -> list[str]:
        """Return the kinds of all that happened."""
        return [event.what for event in await self.here.bot.tournaments.history(self.number)]

    async def who(self, entrant: int) -> int:
        """Return the index of the person who holds a place."""
        user_id = (await self.record()).entrant(entrant).user_id
        return next(index for index, person in enumerate(self.here.people) if person.id == user_id)

    # --- what people do --------------------------------------------------------------------------

    async def create(self, **options: Any) -> Any:
        """Have the admin create it; return the panel of its rules."""
        given = {"name": "Friday Floor", "game": "lets_dance", "table_size": 4, **options}
        answer = (await self.boss.slash(self.floor, "tournament create", **given)).response
        self.number = await self.here.bot.store.last_table_id()
        await self.wait()
        return answer

    async def wait(self, seconds: float = 4) -> None:
        """Let time pass, long enough for the message to be drawn anew."""
        await self.here.env.advance_time(seconds)

    async def boss_says(self, command: str, **options: Any) -> Any:
        """Have the admin type a command of tournaments; return the answer."""
        return (await self.boss.slash(self.floor, f"tournament {command}", **options)).response

    async def says(self, who: int, command: str, **options: Any) -> Any:
        """Have a person type a command of tournaments; return the answer."""
        return (await self.here.people[who].slash(self.floor, f"tournament {command}", **options)).response

    async def click(self, actor: Any, message: Any, label: str) -> Any:
        """Have somebody press the button that begins like this; return the answer."""
        knob = next((knob for knob in knobs(message) if knob["label"].startswith(label)), None)
        assert knob is not None, (label, [knob["label"] for knob in knobs(message)], words(message))
        handle = getattr(message, "message", message)
        return (await actor.click(handle, custom_id=knob["custom_id"])).response

    async def press(self, who: int, message: Any, label: str) -> Any:
        """Have a person press the button that begins like this; return the answer."""
        return await self.click(self.here.people[who], message, label)

    async def choose(self, actor: Any, message: Any, label: str) -> Any:
        """Have somebody choose what reads like this from whichever select has it; return the answer."""
        for menu in selects(message):
            for option in menu["options"]:
                if option["label"] == label:
                    return (await choose(actor, message, menu, option["value"])).response
        raise AssertionError([option["label"] for menu in selects(message) for option in menu["options"]])

    def post(self) -> Any:
        """Return the tournament's public message."""
        found = [message for message in self.floor.history() if self._is_post(message)]
        assert 1 == len(found), [words(message) for message in found]
        return found[0]

    def _is_post(self, message: Any) -> bool:
        """Tell it by its buttons: those of the sign-up or a round, and by its words once it is over."""
        ids = [knob["custom_id"] for knob in knobs(message)]
        mine = any(custom_id.startswith(f"d:tournament:{self.number}:") for custom_id in ids)
        verbs = {custom_id.split(":")[4] for custom_id in ids}
        text = words(message)
        shows = bool(verbs & {"who", "mine"}) or "· finished" in text or "· called off" in text
        return not message.flags.ephemeral and mine and shows and "Seats:" not in text

    def calls(self, like: str) -> list[Any]:
        """Return the messages in the channel and its threads that say something."""
        places = [self.floor, *self.floor.threads]
        public = [message for place in places for message in place.history() if not message.flags.ephemeral]
        return [message for message in public if re.search(like, words(message))]

    async def join(self, people: Iterable[int]) -> None:
        """Have people press Join."""
        for who in people:
            assert "✋" not in words(await self.press(who, self.post(), "Join"))
        await self.wait()

    async def start(self) -> None:
        """Have the admin look at the plan and start."""
        plan = await self.boss_says("start")
        await self.click(self.boss, plan, "Start with")
        await self.wait(8)

    async def come(self, but: Sequence[int] = (), pods: Sequence[Pod] | None = None) -> None:
        """Have everybody who has a table press I'm here under the message, save for some entrants."""
        for pod in pods if pods is not None else (await self.round()).pods:
            for entrant in pod.players:
                if entrant not in but and entrant not in pod.here and pod.stage == "gathering":
                    answer = await self.press(await self.who(entrant), self.post(), "I'm here")
                    assert "✋" not in words(answer), words(answer)
        await self.wait(8)

    async def pick_seats(self) -> None:
        """Have the finalists choose their seats, each the last free one."""
        for _ in range(6):
            played = await self.round()
            pod = played.pods[0]
            if pod.stage != "picking":
                return
            who = await self.who(pod.players[len(pod.picks)])
            mine = await self.says(who, "me")
            last = [knob["label"] for knob in knobs(mine) if knob["label"].startswith("Seat")][-1]
            await self.press(who, mine, last)
            await self.wait()

    async def next(self) -> Any:
        """Have the admin confirm the round; return the answer."""
        answer = await self.boss_says("next")
        await self.wait(8)
        return answer

    async def hurry(self) -> None:
        """Let the round's time pass, so that computers finish its tables."""
        for _ in range(4):
            played = await self.round()
            if played.phase != "playing":
                return
            await self.here.env.advance_time(31 * MINUTE_S)
        raise AssertionError([(pod.number, pod.stage, pod.why) for pod in (await self.round()).pods])

    async def hear(self, table_id: int, dice: random.Random) -> None:
        """Play a table to its end by pressing what its people see, at random."""
        here = self.here
        table = (await here.bot.tables.glance(table_id)).table
        ids = {person.id: index for index, person in enumerate(here.people)}
        here.channel = next(place for place in (*self.floor.threads, self.floor) if place.id == table.channel_id)
        quiet = 0
        try:
            for _ in range(MOST_PRESSES):
                table = (await here.bot.tables.glance(table_id)).table
                if table.phase == "over":
                    return
                seq = table.seq
                waiting = [ids[who] for who in (table.sittings[seat].user_id for seat in table.to_act) if who in ids]
                if waiting:
                    await self._try(dice.choice(waiting), dice)
                quiet = quiet + 1 if seq == (await here.bot.tables.glance(table_id)).table.seq else 0
                await here.env.advance_time(1 if quiet < CHOICES else 10)
            raise AssertionError("the game does not end")
        finally:
            here.channel = self.floor
            await self.wait(8)

    async def _try(self, who: int, dice: random.Random) -> None:
        """Open the hand of somebody and press on until something is done."""
        board = next(m for m in reversed(self.here.messages()) if any(k["label"] in DOORS for k in knobs(m)))
        door = next(knob["label"] for knob in knobs(board) if knob["label"] in DOORS)
        panel = await self.press(who, board, door)
        for _ in range(4):
            acting = [knob for knob in knobs(panel) if knob["style"] in ACTS or ":roll:" in knob["custom_id"]]
            menus = [menu for menu in selects(panel) if not menu.get("disabled")]
            first = [knob for knob in knobs(panel) if ":first:" in knob["custom_id"]]
            if acting and (not menus or dice.random() < 0.5):
                await self.here.people[who].click(panel.message, custom_id=dice.choice(acting)["custom_id"])
                return
            if menus:
                menu = dice.choice(menus)
                value = dice.choice(menu["options"])["value"]
                panel = (await self.here.choose(who, panel, menu, value)).response
            elif first:
                knob = dice.choice(first)
                panel = (await self.here.people[who].click(panel.message, custom_id=knob["custom_id"])).response
            else:
                return

    # --- at once ---------------------------------------------------------------------------------

    async def at_once(self, presses: Iterable[tuple[Any, Any, str]]) -> list[str]:
        """Press buttons at the same moment (somebody, a message, its id); return all answers in their order."""
        flying = [self._flying(actor, message, custom_id) for actor, message, custom_id in presses]
        for pressed in flying:
            pressed.emit()
        await self.here.env.settle(idle=0.001)
        await self.wait()
        return [said(pressed.response) for pressed in flying]

    def _flying(self, actor: Any, message: Any, custom_id: str) -> Pressed:
        people = self.here.people
        if actor not in people:
            people.append(actor)
        handle = getattr(message, "message", message)
        return Pressed(self.here, people.index(actor), handle, custom_id)


def button(message: Any, label: str) -> str:
    """Return the id of the button that begins like this."""
    return str(next(knob["custom_id"] for knob in knobs(message) if knob["label"].startswith(label)))


@asynccontextmanager
async def evening(path: Path, people: int, **options: Any) -> AsyncIterator[Evening]:
    """Run the bot in a server with so many dancers and an admin."""
    names = options.pop("names", DANCERS)[:people]
    names += tuple(f"Dancer {number}" for number in range(len(names), people))
    async with world(path / "game.sqlite3", names, **options) as here:
        yield Evening(here)
        here.check_sizes()
