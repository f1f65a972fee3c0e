"""The worst names and the fullest floors: everything fits, stays readable, and says no more than is true."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cogs.breakdancing_meeples.words import CREWS
from rules.breakdancing_meeples import (
    HOUSE_DECK,
    Card,
    CardScore,
    Crew,
    CrewScore,
    Pending,
    Rally,
    Remix,
    Routine,
    Sheet,
)
from rules.core.table import Entry, Record
from rules.lets_dance import CARDS, GAME, Fell, PartyOver, State
from tests.cogs.crews import alter, now_ms, public
from tests.cogs.staging import rewrite, said, sitting, stage
from tests.cogs.world import World, knobs, labels, parts, selects, world
from tests.rules.lets_dance.build import final, table

SEED = bytes(range(16))
ZALGO = "".join(letter + "\u0353\u0326\u0489\u0317\u0347" for letter in "ZALGO!")
MIXED = (
    "💃🕺🪩🎶" * 8,
    "**_~~||`#[x](http://a.io)>!-+.:)",
    "@everyone @here <@&1> <@1> <#2>",
    "top\n# big\r\n-# small\u2028```py\n> q",
    "\u202e\u05e9\u05dc\u05dd\u202d \u05d0\u05d1\u05d2 \u0645\u0631\u062d\u0628\u0627 dancer",
    ZALGO[:32],
    "Watcher",
)
NAMES = {
    "mixed": MIXED,
    "stars": tuple("*" * 31 + str(number) for number in range(7)),
    "emoji": tuple("🧑🏽\u200d🎤" * 7 + "🎶" * (number % 4) for number in range(7)),
    "code": tuple("`" * 30 + f"\\{number}" for number in range(7)),
}
TITLE = "*" * 30 + " · round 30 of 30 · table 64"
"""A tournament's table."""
FLOORS = {
    "many sequences": "Cowboy | Shuffle |Worm Robot | Backspin |Y " * 8,
    "one sequence": "Cowboy Shuffle Euphoria Backspin Robot Worm Down Knee Y M C A " * 4,
    "only breaks": "|Worm | " * 25,
    "many points": "Shuffle Fever Spin Spin Y M C A Knee Knee Knee Shuffle Conga5 | Robot Fever Spin " * 3,
    "more than a board holds": "Cowboy | Shuffle |Worm Robot | Backspin |Y " * 30,
}
LONG_HAND = "Spin Spin Fever Euphoria Shuffle"


def worst(floor: str, hand: str = LONG_HAND, **others: Any) -> State:
    """Return a state in which all six have such a floor."""
    return table(*[hand] * 6, floors=[floor] * 6, deck="Y M C A Worm " * 9, **others)


async def six(here: World) -> None:
    """Start a game of six."""
    await here.open()
    await here.start(6)
    await here.env.advance_time(2)


def hoarder() -> State:
    """Return a state in which one of six has nearly every card of the game on the floor, many of them face-down."""
    left = Counter({card.short: card.copies for card in CARDS if card.family not in ("over", "toes")})
    left.subtract(LONG_HAND.split())
    laid = ""
    while +left:
        for number, short in enumerate(list(+left)):
            left[short] -= 1
            laid += f"|{short} " if number % 5 == 2 else f"{short} "
    return table(LONG_HAND, *["Toes"] * 5, floors=[laid, *["|"] * 4], small=False, round=7, last_round=9)


async def everything(here: World, who: int) -> list[Any]:
    """Open whatever a player can open without moving."""
    seen = [(await here.press(who, here.board(), "Scores")).response]
    commands = ("help", "table show", "hand", "table end", "table leave", "letsdance rules")
    seen += [(await here.people[who].slash(here.channel, command)).response for command in commands]
    panel = await here.hand(who)
    for first in [knob["custom_id"] for knob in knobs(panel) if ":first:" in knob["custom_id"]]:
        panel = await here.hand(who)
        page = (await here.people[who].click(panel.message, custom_id=first)).response
        for menu in selects(page):
            plan = (await here.choose(who, page, menu, menu["options"][-1]["value"])).response
            await here.press(who, plan, "Choose again")
            page = (await here.people[who].click(plan.message, custom_id=first)).response
    return seen


