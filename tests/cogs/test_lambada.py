"""Lambada as people play it: whole matches, the catch, restarts, tokens, large hands, and what nobody may tell."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cogs.lambada.words import CODE, SIGN
from rules.core.rng import Rng
from rules.lambada import CARD, CARDS, CATCH, COLOURS, GAME, Caught, Lay, OwnUp, Pass, State
from rules.lambada.cards import in_order
from tests.cogs.staging import plant, press_id, said, sent, sitting, stage
from tests.cogs.world import World, knobs, labels, parts, selects, words, world
from tests.rules.lambada.build import MIXED, catching, table

SEED = bytes(range(16))
MOST_PRESSES = 4
"""A card, the letter, a card, to whom: no turn takes more."""
WINDOW_S = 6
PAUSE_S = 31
HANDS = ("grnL redA redD bluM yelB", "bluA redB orgL redM", "purA redL bluD")
"""Of three seats; the first may lay a green L, forbidden by default, or a red A, clean on `MIXED`."""


# --- a person at the table -----------------------------------------------------------------------


async def open_match(here: World, people: int, penalties: str = "auto") -> list[int]:
    """Open a table, have people join, start, and return who sits where."""
    await here.open("lambada new", penalties=penalties)
    await here.start(people)
    await here.env.advance_time(2)
    return await sitting(here)


async def staged(here: World, state: State) -> list[int]:
    """Have a match go on from *state*, and return who sits where."""
    seats = await open_match(here, state.players, CATCH if state.catch else "auto")
    await stage(here, state, to_act=tuple(sorted(GAME.to_act(state))), deadlines=dict(GAME.deadlines(state)))
    await here.env.advance_time(2)
    return seats


async def state_of(here: World) -> Any:
    """Return the public half of the view."""
    return (await here.bot.tables.glance(1)).seen_by(None).view.public


async def pick(here: World, who: int, panel: Any, value: str) -> Any:
    """Choose *value* in whichever select has it; return the page that follows."""
    for menu in selects(panel):
        for option in menu["options"]:
            if option["value"] == value:
                return (await here.choose(who, panel, menu, value)).response
    raise AssertionError(f"{value} is on no select: {[o['value'] for m in selects(panel) for o in m['options']]}")


async def click(here: World, who: int, panel: Any, end: str) -> Any:
    """Press the button whose id ends like that, and return what is there then."""
    knob = next((knob for knob in knobs(panel) if knob["custom_id"].endswith(end)), None)
    assert knob is not None, (end, [knob["custom_id"] for knob in knobs(panel)])
    return (await here.people[who].click(panel.message, custom_id=knob["custom_id"])).response


async def lay(here: World, who: int, card_: str, slot: int, panel: Any = None) -> Any:
    """Lay a card: pick it, press the letter."""
    panel = await pick(here, who, panel or await here.hand(who), f"card:{card_}")
    return await click(here, who, panel, f":lay:{card_}.{slot}")


async def give(here: World, who: int, card_: str, panel: Any = None) -> Any:
    """Pass a card: pick it, press the button."""
    panel = await pick(here, who, panel or await here.hand(who), f"give:{card_}")
    return await click(here, who, panel, f":pass:{card_}")


async def call(here: World, who: int) -> str:
    """Press Caught! under the board; return what the presser alone is told."""
    return said((await here.press(who, here.board(), "Caught!")).response)


class Dancers:
    """People who play sensibly, mostly, by pressing what they see; now and then one calls, or does what comes first."""

    def __init__(self, here: World, seats: list[int], dice: random.Random) -> None:
        self.here = here
        self.seats = seats
        self.dice = dice
        self.turns = self.calls = self.rounds = self.most = 0
        self.refused: list[str] = []

    def note(self, answer: Any) -> Any:
        """Remember an answer that refuses."""
        if "✋" in words(answer):
            self.refused.append(words(answer))
        return answer

    async def wish(self, seat: int) -> Any:
        """Return what this person would like to do, from what they see."""
        scene = (await self.here.bot.tables.glance(1)).seen_by(self.here.people[self.seats[seat]].id)
        moves = [move for move in scene.legal if not isinstance(move, Caught)]
        if self.dice.random() < 0.1:
            return self.dice.choice(moves)
        return GAME.computers["sensible"](scene.view, moves, Rng(self.dice.randbytes(16), "dancer"))

    async def turn(self, seat: int) -> None:
        """Take one whole turn from the hand, and count the presses."""
        who, presses = self.seats[seat], 0
        panel = await self.here.hand(who)
        assert "✋" not in words(panel)
        while (await self.public()).turn == seat and (await self.public()).awaits in ("lay", "pass"):
            match await self.wish(seat):
                case Lay(card_, slot):
                    panel = self.note(await lay(self.here, who, card_, slot, panel))
                    presses += 2
                    await self.maybe_call(seat)
                case Pass(card_):
                    panel = self.note(await give(self.here, who, card_, await self.here.hand(who)))
                    presses += 2
                case OwnUp():
                    panel = self.note(await click(self.here, who, await self.here.hand(who), ":own_up:"))
                    presses += 1
            if (await self.public()).awaits != "pass":
                break
        self.turns += 1
        self.most = max(self.most, presses)

    async def public(self) -> Any:
        """Return what everybody sees."""
        return await state_of(self.here)

    async def maybe_call(self, seat: int) -> None:
        """Have somebody else call now and then, right or wrong."""
        public = await self.public()
        if not public.catch or self.dice.random() > 0.3:
            return
        caller = self.dice.choice([other for other in range(len(self.seats)) if other != seat])
        scene = (await self.here.bot.tables.glance(1)).seen_by(self.here.people[self.seats[caller]].id)
        if any(isinstance(move, Caught) for move in scene.legal):
            self.calls += 1
            await self.here.env.advance_time(2)  # the board shows the card by then
            answer = await call(self.here, self.seats[caller])
            if answer.startswith("✋"):
                self.refused.append(answer)

    async def pause(self) -> None:
        """Between rounds: the winner picks a token or leaves it to the bot, the others get ready or wait."""
        self.rounds += 1
        public = await self.public()
        assert "🌹 LAMBADA!" in words(self.here.board())
        if self.dice.random() < 0.5:
            await self.here.env.advance_time(PAUSE_S)
            return
        winner = self.seats[public.winner]
        panel = await self.here.hand(winner)
        (menu,) = selects(panel)
        panel = self.note((await self.here.choose(winner, panel, menu, menu["options"][-1]["value"])).response)
        if public.awaits == "token":
            return
        for who in self.seats:
            self.note((await self.here.press(who, self.here.board(), "Ready")).response)
        assert public.round + 1 == (await self.public()).round, "all are ready, and yet no deal"

    async def match(self) -> None:
        """Play to the end."""
        while (await self.here.bot.tables.glance(1)).table.phase == "playing":
            public = await self.public()
            await self.here.env.advance_time(1)
            match public.awaits:
                case "between" | "token":
                    await self.pause()
                case "window":
                    await self.here.env.advance_time(1)
                case _:
                    await self.turn(public.turn)
            assert self.turns < 700
        await self.here.env.advance_time(2)


# --- whole matches -------------------------------------------------------------------------------


@pytest.mark.parametrize("penalties", ["auto", "catch"])
@pytest.mark.parametrize("people", [2, 6])
async def test_a_whole_match_from_lobby_to_tokens(tmp_path: Path, people: int, penalties: str) -> None:
    """Nobody is refused, no turn takes more than four presses, every message fits, and the result says who won."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        dancers = Dancers(here, await open_match(here, people, penalties), random.Random(people))
        await dancers.match()
        result = words(here.board())
        here.check_sizes()

    assert [] == dancers.refused
    assert 3 <= dancers.most <= MOST_PRESSES
    assert 2 <= dancers.rounds
    assert (penalties == "catch") == bool(dancers.calls)
    assert "🏆" in result
    assert "wins the match" in result
    assert SEED.hex() in result
    assert [] == labels(here.board())


