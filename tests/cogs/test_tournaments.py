"""Whole tournaments as users: from the form to the podium."""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from rules.core.discovery import find_games
from tests.cogs.evening import MINUTE_S, Evening, evening
from tests.cogs.staging import said
from tests.cogs.world import labels, words

GAMES = sorted(find_games())
"""One a round, where several are played."""

SEED = bytes(range(16))


async def quick(night: Evening, panel: Any) -> None:
    """Have computers finish what takes longer than half an hour."""
    panel = await night.click(night.boss, panel, "People and time")
    panel = await night.choose(night.boss, panel, "A round lasts: 30 minutes")
    await night.choose(night.boss, panel, "Time over: computers finish")


async def check_once(night: Evening) -> None:
    """Hold the end against what must never happen: a table opened twice, a result counted twice, a call still owed."""
    store, tournaments = night.here.bot.store, night.here.bot.tournaments
    tables = [
        await night.here.bot.tables.glance(one) for one in await store.find(guild_id=night.here.guild.id, live=False)
    ]
    origins = Counter(glance.table.origin for glance in tables)
    results = Counter((one.round, one.pod) for one in await tournaments.history(night.number) if one.what == "result")
    assert {1} == set(origins.values())
    assert {1} >= set(results.values())
    for played in (await night.record()).rounds:
        seated = [*(one for pod in played.pods for one in pod.seats), *played.byes]
        assert played.kind == "league" or len(seated) == len(set(seated))
    assert [] == list(await store.owed("tournament"))
    assert [] == night.here.env.errors


async def open_swiss(night: Evening) -> None:
    """Create it with check-in and late entry, have thirteen join, twelve confirm, and start."""
    panel = await night.create(game=", ".join(GAMES), rounds=3, table_size=4, final=4, check_in="first")
    await quick(night, panel)
    panel = await night.click(night.boss, await night.boss_says("settings"), "People and time")
    await night.choose(night.boss, panel, "Late entry: until round 2")
    await night.join(range(13))
    assert "Signed up: 13" in words(night.post())
    assert ["Open the check-in", "Next step", "Who is in?", "Change the rules"] == labels(
        await night.boss_says("start")
    )
    await night.click(night.boss, await night.boss_says("status"), "Open the check-in")
    await night.wait()
    assert 1 == len(night.calls("Check-in for"))
    for who in range(11):
        assert "checked in" in words(await night.press(who, night.post(), "I'm here"))
    status = await night.choose(night.boss, await night.boss_says("status"), "Quinn")
    assert "Checked in" in words(status)
    assert "Not checked in: Rosa" in words(status)
    await night.click(night.boss, status, "End the check-in")
    await night.start()


async def test_a_swiss_of_thirteen_from_the_form_to_the_podium(tmp_path: Path) -> None:
    """One misses the check-in, one does not come, one enters late, one drops out; three rounds, each another game."""
    async with evening(tmp_path, 14, new_seed=lambda: SEED) as night:
        await open_swiss(night)
        played = await night.round()
        assert [4, 4, 4] == [len(pod.seats) for pod in played.pods]
        assert 3 == len(night.floor.threads) == len(night.calls(r"press \*\*I'm here"))

        await night.come(but=[played.pods[0].seats[0]])
        await night.wait(11 * MINUTE_S)
        assert 1 == len(night.calls("needs a decision: .+ did not come"))
        status = await night.boss_says("next")
        assert "did not come" in words(status)
        assert "✋ Tables 1, 2 and 3 are not done" in words(status)
        await night.choose(night.boss, status, "Go on without who is missing")
        assert "from round 2 on" in words(await night.press(13, night.post(), "Join"))
        await night.hurry()
        (standings,) = night.calls("Standings: round 1")
        assert "provisional" in words(standings)

        await night.boss_says("drop", player=night.here.people[3])
        await night.next()
        assert "confirmed" in words(night.calls("Standings: round 1")[0])
        for _ in (2, 3):
            assert 12 == len({one for pod in (await night.round()).pods for one in pod.seats})
            await night.come()
            await night.hurry()
            await night.next()
        ranked = (await night.round()).pods[0].players
        await night.pick_seats()
        assert ranked[0] == (await night.round()).pods[0].seats[-1]
        await night.come()
        await night.hurry()
        assert "provisional" in words(night.post())
        assert "Finished" in words(await night.boss_says("finish"))
        await night.wait(8)

        assert "🥇" in words(night.post())
        (podium,) = night.calls("Thank you all for dancing")
        assert "-# 3 rounds and a final, 13 dancers." in words(podium)
        assert 3 == len(podium.mentions)
        guild = night.here.bot.get_guild(night.here.guild.id)
        assert guild is not None
        assert [] == [thread for thread in guild.threads if not thread.archived]
        assert "The tournament is over" in words(await night.says(0, "me"))
        assert "over" in words(await night.boss_says("next"))
        await check_once(night)


