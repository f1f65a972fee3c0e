"""The private hand: whose it is, when it changes, what stale and forged presses do, and what it tells."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from cogs.lets_dance.hand import action, order_that_matters
from cogs.ui.ids import parse
from rules.lets_dance import GAME, Action, Dance, State, StepOnToes
from tests.cogs.staging import Pressed, plant, press_id, said, sent, sitting, snapshot, stage
from tests.cogs.world import World, knobs, labels, parts, selects, world
from tests.rules.lets_dance.build import after, final, table

SEED = bytes(range(16))
MINUTE = 60
CALM = ("Y M C A Worm", "Down Cowboy Y M Robot", "C A Shuffle Worm Down")
DECK = "Down Cowboy Y M C A " * 8


async def game(here: World, state: State) -> list[int]:
    """Have this game go on, and return who sits where."""
    await here.open()
    await here.start(state.players)
    await here.env.advance_time(2)
    await stage(here, state)
    await here.env.advance_time(2)
    return await sitting(here)


async def hand(here: World, who: int) -> Any:
    """Open the hand by command."""
    return (await here.people[who].slash(here.channel, "hand")).response


async def press(here: World, who: int, panel: Any, label: str) -> Any:
    """Press a button of a panel and return what stands there then."""
    return (await here.press(who, panel, label)).response


async def moves(here: World) -> int:
    """Return how many inputs the table has taken."""
    return len(await here.bot.store.log(1))


def refreshes(here: World, start: int) -> int:
    """Return how many private panels were edited of the bot's own accord since request *start*."""
    return len(sent(here, "PATCH", "/messages/@original", start))


# --- whose it is ---------------------------------------------------------------------------------


async def test_an_outsider_has_no_hand(tmp_path: Path) -> None:
    """Whoever does not sit there gets a sentence from My hand."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await game(here, table(*CALM[:2], deck=DECK))

        told = said(await here.hand(4))

        assert "✋ You do not sit at this table. Watch along, or open one of your own." == told


async def test_my_hand_stands_on_a_message_of_its_own(tmp_path: Path) -> None:
    """The board stays for everyone, the hand is seen by its owner alone."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await game(here, table(*CALM[:2], deck=DECK))
        board = said(here.board())

        panel = await here.hand(seats[1])

        assert panel.ephemeral
        assert board == said(here.board())
        assert "Worm" not in " ".join(said(message) for message in here.messages())


async def test_nobody_plays_from_the_panel_of_another(tmp_path: Path) -> None:
    """Every id of one player's panels, pressed by another player or an outsider, changes nothing and shows no card."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await game(here, table("Spin Spin Worm Fever", "Y M C A Down", deck=DECK, floors=["", "Y"]))
        panel = await hand(here, seats[0])
        first = next(knob["label"] for knob in knobs(panel) if "Spin" in knob["label"])
        ids = {knob["custom_id"] for knob in knobs(panel)}
        panel = await press(here, seats[0], panel, first)
        ids |= {knob["custom_id"] for knob in knobs(panel)}
        before, count = await snapshot(here), await moves(here)
        forged = [plant(here, [custom_id]) for custom_id in sorted(ids)]
        answers = [
            (who, said(await press_id(here, who, message, custom_id)))
            for who in (seats[1], 5)
            for message, custom_id in zip(forged, sorted(ids), strict=True)
        ]

        assert any(":dance:spin" in custom_id for custom_id in ids)
        assert count == await moves(here)
        assert before == await snapshot(here)
        assert {"✋"} == {line[0] for who, answer in answers for line in answer.splitlines() if line.startswith("✋")}
        assert all("✋" in answer and "Worm" not in answer for _, answer in answers)


# --- when it changes -----------------------------------------------------------------------------


async def test_a_panel_follows_its_own_turn_and_nobody_elses(tmp_path: Path) -> None:
    """It is edited when its owner comes to act, not when two others move."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await game(here, table(*CALM, deck=DECK))
        last = await hand(here, seats[2])
        mine = await hand(here, seats[0])
        start, waiting = len(here.env.http_requests), said(last)
        await press(here, seats[0], await press(here, seats[0], mine, "Y"), "Dance Y")
        await here.env.advance_time(2)
        first, unchanged = refreshes(here, start), said(last)
        theirs = await hand(here, seats[1])
        await press(here, seats[1], await press(here, seats[1], theirs, "Y"), "Dance Y")
        await here.env.advance_time(2)

        assert 0 == first
        assert waiting == unchanged
        assert 1 == refreshes(here, start)
        assert "your move" in said(last)
        assert "Which card goes first?" in said(last)


