"""Breakdancing Meeples as people dance it: whole games, the clock, getting ready, and stops of the bot."""

from __future__ import annotations

import random
import re
from itertools import pairwise
from pathlib import Path

import pytest

from rules.breakdancing_meeples import (
    Roll,
)
from tests.cogs.crews import (
    BEAT_S,
    COUNT_IN_S,
    FF_ANY,
    GRACE_S,
    MINUTE_S,
    PICK_S,
    PLACING_S,
    REFUSED,
    ROW,
    Crew,
    Dancers,
    all_messages,
    alter,
    belled,
    counted_in,
    crew_of,
    dancing,
    edits,
    emit,
    emit_one,
    for_all,
    forged,
    gaps,
    ids,
    inputs,
    listen,
    lying,
    now_ms,
    offer,
    opened,
    picking,
    press_old,
    public,
    status,
    until,
)
from tests.cogs.staging import Pressed, said, sitting
from tests.cogs.world import World, knobs, labels, words, world

SEED = bytes(range(16))
SPACING_MS = 3_000
UPDATE = 7
"""Kind of an answer that takes the pressed message's place."""
MOMENT = re.compile(r"<t:\d+:[RT]>")


# --- whole games ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("people", "computers", "beats"), [(2, 0, 16), (4, 0, 30), (2, 2, 10)])
async def test_a_whole_game_from_lobby_to_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, people: int, computers: int, beats: int
) -> None:
    """Four Dance Offs and three Remixes: nobody is refused, all fits, one board, edited every three seconds at most."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open("meeples new", computer_players=computers)
        await here.start(people)
        await here.env.advance_time(3.1)
        board = here.board().id
        heard = listen(here, monkeypatch)
        dancers = Dancers(here, list(range(people)), random.Random(people), beats)
        await dancers.game()
        result = said(here.board())
        spaced = edits(heard, board)
        here.check_sizes()
        errors = list(here.env.errors)

    assert [] == dancers.refused
    assert [] == errors
    assert {"👉", "🔔", "💿", "🏆"} <= dancers.seen | set(re.findall(r"(?m)^### (\S+)", result))
    assert people <= len(dancers.picks) <= 3 * people
    assert set(dancers.picks) <= {1, 2}
    assert board == here.board().id
    assert "Crew   Sum  1  2  3  4 Ral." in result
    assert people + computers == len(re.findall(r"(?m)^\d\\\. ", result))
    assert SEED.hex() in result
    assert [] == labels(here.board())
    assert len(spaced) > 30
    assert min(gaps([each.at_ms for each in spaced])) >= SPACING_MS
    assert all(earlier.json != later.json for earlier, later in pairwise(spaced))


async def test_a_game_goes_on_when_nobody_presses_anything(tmp_path: Path) -> None:
    """One person who sleeps and a computer: clock and deadlines lead to the result, and the log tells the story."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open("meeples new", computer_players=1, turn_clock=1)
        await here.press(0, here.board(), "Start")
        for _ in range(60):
            await here.env.advance_time(20)
            if not labels(here.board()):
                break
        log = said((await here.people[0].slash(here.channel, "table log", number=1)).response)
        here.check_sizes()

        assert re.search(r"### 🏆 .* wins", said(here.board()))
        assert re.search(r"🏆 Dance Off 4: \d+ for ", log)
        assert "📣" in log
        assert [] == here.env.errors


