"""Between the Dance Offs of Breakdancing Meeples and at its end: picks, grabs, draws and rematches, options."""

from __future__ import annotations

from pathlib import Path

import pytest

from cogs.breakdancing_meeples import words as says
from rules.breakdancing_meeples import (
    State,
)
from rules.core.table import Record
from tests.cogs.crews import (
    PICK_S,
    RALLIES,
    REFUSED,
    ROUTINES,
    ROW,
    Crew,
    alter,
    belled,
    counted_in,
    crew_of,
    emit,
    fresh,
    ids,
    lying,
    now_ms,
    offer,
    opened,
    picking,
    public,
    replace,
    status,
    three,
    until,
)
from tests.cogs.staging import Pressed, plant, press_id, rewrite, said, sitting
from tests.cogs.world import World, knobs, labels, selects, words, world

SEED = bytes(range(16))


# --- the Remix ------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["board", "panel"])
async def test_two_tied_crews_grab_the_same_card(tmp_path: Path, where: str) -> None:
    """The first press gets it, the other is told and picks another one; whoever comes after waits for both."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        crews = await picking(here, ROW, ((0, 1), (2,)), 3, totals=(9, 9, 12))
        board = said(here.board())
        if where == "board":
            take = ids(here.board(), "take")[0]
            presses = [Pressed(here, crew.who, here.board(), take) for crew in crews[:2]]
        else:
            menus = [selects(crew.panel)[0]["custom_id"] for crew in crews[:2]]
            presses = [
                Pressed(here, crew.who, crew.panel, menu, (offer(crew, "take"),))
                for crew, menu in zip(crews[:2], menus, strict=True)
            ]
        answers = await emit(here, *presses)
        told = list(map(words, answers))
        taken = [len((await crew_of(here, crew.who)).routines) for crew in crews[:2]]
        second = crews[1]
        await second.choose(offer(second, "take"))
        await here.env.advance_time(3)
        names = here.names[crews[0].who], here.names[second.who]

        assert "The first press gets the card." in board
        assert all(name in board.replace("\\", "") for name in names)
        assert [3, 2] == taken
        assert REFUSED not in told[0]
        assert "✋ Somebody was faster: that card is gone. Pick another one." in told[1]
        assert (answers[1].id == second.panel.id) == (where == "panel")
        assert (2,) == (await public(here)).remix.waiting
        assert f"👉 {here.names[crews[2].who]} to pick".replace("-", "\\-") in said(here.board())


async def test_what_goes_back_and_where_a_rally_goes_takes_two_presses(tmp_path: Path) -> None:
    """The fourth Routine asks which one returns, Rally and all; a Rally asks beneath which it goes, unless left."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        mine = fresh(ROUTINES[2], RALLIES[1])
        first, second, third = await picking(
            here,
            ROW,
            ((0,), (1,), (2,)),
            3,
            crew=lambda crew: replace(crew, routines=(*crew.routines, mine)),
            totals=(9, 10, 11),
        )
        await first.choose(offer(first, "take"))
        asked = said(first.panel), labels(first.panel)
        await first.press(ids(first.panel, "return")[2])
        await here.env.advance_time(3)
        board = said(here.board())
        await second.choose(offer(second, "buy"))
        attach = said(second.panel), labels(second.panel)
        await second.press(ids(second.panel, "attach")[0])
        bought = await crew_of(here, second.who)
        values = [each for menu in selects(third.panel) for each in menu["options"]]
        await here.env.advance_time(PICK_S + 3)

        assert [2, 2] == [first.presses, second.presses]
        assert "Three is the limit: which Routine goes back?" in asked[0]
        assert f"{says.short(ROUTINES[2].name)} + its Rally" in asked[1]
        assert f"with 🎁 {RALLIES[1].name}" in board
        assert f"🎁 {RALLIES[0].name}, for {RALLIES[0].cost}: beneath which Routine?" in attach[0]
        assert "Take nothing" in attach[1]
        assert (10 - RALLIES[0].cost, RALLIES[0].cost) == (bought.total, bought.paid)
        assert 1 == len(bought.routines[0].rallies)
        assert any("with the Rally" in (each.get("description") or "") for each in values)
        assert ("ready", 2) == ((await public(here)).phase, (await public(here)).dance_off)
        assert "takes nothing" in said(here.board())
        assert [] == first.refused + second.refused