def floors(text: str) -> list[tuple[int, int]]:
    """Read from a board how many cards lie face-up and face-down on each floor."""
    found = []
    for shown in re.findall(r"\n((?:`[^`\n]+`|🪑)[^\n]*)\n-# \d+ in hand", text):
        up = 0
        for chip in re.findall(r"`([^`]+)`", shown):
            counted = re.fullmatch(r"(\d+) cards?", chip)
            runs = [re.search(r"×(\d+)$", card) for card in chip.split()]
            up += int(counted[1]) if counted else sum(int(run[1]) if run else 1 for run in runs)
        down = sum(int(times or 1) for times in re.findall(r"🪑(?:×(\d+))?", shown))
        found.append((up, down))
    return found


# --- sizes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "floor"),
    [*(("stars", floor) for floor in FLOORS), *((names, "many sequences") for names in NAMES if names != "stars")],
)
async def test_six_of_the_worst_fit_everywhere(tmp_path: Path, names: str, floor: str) -> None:
    """Lobby, board and scores: Discord takes each message, and the board is current and counts right."""
    async with world(tmp_path / "game.sqlite3", NAMES[names], new_seed=lambda: SEED) as here:
        await six(here)
        state = worst(FLOORS[floor], round=7)
        await stage(here, state, title=TITLE)
        await here.env.advance_time(2)
        board = said(here.board())
        scores = said((await here.press(6, here.board(), "Scores")).response)
        expected = (
            sum(not card.down for card in state.floors[0]),
            sum(card.down for card in state.floors[0]),
        )
        here.check_sizes()

        assert "round 7" in board
        assert [expected] * 6 == floors(board)
        assert "scores so far" in scores
        assert 6 == len(re.findall(r"^\d\\\. .*: \*\*-?\d+\*\*$", scores, re.MULTILINE))


@pytest.mark.parametrize("names", ["mixed", "stars"])
async def test_the_fullest_floor_there_can_be_fits_on_every_page(tmp_path: Path, names: str) -> None:
    """With nearly all cards of the game on one floor its dancer opens every page, and none is refused."""
    async with world(tmp_path / "game.sqlite3", NAMES[names], new_seed=lambda: SEED) as here:
        await six(here)
        state = hoarder()
        await stage(here, state, title=TITLE)
        await here.env.advance_time(2)
        seen = await everything(here, (await sitting(here))[0])
        here.check_sizes()

        assert len(state.floors[0]) > 90
        assert (sum(not card.down for card in state.floors[0]), sum(card.down for card in state.floors[0])) == floors(
            said(here.board())
        )[0]
        assert [] == [text for text in map(said, seen) if "✋" in text]


@pytest.mark.parametrize("left", ["", "somebody"])
@pytest.mark.parametrize("floor", FLOORS)
async def test_a_result_of_six_ties_fits(tmp_path: Path, floor: str, left: str) -> None:
    """All share everything there is to share: the longest result still stands on the board, whole."""
    async with world(tmp_path / "game.sqlite3", NAMES["stars"], new_seed=lambda: SEED) as here:
        await six(here)
        state = final(*[""] * 6, floors=[FLOORS[floor] + " Fever"] * 6, turn=-1)
        outcome = GAME.outcome(state)
        table_ = (await here.bot.tables.glance(1)).table
        sittings = tuple(msgspec.structs.replace(who, left=left, user_id=None) for who in table_.sittings)
        await stage(
            here,
            state,
            phase="over",
            ended="finished",
            seed=SEED.hex(),
            places=outcome.places,
            scores=outcome.scores,
            sittings=sittings if left else table_.sittings,
        )
        await here.env.advance_time(2)
        result = said(here.board())
        here.check_sizes()

        assert (1,) * 6 == outcome.places
        assert "TOTAL" in result
        assert SEED.hex() in result
        assert 6 == len(re.findall(r"^\*\*1\\\. ", result, re.MULTILINE))
        assert [] == labels(here.board())