async def test_a_match_with_computers_needs_no_one_else(tmp_path: Path) -> None:
    """One person and three computers that call and bluff: the person plays, and the match goes on to its end."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open("lambada new", computer_players=3, penalties="catch", turn_clock=1)
        await here.press(0, here.board(), "Start")
        for _ in range(900):
            await here.env.advance_time(20)
            if "wins the match" in words(here.board()):
                break
        here.check_sizes()

        assert "wins the match" in words(here.board())
        assert "(computer)" in words(here.board())


# --- restarts ------------------------------------------------------------------------------------


async def test_a_restart_inside_a_pass_changes_nothing(tmp_path: Path) -> None:
    """The bot stops after the card lies: the open panel passes, and the match goes on."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await staged(here, table(*HANDS))
        panel = await lay(here, seats[0], "red_a", 1)
        await here.restart()
        panel = await pick(here, seats[0], panel, "give:blue_m")
        await here.restart()
        answer = await click(here, seats[0], panel, ":pass:blue_m")
        await here.env.advance_time(2)

        assert "✋" not in said(answer)
        assert f"{here.names[seats[1]]} to lay" in said(here.board()).replace("\\", "")
        assert 5 == (await state_of(here)).hands[1]


async def test_a_restart_inside_the_catch_window_changes_nothing(tmp_path: Path) -> None:
    """Stopped while a card may be called: the call still counts, and without one the next card may be laid in time."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await staged(here, catching(*HANDS))
        await give(here, seats[0], "blue_m", await lay(here, seats[0], "red_a", 1))
        await here.env.advance_time(1)
        asked = said(here.board())
        await here.restart()
        told = await call(here, seats[2])
        await here.restart()
        await here.env.advance_time(WINDOW_S)

        assert "Red A clean?" in asked
        assert "That card was clean. You cannot call it again." in told
        assert "lay" == (await state_of(here)).awaits
        assert "to lay" in said(here.board())


# --- the catch -----------------------------------------------------------------------------------


async def bluffed(here: World) -> list[int]:
    """Have seat 0 lay a forbidden card and bluff; return who sits where."""
    seats = await staged(here, catching(*HANDS))
    panel = await lay(here, seats[0], "green_l", 0)
    assert "Only you know" in said(panel)
    assert "Own up, draw 3" in labels(panel)
    await give(here, seats[0], "blue_m", panel)
    await here.env.advance_time(1)
    return seats


async def test_a_right_call_fines_and_returns_the_card(tmp_path: Path) -> None:
    """The caller is told so, the passed card goes home, three are drawn, and everybody reads it."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await bluffed(here)
        before = (await state_of(here)).hands
        told = await call(here, seats[2])
        await here.env.advance_time(2)

        assert (3, 5, 3) == before
        assert "📣 Right! It was the Forbidden Colour." in told
        assert (7, 4, 3) == (await state_of(here)).hands
        assert "caught" in said(here.board())
        assert "The passed card went back." in said(here.board())
        assert "card is settled already" in await call(here, seats[1])