async def test_a_panel_follows_cards_that_others_take(tmp_path: Path) -> None:
    """Whose toes are stepped on sees at once which cards went and came; a third player's panel stays."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await game(here, table("Toes Y", "Worm Worm", "Y M", floors=["Y", "M", "C"], deck=DECK))
        victim, other = await hand(here, seats[1]), await hand(here, seats[2])
        mine = await press(here, seats[0], await hand(here, seats[0]), "Step on Toes")
        start, before = len(here.env.http_requests), said(other)
        await press(here, seats[0], mine, next(label for label in labels(mine) if here.names[seats[1]][:8] in label))
        await here.env.advance_time(2)

        assert "stepped on your toes" in said(victim)
        assert "Taken from you: " in said(victim)
        assert "You drew " in said(victim)
        assert 1 == refreshes(here, start)
        assert before == said(other)


async def test_a_panel_opened_while_things_change_shows_the_end_of_it(tmp_path: Path) -> None:
    """Opened in the same moment as a move that begins its owner's turn, it ends up with that turn's buttons."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await game(here, table(*CALM[:2], deck=DECK))
        mine = await press(here, seats[0], await hand(here, seats[0]), "Y")
        dance = next(knob["custom_id"] for knob in knobs(mine) if knob["label"] == "Dance Y")
        door = next(knob["custom_id"] for knob in knobs(here.board()) if knob["label"] == "My hand")
        opening = Pressed(here, seats[1], here.board(), door)
        moving = Pressed(here, seats[0], mine, dance)
        opening.emit()
        moving.emit()
        await here.env.settle(idle=0.001)
        await here.env.advance_time(2)

        assert "Which card goes first?" in said(opening.response)


async def test_a_panel_is_left_alone_after_14_minutes(tmp_path: Path) -> None:
    """Its token is as good as dead then; a press on it opens a fresh one."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await game(here, table(*CALM[:2], deck=DECK))
        old = await hand(here, seats[1])
        await here.env.advance_time(14 * MINUTE + 5)
        mine = await press(here, seats[0], await hand(here, seats[0]), "Y")
        start, before = len(here.env.http_requests), said(old)
        await press(here, seats[0], mine, "Dance Y")
        await here.env.advance_time(2)

        assert 0 == refreshes(here, start)
        assert before == said(old)


@pytest.mark.parametrize(("key", "command"), [("lets_dance", "letsdance"), ("lambada", "lambada"),
                                             ("breakdancing_meeples", "meeples")])  # fmt: skip
async def test_a_panel_left_open_for_long_tells_the_latest(tmp_path: Path, key: str, command: str) -> None:
    """However much happens to somebody who only looks on while their seat is played for them, it fits."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open(f"{command} new")
        await here.start(2)
        await here.env.advance_time(10)
        scene = (await here.bot.tables.glance(1)).seen_by(here.people[0].id)
        told: list[Any] = []
        here.bot.tables.subscribe(lambda update: told.extend(update.told(scene.seat)))
        await here.bot.tables.hurry(1)

        assert len(told) > 20
        assert here.bot.faces[key].hand(scene, tuple(told * 5), "").total_children_count