async def test_check_a3_every_press_of_a_dance_off_is_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four people press whatever their panels have, sense or not: each press is answered there and nowhere else."""
    dice = random.Random(5)
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        crews = await dancing(here, 4)
        count, heard, presses = all_messages(here), listen(here, monkeypatch), 0
        while presses < 160:
            for crew in crews:
                offered = [knob["custom_id"] for knob in knobs(crew.panel) if ":pick:" not in knob["custom_id"]]
                if offered:
                    await crew.press(dice.choice(offered))
                    presses += 1
            await here.env.advance_time(dice.choice((0.2, 0.5, 1.6)))
        answers = [each.json for each in heard if each.path.endswith("/callback")]
        errors = list(here.env.errors)

        assert presses == len(answers)
        assert {UPDATE} == {answer["type"] for answer in answers}
        assert count == all_messages(here)
        assert [] == errors
        assert 10 < len([line for crew in crews for line in crew.refused if "Too fast" in line])


# --- the clock ------------------------------------------------------------------------------------


async def test_check_i1_while_nothing_changes_nothing_is_edited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a minute in which nobody rolls the board is edited at the go and at the bell, never to count down."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        crews = await counted_in(here)
        await until(here, (await public(here)).starts_ms + SPACING_MS + 100)
        heard = listen(here, monkeypatch)
        before = said(here.board()), said(crews[0].panel)
        await until(here, (await public(here)).ends_ms - 100)
        quiet = list(heard)
        after = said(here.board()), said(crews[0].panel)
        await crews[0].press(ids(crews[0].panel, "roll")[0])
        await here.env.advance_time(SPACING_MS / 1_000)

        assert [] == quiet
        assert before == after
        assert heard


async def test_what_the_board_does_not_show_edits_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dancer is locked and completes nothing: the board would look the same, so it is left, and counts as current."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        crew, _ = await dancing(here)
        await alter(here, for_all(lambda each: lying(each, feet=1, back=5)))
        await here.env.advance_time(4)
        await crew.open()
        await here.env.advance_time(4)
        heard = listen(here, monkeypatch)
        await crew.press(ids(crew.panel, "place")[0])
        await here.env.advance_time(4)
        quiet = edits(heard, here.board().id)
        posted = await here.bot.store.posted(1)
        await crew.press(ids(crew.panel, "roll")[0])
        await here.env.advance_time(4)

        assert [] == quiet
        assert posted is not None
        assert await inputs(here) - 1 == posted.rendered_seq
        assert 1 == len(edits(heard, here.board().id))


async def test_check_i2_every_moment_stands_in_text_that_the_readers_clock_counts_down(tmp_path: Path) -> None:
    """Count-in, bell, placing and pick: each in the text of board and panel, as a moment; there are no embeds."""
    shown = []
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        crews = await counted_in(here)
        await here.env.advance_time(3)
        shown += [said(here.board()), said(crews[0].panel)]
        await until(here, (await public(here)).starts_ms + SPACING_MS)
        shown += [said(here.board()), said(crews[0].panel)]
        await alter(here, for_all(lambda crew: lying(crew, feet=2, back=4)))
        await until(here, (await public(here)).ends_ms + 6_000)
        shown += [said(here.board()), said(await crews[0].open())]
        await here.env.advance_time(PLACING_S)
        shown += [said(here.board())]
        embeds = [message.embeds for message in here.messages() if message.embeds]

    assert [] == embeds
    assert all(MOMENT.search(text) for text in shown)
    assert "5, 6, 7, 8! Dance <t:" in shown[0]
    assert "The bell rings <t:" in shown[2]
    assert "Place what lies: scored <t:" in shown[4]
    assert "Skipped <t:" in shown[6]


async def test_check_i3_rolls_are_answered_at_once_at_twenty_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twenty people roll together: each panel is its own answer at once, each board waits its three seconds."""
    names = tuple(f"Dancer {number}" for number in range(20))
    async with world(tmp_path / "game.sqlite3", names, new_seed=lambda: SEED) as here:
        crews = []
        for who in range(20):
            await here.open("meeples new", who=who, computer_players=1)
            await here.press(who, here.board(who + 1), "Start")
            crews.append(Crew(here, who, who + 1))
            crews[-1].panel = (await here.press(who, here.board(who + 1), "Ready")).response
        await here.env.advance_time(COUNT_IN_S + 2)
        heard = listen(here, monkeypatch)
        for beat in range(2):
            presses = [Pressed(here, crew.who, crew.panel, ids(crew.panel, "roll")[0]) for crew in crews]
            answers = await emit(here, *presses)
            assert [crew.panel.id for crew in crews] == [answer.id for answer in answers], beat
            await here.env.advance_time(BEAT_S)
        await here.env.advance_time(3)
        kinds = [each.json["type"] for each in heard if each.path.endswith("/callback")]
        boards = [edits(heard, here.board(table_id).id) for table_id in range(1, 21)]

        assert [UPDATE] * 40 == kinds
        assert [2] * 20 == [(await crew_of(here, crew.who, crew.table_id)).rolls for crew in crews]
        assert all(board for board in boards)
        assert all(gap >= SPACING_MS for board in boards for gap in gaps([each.at_ms for each in board]))
        assert [] == here.env.errors