async def test_a_knockout_of_sixteen(tmp_path: Path) -> None:
    """Seeded, two of each table go on, a final with seats chosen by rank, one winner."""
    async with evening(tmp_path, 16, new_seed=lambda: SEED) as night:
        await quick(night, await night.create(game=", ".join(GAMES), format="knockout", table_size=4))
        await night.join(range(16))
        best = night.here.people[7]
        await night.boss_says("seed", people=f"{best.mention} {night.here.people[2].mention}")
        plan = await night.boss_says("start")
        assert "Round 1: 4 tables of 4" in words(plan)
        await night.click(night.boss, plan, "Start with 16")
        await night.wait(8)
        kinds = []
        while (await night.record()).phase == "running":
            played = await night.round()
            kinds.append((played.kind, len(played.pods)))
            await night.pick_seats()
            await night.come()
            await night.hurry()
            status = await night.boss_says("status")
            await night.click(night.boss, status, "Confirm and")
            await night.wait(8)

        assert [("knockout", 4), ("knockout", 2), ("final", 1)] == kinds
        record = await night.record()
        assert record.entrant(1).user_id == night.here.people[0].id
        assert 1 == record.entrant_of(best.id).seed  # type: ignore[union-attr]
        assert 1 == record.rounds[-1].rows[0].place
        assert "🥇" in words(night.post())
        await check_once(night)


@pytest.mark.parametrize("game", GAMES)
async def test_a_table_of_each_game_is_played_by_presses_to_the_end(tmp_path: Path, game: str) -> None:
    """In its thread, with its own board and calls; its result is the round's, and the standings follow."""
    async with evening(tmp_path, 4, new_seed=lambda: SEED) as night:
        await night.create(game=game, rounds=1, table_size=2)
        await night.join(range(4))
        await night.start()
        await night.come()
        first, second = (await night.round()).pods
        assert first.stage == second.stage == "open"
        assert first.channel_id != second.channel_id != night.floor.id
        thread = next(place for place in night.floor.threads if place.id == first.channel_id)
        assert "Start without the rest" not in [label for message in thread.history() for label in labels(message)]
        dice = random.Random(5)
        await night.hear(first.table_id, dice)
        await night.hear(second.table_id, dice)
        played = await night.round()

        assert "provisional" == played.phase
        table = (await night.here.bot.tables.glance(first.table_id)).table
        assert table.places == played.pods[0].places
        assert table.scores == played.pods[0].scores
        ranked = sorted(zip(table.places, table.scores, strict=True))
        told = words(night.post()).replace("\xa0", " ")
        assert "✅ **Table 1**" in told
        assert re.search(" · ".join(rf"{place}\\\. [^·]+ \({score}\)" for place, score in ranked), told)
        await night.boss_says("finish")
        await night.wait()
        assert labels(night.post()) == ["Standings", "Find me", "Tie-breaks", "Log"]
        await check_once(night)


async def test_groups_then_a_final(tmp_path: Path) -> None:
    """Two groups play among themselves, the best of each meet."""
    async with evening(tmp_path, 12, new_seed=lambda: SEED) as night:
        panel = await night.create(format="groups", rounds=2, table_size=3, final=4)
        panel = await night.choose(night.boss, panel, "People in a group: 6")
        await quick(night, panel)
        await night.join(range(12))
        await night.start()
        assert {1, 2} == {who.group for who in (await night.record()).entrants}
        for _ in (1, 2):
            await night.come()
            await night.hurry()
            await night.next()
        assert "final" == (await night.round()).kind
        await night.pick_seats()
        await night.come()
        await night.hurry()
        await night.boss_says("finish")
        await night.wait(8)

        assert "🥇" in words(night.post())
        await check_once(night)


async def test_a_league_goes_on_as_people_like(tmp_path: Path) -> None:
    """Players open tables themselves, results count at once, newcomers join any time, the organiser ends it."""
    async with evening(tmp_path, 6, new_seed=lambda: SEED) as night:
        await night.create(format="league", table_size=2)
        await night.join(range(3))
        await night.start()
        people = night.here.people
        stranger = await night.says(4, "table", people=f"{people[0].mention} {people[1].mention}")
        assert "✋" in words(stranger)
        for pair in ((0, 1), (1, 2)):
            answer = await night.says(pair[1], "table", people=" ".join(people[who].mention for who in pair))
            assert "opens in a moment" in words(answer)
            await night.wait(8)
            for who in pair:
                await night.press(who, night.post(), "I'm here")
            await night.wait(8)
            await night.hear((await night.round()).pods[-1].table_id, random.Random(3))
        await night.press(5, night.post(), "Join")
        standings = await night.boss_says("standings")
        assert "Ana Banana" in words(standings)
        assert 2 == len((await night.round()).pods)
        assert "Finished" in words(await night.boss_says("finish"))
        await night.wait(8)
        assert "🥇" in words(night.post())
        await check_once(night)


async def test_two_games_one_a_round(tmp_path: Path) -> None:
    """The form takes games with commas between; each round opens its own."""
    games = GAMES[:2]
    async with evening(tmp_path, 4, new_seed=lambda: SEED) as night:
        panel = await night.create(game=", ".join(games), rounds=2, table_size=4)
        await quick(night, panel)
        await night.join(range(4))
        await night.start()
        played = []
        for _ in games:
            await night.come()
            pod = (await night.round()).pods[0]
            played.append((await night.here.bot.tables.glance(pod.table_id)).table.game)
            await night.hurry()
            await night.next()

        assert games == played
        assert "✋" in said(await night.boss_says("next"))