async def test_a_week_old_panel_opens_a_fresh_one(tmp_path: Path) -> None:
    """However old the panel and whatever restarts lie between, a press that only chooses goes on."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open(turn_clock=0)
        await here.start(2)
        await here.env.advance_time(2)
        await stage(here, table(*CALM[:2], deck=DECK), due_ms=(None, None))
        who = (await sitting(here))[0]
        panel = await hand(here, who)
        await here.env.advance_time(7 * 24 * 3600)
        await here.restart()

        page = await press(here, who, panel, "Y")

        assert "Dance Y" in labels(page)


# --- stale, doubled, repeated --------------------------------------------------------------------


async def test_a_stale_panel_becomes_the_hand_as_it_is(tmp_path: Path) -> None:
    """A round later an old button plays nothing: it shows today's cards and says so."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await game(here, table(*CALM[:2], deck=DECK))
        old = await press(here, seats[0], await hand(here, seats[0]), "The Worm")
        mine = await press(here, seats[0], await hand(here, seats[0]), "Y")
        await press(here, seats[0], mine, "Dance Y")
        await here.env.advance_time(5)
        theirs = await press(here, seats[1], await hand(here, seats[1]), "Y")
        await press(here, seats[1], theirs, "Dance Y")
        await here.env.advance_time(5)
        count = await moves(here)

        fresh = await press(here, seats[0], old, "Dance The Worm")

        assert "✋ This panel is old: here is your hand as it is now, nothing was played." in said(fresh)
        assert "Which card goes first?" in said(fresh)
        assert count == await moves(here)


async def test_two_presses_at_once_make_one_move(tmp_path: Path) -> None:
    """Both arrive before either is answered: one dances, the other is told that it is done."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await game(here, table("Y Y Y Worm", "Y", deck=DECK))
        panel = await press(here, seats[0], await hand(here, seats[0]), "3× Y")
        dance = next(knob["custom_id"] for knob in knobs(panel) if knob["label"] == "Dance Y")
        count = await moves(here)
        first, second = (Pressed(here, seats[0], panel, dance) for _ in range(2))
        first.emit()
        second.emit()
        await here.env.settle(idle=0.001)

        assert count + 1 == await moves(here)
        assert "✋ That is done already: one press was enough." in said(second.response)
        assert "`Y`" in said(second.response)


async def test_presses_from_two_panels_at_once_make_one_move(tmp_path: Path) -> None:
    """Two different moves from two open hands: the first counts, no card is played twice."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await game(here, table("Y Worm Down", "Y", deck=DECK))
        pages = [await press(here, seats[0], await hand(here, seats[0]), card) for card in ("Y", "The Worm")]
        count = await moves(here)
        presses = [
            Pressed(here, seats[0], page, next(k["custom_id"] for k in knobs(page) if k["label"].startswith("Dance ")))
            for page in pages
        ]
        for each in presses:
            each.emit()
        await here.env.settle(idle=0.001)

        assert count + 1 == await moves(here)
        assert "You danced Y" in said(presses[0].response)
        assert "✋ That is done already" in said(presses[1].response)