async def test_a_wrong_call_bars_its_caller_alone(tmp_path: Path) -> None:
    """The same person cannot call that card again, another can; nothing is drawn."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await staged(here, catching(*HANDS))
        await give(here, seats[0], "blue_m", await lay(here, seats[0], "red_a", 1))
        first, again = await call(here, seats[1]), await call(here, seats[1])
        other = await call(here, seats[2])

        assert "That card was clean." in first
        assert "✋ You called this card once already; it was clean." in again
        assert "That card was clean." in other
        assert (3, 5, 3) == (await state_of(here)).hands


async def test_who_may_not_call_is_told_why(tmp_path: Path) -> None:
    """An outsider, whoever laid the card, and anybody once the next card lies."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await bluffed(here)
        outsider, own = await call(here, 5), await call(here, seats[0])
        old = next(knob["custom_id"] for knob in knobs(here.board()) if knob["label"] == "Caught!")
        await here.env.advance_time(WINDOW_S)
        await lay(here, seats[1], "red_b", 3)
        await here.env.advance_time(2)
        late = said(await press_id(here, seats[2], plant(here, [old]), old))

        assert outsider.startswith("✋ You do not sit at this table.")
        assert "✋ Call others, not yourself." == own
        assert "✋ Too late: the next card lies already, and that one stays." == late
        assert (3, 4, 3) == (await state_of(here)).hands


