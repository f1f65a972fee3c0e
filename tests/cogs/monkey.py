"""Somebody who presses whatever can be seen of a tournament and types whatever can be typed, at any moment."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Sequence
from typing import Any

from simcord.backend.errors import SetupError

from cogs.ui.answers import BROKEN
from rules.tournaments.codec import load_input
from rules.tournaments.event import replay
from rules.tournaments.status import overview
from tests.cogs.evening import MINUTE_S, Evening
from tests.cogs.staging import forbid, plant, press_id
from tests.cogs.world import knobs, selects, words

HOSTILE = (
    "because",
    "`**__~~||@everyone <@1> [x](http://x.y) ```",
    "\u202eright to left\u200b\u2066",
    "👩‍👩‍👧‍👦" * 20,
    "x" * 200,
    " ",
)
RULES = (
    "cut=playoff",
    "equal=lot",
    "power=True",
    "late_until=3",
    "no_show=short",
    "no_show_ms=0",
    "round_ms=1800000",
    "overdue=computers",
    "overdue=absent",
    "pick_ms=0",
    "computers=True",
    "advance=1",
    "advance=3",
    "scheme=win-draw",
    "low=2",
)
"""Chosen now and then."""
LATELY = 14
"""Screens of one person, and public messages, that are still pressed."""
PASSED_S = (0.5, 1, 4, 4, 8, 30, 61, 130, 11 * MINUTE_S, 31 * MINUTE_S)


class Monkey:
    """
    One evening that goes as chance has it.

    Args:
        night: the evening, its tournament created.
        dice: all chance.
        helper: somebody of the staff beside the boss.
        stranger: somebody who has no part in it at first.
    """

    def __init__(self, night: Evening, dice: random.Random, helper: Any, stranger: Any) -> None:
        self.night = night
        self.here = night.here
        self.dice = dice
        self.staff = [night.boss, helper]
        self.here.people += [night.boss, helper, stranger]
        self.gone: set[int] = set()
        self.done: list[str] = []
        self._screens: dict[int, deque[Any]] = {}

    @classmethod
    async def let_in(cls, night: Evening, dice: random.Random, helper: Any, options: dict[str, Any]) -> Monkey:
        """Create a tournament, choose some rules, have most people join, and mostly start it."""
        here = night.here
        stranger = here.guild.add_member(here.env.create_user("far", global_name="\u202eX`*|| @everyone"))
        await night.create(**options)
        monkey = cls(night, dice, helper, stranger)
        monkey.done.append(str(options))
        await monkey.prepare()
        for _ in range(2 if dice.random() < 0.85 else 0):
            status = await monkey.type(night.boss, "status", {})
            await monkey.take_steps(night.boss, status)
            await monkey.come()
        return monkey

    async def prepare(self) -> None:
        """Choose some rules, and have most people join."""
        dice = self.dice
        for choice in RULES:
            if dice.random() < 0.3:
                custom_id = f"d:tournament:{self.night.number}:0:set:{choice}"
                self.done.append(choice)
                at = self.here.people.index(self.night.boss)
                self._heard(
                    self.night.boss,
                    choice,
                    await press_id(self.here, at, plant(self.here, [custom_id], private=True), custom_id),
                )
        for who in range(len(self.here.people) - 3):
            if dice.random() < 0.9:
                await self.night.press(who, self.night.post(), "Join")
        await self.night.wait()

    # --- one act ---------------------------------------------------------------------------------

    def _heard(self, actor: Any, what: str, answer: Any) -> None:
        told = words(answer).strip() if answer is not None else ""
        assert answer is not None, (what, "no answer")
        assert told or answer.attachments, (what, "an empty answer")
        assert BROKEN not in told, (what, told)
        self.done[-1] += f" -> {told[:90]!r}"
        if answer.flags.ephemeral:
            self._screens.setdefault(actor.id, deque(maxlen=LATELY)).append(answer)

    def anybody(self) -> Any:
        """Return somebody who is in the server."""
        return self.dice.choice([one for one in self.here.people if one.id not in self.gone])

    def places(self) -> list[Any]:
        """Return the channel and the threads."""
        return [self.night.floor, *self.night.floor.threads]

    async def press(self) -> None:
        """Press or choose something on a screen that somebody has, perhaps an old one."""
        dice = self.dice
        actor = self.anybody()
        public = [
            (place, m) for place in self.places() for m in place.history() if not m.flags.ephemeral and m.components
        ]
        own = [
            (place, m) for m in self._screens.get(actor.id, ()) for place in self.places() if m.channel_id == place.id
        ]
        place, message = dice.choice(own if own and dice.random() < 0.6 else public[-LATELY:] or own or [(None, None)])
        if message is None:
            return
        found: list[tuple[str, list[str]]] = [(knob["custom_id"], []) for knob in knobs(message)]
        menus = [menu for menu in selects(message) if not menu.get("disabled")]
        found += [(menu["custom_id"], [dice.choice(menu["options"])["value"]]) for menu in menus]
        if not found:
            return
        custom_id, values = dice.choice(found)
        if ":post:" in custom_id and dice.random() < 0.5:
            return
        self.done.append(f"{self._who(actor)} presses {custom_id} {values}")
        handle = getattr(message, "message", message)
        answer = await self._pressed(actor, place, handle, custom_id, values)
        self._heard(actor, self.done[-1], answer)

    async def command(self) -> None:
        """Type a command, sensible or not, mostly as one of the staff."""
        dice = self.dice
        record = await self.night.record()
        actor = dice.choice(self.staff) if dice.random() < 0.85 else self.anybody()
        one, other = dice.choice(self.here.people), dice.choice(self.here.people)
        text = dice.choice(HOSTILE)
        number = dice.choice((1, 1, 1, 2, 3, 9_999))
        table = self._table(record, number)
        result = " ".join(
            f"{mention} {dice.choice(('absent', 'bye', dice.randint(-9, 99), dice.randint(0, 3)))}" for mention in table
        )
        some = " ".join(person.mention for person in dice.sample(self.here.people, dice.randint(1, 4)))
        corrected = {
            "table": number,
            "result": dice.choice((result, result, result, some, text)),
            "reason": text,
            **dice.choice(({}, {}, {"round_number": dice.choice((1, 2, 3, 99))})),
            **dice.choice(({}, {"confirm": True})),
        }
        points = dice.choice(("5-2, 5-3-1, 5-3-2-1", text[:100]))
        rules = dice.choice(({}, {"name": text[:60]}, {"points": points}, {"games": "lambada"}))
        kinds: dict[str, tuple[float, dict[str, Any]]] = {
            "add": (2, {"people": dice.choice((some, text, some + text))}),
            "seed": (1, {"people": some}),
            "start": (2, {}),
            "next": (4, {}),
            "finish": (0.6, dice.choice(({}, {"reason": text}))),
            "cancel": (0.6, {"reason": text}),
            "reopen": (1.5, {"reason": text}),
            "repair": (1, {"reason": text}),
            "correct": (4, corrected),
            "drop": (1.5, {"player": one}),
            "undrop": (2, {"player": one, "reason": text}),
            "disqualify": (0.7, {"player": one, "reason": text}),
            "substitute": (1.5, {"player": one, "newcomer": other, "reason": text}),
            "swap": (1, {"one": one, "other": other, "reason": text}),
            "seat": (2, {"player": one, "table": number, "reason": text}),
            "note": (0.5, {"player": one, **dice.choice(({}, {"text": text}))}),
            "raffle": (0.5, {"count": dice.choice((1, 20))}),
            "settings": (1, rules),
            "status": (4, {}),
            "me": (2, {}),
            "standings": (1, {}),
            "log": (1, {}),
            "export": (0.5, {}),
            "table": (3 if record.setup.format == "league" else 0.3, {"people": some}),
        }  # fmt: skip
        names = list(kinds)
        name = dice.choices(names, [kinds[each][0] for each in names])[0]
        place = dice.choice(self.places()) if dice.random() < 0.1 else self.night.floor
        await self.type(actor, name, kinds[name][1], place)

    async def type(self, actor: Any, name: str, options: dict[str, Any], place: Any = None) -> Any:
        """Type a command of tournaments."""
        if actor.id in self.gone:
            return None
        shown = {key: self._who(value) for key, value in options.items()}
        self.done.append(f"{self._who(actor)} types {name} {shown}")
        options = {"number": self.night.number, **options} if place not in (None, self.night.floor) else options
        try:
            result = await actor.slash(place or self.night.floor, f"tournament {name}", **options)
        except (SetupError, ValueError) as error:
            self.done[-1] += f" -> not sent: {error!r:.80}"
            return None
        answer = result.response
        self._heard(actor, self.done[-1], answer)
        return answer

    def _who(self, value: Any) -> Any:
        ids = [one.id for one in self.here.people]
        found = getattr(value, "id", None)
        return f"#{ids.index(found)}" if found in ids else value

    def _table(self, record: Any, number: int) -> list[str]:
        if record.round and number <= len(record.round.pods):
            pod = record.round.pods[number - 1]
            return [f"<@{record.entrant(one).user_id}>" for one in pod.seats]
        return []

    async def elsewhere(self) -> None:
        """Type a command that is not about tournaments, and perhaps press what it offers."""
        dice, place = self.dice, self.dice.choice(self.places())
        actor = dice.choice((self.anybody(), *self.staff))
        one = dice.choice(self.here.people)
        kinds: dict[str, dict[str, Any]] = {
            **{f"table {name}": {} for name in ("leave", "end", "move", "show", "log", "replay")},
            **{name: {} for name in ("hand", "my-data", "forget-me")},
            "table kick": {"player": one},
            "table substitute": {"seat": 1, "newcomer": one},
        }
        name = dice.choice(list(kinds))
        self.done.append(f"{self._who(actor)} types /{name}")
        try:
            answer = (await actor.slash(place, name, **kinds[name])).response
        except SetupError as error:
            self.done[-1] += f" -> not sent: {error!r:.80}"
            return
        self._heard(actor, self.done[-1], answer)
        if knobs(answer) and dice.random() < 0.8:
            custom_id = dice.choice(knobs(answer))["custom_id"]
            self.done.append(f"and presses {custom_id}")
            self._heard(actor, self.done[-1], await self._pressed(actor, place, answer.message, custom_id))

    async def _pressed(self, actor: Any, place: Any, message: Any, custom_id: str, values: Sequence[str] = ()) -> Any:
        floor, self.here.channel = self.here.channel, place
        try:
            return await press_id(self.here, self.here.people.index(actor), message, custom_id, values)
        finally:
            self.here.channel = floor

    async def come(self) -> None:
        """Have some of those who are awaited come to their tables, choose seats, or check in."""
        record = await self.night.record()
        ids = {person.id: person for person in self.here.people if person.id not in self.gone}
        for who in record.active:
            person = ids.get(who.user_id)
            if person is None or self.dice.random() < 0.1:
                continue
            mine = await self.type(person, "me", {})
            labels = [knob for knob in knobs(mine) if knob["label"].startswith(("I'm here", "Seat "))]
            if labels:
                knob = self.dice.choice(labels)
                self.done.append(f"{self._who(person)} presses {knob['label']}")
                who_at = self.here.people.index(person)
                answer = await press_id(self.here, who_at, mine.message, knob["custom_id"])
                self._heard(person, self.done[-1], answer)

    async def trouble(self) -> None:
        """Have something happen to the place, the people, or the bot."""
        dice, backend, floor = self.dice, self.here.env.backend, self.night.floor
        kind = dice.choice(("restart", "restart", "thread", "message", "leave", "forbid", "forbid", "allow", "outage"))
        self.done.append(f"trouble: {kind}")
        match kind:
            case "restart":
                await self.here.restart()
            case "thread" if floor.threads:
                backend.delete_channel(dice.choice(floor.threads).id)
            case "message":
                found = [m for m in floor.history() if not m.flags.ephemeral]
                if found:
                    backend.delete_message(floor.id, dice.choice(found[-3:]).id)
            case "leave" if len(self.gone) < 2:
                one = dice.choice(self.here.people[:-3])
                if one.id not in self.gone:
                    self.gone.add(one.id)
                    backend.remove_member(self.here.guild.id, one.id)
            case "forbid":
                forbid(
                    self.here,
                    **dice.choice(
                        (
                            {"create_public_threads": False},
                            {"send_messages": False},
                            {"send_messages_in_threads": False},
                        )
                    ),
                )
            case "outage":
                self.here.env.inject_error("POST", "/channels/*/messages", status=503, code=0, times=3)
            case _:
                forbid(self.here)
        await self.here.env.settle()

    async def race(self) -> None:
        """Have two of the staff press the same step at once."""
        panels = []
        for actor in self.staff:
            answer = await self.type(actor, "status", {})
            steps = [knob["custom_id"] for knob in knobs(answer)] if answer is not None else []
            if steps:
                panels.append((actor, answer, self.dice.choice(steps[:1] * 3 + steps)))
        self.done.append(f"at once: {[(self._who(a), c) for a, _, c in panels]}")
        told = await self.night.at_once(panels)
        assert all(told), told
        assert not any(BROKEN in each for each in told), told

    async def go_on(self) -> None:
        """Take the next step of the status page, or settle the tables that it waits for."""
        dice, boss = self.dice, self.dice.choice(self.staff)
        record = await self.night.record()
        seen = overview(record)
        if seen.step == "league" and dice.random() < 0.6:
            people = dice.sample(
                [who.user_id for who in record.active], min(len(record.active), record.setup.sizes.low)
            )
            await self.type(boss, "table", {"people": " ".join(f"<@{one}>" for one in people)})
            return
        if not seen.tables:
            status = await self.type(boss, "status", {})
            await self.take_steps(boss, status, dice.choice((1, 1, 2)))
            return
        for table in seen.tables:
            pod = record.rounds[table.round - 1].pods[table.pod - 1]
            if dice.random() < 0.8:
                marks = dice.choice(((5,), (1, 2, 3, 4, 5), (1, 2, 3, -7, 5, "absent", "bye")))
                result = " ".join(f"<@{record.entrant(one).user_id}> {dice.choice(marks)}" for one in pod.seats)
                await self.type(boss, "correct", {"table": table.pod, "result": result, "reason": "seen"})

    async def step(self) -> None:
        """Do one thing by chance, and hold what came of it against what must be."""
        dice = self.dice
        act = dice.choices(
            (self.press, self.command, self.come, self.trouble, self.race, self._pass, self.go_on, self.elsewhere),
            (34, 30, 5, 4, 3, 14, 8, 5),
        )[0]
        await act()
        assert [] == self.here.env.errors, self.here.env.errors

    async def _pass(self) -> None:
        seconds = self.dice.choice(PASSED_S)
        self.done.append(f"{seconds} seconds pass")
        await self.here.env.advance_time(seconds)

    # --- what must be ------------------------------------------------------------------------------

    async def check(self) -> None:
        """Hold the log against the record, and all that was sent against the limits."""
        store, record = self.here.bot.store, await self.night.record()
        _, seed = await self.here.bot.tournaments._vault.load(self.night.number)  # noqa: SLF001
        rows = await store.log(self.night.number)
        again, _ = replay(seed, [(row.at_ms, load_input(row.input)) for row in rows])
        assert again == record
        self.here.check_sizes()
        if record.live:
            seen = [m for place in self.places() for m in place.history()]
            assert not any(record.salt in words(m) for m in seen)
            assert not any(seed.hex() in words(m) for m in seen)

    async def rescue(self) -> None:
        """Bring it to its end by what the status page says, and nothing else."""
        night, boss = self.night, self.night.boss
        forbid(self.here)
        for _ in range(150):
            await night.wait(8)
            record = await night.record()
            if record.phase == "finished":
                await self.type(boss, "status", {})  # what is owed follows where somebody looks
                await night.wait(60)
                return
            seen = overview(record)
            self.done.append(f"rescue: {seen.step} {seen.blocks}")
            match seen.step:
                case "reopen":
                    await self.type(boss, "reopen", {"reason": "on"})
                case "open_check_in" | "check_in" | "start" if record.phase == "signup":
                    if not seen.ready or len(record.active) < 4:
                        most = {
                            "people": " ".join(
                                person.mention for person in self.here.people if person.id not in self.gone
                            )
                        }
                        await self.type(boss, "add", most)
                        for who in self.here.people:
                            if who.id not in self.gone:
                                await self.type(boss, "undrop", {"player": who, "reason": "on"})
                    status = await self.type(boss, "status", {})
                    await self.take_steps(boss, status)
                case "tables" | "league":
                    tables = seen.tables
                    for table in tables:
                        pod = record.rounds[table.round - 1].pods[table.pod - 1]
                        result = " ".join(f"<@{record.entrant(one).user_id}> absent" for one in pod.seats)
                        await self.type(boss, "correct", {"table": table.pod, "result": result, "reason": "on"})
                    if not tables:
                        await self.type(boss, "finish", {"reason": "on"})
                case "check_in":
                    status = await self.type(boss, "status", {})
                    menu = next(
                        (menu for menu in selects(status) if ":check_other" in menu["options"][0]["value"]), None
                    )
                    menu = menu or next((menu for menu in selects(status) if "check_other" in str(menu)), None)
                    if menu is None:
                        await self.take_steps(boss, status, 1)
                    else:
                        at = self.here.people.index(boss)
                        answer = await press_id(
                            self.here, at, status.message, menu["custom_id"], [menu["options"][0]["value"]]
                        )
                        self._heard(boss, "check_other", answer)
                case "pairing":
                    await night.wait(30)
                case "no_round":
                    await self.type(boss, "finish", {"reason": "on"})
                case _:
                    status = await self.type(boss, "status", {})
                    await self.take_steps(boss, status, 1)
        raise AssertionError((await night.record()).phase)

    async def take_steps(self, boss: Any, status: Any, most: int = 3) -> None:
        """Press the green button of the status page, and that of what it shows then."""
        for _ in range(most):
            step = next((k for k in knobs(status) if k["style"] == 3), None)
            if step is None:
                return
            self.done.append(f"rescue presses {step['label']}")
            status = await press_id(self.here, self.here.people.index(boss), status.message, step["custom_id"])
            self._heard(boss, self.done[-1], status)