async def test_an_interaction_delivered_twice_is_one_move(tmp_path: Path) -> None:
    """The very same interaction again, at once and a minute later, changes nothing and breaks nothing."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await game(here, table("Y Y Y Worm", "Y", deck=DECK))
        panel = await press(here, seats[0], await hand(here, seats[0]), "3× Y")
        dance = next(knob["custom_id"] for knob in knobs(panel) if knob["label"] == "Dance Y")
        count = await moves(here)
        pressed = Pressed(here, seats[0], panel, dance)
        pressed.emit()
        pressed.emit()
        await here.env.settle(idle=0.001)
        shown = said(pressed.response)
        await here.env.advance_time(MINUTE)
        pressed.emit()
        await here.env.settle(idle=0.001)

        assert count + 1 == await moves(here)
        assert "You danced Y" in shown
        assert [] == here.env.errors


# --- after the end -------------------------------------------------------------------------------


async def old_buttons(here: World, who: int) -> set[str]:
    """Collect the ids of every button and select that *who* can find: lobby, board, panels, commands."""
    found: set[str] = set()

    def keep(message: Any) -> Any:
        found.update(part["custom_id"] for part in parts(message) if part.get("custom_id"))
        return message

    keep(here.board())
    for command in ("hand", "table show", "table end", "table leave"):
        panel = keep((await here.people[who].slash(here.channel, command)).response)
    panel = await hand(here, who)
    for knob in [knob for knob in knobs(panel) if ":first:" in knob["custom_id"]]:
        page = keep((await here.people[who].click(panel.message, custom_id=knob["custom_id"])).response)
        for menu in selects(page):
            plan = keep((await here.choose(who, page, menu, menu["options"][0]["value"])).response)
            page = (await here.press(who, plan, "Choose again")).response
            page = (await here.people[who].click(panel.message, custom_id=knob["custom_id"])).response
        panel = await hand(here, who)
    keep((await here.press(who, here.board(), "Scores")).response)
    return {custom_id for custom_id in found if "rules" not in custom_id}


@pytest.mark.parametrize("how", ["host", "finished"])
async def test_after_the_end_every_old_button_says_so(tmp_path: Path, how: str) -> None:
    """Public or private, pressed by a player or an outsider: one answer that it is over, with nothing to press."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        lobby = await here.open()
        ids = {knob["custom_id"] for knob in knobs(lobby) if knob["label"] != "Rules"}
        await here.start(2)
        await here.env.advance_time(2)
        await stage(here, table("Spin Toes Fever Euphoria Y", "Y", floors=["Y", "M"], deck=DECK))
        seats = await sitting(here)
        ids |= await old_buttons(here, seats[0])
        if how == "host":
            asked = (await here.people[0].slash(here.channel, "table end")).response
            await press(here, 0, asked, "End it")
        else:
            await stage(here, final("", "", turn=1))
            await press(here, seats[1], await hand(here, seats[1]), "Pass")
        await here.env.advance_time(3)
        ended = await snapshot(here)
        buttons = sorted(custom_id for custom_id in ids if ":pick:" not in custom_id)
        answers = {}
        for custom_id in buttons:
            for private, who in ((False, 5), (True, seats[0])):
                answer = await press_id(here, who, plant(here, [custom_id], private=private), custom_id)
                answers[custom_id, who] = (said(answer), labels(answer), selects(answer))
        odd = {key: answer for key, answer in answers.items() if " over" not in answer[0] or answer[1] or answer[2]}

        assert here.over()
        assert len(buttons) > 15
        assert {} == odd
        assert ended == await snapshot(here)


