"""G and L: whatever people are called, and whatever they read it on; more of it in tests/cogs/test_sizes.py."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cogs.lets_dance.words import SIGN, name, sign
from cogs.ui.layout import MAX_LABEL
from rules.lets_dance import CARDS
from tests.cogs.players import random_turn
from tests.cogs.staging import admin, said, sent, sitting, stage
from tests.cogs.test_sizes import MIXED, pings_somebody
from tests.cogs.world import NAMES, World, knobs, labels, parts, selects, words, world
from tests.rules.lets_dance.build import table

SEED = bytes(range(16))
PAUSE_S = 31
HOUR = 3600
CHILD = "@everyone <@&1> <@1>"
PHONE_COLUMNS = 27
DECK = "Down Cowboy Y M C A " * 12


async def playing(here: World, people: int = 2, **options: Any) -> None:
    """Start a game of so many people."""
    await here.open(**options)
    await here.start(people)
    await here.env.advance_time(2)


async def some_turns(here: World, count: int, wait: float = PAUSE_S) -> None:
    """Have people play a while, slowly enough to be called."""
    dice = random.Random(4)
    for _ in range(count):
        if (await here.bot.tables.glance(1)).table.phase != "playing":
            return
        seats = await sitting(here)
        (seat,) = (await here.bot.tables.glance(1)).table.to_act
        panel = (await here.people[seats[seat]].slash(here.channel, "hand")).response
        await random_turn(here, seats[seat], dice, panel=panel)
        await here.env.advance_time(wait)


async def around(here: World) -> None:
    """Use every command and button in which names and texts stand: for them, beside them, about them."""
    boss = len(here.people)
    here.people.append(admin(here, CHILD[:20]))
    for label in ("Scores", "Rules", "My hand"):
        await here.press(0, here.board(), label)
    for command in ("table show", "table log", "table end", "table leave", "settings", "privacy", "help"):
        await here.people[0].slash(here.channel, command)
    await here.people[boss].slash(here.channel, "setup check")
    await here.people[boss].slash(here.channel, "table kick", player=here.people[1], number=1)
    await here.people[boss].slash(here.channel, "table substitute", seat=1, newcomer=here.people[5], number=1)
    await here.env.advance_time(3)


def payloads(here: World) -> Iterator[dict[str, Any]]:
    """Yield every message that the bot sent or edited."""
    for request in here.env.http_requests:
        body = request.json if isinstance(request.json, dict) else {}
        payload = body.get("data") if isinstance(body.get("data"), dict) else body
        if isinstance(payload, dict) and ("components" in payload or "content" in payload):
            yield payload


# --- G -------------------------------------------------------------------------------------------


async def test_check_g1_nobody_is_pinged_but_the_one_who_is_called(tmp_path: Path) -> None:
    """People called @everyone, lobby to game, kick and substitute: each message allows one person at most."""
    async with world(tmp_path / "game.sqlite3", (CHILD,) * 6, new_seed=lambda: SEED) as here:
        default = here.bot.allowed_mentions
        await playing(here, 4)
        await some_turns(here, 6)
        await around(here)
        pinging = [request for request in here.env.http_requests if pings_somebody(request)]
        heard = [message for message in here.messages() if message.mention_everyone or message.role_mentions]
        calls = [request for request in sent(here, "POST", "/messages") if "your turn at" in str(request.json)]

        assert default is not None
        assert {"parse": []} == default.to_dict()
        assert calls
        assert {1} == {len(call.json["allowed_mentions"]["users"]) for call in calls}
        assert [] == [request for request in pinging if "you take over" not in str(request.json)]
        assert [] == heard


async def test_check_g2_names_break_nothing_around_them(tmp_path: Path) -> None:
    """Markdown, links, line breaks, turned-around and stacked letters: blocks stay closed, lines stay one a player."""
    async with world(tmp_path / "game.sqlite3", MIXED, new_seed=lambda: SEED) as here:
        await playing(here, 6)
        await some_turns(here, 4)
        await around(here)
        texts = [
            "\n".join(part["content"] for part in _parts(payload) if part["type"] == 10) for payload in payloads(here)
        ]
        board = said(here.board())

        assert len(texts) > 20
        assert [] == [text for text in texts if text.count("```") % 2]
        assert [] == [text for text in texts if re.search("[\u202a-\u202e\u2066\u2067\u200b\u200f\u2028]", text)]
        assert [] == [text for text in texts if "](http://a.io" in text or "<@&1>" in text or "\n# big" in text]
        assert 6 == len(re.findall(r"^(?:👉 )?\*\*\d\\\. .+: -?\d+\*\*", board, re.MULTILINE))


def _parts(payload: dict[str, Any]) -> list[dict[str, Any]]:
    class Sent:
        components = payload.get("components") or ()

    return list(parts(Sent))


async def test_check_g3_six_of_the_longest_names_fit(tmp_path: Path) -> None:
    """Thirty-two signs of four bytes each, from the lobby over every command to the end."""
    names = tuple("🕺" * 31 + sign for sign in "🎶🪩💃🔥🌀✨")
    async with world(tmp_path / "game.sqlite3", names, new_seed=lambda: SEED) as here:
        await playing(here, 6)
        await some_turns(here, 12)
        await around(here)
        await here.people[6].slash(here.channel, "table end", number=1)
        here.check_sizes()

        assert len(list(payloads(here))) > 60
        assert [] == here.env.errors


async def test_check_g4_somebody_deleted_can_still_be_taken_from_a_table(tmp_path: Path) -> None:
    """Gone from the server and from Discord, they are kicked by their id; everything else goes on."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await playing(here, 3)
        gone = here.people[2]
        here.guild.remove_member(gone)
        here.env.inject_error("GET", "/users/*", status=404, code=10013, times=None)
        here.env.inject_error("GET", f"/guilds/*/members/{gone.id}", status=404, code=10013, times=None)
        told = said((await here.people[0].slash(here.channel, "table kick", player=gone.user)).response)
        await here.env.advance_time(5)
        log = said((await here.people[0].slash(here.channel, "table log")).response)

        assert told.endswith("has left table 1.")
        assert 2 not in await sitting(here)
        assert "had to go" in log
        assert [] == here.env.errors