@pytest.mark.parametrize(
    ("made_ms", "delivered_ms", "phase", "counts"),
    [
        (-400, -300, "dance", True),
        (-400, 1_000, "dance", True),
        (0, 1_200, "dance", True),
        (300, 400, "dance", False),
        (300, 1_700, "placing", False),
        (-400, 2_000, "placing", False),
    ],
)
async def test_check_i4_a_roll_counts_by_the_moment_of_its_press(
    tmp_path: Path, made_ms: int, delivered_ms: int, phase: str, counts: bool
) -> None:
    """By Discord's time of it; one that comes a little late still counts, one after the bell is told both times."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        crew, _ = await dancing(here)
        await alter(here, for_all(lambda each: lying(each, feet=1, back=5)))
        await crew.open()
        ends_ms = (await public(here)).ends_ms
        before = (await crew_of(here, crew.who)).rolls
        await until(here, ends_ms + made_ms)
        pressed = Pressed(here, crew.who, crew.panel, ids(crew.panel, "roll")[0])
        at_ms = now_ms(here)
        await here.env.advance_time((delivered_ms - made_ms) / 1_000)
        assert phase == (await public(here)).phase
        count = all_messages(here)
        answer = await emit_one(here, pressed)
        after = (await crew_of(here, crew.who)).rolls

        assert crew.panel.id == answer.id
        assert count == all_messages(here)
        assert counts == (after == before + 1)
        assert counts == (REFUSED not in words(answer))
        if not counts:
            assert f"<t:{ends_ms // 1000}:T>" in status(answer)
            assert f"<t:{at_ms // 1000}:T>" in status(answer)
            assert "Place what lies." in status(answer)


async def test_placing_needs_no_bell_and_no_moment(tmp_path: Path) -> None:
    """What lies can be placed in the grace and after it, until all that can place are done."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        crew, other = await dancing(here)
        await alter(here, for_all(lambda each: lying(each, feet=3, back=3)))
        await crew.open()
        await until(here, (await public(here)).ends_ms + 500)
        await crew.press(ids(crew.panel, "place")[0])
        in_grace = await crew_of(here, crew.who)
        await here.env.advance_time(GRACE_S + 0.2)
        panel = said(crew.panel)
        await crew.try_press("fill", last=True)
        board = (await public(here)).phase
        for each in (crew, other):
            await each.open()
            await each.try_press("done")
        await here.env.advance_time(3)

        assert [] == crew.refused
        assert 2 == in_grace.count("feet")
        assert "Time's up" in panel
        assert "Bell!" not in labels(crew.panel)
        assert "placing" == board
        assert "remix" == (await public(here)).phase
        assert "💿 Remix 1 of 3" in said(here.board())
        assert f"{FF_ANY.name} ×1 = 1" in said(here.board())


async def test_a_press_too_soon_costs_nothing_and_says_how_long_to_wait(tmp_path: Path) -> None:
    """Before the go and right after a roll: the wait in the status line, the dancers as they lay."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        crew, _ = await counted_in(here)
        count = all_messages(here)
        await crew.press(ids(crew.panel, "roll")[0])
        early = status(crew.panel)
        await until(here, (await public(here)).starts_ms)
        await crew.press(ids(crew.panel, "roll")[0])
        first = await crew_of(here, crew.who)
        await here.env.advance_time(0.9)
        await crew.press(ids(crew.panel, "roll")[0])
        fast, second = status(crew.panel), await crew_of(here, crew.who)
        await here.env.advance_time(0.6)
        await crew.press(ids(crew.panel, "roll")[0])

        assert re.search(r"Too early by (3\.9|4) s: nothing lost", early)
        assert "Too fast by 0.6 s: nothing lost, roll again." in fast
        assert first == second
        assert 2 == (await crew_of(here, crew.who)).rolls
        assert count == all_messages(here)


async def test_computers_dance_at_a_human_pace(tmp_path: Path) -> None:
    """Between two presses of a computer crew lie at least 1.2 s, and about 1.6 s on average."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await dancing(here, 1, computer_players=3)
        await here.env.advance_time(MINUTE_S - 10)
        log = await here.bot.store.log(1)
        crew = await public(here)
        plays = [row for row in log if b'"Play"' in row.input and row.at_ms > crew.starts_ms]
        spans = [gap for seat in range(4) for gap in gaps([row.at_ms for row in plays if row.seat == seat])]

        assert len(spans) > 60
        assert min(spans) >= 1_200
        assert max(spans) < 4_000
        assert 1_400 < sum(spans) / len(spans) < 1_900


# --- getting ready --------------------------------------------------------------------------------