async def test_an_open_panel_loses_its_buttons_at_the_end(tmp_path: Path) -> None:
    """When the host ends the game, a hand that stands open somewhere says so by itself."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await game(here, table(*CALM[:2], deck=DECK))
        panel = await hand(here, seats[0])
        choices = labels(panel)
        asked = (await here.people[0].slash(here.channel, "table end")).response
        await press(here, 0, asked, "End it")
        await here.env.advance_time(2)

        assert choices
        assert [] == labels(panel)
        assert "over" in said(panel)


# --- ids that nobody should have -----------------------------------------------------------------

WEIRD = [
    "",
    "x",
    "d",
    "d:",
    "hello world",
    "💃",
    "d:lets_dance:1:1:dance",
    "d:lets_dance:one:1:dance:spin",
    "d:lets_dance:-1:1:dance:spin",
    "d:lets_dance:1:1:dance:",
    "d:lets_dance:1:1:dance:💃",
    "d:lets_dance:1:1:dance:.",
    "d:lets_dance:1:1:dance:y.y.y.y.y",
    "d:lets_dance:1:{v}:dance:",
    "d:lets_dance:1:{v}:dance:nonsense",
    "d:lets_dance:1:{v}:dance:over",
    "d:lets_dance:1:{v}:dance:spin",
    "d:lets_dance:1:{v}:toes:99",
    "d:lets_dance:1:{v}:toes:-1",
    "d:lets_dance:1:{v}:toes:²",
    "d:lets_dance:1:{v}:toes:",
    "d:lets_dance:1:{v}:toes:99999999999999999999999",
    "d:lets_dance:1:{v}:first:nonsense",
    "d:lets_dance:1:{v}:first:",
    "d:lets_dance:1:{v}:plan:nonsense",
    "d:lets_dance:1:{v}:plan:y.nonsense",
    "d:lets_dance:1:{v}:plan_renew:nonsense",
    "d:lets_dance:1:{v}:plan_sit:y",
    "d:lets_dance:1:{v}:renew:nonsense.nonsense",
    "d:lets_dance:1:{v}:keep:y",
    "d:lets_dance:1:{v}:sit:y",
    "d:lets_dance:1:{v}:follow:",
    "d:lets_dance:1:{v}:pass:",
    "d:lets_dance:1:{v}:pick:more",
    "d:lets_dance:1:{v}:tango:",
    "d:lets_dance:1:0:dance:y",
    "d:lets_dance:1:0:first:nonsense",
    "d:lets_dance:1:999999999:dance:y",
    "d:lets_dance:0:0:scores:",
    "d:lets_dance:2:0:scores:",
    "d:lets_dance:2:1:dance:y",
    "d:lets_dance:2:1:first:y",
    "d:lets_dance:999999999999999:1:dance:y",
    "d:lets_dance:999999999999999:1:first:y",
    "d:no_such_game:1:1:dance:y",
    "d:no_such_game:1:1:first:y",
    "d:house:1:0:tango:",
    "d:house:1:0:pick:clock",
    "d:house:1:0:join:",
    "d:house:1:0:start:",
    "d:house:1:0:clock:60000",
    "d:house:1:0:clock:soon",
    "d:house:2:0:clock:soon",
    "d:house:2:0:clock:",
    "d:house:2:0:clock:1",
    "d:house:2:0:clock:-60000",
    "d:house:2:0:option:",
    "d:house:2:0:option:deck",
    "d:house:2:0:option:deck=mine",
    "d:house:2:0:option:colour=red",
    "d:house:2:0:hand:",
    "d:house:999999999999999:0:hand:",
    "d:house:999999999999999:0:join:",
    "d:house:999999999999999:0:end_ask:",
    "d:house:999999999999999:0:end:",
    "d:house:999999999999999:0:quit_ask:",
    "d:house:999999999999999:0:quit:",
    "d:house:0:0:rules:",
    "d:house:0:0:rules:chess",
    "d:house:0:0:rules:lets_dance=first",
    "d:house:0:0:rules_on:lets_dance=💃",
    "d:house:0:0:rules_on:lets_dance=-",
]


@pytest.mark.parametrize("private", [False, True])
async def test_forged_ids_get_one_sentence_and_change_nothing(tmp_path: Path, private: bool) -> None:
    """Whatever id arrives, there is one private answer with a reason, no error inside, and every table as before."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await game(here, table(*CALM[:2], deck=DECK))
        await here.open(who=seats[0])
        version = (await here.bot.tables.glance(1)).table.versions[0]
        before = [await snapshot(here, 1), await snapshot(here, 2)]
        answers = {}
        for weird in WEIRD:
            custom_id = weird.format(v=version) or "\u200b"
            answer = await press_id(here, seats[0], plant(here, [custom_id], private=private), custom_id)
            answers[custom_id] = (answer.ephemeral, said(answer))
        bad = {
            custom_id: answer
            for custom_id, (ephemeral, answer) in answers.items()
            if not ephemeral or answer.count("✋") != 1 or "our side" in answer or "not possible now" in answer
        }

        assert {} == bad
        assert before == [await snapshot(here, 1), await snapshot(here, 2)]