async def test_a_call_before_the_first_card_is_told_why(tmp_path: Path) -> None:
    """The button is there from the start, and says that there is nothing to call."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await open_match(here, 3, CATCH)

        assert "✋ No card has been laid in this round yet." == await call(here, seats[1])


async def test_owning_up_draws_and_ends_the_turn(tmp_path: Path) -> None:
    """Nothing is passed, everybody reads what it was."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await staged(here, catching(*HANDS))
        panel = await click(here, seats[0], await lay(here, seats[0], "green_l", 0), ":own_up:")
        await here.env.advance_time(WINDOW_S)

        assert "You owned up and drew 3" in said(panel)
        assert (7, 4, 3) == (await state_of(here)).hands
        assert "owned up (the Forbidden Colour)" in said(here.board())


async def test_a_bluff_that_nobody_calls_costs_nothing(tmp_path: Path) -> None:
    """The next card lies, and the foul stays for good."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await bluffed(here)
        await here.env.advance_time(WINDOW_S)
        await lay(here, seats[1], "red_b", 3)
        await here.env.advance_time(2)

        assert (3, 4, 3) == (await state_of(here)).hands
        assert "green" == (await state_of(here)).letters[0].colour
        assert "foul" not in said(here.board()).replace("fouls must be caught", "")


async def test_the_next_card_waits_for_the_window(tmp_path: Path) -> None:
    """For five seconds the next player has no select of cards, and a forged press is told how long."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await bluffed(here)
        panel = await here.hand(seats[1])
        waiting, told = selects(panel), said(panel)
        table_ = (await here.bot.tables.glance(1)).table
        version = table_.versions[table_.seat_of(here.people[seats[1]].id) or 0]
        forged = f"d:lambada:1:{version}:lay:red_b.3"
        early = said(await press_id(here, seats[1], plant(here, [forged]), forged))
        await here.env.advance_time(WINDOW_S)

        assert [] == waiting
        assert "You may lay" in told
        assert re.search(r"✋ Give the others \d more seconds to call the last card\.", early)
        assert selects(await here.hand(seats[1]))


@pytest.mark.parametrize("penalties", ["auto", "catch"])
async def test_a_winning_foul_is_fined(tmp_path: Path, penalties: str) -> None:
    """The last card passed after a foul: no round is won, in a catch game it is looked at."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await staged(here, table("grnL bluM", *HANDS[1:], catch=penalties == "catch"))
        panel = await lay(here, seats[0], "green_l", 0)
        if penalties == "catch":
            panel = await give(here, seats[0], "blue_m", panel)
        await here.env.advance_time(2)

        assert 4 == (await state_of(here)).hands[0]
        assert -1 == (await state_of(here)).winner
        assert "LAMBADA!" not in said(here.board())
        assert ("looked at" in said(panel)) == (penalties == "catch")
        assert "Forbidden Colour" in said(panel)


# --- between rounds ------------------------------------------------------------------------------


async def won(here: World, **others: Any) -> list[int]:
    """Have seat 0 win a round, and return who sits where."""
    seats = await staged(here, table("redA bluM", *HANDS[1:], **others))
    await give(here, seats[0], "blue_m", await lay(here, seats[0], "red_a", 1))
    await here.env.advance_time(2)
    return seats


async def test_the_winner_picks_a_token_and_all_who_are_ready_are_dealt_to(tmp_path: Path) -> None:
    """One message celebrates; one press takes the token; the last Ready deals at once."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await won(here)
        count = len(here.messages())
        party = said(here.board())
        panel = await pick(here, seats[0], await here.hand(seats[0]), "token:palm")
        other = labels(await here.hand(seats[1]))
        for who in seats[:2]:
            await here.press(who, here.board(), "Ready")
        waiting = (await state_of(here)).round
        answer = (await here.press(seats[2], here.board(), "Ready")).response
        await here.env.advance_time(2)

        assert "🌹 LAMBADA!" in party
        assert "Hips, please" in party
        assert "Palm" in said(panel)
        assert ["Ready"] == other
        assert 1 == waiting
        assert "✋" not in said(answer)
        assert 2 == (await state_of(here)).round
        assert (("palm",), (), ()) == (await state_of(here)).tokens
        assert count >= len([message for message in here.messages() if "your turn at" not in words(message)])