async def test_the_host_starts_without_the_rest_after_a_minute(tmp_path: Path) -> None:
    """Not before, and nobody else; who is late is named, and joins in while it lasts."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        crews = await opened(here, 3)
        host = next(crew for crew in crews if crew.who == 0)
        other, late = (crew for crew in crews if crew.who != 0)
        for crew in (host, other):
            await crew.try_press("ready")
        await here.env.advance_time(3)
        board = said(here.board())
        guest = said((await here.press(other.who, here.board(), "Start without the rest")).response)
        early = said((await here.press(0, here.board(), "Start without the rest")).response)
        offered = [("Start without the rest" in labels(crew.panel)) for crew in crews]
        await until(here, (await public(here)).force_ms)
        await host.try_press("force")
        await here.env.advance_time(3)
        named = said(here.board())
        panel = (await here.press(late.who, here.board(), "My crew")).response
        await until(here, (await public(here)).starts_ms)
        late.panel = panel
        await late.try_press("roll")

        assert "2 of 3 crews are" in board
        assert re.search(r"From <t:\d+:T> on the host may start without the rest", board)
        assert "✋ Only the host of this table can do that." == guest
        assert re.search(r"✋ Too early by \d\d s", early)
        assert [crew.who == 0 for crew in crews] == offered
        assert "Not ready and late" in named
        assert 1 == (await crew_of(here, late.who)).rolls
        assert [] == host.refused + late.refused


async def test_whoever_never_presses_ready_is_counted_in_by_the_clock(tmp_path: Path) -> None:
    """After three turns of the clock a computer keeps the crew and dances with it; a press takes it back."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open("meeples new", turn_clock=1)
        await here.start(2)
        await here.env.advance_time(2)
        busy = Crew(here, 0)
        for off in range(1, 4):
            await busy.open()
            await busy.try_press("ready")
            await here.env.advance_time(MINUTE_S + 1)
            assert (off, "count") == ((await public(here)).dance_off, (await public(here)).phase)
            if off < 3:
                await until(here, (await public(here)).ends_ms + 2_000)
                while (await public(here)).phase != "ready":
                    await here.env.advance_time(PICK_S)
        away = await sitting(here)
        await until(here, (await public(here)).ends_ms - 5_000)
        danced = (await public(here)).crews[away.index(1)].round_rolls
        board = said(here.board())
        await here.press(1, here.board(), "I'm back")
        await here.env.advance_time(4)

        assert danced > 10
        assert "(away)" in board
        assert "(away)" not in said(here.board())
        assert "My crew" in labels(here.board())


async def test_leaving_in_the_middle_of_a_minute(tmp_path: Path) -> None:
    """A computer dances on with what lies there; the leaver's panel is theirs no more."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        first, second = await dancing(here)
        await second.press(ids(second.panel, "roll")[0])
        asked = (await here.people[second.who].slash(here.channel, "table leave")).response
        await here.press(second.who, asked, "Leave it")
        answer = await emit_one(here, Pressed(here, second.who, second.panel, ids(second.panel, "roll")[0]))
        await here.env.advance_time(10)
        seat = (await sitting(here)).index(-1)
        board = said(here.board())
        await first.try_press("roll")

        assert "You do not sit at this table" in said(answer)
        assert (await public(here)).crews[seat].rolls > 3
        assert "(computer)" in board
        assert [] == first.refused


async def test_ending_in_the_middle_of_a_minute(tmp_path: Path) -> None:
    """The host ends the table: the board says so with the scores, and the panels say that it is over."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        crew, _ = await dancing(here)
        asked = (await here.people[0].slash(here.channel, "table end")).response
        await here.press(0, asked, "End it")
        await here.env.advance_time(4)
        over = said(crew.panel)
        answer = await press_old(here, crew.who, forged(Roll(0)))

        assert "🛑 The host ended the game: no ranking." in said(here.board())
        assert "Crew   Sum" in said(here.board())
        assert "The dance is over." in over
        assert REFUSED in said(answer)
        assert [] == labels(here.board())


# --- restarts -------------------------------------------------------------------------------------


async def away(here: World, seconds: float) -> None:
    """Stop the bot for a while."""
    await here.bot.close()
    here.env.backend.advance_clock(seconds)
    await here.restart()
    await here.env.advance_time(0.1)