async def test_check_g4_a_deleted_user_is_found_at_their_turn(tmp_path: Path) -> None:
    """Whom Discord knows no more is replaced by a computer, and nothing breaks."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await playing(here, 3, turn_clock=0)
        await stage(here, table(*["Y M C A Worm"] * 3, deck=DECK), due_ms=(None,) * 3)
        await here.env.advance_time(PAUSE_S)
        gone = (await sitting(here))[1]
        path = f"/guilds/*/members/{here.people[gone].id}"
        here.env.inject_error("GET", path, status=404, code=10013, times=None)
        await some_turns(here, 1)

        assert gone not in await sitting(here)
        assert [] == here.env.errors


# --- L -------------------------------------------------------------------------------------------


def test_check_l1_every_family_has_a_sign_and_every_card_a_word() -> None:
    """No two families share a sign, no two cards a name; neither is a colour."""
    assert {card.family for card in CARDS} <= SIGN.keys()
    assert len(SIGN) == len(set(SIGN.values()))
    assert len(CARDS) == len({name(card.key) for card in CARDS})
    assert not set("🔴🟠🟡🟢🔵🟣🟤⚫⚪🟥🟧🟨🟩🟦🟪") & set("".join(SIGN.values()))


async def test_check_l1_a_hand_is_grouped_by_family(tmp_path: Path) -> None:
    """In the text and on the buttons cards of one family stand together, each with its sign."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await playing(here)
        await stage(here, table("Y Spin M Worm Spin", "Y", deck=DECK))
        await here.env.advance_time(2)
        panel = await here.hand((await sitting(here))[0])
        cards = [knob for knob in knobs(panel) if ":first:" in knob["custom_id"]]
        signs = [knob["emoji"]["name"] for knob in cards]
        held = {card.key for card in CARDS if card.short in ("Y", "Spin", "M", "Worm")}

        assert 4 == len(cards)
        assert len(set(signs)) == len(
            [one for one, before in zip(signs, [None, *signs], strict=False) if one != before]
        )
        assert all(f"{sign(card)}\xa0**{name(card)}" in said(panel) for card in held)


async def test_check_l2_a_game_is_text(tmp_path: Path) -> None:
    """From lobby to result no picture, embed or file is sent: what a screen reader reads is all there is."""
    dice = random.Random(1)
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await playing(here)
        for _ in range(200):
            if here.over():
                break
            await random_turn(here, here.to_act(), dice)
            await here.env.advance_time(2)
        kinds = {part["type"] for payload in payloads(here) for part in _parts(payload)}
        extras = [payload for payload in payloads(here) if payload.get("embeds") or payload.get("attachments")]

        assert here.over()
        assert kinds <= {1, 2, 3, 10, 14, 17}  # rows, buttons, selects, text, lines, containers
        assert [] == extras


async def test_check_l3_everything_fits_a_phone(tmp_path: Path) -> None:
    """One line a player, narrow blocks, short labels, two or three buttons of cards in a row."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await playing(here, 6)
        await some_turns(here, 10)
        await around(here)
        every = [part for payload in payloads(here) for part in _parts(payload)]
        blocks = [
            block
            for part in every
            if part["type"] == 10
            for block in re.findall(r"```\n(.*?)```", part["content"], re.DOTALL)
        ]
        buttons = [part["label"] for part in every if part["type"] == 2 and "label" in part]

        assert len(buttons) > 100
        assert max(map(len, buttons)) <= MAX_LABEL
        assert all(len(row) <= PHONE_COLUMNS for block in blocks for row in block.splitlines())
        assert [] == [payload for payload in payloads(here) if payload.get("embeds")]


async def test_check_l3_a_result_is_one_line_a_player_and_a_narrow_block(tmp_path: Path) -> None:
    """The ranking reads from top to bottom; the block of points has a column a player."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await playing(here, 2, computer_players=4, turn_clock=1)
        for _ in range(40):
            if here.over():
                break
            await here.env.advance_time(120)
        result = words(here.board())
        (block,) = re.findall(r"```\n(.*?)```", result, re.DOTALL)

        assert 5 == len(re.findall(r"^\d\\\. .+: \*\*-?\d+\*\*$", result, re.MULTILINE))
        assert {6} == {len(row.split()) - 1 for row in block.splitlines()}
        assert all(len(row) <= PHONE_COLUMNS for row in block.splitlines())


async def test_check_l5_cards_are_words_first(tmp_path: Path) -> None:
    """Take every emoji away: each card, button and option still says what it is."""
    async with world(tmp_path / "game.sqlite3", NAMES, new_seed=lambda: SEED) as here:
        await playing(here)
        await stage(here, table("Y Spin Fever Worm Conga", "Y", deck=DECK))
        await here.env.advance_time(2)
        panel = await here.hand((await sitting(here))[0])
        texts = [*labels(panel), *(option["label"] for menu in selects(panel) for option in menu["options"])]
        bare = re.sub(r"[^\w\s.,:*+×-]", "", said(panel))

        assert len(texts) >= 5
        assert all(re.search(r"[A-Za-z]", text) for text in texts)
        assert all(name(card.key) in bare for card in CARDS if card.short in ("Y", "Spin", "Worm"))