async def test_token_and_deal_come_by_themselves(tmp_path: Path) -> None:
    """After thirty seconds the bot has picked a token and dealt the next round, begun by the winner."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await won(here)
        await here.env.advance_time(PAUSE_S)
        public = await state_of(here)

        assert (2, 0, "lay") == (public.round, public.turn, public.awaits)
        assert 1 == len(public.tokens[0])
        assert "to lay" in said(here.board())


async def test_the_last_token_ends_the_match(tmp_path: Path) -> None:
    """The winner of the match still picks; the result names every token by sign and word."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        seats = await won(here, wins=(2, 0, 0), tokens=(("rose", "sun"), (), ()))
        before = said(here.board())
        await pick(here, seats[0], await here.hand(seats[0]), "token:drum")
        await here.env.advance_time(2)

        assert "The match is won." in before
        assert "Ready" not in labels(here.board())
        assert "🥁\u00a0Drum" in said(here.board())
        assert "wins the match" in said(here.board())


# --- what everybody can read ---------------------------------------------------------------------


async def test_every_colour_is_named_by_sign_word_and_code(tmp_path: Path) -> None:
    """Without colour, and without emoji, the word on the table can be read."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        word = "bluL grnA yelM orgB redA purD pnkA"
        await staged(here, table(*HANDS, word=word, pile="redD grnA"))
        all_seven = said(here.board())
        await stage(here, table(*HANDS, word=MIXED.replace("orgM", ".")))
        await here.env.advance_time(2)

        assert "L   A   M   B   A   D   A\nblu grn yel org red pur pnk" in all_seven
        for key, name in COLOURS.items():
            assert f"{SIGN[key]}\u00a0{name}\u00a01" in all_seven
        assert f"Forbidden: {SIGN['red']} RED" in all_seven
        assert CODE["gray"] in said(here.board())
        assert "1 gray left" in said(here.board())
        assert len(set(SIGN.values())) == len(set(CODE.values())) == 8


async def test_check_c4_sixty_cards_fit_and_each_is_within_three_presses(tmp_path: Path) -> None:
    """A hand of nearly the whole deck and more: no select is too long, and each card can be laid and passed."""
    everything = tuple(card_.key for card_ in CARDS)
    cards = in_order((*everything, *everything[:25]))
    for catch in (False, True):
        async with world(tmp_path / f"{catch}.sqlite3", new_seed=lambda: SEED) as here:
            crowd = msgspec.structs.replace(table(*HANDS, catch=catch), hands=(cards, *table(*HANDS).hands[1:]))
            seats = await staged(here, crowd)
            panel = await here.hand(seats[0])
            offered = [o["value"] for menu in selects(panel) for o in menu["options"]]
            places = {}
            for value in offered:
                page = await pick(here, seats[0], panel, value)
                places[value] = [knob["custom_id"] for knob in knobs(page) if ":lay:" in knob["custom_id"]]
                panel = await click(here, seats[0], page, ":back:")
            passing = await lay(here, seats[0], "red_a", 1, panel)
            given = [o["value"] for menu in selects(passing) for o in menu["options"]]
            here.check_sizes()

        assert 60 == len(cards)
        assert [f"card:{key}" for key in everything] == offered
        assert all(len(places[f"card:{key}"]) == len(CARD[key].slots) for key in everything)
        assert [f"give:{key}" for key in everything] == given


async def test_in_catch_games_no_cost_is_shown_before_a_card_lies(tmp_path: Path) -> None:
    """The hand and the letters say nothing of clean or foul, where the bot's own fines are foretold otherwise."""
    shown = {}
    for catch in (False, True):
        async with world(tmp_path / f"{catch}.sqlite3", new_seed=lambda: SEED) as here:
            seats = await staged(here, table(*HANDS, catch=catch))
            panel = await here.hand(seats[0])
            pages = [json.dumps(list(parts(panel)), ensure_ascii=False)]
            for value in ("card:green_l", "card:red_a"):
                page = await pick(here, seats[0], await here.hand(seats[0]), value)
                pages.append(json.dumps(list(parts(page)), ensure_ascii=False))
            shown[catch] = " ".join(pages)

    assert "draw 3" in shown[False]
    assert "clean" in shown[False]
    assert not re.search(r"draw \d|clean|foul", shown[True])