async def test_a_select_that_says_nonsense_gets_one_sentence(tmp_path: Path) -> None:
    """Values that no option of ours has are answered and change nothing."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open()
        before = await snapshot(here)
        answers = []
        for custom_id in ("d:house:1:0:pick:clock", "d:lets_dance:1:1:pick:more", "d:house:0:0:pick:rules lets_dance"):
            menu = plant(here, [custom_id], menu=True)
            values = ("sense", "non:sense", "clock:x", "", ":", "rules:", "rules:lets_dance=x")
            answers += [said(await press_id(here, 0, menu, custom_id, [value])) for value in values]

        assert all(answer.count("✋") == 1 and "our side" not in answer for answer in answers), answers
        assert before == await snapshot(here)


async def test_a_button_of_one_game_on_the_table_of_another(tmp_path: Path) -> None:
    """Ids that mix up two games are refused in words, and both tables stay as they are."""
    packages: Any = {
        "game_packages": ("rules", "tests.fixture_game.rules"),
        "cog_packages": ("cogs", "tests.fixture_game.cogs"),
    }
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED, **packages) as here:
        await here.open("clap new", pace="free", computer_players=1)
        await here.press(0, here.board(1), "Start")
        await here.open(computer_players=1)
        await here.press(0, here.board(2), "Start")
        await here.env.advance_time(3)
        versions = {}
        for table_id in (1, 2):
            seen = (await here.bot.tables.glance(table_id)).table
            versions[table_id] = seen.versions[seen.seat_of(here.people[0].id) or 0]
        before = [await snapshot(here, 1), await snapshot(here, 2)]
        ids = [f"d:lets_dance:1:{versions[1]}:{rest}" for rest in ("dance:y", "first:y", "plan:y.m", "toes:1", "back:")]
        ids += ["d:lets_dance:1:0:scores:", f"d:clap:2:{versions[2]}:lay:0", f"d:clap:2:{versions[2]}:lay:tap"]
        answers = {custom_id: said(await press_id(here, 0, plant(here, [custom_id]), custom_id)) for custom_id in ids}
        bad = {custom_id: text for custom_id, text in answers.items() if text.count("✋") != 1 or "our side" in text}

        assert {} == bad
        assert before == [await snapshot(here, 1), await snapshot(here, 2)]


# --- three presses -------------------------------------------------------------------------------

SITUATIONS = {
    "a full hand": table("Spin Spin Fever Y Toes", "Y M", "", floors=["Y", "M", ""], deck=DECK),
    "many follow-ups": table("Down Robot Shuffle Fever Euphoria", "Y", deck=DECK),
    "few cards": table("Y M", "Y", deck=DECK),
    "no card": table("", "Y", deck=DECK),
    "a Conga Line": table("Y", "Conga M C", floors=["Conga"], conga=(0,), turn=1, deck=DECK),
    "a Conga Line without a card": table("Y", "Y M C", floors=["Conga"], conga=(0,), turn=1, deck=DECK),
    "grabbed cards": after(table("Toes Y", "Y M", floors=["", "Y"], deck=DECK), StepOnToes(1)),
    "the final round": final("Y Spin Spin", "M", floors=["Y", "M"]),
    "the final round with a full hand": final("Y M Spin Fever Conga", "M", floors=["Y", "M"]),
}


def acts(panel: Any) -> Iterator[Action]:
    """Yield the moves that the green and red buttons of a panel make."""
    for knob in knobs(panel):
        meant = parse(knob["custom_id"])
        move = action(meant) if meant else None
        if knob["style"] in (3, 4) and move is not None:
            yield move


CONFIRMED = {"plan": "dance", "plan_renew": "renew", "plan_sit": "sit"}
"""What the button on the page behind an option makes; pressed for the first option of each select."""


async def behind(here: World, who: int, page: Any, back: str = "") -> set[Action]:
    """Return the moves behind the selects of a page; *back* is the button that leads to it from the hand."""
    found: set[Action] = set()
    for menu in selects(page):
        for option in menu["options"]:
            meant = parse(menu["custom_id"])
            chosen = meant.picked(option["value"]) if meant else None
            made = action(replace(chosen, verb=CONFIRMED[chosen.verb])) if chosen else None
            if option is menu["options"][0]:
                plan = (await here.choose(who, page, menu, option["value"])).response
                assert [made] == list(acts(plan))
                page = await press(here, who, plan, "Choose again")
                if back:
                    page = (await here.people[who].click(page.message, custom_id=back)).response
            assert made is not None
            found.add(made)
    return found


async def within_three(here: World, who: int) -> set[Action]:
    """Return every move that at most three presses from an open hand make."""
    panel = await hand(here, who)
    found = set(acts(panel)) | await behind(here, who, panel)
    for first in [knob["custom_id"] for knob in knobs(panel) if knob["style"] == 2]:
        panel = await hand(here, who)
        page = (await here.people[who].click(panel.message, custom_id=first)).response
        found |= set(acts(page)) | await behind(here, who, page, first)
    return found


@pytest.mark.parametrize("situation", SITUATIONS)
async def test_three_presses_lead_to_every_move(tmp_path: Path, situation: str) -> None:
    """From an open hand each legal move is made by the third press at most, orders that score alike by one of them."""
    state = SITUATIONS[situation]
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await game(here, state)

        found = await within_three(here, seats[state.turn])
        legal = list(GAME.legal(state, state.turn))

        def kinds(moves: Any) -> set[Any]:
            return {order_that_matters(move.cards) if isinstance(move, Dance) else move for move in moves}

        assert set() == found - set(legal)
        assert kinds(legal) == kinds(found)


# --- what it tells -------------------------------------------------------------------------------


async def test_a_fall_is_told(tmp_path: Path) -> None:
    """What was shown, why it was a fall, what lies face-down, what is gone, back and drawn."""
    state = table("Spin Spin Fever", "Y", deck="Worm Toes M " + DECK)
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await game(here, state)
        page = await press(here, seats[0], await hand(here, seats[0]), "2× Spin")
        menu = next(menu for menu in selects(page) if "dance" in menu["placeholder"])
        value = next(o["value"] for o in menu["options"] if o["label"] == "Spin, Spin, Dance Fever")
        plan = (await here.choose(seats[0], page, menu, value)).response
        risk = said(plan)
        told = said(await press(here, seats[0], plan, "Dance!"))
        await here.env.advance_time(2)

        assert "Fall risk" in risk
        assert "**You fell!** Shown: The Worm, Step on Toes. Stumble!" in told
        assert "🪑 The Worm lies face-down: you sit one out." in told
        assert "Your 2 Spins are gone, Dance Fever is back in your hand." in told
        assert "You drew 🔤\u00a0**M**." in told
        assert "fell! Shown: Worm, Toes. 2 Spins are gone, one sat out." in said(here.board())
        assert "**M**" not in said(here.board())


async def test_a_held_spin_is_told(tmp_path: Path) -> None:
    """Shown cards and the points."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await game(here, table("Spin", "Y", deck="Worm M " + DECK))
        page = await press(here, seats[0], await hand(here, seats[0]), "Spin")
        told = said(await press(here, seats[0], page, "Dance Spin"))

        assert "Shown: The Worm. You keep your balance." in told
        assert "You danced Spin: **+2**." in told
        assert "You drew 🔤\u00a0**M**." in told