async def test_a_result_where_nobody_danced_fits(tmp_path: Path) -> None:
    """Six empty floors make a result as well."""
    async with world(tmp_path / "game.sqlite3", MIXED, new_seed=lambda: SEED) as here:
        await six(here)
        who = (await sitting(here))[5]
        await stage(here, final(*[""] * 6, turn=5), title=TITLE)
        await here.press(who, await here.hand(who), "Pass")
        await here.env.advance_time(2)

        assert "share the victory with 0" in said(here.board())
        here.check_sizes()


async def test_an_open_conga_line_of_six_fits(tmp_path: Path) -> None:
    """Six names in the line and the question to the last of them."""
    async with world(tmp_path / "game.sqlite3", NAMES["stars"], new_seed=lambda: SEED) as here:
        await six(here)
        floors_ = ["Cowboy | Shuffle |Worm Robot Conga"] * 5
        hands = ["Y"] * 5 + ["Conga Y M C A"]
        await stage(here, table(*hands, floors=floors_, conga=(0, 1, 2, 3, 4), turn=5, round=7, small=False))
        await here.env.advance_time(2)
        who = (await sitting(here))[5]
        panel = await here.hand(who)
        asked = said(panel)
        menu = selects(panel)[0]
        await here.choose(who, panel, menu, menu["options"][0]["value"])
        here.check_sizes()

        assert "follow the Conga Line or sit out" in said(here.board())
        assert "worth 5 each so far" in said(here.board())
        assert "**Follow:** worth 6 each" in asked


# --- crews ---------------------------------------------------------------------------------------


def by_length(kind: str) -> list[Card]:
    """Return the cards of *kind* that take the most room, the longest first."""
    cards = [card for card in HOUSE_DECK.remix if card.kind == kind]
    return sorted(cards, key=lambda card: len(card.name) + len(card.text) + 3 * len(card.slots), reverse=True)


def full_crew(crew: Crew) -> Crew:
    """Return a crew that has all there is: three long Routines, each with two Rallies, half of it covered."""
    rallies = by_length("rally")
    routines = tuple(
        Routine(card, ("",) * len(card.slots), 1, tuple(Rally(rallies[(2 * at + n) % 5], n + 1, 1) for n in range(2)))
        for at, card in enumerate(by_length("routine")[:3])
    )
    called = tuple(card.name for card in by_length("routine")[:3] for _ in range(2))
    return msgspec.structs.replace(
        crew, routines=routines, lying=(1, 2, 2, 1), last_roll=(1, 2, 2, 1), unrolled=0, completed=called, rolls=399,
        round_rolls=40, cubes=3, total=199, scores=(99, 99), paid=19,
    )  # fmt: skip


def full_state(state: Any, phase: str, now: int) -> Any:
    """Return a state of four such crews in that phase."""
    crews = tuple(map(full_crew, state.crews))
    cards = tuple(CardScore(one.card.key, one.card.name, 3, 18) for one in crews[0].routines)
    cards += tuple(
        CardScore(rally.card.key, rally.card.name, 2, 20) for one in crews[0].routines for rally in one.rallies
    )
    sheet = Sheet(2, (CrewScore(cards, 99, 199),) * 4)
    offered = (*crews[0].routines, *(Routine(by_length(kind)[0], ()) for kind in ("rally", "matching_pair")))
    remix = Remix(number=2, row=offered, groups=((0, 1, 2, 3),), group=0, waiting=(0, 1, 2, 3))
    if phase == "returning":
        remix = msgspec.structs.replace(remix, pending=(Pending(0, 0),))
        crews = (msgspec.structs.replace(crews[0], routines=(*crews[0].routines, offered[0])), *crews[1:])
    if phase == "attaching":
        remix = msgspec.structs.replace(remix, pending=(Pending(0, 3, by_length("rally")[0]),))
    picks = phase in ("remix", "returning", "attaching")
    begun = phase in ("dance", "placing")
    return msgspec.structs.replace(
        state, crews=crews, sheet=sheet, dance_off=3, phase="remix" if picks else phase,
        remix=remix if picks else None, starts_ms=now - 20_000 if begun else 0,
        ends_ms=now + 40_000 if phase == "dance" else now * begun, closes_ms=now + 30_000,
    )  # fmt: skip