# --- what nobody may tell ------------------------------------------------------------------------


def spoken(here: World, start: int) -> list[str]:
    """Return all that the bot said to the channel since request *start*, the Forbidden Colour left out."""
    place = f"/channels/{here.channel.id}/"
    said_ = [(r.method, r.path, r.json) for r in here.env.http_requests[start:] if place in r.path]
    text = [json.dumps(each, ensure_ascii=False).replace(str(here.board().id), "BOARD") for each in said_]
    return [re.sub(r"### 🚫 Forbidden: .*?(?=\\n|\")", "", line) for line in text]


@pytest.mark.parametrize("owns_up", [False, True])
async def test_nothing_public_tells_a_foul_from_a_clean_card(tmp_path: Path, owns_up: bool) -> None:
    """
    Two tables with another card on the pile, so that the same card is a foul at one and clean at the other.

    Second by second the bot says the same to the byte, except for the Forbidden Colour, until the next card lies.
    As a proof that this can fail, owning up is heard.
    """
    heard = []
    for pile in ("grnB yelA pnkA purA", "yelB grnA pnkA purA"):
        async with world(tmp_path / f"{pile[:3]}.sqlite3", new_seed=lambda: SEED) as here:
            word = "bluL redA grnM redB bluA orgD redA"
            seats = await staged(here, catching(*HANDS, word=word, pile=pile))
            other = await here.hand(seats[2])
            start, log = len(here.env.http_requests), []
            panel = await lay(here, seats[0], "green_l", 0)
            for second in range(3):
                await here.env.advance_time(1)
                log.append((second, spoken(here, start)))
            fouled = "Only you know" in said(panel)
            if owns_up and fouled:
                await click(here, seats[0], panel, ":own_up:")
            else:
                await give(here, seats[0], "blue_m", panel)
            for second in range(8):
                await here.env.advance_time(1)
                log.append((second, spoken(here, start)))
            refreshed = len(sent(here, "PATCH", "/messages/@original", start))
            buttons = [(knob["label"], knob["custom_id"]) for knob in knobs(here.board())]
            mine = [
                re.sub(r"(?m)^### 🚫 Forbidden: .*$", "", said(each)) for each in (other, await here.hand(seats[2]))
            ]
            heard.append((log, refreshed, buttons, mine))
            assert fouled == (pile[:3] == "grn")

    assert len(heard[0][0][-1][1]) >= 2
    assert (heard[0] == heard[1]) == (not owns_up)