async def test_stepping_on_toes_is_told_to_both(tmp_path: Path) -> None:
    """The thief chooses between the two grabbed cards and reads what was kept; the victim what was taken and drawn."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await game(here, table("Toes Y", "Worm Spin", floors=["", "Y"], deck="Cowboy Cowboy M " + DECK))
        victim = await hand(here, seats[1])
        page = await press(here, seats[0], await hand(here, seats[0]), "Step on Toes")
        choice = await press(here, seats[0], page, labels(page)[0])
        asked, options = said(choice), labels(choice)
        kept = said(await press(here, seats[0], choice, "Keep Spin"))
        await here.env.advance_time(2)

        assert "You grabbed The Worm, Spin." in asked.replace("Spin, The Worm", "The Worm, Spin")
        assert "**You grabbed two. Which do you keep?**" in asked
        assert {"Keep Spin", "Keep The Worm"} == set(options)
        assert "You keep 🌀\u00a0**Spin**." in kept
        assert "stepped on your toes: you sit one out." in said(victim)
        assert "threw away The Worm." in said(here.board())


@pytest.mark.parametrize(("hand_", "grabbed"), [("", 0), ("Worm", 1), ("Worm Worm", 2)])
async def test_stepping_on_emptier_hands_is_told(tmp_path: Path, hand_: str, grabbed: int) -> None:
    """With fewer than two different cards there is nothing to choose, and the words fit what was taken."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await game(here, table("Toes Y", hand_, floors=["", "Y"], deck=DECK))
        page = await press(here, seats[0], await hand(here, seats[0]), "Step on Toes")
        told = said(await press(here, seats[0], page, labels(page)[0]))

        assert "You grabbed ." not in told
        assert "Worm" in told if grabbed else "nothing" in told