async def test_time_out_in_the_middle_of_a_pick(tmp_path: Path) -> None:
    """Nobody presses a second time: the new Routine goes back, the Rally is not bought, and each panel says why."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        first, second = await picking(here, ROW, ((0, 1),), crew=three)
        await first.choose(offer(first, "take"))
        await second.choose(offer(second, "buy"))
        await here.env.advance_time(PICK_S + 3)
        held = [await crew_of(here, crew.who) for crew in (first, second)]

        assert [3, 3] == [len(crew.routines) for crew in held]
        assert [9, 9] == [crew.total for crew in held]
        assert f"Time is up: you return {ROUTINES[1].name}" in status(first.panel)
        assert "Time is up: you take nothing." in status(second.panel)
        assert "Time is up" in said(here.board())


# --- the end --------------------------------------------------------------------------------------


async def drawn(here: World, totals: tuple[int, ...]) -> list[Crew]:
    """Have a game end in the last placing, with these totals and a last Dance Off without a cube."""
    crews = await opened(here, len(totals))

    def change(state: State) -> State:
        now = now_ms(here)
        done = tuple(
            lying(replace(crew, total=total, scores=(total, 0, 0)), feet=1, back=5)
            for crew, total in zip(state.crews, totals, strict=True)
        )
        return replace(
            state, crews=done, phase="placing", dance_off=4, starts_ms=now - 62_000, ends_ms=now - 2_000,
            closes_ms=now + 30_000,
        )  # fmt: skip

    await alter(here, change)
    for crew in crews:
        await crew.open()
        await crew.try_press("done")
    await here.env.advance_time(4)
    return crews


async def test_a_draw_at_a_tournaments_table_is_a_draw(tmp_path: Path) -> None:
    """The tournament counts it: nothing invites to a rematch, a forged press opens none, and the way on is named."""

    def arranged(record: Record) -> Record:
        return Record(replace(record.table, origin="t9-r1-1-0"), record.state, record.recent)

    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        crews = await drawn(here, (20, 20))
        rematch = knobs(here.board())[0]["custom_id"]
        await rewrite(here, arranged)
        await here.env.advance_time(4)
        board = here.board()
        forged = said(await press_id(here, crews[0].who, plant(here, [rematch]), rematch))

        assert "### 🤝 A draw: " in said(board)
        assert "once more" not in said(board).lower()
        assert "A table of a tournament: `/tournament me` tells what comes next." in said(board)
        assert [] == knobs(board)
        assert "✋ This button has had its day." in forged
        assert 1 == await here.bot.store.last_table_id()


async def test_a_draw_offers_one_rematch_to_those_who_drew(tmp_path: Path) -> None:
    """Both press at once: one lobby with both in it; who did not draw is refused; later one is told where it went."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        crews = await drawn(here, (20, 20, 11))
        result = said(here.board())
        board = here.board()
        lost = said((await here.press(crews[2].who, board, "Rematch")).response)
        stranger = said((await here.press(5, board, "Rematch")).response)
        rematch = knobs(board)[0]["custom_id"]
        answers = await emit(here, *(Pressed(here, crew.who, board, rematch) for crew in crews[:2] for _ in range(2)))
        await here.env.advance_time(3)
        lobby = said(here.board(2))
        ids_ = [await here.bot.store.last_table_id()]
        await here.restart()
        again = said((await here.press(crews[1].who, board, "Rematch")).response)
        host = next(crew.who for crew in crews[:2] if f"host {here.names[crew.who]}" in lobby.replace("\\", ""))
        await here.press(host, here.board(2), "Start")
        await here.env.advance_time(3)
        playing = said((await here.press(crews[1].who, board, "Rematch")).response)
        seated = sorted(await sitting(here, 2))
        asked = (await here.people[host].slash(here.channel, "table end", number=2)).response
        await here.press(host, asked, "End it")
        await here.env.advance_time(3)
        over = said((await here.press(crews[0].who, board, "Rematch")).response)
        ids_.append(await here.bot.store.last_table_id())

        assert "### 🤝 A draw: " in result
        assert "dance it out once more" in result
        assert lost == stranger == "✋ Only those who share the first place can ask for the rematch."
        assert all("Table 2 is open for the rematch" in said(answer) for answer in answers)
        assert "**Crews: 2 of 4**" in lobby
        assert "Table 2 is open" in again
        assert "under way already, at table 2" in playing
        assert "The rematch was table 2, and that is over." in over
        assert sorted(crew.who for crew in crews[:2]) == seated
        assert [2, 2] == ids_
        assert [] == here.env.errors