async def test_check_i5_a_short_stop_in_the_minute_is_danced_through(tmp_path: Path) -> None:
    """The bell keeps its time, the board says so, and the old panel's button rolls."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        crew, _ = await dancing(here)
        await crew.try_press("roll")
        ends_ms = (await public(here)).ends_ms
        await here.env.advance_time(BEAT_S)
        await away(here, 10)
        board = said(here.board())
        await crew.try_press("roll")
        kept = await public(here)
        await until(here, ends_ms + 2_000)

        assert re.search(r"The bot was away for 1[0-3] s; the bell keeps its time\.", board)
        assert ("dance", ends_ms) == (kept.phase, kept.ends_ms)
        assert 2 == (await crew_of(here, crew.who)).rolls
        assert [] == crew.refused
        assert (await public(here)).phase in ("placing", "remix")


@pytest.mark.parametrize("moment", ["the count-in", "early", "over the bell"])
async def test_check_i5_a_long_stop_voids_the_dance_off(tmp_path: Path, moment: str) -> None:
    """More than fifteen seconds lost, or the start: the board says so, an old button rolls nothing, it comes again."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        crew, other = await counted_in(here)
        if moment != "the count-in":
            await until(here, (await public(here)).starts_ms + (30_000 if moment == "over the bell" else 0))
            await crew.try_press("roll")
        await away(here, 5 if moment == "the count-in" else 60 if moment == "over the bell" else 16)
        board, voided = said(here.board()), await public(here)
        told = status(await press_old(here, crew.who, forged(Roll((await crew_of(here, crew.who)).rolls))))
        for each in (crew, other):
            await each.open()
            await each.try_press("ready")
        await here.env.advance_time(COUNT_IN_S + 0.1)
        await crew.try_press("roll")
        again = await public(here)
        await until(here, again.ends_ms - 1_000)

        assert ("ready", 1, True) == (voided.phase, voided.dance_off, voided.voided)
        assert "⚠️ The bot was away in the middle of Dance Off 1: it is danced anew." in board
        assert "✋ Nobody dances right now" in told
        assert ("dance", 1) == (again.phase, again.dance_off)
        assert 1 == (await crew_of(here, crew.who)).round_rolls
        assert [] == here.env.errors


async def test_check_i5_a_stop_over_the_bell_that_lost_little_ends_on_its_deadline(tmp_path: Path) -> None:
    """Ten seconds before the bell to five after it: at the start the bell rings, and what lies is placed in thirty."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        crew, _ = await dancing(here)
        await alter(here, for_all(lambda each: lying(each, feet=3, back=3)))
        ends_ms = (await public(here)).ends_ms
        await until(here, ends_ms - 10_000)
        await crew.open()
        await crew.try_press("roll")
        await away(here, 15)
        await here.env.advance_time(3)
        rung = await public(here)

        assert rung.phase in ("placing", "remix")
        assert rung.closes_ms >= ends_ms + 5_000 + (PLACING_S - 1) * 1_000
        assert "it is danced anew" not in said(here.board())


@pytest.mark.parametrize(("phase", "length"), [("placing", PLACING_S), ("remix", PICK_S)])
@pytest.mark.parametrize("down", [2, 40])
async def test_a_stop_while_placing_or_picking_takes_nobodys_time(
    tmp_path: Path, phase: str, length: int, down: int
) -> None:
    """A short one changes nothing; after a long one the time begins anew, the board says so; the old panel works."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        if phase == "placing":
            crew, _ = await belled(here, lambda each: lying(each, feet=3, back=3))
            await crew.open()
        else:
            crew, _ = await picking(here, ROW, ((0,), (1,)))
        closes_ms = (await public(here)).closes_ms
        await away(here, down)
        board, kept = said(here.board()), await public(here)
        if phase == "placing":
            await crew.press(ids(crew.panel, "fill")[0])
        else:
            await crew.choose(offer(crew, "take"))

        assert phase == kept.phase
        assert (closes_ms == kept.closes_ms) == (down == 2)
        assert kept.closes_ms > now_ms(here)
        assert kept.closes_ms <= now_ms(here) + length * 1_000
        assert bool(re.search(r"The bot was away for 4\d s", board)) == (down == 40)
        assert [] == crew.refused


async def test_a_restart_before_every_press_of_a_game(tmp_path: Path) -> None:
    """Two people, few rolls, and a new bot before each press: every old button works, and the game has its end."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        await here.open("meeples new")
        await here.restart()
        await here.press(1, here.board(), "Join")
        await here.restart()
        await here.press(0, here.board(), "Start")
        await here.env.advance_time(2)
        dancers = Dancers(here, [0, 1], random.Random(1), beats=2)
        restarts = 0

        async def between() -> None:
            nonlocal restarts
            restarts += 1
            await here.restart()
            for crew in dancers.crews:
                crew.lost = True

        for crew in dancers.crews:
            crew.between = between
        await dancers.game()
        result = said(here.board())
        left = len(here.messages())

    assert restarts > 25
    assert [] == dancers.refused
    assert re.search(r"### (🏆|🤝)", result)
    assert left == 1