async def test_a_conga_line_is_told(tmp_path: Path) -> None:
    """Starting, following and sitting out each have their line, and sitting out goes on to a turn."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await game(here, table("Conga Y", "Conga Worm", "Y M", deck="Down Cowboy " + DECK))
        page = await press(here, seats[0], await hand(here, seats[0]), "Conga Line")
        started = said(await press(here, seats[0], page, "Start a Conga Line"))
        await here.env.advance_time(2)
        panel = await hand(here, seats[1])
        asked = said(panel)
        followed = said(await press(here, seats[1], panel, "Follow the line"))
        await here.env.advance_time(2)
        panel = await hand(here, seats[2])
        plan = (await here.choose(seats[2], panel, selects(panel)[0], "plan_sit:m")).response
        planned = said(plan)
        out = await press(here, seats[2], plan, "Sit out")

        assert "You danced Conga Line" in started
        assert "**Follow:** worth 2 each, you draw 1." in asked
        assert "You followed the Conga Line: 2 in it now." in followed
        assert "You drew " in followed
        assert "**The Conga Line** ends at 2 each." in planned
        assert "You sat out: the Conga Line ends at 2 each. Now take your turn." in said(out)
        assert "Which card goes first?" in said(out)


async def test_replenish_is_told(tmp_path: Path) -> None:
    """The cards drawn stand in the panel; an empty deck is said to be empty."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await game(here, table("Y M C", "Y M C", deck="Worm Spin"))
        drew = said(await press(here, seats[0], await hand(here, seats[0]), "Replenish: draw 2"))
        await here.env.advance_time(2)
        nothing = said(await press(here, seats[1], await hand(here, seats[1]), "Replenish: draw 2"))

        assert "You caught your breath." in drew
        assert "You drew 🧹\u00a0**The Worm**, 🌀\u00a0**Spin**." in drew.replace(
            "🌀\u00a0**Spin**, 🧹\u00a0**The Worm**", "🧹\u00a0**The Worm**, 🌀\u00a0**Spin**"
        )
        assert "You caught your breath. There was no card left to draw." in nothing


async def test_renew_is_told(tmp_path: Path) -> None:
    """Before: what is laid, thrown away, kept and drawn; after: the same in one line, and the new cards."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await game(here, table("Y M C A Worm", "Y", deck="Spin Spin Spin " + DECK))
        page = await press(here, seats[0], await hand(here, seats[0]), "The Worm")
        menu = next(menu for menu in selects(page) if "drop" in menu["placeholder"])
        value = next(o["value"] for o in menu["options"] if o["label"] in ("C, A", "A, C"))
        plan = (await here.choose(seats[0], page, menu, value)).response
        planned = said(plan)
        told = said(await press(here, seats[0], plan, "Renew"))
        await here.env.advance_time(2)

        assert "**Face-down:** The Worm." in planned
        assert "**Drawn:** 3 cards" in planned
        assert "You sat one out to renew your hand and threw away C, A." in told.replace("A, C", "C, A")
        assert "You drew 🌀\u00a0**Spin**, 🌀\u00a0**Spin**, 🌀\u00a0**Spin**." in told
        assert "Worm" not in said(here.board())


async def test_pass_is_told(tmp_path: Path) -> None:
    """In the final round whoever does nothing reads that they passed."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await game(here, final("Y", "Y"))
        told = said(await press(here, seats[0], await hand(here, seats[0]), "Pass"))

        assert "You passed." in told


async def test_the_last_move_is_told_with_the_end(tmp_path: Path) -> None:
    """Whoever makes it is shown where the result stands."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await game(here, final("Y", "Y", turn=1))
        told = said(await press(here, seats[1], await hand(here, seats[1]), "Pass"))

        assert "The party is over" in told
        assert "The board has the result." in told