@pytest.mark.parametrize("names", NAMES)
async def test_the_fullest_crews_fit_in_every_phase(tmp_path: Path, names: str) -> None:
    """Three Routines and six Rallies each, under the worst names: board, panels and result are sent whole and inert."""
    async with world(tmp_path / "game.sqlite3", NAMES[names], new_seed=lambda: SEED) as here:
        await here.open("meeples new")
        await here.start(4)
        await here.env.advance_time(2)
        boards = []
        for phase in ("ready", "dance", "placing", "remix", "returning", "attaching"):
            await alter(here, lambda state, phase=phase: full_state(state, phase, now_ms(here)))
            await here.env.advance_time(4)
            boards.append(said(here.board()))
            assert phase in ("returning", "attaching") or phase == (await public(here)).phase
            panels = [said(await here.hand(who)) for who in await sitting(here)]
            assert all("Crew" in panel and "✋" not in panel for panel in panels), panels
        here.check_sizes()
        lines = [re.findall(r"(?m)^(?:⏳ )?[🍒💧🍀⭐] \*\*(\w+)", board) for board in boards]
        bare = [re.sub(r"\\.", "", line) for board in boards for line in re.findall(r"\*\* · (.*)", board)]

        assert all(set(CREWS) == set(each) for each in lines)
        assert [] == [line for line in bare if re.search(r"[*_~|`<>#\[\]()@\\]", line)]
        assert [] == [request for request in here.env.http_requests if pings_somebody(request)]
        assert [] == here.env.errors


async def test_every_exchange_can_be_reached(tmp_path: Path) -> None:
    """Thirty-six ways to trade a pair are more than a select holds: the rest is one press away, and works."""

    def pairs(crew: Crew) -> Crew:
        free = sorted(by_length("routine"), key=lambda card: -card.slots.count("any"))[:2]
        routines = tuple(Routine(card, ("",) * len(card.slots)) for card in (*free, by_length("matching_pair")[0]))
        return msgspec.structs.replace(crew, routines=routines, lying=(0, 2, 2, 2), unrolled=0, rolls=1, round_rolls=1)

    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open("meeples new")
        await here.start(2)
        await here.env.advance_time(2)
        now = now_ms(here)

        def minute(state: Any) -> Any:
            crews = tuple(map(pairs, state.crews))
            return msgspec.structs.replace(
                state, crews=crews, phase="dance", starts_ms=now - 20_000, ends_ms=now + 40_000
            )

        await alter(here, minute)
        panel = await here.hand(0)
        first = [option["value"] for option in selects(panel)[0]["options"]]
        panel = (await here.choose(0, panel, selects(panel)[0], first[-1])).response
        rest = [option["value"] for option in selects(panel)[0]["options"]]
        back = (await here.choose(0, panel, selects(panel)[0], rest[-1])).response
        again = [option["value"] for option in selects(back)[0]["options"]]
        panel = (await here.choose(0, back, selects(back)[0], again[-1])).response
        done = (await here.choose(0, panel, selects(panel)[0], rest[-2])).response
        here.check_sizes()

        assert [25, 13] == [len(first), len(rest)]
        assert first == again
        assert 36 == len({*first[:-1], *rest[:-1]})
        assert "spent." in said(done)
        assert "✋" not in said(done)


# --- names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("names", NAMES)
async def test_names_render_inertly(tmp_path: Path, names: str) -> None:
    """One line a player, no live markdown, no turned-around text, nobody pinged, wherever names stand."""
    async with world(tmp_path / "game.sqlite3", NAMES[names], new_seed=lambda: SEED) as here:
        lobby = said(await here.open())
        for who in range(1, 6):
            await here.press(who, here.board(), "Join")
        full = said(here.board())
        await here.press(0, here.board(), "Start")
        await here.env.advance_time(2)
        board = said(here.board())
        seats = re.findall(r"^\d\\\. (.*?)(?:, host)?$", full, re.MULTILINE)
        bare = [re.sub(r"\\.", "", name) for name in seats]

        assert 6 == len(seats)
        assert 1 == len(re.findall(r"^\d\\\. (?!\*free)", lobby, re.MULTILINE))
        assert 6 == len(re.findall(r"^(?:👉 )?\*\*\d\\\. .+: 0\*\*$", board, re.MULTILINE))
        assert [] == [name for name in bare if re.search(r"[*_~|`<>#\[\]()@\\]", name)]
        assert [] == [name for name in seats if re.search("[\u202a-\u202e\u2066\u2067\u200b\u200f\n\r\u2028]", name)]
        assert [] == [name for name in seats if name.count("\u2068") != name.count("\u2069")]
        assert "```" not in full + board
        assert [] == [request for request in here.env.http_requests if pings_somebody(request)]