@pytest.mark.parametrize(("totals", "says_"), [((20, 11), "🏆"), ((20, 20), "🤝")])
async def test_only_a_draw_has_a_rematch(tmp_path: Path, totals: tuple[int, ...], says_: str) -> None:
    """A winner has no button; the panels say that it is over."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        crews = await drawn(here, totals)

        assert f"### {says_}" in said(here.board())
        assert (["Rematch"] if says_ == "🤝" else []) == labels(here.board())
        assert "The dance is over. The board has the result." in said(crews[0].panel)
        here.check_sizes()


# --- options --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seconds", [60, 90, 120, 180])
async def test_a_dance_off_is_as_long_as_was_chosen(tmp_path: Path, seconds: int) -> None:
    """The lobby and the board say it, the bell keeps it, and the pause between rolls grows with it."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        crew, _ = await counted_in(here, seconds=str(seconds))
        started = await public(here)
        lobby = [said_ for said_ in map(str, here.env.http_requests) if f"Dance Off: {seconds} seconds" in said_]
        await until(here, started.starts_ms)
        await crew.try_press("roll")
        await here.env.advance_time(started.interval_ms / 1_000 - 0.5)
        await crew.try_press("roll")

        assert lobby
        assert seconds * 1_000 == started.ends_ms - started.starts_ms
        assert seconds * 25 == started.interval_ms
        assert ["Too fast by 0.5 s" in line for line in crew.refused] == [True]


async def test_options_come_by_command_and_in_the_lobby(tmp_path: Path) -> None:
    """The command offers the lengths and refuses others; the host changes both later; nobody else can."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        offered = await here.people[0].autocomplete(here.channel, "meeples new", "seconds", "1")
        lobby = await here.open("meeples new", seconds="90", young_players=True)
        panel = (await here.press(0, lobby, "Options")).response
        values = [each["value"] for menu in selects(panel) for each in menu["options"]]
        menus = {each["value"]: menu for menu in selects(panel) for each in menu["options"]}
        await here.choose(0, panel, menus["option:round=180"], "option:round=180")
        await here.choose(0, panel, menus["option:young=off"], "option:young=off")
        await here.env.advance_time(4)
        guest = said((await here.press(1, lobby, "Options")).response)
        wrong = (await here.people[0].slash(here.channel, "meeples new", seconds="75")).response

        assert ["120", "180"] == [each["value"] for each in offered]
        assert "✋ This game has no such option." == said(wrong)
        assert {"option:round=60", "option:round=90", "option:young=on"} <= set(values)
        assert "Dance Off: 180 seconds" in said(here.board())
        assert "no: with Rallies" in said(here.board())
        assert "Only the host can change them." in guest


async def test_young_players_never_see_a_rally(tmp_path: Path) -> None:
    """With the option no Rally is dealt, whatever lies on top; without it the same deal has some."""
    dealt = {}
    for young in (True, False):
        async with world(tmp_path / f"{young}.sqlite3", new_seed=lambda: SEED) as here:
            await belled(here, lambda crew: lying(crew, feet=1, back=5), 2) if not young else None
            if young:
                await here.open("meeples new", young_players=True)
                await here.start(2)
                await here.env.advance_time(2)
                for who in range(2):
                    await here.press(who, here.board(), "Ready")
                await until(here, (await public(here)).ends_ms + 2_000)

            def rallies_first(state: State) -> State:
                return replace(state, deck=(*[c for c in state.deck if c.kind != "rally"], *RALLIES))

            if (await public(here)).phase == "placing":
                await alter(here, rallies_first)
                for crew in [Crew(here, who) for who in range(2)]:
                    await crew.open()
                    await crew.try_press("done")
            await here.env.advance_time(4)
            dealt[young] = [card.card.kind for card in (await public(here)).remix.row]
            buy = "Buy" in labels(here.board())
            assert buy == (not young)

    assert ["rally"] * 3 == dealt[False]
    assert 3 == len(dealt[True])
    assert "rally" not in dealt[True]