def pings_somebody(request: Any) -> bool:
    """Tell whether a message of the bot may ping more than the one person it calls."""
    body = request.json if isinstance(request.json, dict) else {}
    payload = body.get("data") if isinstance(body.get("data"), dict) else body
    if not isinstance(payload, dict) or not payload.keys() & {"components", "content"}:
        return False
    allowed = payload.get("allowed_mentions")
    if allowed is None:
        return request.method != "PATCH"  # an edit pings nobody
    named = re.findall(r"<@(\d+)> your turn at", str(payload))
    return bool(allowed.get("parse")) or [str(user) for user in allowed.get("users", [])] != named


async def test_equal_names_do_not_look_like_computers(tmp_path: Path) -> None:
    """The mark of a computer stands on computers alone, whatever a person is called."""
    names = ("Disco Dot (computer)", "Bea", "Cy", "Di", "Ed", "Flo")
    async with world(tmp_path / "game.sqlite3", names, new_seed=lambda: SEED) as here:
        await here.open(computer_players=1)

        assert 1 == len(re.findall(r"\(computer\)|\\\(computer\\\)", said(here.board())))


@pytest.mark.parametrize("blank", ["\u3164" * 5, "\u2800\u2800", "\u200b\u2060", "\u115f", " \t ", "\U000e0061" * 3])
async def test_names_that_cannot_be_seen_are_named(tmp_path: Path, blank: str) -> None:
    """Whoever hides behind empty letters stands there as Somebody."""
    async with world(tmp_path / "game.sqlite3", (blank, "Bea"), new_seed=lambda: SEED) as here:
        lobby = said(await here.open())

        assert "1\\. Somebody, host" in lobby


@pytest.mark.parametrize("shown", ["spin spin spin", "toes", "shuffle down cowboy", "euphoria backspin shuffle"])
async def test_what_is_cut_short_stays_whole_markdown(tmp_path: Path, shown: str) -> None:
    """A long line of the log ends in … with its bold closed and no half escape before it."""
    async with world(tmp_path / "game.sqlite3", NAMES["stars"], new_seed=lambda: SEED) as here:
        await six(here)

        def long(record: Record) -> Record:
            fell = Fell(seat=0, tried=("spin",) * 3, shown=tuple(shown.split()), returned=(), reason="dizzy")
            entries = [Entry(0, "clock", (*[fell] * count, PartyOver(seat=0), *[fell] * 3)) for count in range(3)]
            return msgspec.structs.replace(record, recent=tuple(entries))

        await rewrite(here, long)
        await here.env.advance_time(2)
        lines = [line for line in said(here.board()).splitlines() if line.startswith("-# Time ran out")]
        bare = [re.sub(r"\\[^…]", "", line) for line in lines]

        assert 3 == len(lines)
        assert all(line.endswith("…") and len(line) <= 170 for line in lines)
        assert [] == [line for line in bare if line.count("**") % 2 or re.search(r"[*\\]…$", line)]


async def test_options_and_labels_are_never_cut_in_their_meaning(tmp_path: Path) -> None:
    """The longest dance and the longest victim's button say all of what they do."""
    async with world(tmp_path / "game.sqlite3", NAMES["emoji"], new_seed=lambda: SEED) as here:
        await six(here)
        await stage(here, table("Toes Toes Spin Fever Shuffle", *["Y"] * 5, floors=["Y M C A " * 3] * 6, small=False))
        who = (await sitting(here))[0]
        panel = await here.hand(who)
        page = (await here.press(who, panel, "2× Step on Toes")).response
        victims = [label for label in labels(page) if "in a row" in label]

        assert 5 == len(victims)
        assert all(re.search(r": \d+ in a row$", label) for label in victims)
        assert [] == [part for part in parts(page) if len(part.get("label") or "") > 45]
