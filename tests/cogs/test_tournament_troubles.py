"""Tournaments when things go wrong: presses at once, restarts, leavers, lost places, missing rights."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import simcord.http.router
from simcord.backend import serializers

from cogs.tournaments.posts import SPACING_MS
from cogs.tournaments.steward import RETRY_MS
from rules.tournaments.sizes import Sizes
from tests.cogs.evening import MINUTE_S, Evening, button, evening
from tests.cogs.staging import Pressed, admin, forbid, plant, press_id, remove_bot, said, sent
from tests.cogs.test_privacy import forget
from tests.cogs.test_tournaments import check_once, quick
from tests.cogs.world import labels, selects, words

SEED = bytes(range(16))
FAILURES = 4


async def small(night: Evening, people: int = 6, **options: Any) -> None:
    """Create a Swiss with tables of three, and have people join it."""
    await quick(night, await night.create(**{"rounds": 2, "table_size": 3, **options}))
    await night.join(range(people))


def replies(told: Iterable[str], like: str) -> int:
    """Count the answers that say something."""
    return sum(like in each for each in told)


# --- at once ---------------------------------------------------------------------------------------


async def test_check_d2_presses_at_the_same_moment_have_one_effect(tmp_path: Path) -> None:
    """Two organisers start, go on and finish together; people join and come twice: each thing happens once."""
    async with evening(tmp_path, 6, new_seed=lambda: SEED) as night:
        other = admin(night.here, "Sandy")
        await quick(night, await night.create(rounds=1, table_size=3))
        join = button(night.post(), "Join")
        told = await night.at_once((person, night.post(), join) for person in [*night.here.people[:6]] * 2)
        assert 6 == replies(told, "You are in: ") == len((await night.record()).active)
        plans = [
            (actor, (await actor.slash(night.floor, "tournament start")).response) for actor in (night.boss, other)
        ]
        told = await night.at_once((actor, plan, button(plan, "Start with")) for actor, plan in plans)
        await night.wait(8)
        assert 1 == replies(told, "✅ Started") == (await night.log()).count("started")
        assert 2 == len((await night.round()).pods) == len(night.floor.threads)
        here = button(night.post(), "I'm here")
        await night.at_once((person, night.post(), here) for person in [*night.here.people[:6]] * 2)
        await night.wait(8)
        assert {"open"} == {pod.stage for pod in (await night.round()).pods}
        await night.hurry()
        panels = [
            (actor, (await actor.slash(night.floor, "tournament status")).response) for actor in (night.boss, other)
        ]
        told = await night.at_once((actor, panel, button(panel, "Confirm and finish")) for actor, panel in panels)

        assert 1 == replies(told, "✅ Finished") == (await night.log()).count("finished")
        assert 1 == len(night.calls("Thank you all for dancing"))
        await check_once(night)


async def test_check_d3_tables_that_finish_at_once_close_one_round(tmp_path: Path) -> None:
    """Five results in one moment: each counts once, the round is over once, its standings are posted once."""
    async with evening(tmp_path, 15, new_seed=lambda: SEED) as night:
        await small(night, 15, rounds=1)
        await night.start()
        await night.come()
        await night.hurry()

        log = await night.log()
        assert 5 == log.count("result")
        assert 1 == log.count("round_over")
        assert 1 == len(night.calls("Standings: round 1"))


async def test_a_press_that_is_delivered_twice_counts_once(tmp_path: Path) -> None:
    """Discord repeats an interaction: the second does nothing."""
    async with evening(tmp_path, 6, new_seed=lambda: SEED) as night:
        await night.create(rounds=1, table_size=3)
        pressed = Pressed(night.here, 0, night.post(), button(night.post(), "Join"))
        pressed.emit()
        pressed.emit()
        await night.here.env.settle(idle=0.001)
        await night.wait()

        assert 1 == len((await night.record()).entrants)
        assert 1 == (await night.log()).count("joined")
        assert [] == night.here.env.errors


# --- restarts --------------------------------------------------------------------------------------


async def test_check_b4_a_restart_at_every_step_loses_and_repeats_nothing(tmp_path: Path) -> None:
    """The bot is stopped before each press, from the sign-up to the podium; old buttons go on."""
    async with evening(tmp_path, 6, new_seed=lambda: SEED) as night:
        restart = night.here.restart
        await quick(night, await night.create(rounds=2, table_size=3, check_in="first"))
        old = night.post()
        await restart()
        for who in range(6):
            await night.press(who, old, "Join")
        status = await night.boss_says("status")
        await restart()
        await night.click(night.boss, status, "Open the check-in")
        await restart()
        await night.wait()
        assert 1 == len(night.calls("Check-in for"))
        for who in range(6):
            await night.press(who, night.calls("Check-in for")[0], "I'm here")
        await restart()
        status = await night.click(night.boss, await night.boss_says("status"), "End the check-in")
        plan = await night.click(night.boss, status, "Look at the plan")
        await restart()
        await night.click(night.boss, plan, "Start with 6")
        await restart()
        for _ in (1, 2):
            await night.wait(8)
            for call in night.calls(r"press \*\*I'm here\*\*: it begins"):
                number = (await night.round()).number
                if f"round {number} " not in words(call):
                    continue
                pod = next(pod for pod in (await night.round()).pods if f"table {pod.number}\n" in words(call))
                for one in pod.players:
                    await night.press(await night.who(one), call, "I'm here")
                await restart()
            await night.wait(8)
            await restart()
            await night.hurry()
            await restart()
            await night.wait(8)
            status = await night.boss_says("status")
            await restart()
            await night.click(night.boss, status, "Confirm and")
            await restart()
        await night.wait(8)

        assert "🥇" in words(night.post())
        assert 1 == len(night.calls("Thank you all for dancing"))
        assert 1 == len(night.calls("Standings: round 1")) == len(night.calls("Standings: round 2"))
        assert 4 == len(night.calls(r"press \*\*I'm here\*\*: it begins"))
        await check_once(night)


async def test_people_get_time_for_what_ran_out_while_the_bot_was_away(tmp_path: Path) -> None:
    """Off for an hour after the tables were called: nobody counts as missing before they could press once more."""
    async with evening(tmp_path, 6, new_seed=lambda: SEED) as night:
        await small(night)
        await night.start()
        await night.here.bot.close()
        await night.wait(60 * MINUTE_S)
        await night.here.restart()
        await night.wait(8)
        assert ["gathering", "gathering"] == [pod.stage for pod in (await night.round()).pods]
        assert "what ran out meanwhile begins again" in words(await night.says(0, "log"))
        await night.come()
        assert ["open", "open"] == [pod.stage for pod in (await night.round()).pods]


@pytest.mark.parametrize("removed", [True, False])
async def test_a_server_out_of_reach_costs_nobody_their_time(tmp_path: Path, removed: bool) -> None:
    """The bot was removed, or Discord had an outage: afterwards what ran out begins again, then it goes on."""
    async with evening(tmp_path, 6, new_seed=lambda: SEED) as night:
        await small(night)
        await night.start()
        backend = night.here.env.backend
        if removed:
            take_back = remove_bot(night.here)
        else:
            backend.emit("GUILD_DELETE", {"id": str(night.here.guild.id), "unavailable": True})
        await night.wait(60 * MINUTE_S)
        assert ["gathering", "gathering"] == [pod.stage for pod in (await night.round()).pods]
        if removed:
            take_back()
        else:
            here = backend.guilds[night.here.guild.id]
            backend.emit("GUILD_CREATE", serializers.guild_create_payload(backend, here))
        await night.wait(9 * MINUTE_S)
        assert ["gathering", "gathering"] == [pod.stage for pod in (await night.round()).pods]
        await night.wait(2 * MINUTE_S)
        assert ["stuck", "stuck"] == [pod.stage for pod in (await night.round()).pods]


# --- people ----------------------------------------------------------------------------------------


async def test_check_e1_whoever_has_left_the_server_holds_up_nobody(tmp_path: Path) -> None:
    """One leaves before the game, one in it: the first is out with their table short, the second is ranked last."""
    async with evening(tmp_path, 6, new_seed=lambda: SEED) as night:
        await small(night)
        await night.start()
        first, second = (await night.round()).pods
        gone = [await night.who(first.seats[0]), await night.who(second.seats[0])]
        night.here.env.backend.remove_member(night.here.guild.id, night.here.people[gone[0]].id)
        await night.come(but=[first.seats[0]])
        await night.wait(11 * MINUTE_S)
        assert "gone" in await night.log()
        await night.choose(night.boss, await night.boss_says("status"), "Go on without who is missing")
        night.here.env.backend.remove_member(night.here.guild.id, night.here.people[gone[1]].id)
        await night.hurry()
        played = await night.round()

        assert (first.seats[0],) == played.pods[0].absent
        assert "provisional" == played.phase
        assert 6 == len(played.pods[0].places) + len(played.pods[1].places) + 1
        await night.next()
        assert "running" == (await night.record()).phase


# --- places ----------------------------------------------------------------------------------------


async def test_check_f1_a_deleted_thread_is_replaced_and_its_table_goes_along(tmp_path: Path) -> None:
    """Before the game people are called anew in another thread; in the game its board comes there."""
    async with evening(tmp_path, 6, new_seed=lambda: SEED) as night:
        await small(night)
        await night.start()
        before = {pod.number: pod.channel_id for pod in (await night.round()).pods}
        night.here.env.backend.delete_channel(before[1])
        await night.wait(8)
        pods = (await night.round()).pods
        assert before[1] != pods[0].channel_id != night.floor.id
        assert 2 == len(night.calls(r"press \*\*I'm here\*\*: it begins"))
        await night.come()
        pods = (await night.round()).pods
        night.here.env.backend.delete_channel(pods[1].channel_id)
        await night.wait(15)
        pod = (await night.round()).pods[1]
        table = (await night.here.bot.tables.glance(pod.table_id)).table

        assert pod.channel_id == table.channel_id not in (before[2], night.floor.id)
        assert night.calls(f"able {pod.table_id} ")
        await night.hurry()
        assert "provisional" == (await night.round()).phase


async def test_check_f1_threads_deleted_while_the_bot_is_away_are_found(tmp_path: Path) -> None:
    """The start finds out, opens others, and nothing that is owed gets lost."""
    async with evening(tmp_path, 6, new_seed=lambda: SEED) as night:
        await small(night)
        await night.start()
        await night.come()
        pods = (await night.round()).pods
        await night.here.bot.close()
        for pod in pods:
            night.here.env.backend.delete_channel(pod.channel_id)
        await night.here.restart()
        await night.wait(60)
        await night.hurry()

        assert "provisional" == (await night.round()).phase


async def test_check_f1_the_deleted_message_comes_back(tmp_path: Path) -> None:
    """Once a deletion, at the end of the channel, also one from before a restart."""
    async with evening(tmp_path, 3, new_seed=lambda: SEED) as night:
        await small(night, 3)
        for _ in range(2):
            gone = night.post().id
            night.here.env.backend.delete_message(night.floor.id, gone)
            await night.wait(8)
            assert gone != night.post().id
            await night.here.restart()
            await night.wait()
        assert "Signed up: 3" in words(night.post())


async def test_check_f2_what_is_not_allowed_is_told_to_the_organiser(tmp_path: Path) -> None:
    """No threads: the tables play in the channel. No messages: the panel says so, and later all is caught up on."""
    async with evening(tmp_path, 6, new_seed=lambda: SEED) as night:
        await small(night)
        forbid(night.here, create_public_threads=False)
        await night.start()
        assert {night.floor.id} == {pod.channel_id for pod in (await night.round()).pods}
        assert 2 == len(night.calls(r"press \*\*I'm here\*\*: it begins"))
        forbid(night.here, create_public_threads=False, send_messages=False, view_channel=True)
        await night.come()
        await night.hurry()
        status = await night.boss_says("status")
        assert "⚠️" in words(status)
        assert "I may not write" in words(status)
        forbid(night.here)
        await night.boss_says("status")
        await night.wait(8)

        assert "⚠️" not in words(await night.boss_says("status"))
        assert 1 == len(night.calls("Standings: round 1"))
        assert "provisional" in words(night.post())


async def test_the_message_is_edited_at_most_once_in_three_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However fast people join, and the last one is in it."""
    async with evening(tmp_path, 16, new_seed=lambda: SEED) as night:
        await night.create(table_size=4)
        edits: list[float] = []
        dispatch = simcord.http.router.dispatch

        def heard(backend: Any, method: str, path: str, **options: Any) -> Any:
            if method == "PATCH" and "/messages/" in path and "webhooks" not in path:
                edits.append(backend.clock.elapsed)
            return dispatch(backend, method, path, **options)

        monkeypatch.setattr(simcord.http.router, "dispatch", heard)
        for who in range(16):
            await night.press(who, night.post(), "Join")
            await night.here.env.advance_time(0.5)
        await night.wait()

        assert "Signed up: 16" in words(night.post())
        assert all(later - earlier >= SPACING_MS / 1000 - 0.1 for earlier, later in pairwise(edits))
        assert 2 < len(edits) < 8


async def test_check_c5_a_tournament_needs_no_direct_message(tmp_path: Path) -> None:
    """From the sign-up to the table all is said in the channel and its threads."""
    async with evening(tmp_path, 6, new_seed=lambda: SEED) as night:
        await small(night)
        await night.start()
        await night.come()
        await night.hurry()

        assert [] == sent(night.here, "POST", "/users/@me/channels")


async def test_check_k14_going_on_too_early_names_each_table_and_the_ways_out(tmp_path: Path) -> None:
    """Those that need a decision come first; each with its thread, whom it waits for, and a select of what to do."""
    async with evening(tmp_path, 18, new_seed=lambda: SEED) as night:
        await small(night, 18)
        await night.start()
        told = await night.boss_says("next")
        pods = (await night.round()).pods
        assert "✋ Tables 1, 2, 3, 4, 5 and 6 are not done" in words(told)
        for pod in pods:
            assert f"**Table {pod.number}** <#{pod.channel_id}>: waits for" in words(told)
        waiting = await night.choose(night.boss, told, "Wait 10 more minutes")
        assert "✅ Table 1 has ten more minutes" in words(waiting)
        asked = await night.choose(night.boss, waiting, "Put in a substitute…")
        assert "`/tournament substitute" in words(asked)


async def test_check_k17_whoever_does_not_confirm_is_left_out(tmp_path: Path) -> None:
    """The check-in closes by itself; who missed it is not seated, and an organiser can let them in."""
    async with evening(tmp_path, 7, new_seed=lambda: SEED) as night:
        await small(night, 7, check_in="first")
        await night.click(night.boss, await night.boss_says("status"), "Open the check-in")
        await night.wait()
        for who in range(6):
            await night.press(who, night.post(), "I'm here")
        await night.wait(11 * MINUTE_S)
        (call,) = night.calls("is over: 6 of 7 are there")
        assert [night.boss.id] == [user.id for user in call.mentions]
        assert "Next step" in words(await night.click(night.boss, call, "What to do"))
        assert "You are checked in" in words(await night.says(0, "me"))
        assert "You missed the check-in" in words(await night.says(6, "me"))
        await night.start()
        assert 6 == sum(len(pod.seats) for pod in (await night.round()).pods)
        assert "You are not in" in words(await night.says(6, "me"))
        assert "✅" in words(await night.boss_says("undrop", player=night.here.people[6]))
        assert 7 == len((await night.record()).active)


# --- who may ---------------------------------------------------------------------------------------


def organisers_only(night: Evening) -> dict[str, dict[str, Any]]:
    """Return the commands that are the staff's, and what they are given."""
    ana, bea = night.here.people[:2]
    about = {"player": ana, "reason": "because"}
    return {
        "add": {"people": bea.mention},
        "seed": {"people": ana.mention},
        "start": {},
        "next": {},
        "finish": {},
        "cancel": {"reason": "because"},
        "reopen": {"reason": "because"},
        "repair": {"reason": "because"},
        "correct": {"table": 1, "result": f"{ana.mention} 3", "reason": "because"},
        "drop": {"player": ana},
        "undrop": {"player": ana},
        "disqualify": about,
        "substitute": {**about, "newcomer": bea},
        "swap": {"one": ana, "other": bea, "reason": "because"},
        "seat": {**about, "table": 1},
        "note": {"player": ana},
        "raffle": {},
        "settings": {"name": "Mine"},
    }


async def test_a_check_in_with_too_few_is_the_staffs_to_repeat(tmp_path: Path) -> None:
    """Before a later round: the staff is called, everybody sees what is awaited, and one press calls all again."""
    async with evening(tmp_path, 6, new_seed=lambda: SEED) as night:
        await small(night, check_in="every")
        await night.click(night.boss, await night.boss_says("status"), "Open the check-in")
        await night.wait()
        for who in range(6):
            await night.press(who, night.post(), "I'm here")
        await night.click(night.boss, await night.boss_says("status"), "End the check-in")
        assert not night.calls("is over: ")  # who ends it knows
        await night.start()
        await night.come()
        await night.hurry()
        await night.next()
        for _ in range(2):
            await night.press(0, night.post(), "I'm here")
            await night.wait(11 * MINUTE_S)
            assert "Too few people are there" in words(night.post())
            status = await night.boss_says("status")
            assert "too few came. Call everybody again; Round 2 follows." in words(status)
            assert "✅ The check-in is open again." in words(await night.click(night.boss, status, "Hold the check-in"))
            await night.wait()
        assert 2 == len(night.calls("is over: 1 of 6 are there. Too few people for one table."))
        assert 4 == len(night.calls(r"Check-in for \*\*"))  # before round 1, before round 2, and twice more


async def test_the_staff_is_called_when_standings_wait_for_them(tmp_path: Path) -> None:
    """Once a round: the creator and the staff role; confirmed standings call nobody any more."""
    async with evening(tmp_path, 6, new_seed=lambda: SEED) as night:
        role = night.here.guild.create_role("Crew")
        await small(night, staff_role=role)
        await night.start()
        await night.come()
        await night.hurry()
        (call,) = night.calls("Standings: round 1")
        assert f"<@{night.boss.id}> <@&{role.id}> look at them, then confirm" in words(call)
        assert [night.boss.id] == [user.id for user in call.mentions]
        assert 2 == words(call).count("-# Table ")  # what came of the round stays here
        status = await night.click(night.boss, call, "What to do")
        await night.click(night.boss, await night.click(night.boss, status, "Standings"), "Next step")
        await night.next()
        after = night.calls("Standings: round 1")[0]
        assert "then confirm" not in words(after)
        assert 2 == words(after).count("-# Table ")


@pytest.mark.parametrize("pings", ["on", "off"])
async def test_a_server_without_pings_calls_no_role_either(tmp_path: Path, pings: str) -> None:
    """Standings wait for the staff: they read it, and are called only where anybody is."""
    async with evening(tmp_path, 3, new_seed=lambda: SEED) as night:
        role = night.here.guild.create_role("Crew")
        await night.here.bot.settings.set_server(night.here.guild.id, "pings", pings, by=night.boss.id, at_ms=0)
        await small(night, 3, staff_role=role)
        await night.start()
        await night.come()
        start = len(night.here.env.http_requests)
        await night.hurry()
        posts = [request.json for request in sent(night.here, "POST", f"/channels/{night.floor.id}/messages", start)]
        (standings,) = [post for post in posts if "Standings: round 1" in str(post)]
        allowed = standings["allowed_mentions"]
        on = pings == "on"
        assert [str(role.id)] * on == [str(one) for one in allowed.get("roles", [])]
        assert [str(night.boss.id)] * on == [str(one) for one in allowed.get("users", [])]


async def test_a_table_says_which_one_of_the_tournament_it_is(tmp_path: Path) -> None:
    """On its board, in what calls its people, and after the organisers have taken its game back, which asks first."""
    async with evening(tmp_path, 6, new_seed=lambda: SEED) as night:
        await small(night)
        await night.start()
        await night.come()
        old = (await night.round()).pods[0]
        title = "Friday Floor · round 1 of 2 · table 1"
        (thread,) = (place for place in night.floor.threads if place.id == old.channel_id)
        assert any(f"-# 🏆 {title}" in words(message) for message in thread.history())
        assert any(f"Let's Dance, {title}" in words(message) for message in thread.history())

        asked = await night.choose(night.boss, await night.boss_says("status"), "Take the game back, play it anew…")
        assert "It ends without counting" in words(asked)
        assert old == (await night.round()).pods[0]
        assert "✅ Table 1 is played again." in words(await night.click(night.boss, asked, "Take it back"))
        await night.wait(8)
        told = [words(message) for message in thread.history()]
        assert any("🛑 The organisers ended this game" in each for each in told)
        assert any("once more: press **I'm here**" in each for each in told)


@pytest.mark.parametrize(("kind", "enterable"), [("swiss", False), ("league", True)])
async def test_whoever_is_not_in_is_told_the_way_in(tmp_path: Path, kind: str, enterable: bool) -> None:
    """By I'm here and by Find me, as long as entry is open; whoever joins twice is told where they play."""
    async with evening(tmp_path, 7, new_seed=lambda: SEED) as night:
        await night.create(format=kind, table_size=3)
        await night.join(range(6))
        twice = words(await night.press(0, night.post(), "Join"))
        assert "✋ You are in already: `/tournament me` tells where and when you play." in twice
        await night.start()
        assert enterable == ("Join" in labels(night.post()))
        here = await night.press(6, night.post(), "I'm here")
        found = await night.press(6, await night.says(6, "standings"), "Find me")
        way = ": **Join** under its message gets you in." if enterable else "."
        for told in (here, found):
            assert f"✋ You are not in this tournament{way}" in words(told)


async def test_check_k23_only_the_staff_may(tmp_path: Path) -> None:
    """A stranger and a player are refused every act, by command and by every button; the staff's role may."""
    async with evening(tmp_path, 5, new_seed=lambda: SEED) as night:
        role = night.here.guild.create_role("Floor crew")
        crew = night.here.guild.add_member(night.here.env.create_user("crew", global_name="Crew"), roles=[role])
        await night.create(table_size=3, staff_role=role)
        await night.join(range(3))
        acts = organisers_only(night)
        known = {name.partition(" ")[2] for name in night.boss.available_commands(night.floor) if "tournament " in name}
        assert known == {*acts, "create", "me", "status", "standings", "log", "export", "table"}
        before = (await night.record()).seq
        for who in (0, 4):
            for command, options in acts.items():
                assert "Only admins and the tournament's organisers" in words(await night.says(who, command, **options))
            for verb in ("plan", "start:3", "step:start.0", "step:next.1", "post", "way:Wait.1.1", "check_other:1"):
                verb_, _, arg = verb.partition(":")
                custom_id = f"d:tournament:{night.number}:0:{verb_}:{arg}"
                answer = await press_id(night.here, who, plant(night.here, [custom_id]), custom_id)
                assert "Only admins and the tournament's organisers" in words(answer), verb
            assert "✋ Only people who may manage the server" in words(
                await night.says(who, "create", name="Mine", game="lambada")
            )
        assert before == (await night.record()).seq
        answer = (await crew.slash(night.floor, "tournament drop", player=night.here.people[0])).response
        assert "✅ Ana Banana is out" in words(answer)


async def test_check_k23_a_tournament_belongs_to_its_server(tmp_path: Path) -> None:
    """Its number leads nowhere in another one, by command or by button."""
    async with evening(tmp_path, 3, new_seed=lambda: SEED) as night:
        await night.create(table_size=3)
        custom_id = button(night.post(), "Join").replace(f":{night.number}:", ":999:")
        answer = await press_id(night.here, 0, plant(night.here, [custom_id]), custom_id)
        assert "There is no such tournament here" in words(answer)
        other = night.here.env.create_guild("Elsewhere")
        channel = other.create_text_channel("floor")
        member = other.add_member(night.here.env.create_user("far", global_name="Far"))
        await night.here.env.settle()
        answer = (await member.slash(channel, "tournament standings", number=night.number)).response
        assert "There is no such tournament here" in words(answer)
        assert "There is no such tournament here" in words((await member.slash(channel, "tournament me")).response)


async def test_senseless_and_old_buttons_are_answered(tmp_path: Path) -> None:
    """Every verb with arguments that no button of ours has, before the start, in a round, and at the end."""
    async with evening(tmp_path, 6, new_seed=lambda: SEED) as night:
        await small(night, rounds=1)
        verbs = sorted(night.here.bot.get_cog("tournament").presses._verbs)  # type: ignore[union-attr]  # noqa: SLF001

        async def press_all() -> None:
            for verb in verbs:
                if verb in ("join", "leave", "post"):
                    continue
                for arg in ("", "x", "999999", "1.2.3", "GoOn.9.9", "format=dance", "next.99"):
                    custom_id = f"d:tournament:{night.number}:0:{verb}:{arg}"
                    for who in (0, night.here.people.index(night.boss)):
                        planted = plant(night.here, [custom_id])
                        answer = said(await press_id(night.here, who, planted, custom_id))
                        night.here.env.backend.delete_message(night.floor.id, planted.id)
                        assert answer, custom_id
                        assert "went wrong" not in answer, custom_id

        night.here.people.append(night.boss)
        await press_all()
        await night.start()
        await press_all()
        await night.come()
        await night.hurry()
        await night.boss_says("finish")
        await night.wait(8)
        await press_all()
        assert [] == night.here.env.errors
        assert "finished" == (await night.record()).phase


async def test_the_log_and_the_notes_are_for_those_they_are_meant_for(tmp_path: Path) -> None:
    """Anybody reads what happened and why; notes are the staff's alone."""
    async with evening(tmp_path, 3, new_seed=lambda: SEED) as night:
        await small(night, 3)
        ana = night.here.people[0]
        await night.boss_says("note", player=ana, text="steps on toes", level="caution")
        await night.boss_says("disqualify", player=ana, reason="stepped on *toes*")
        for_all, for_staff = words(await night.says(1, "log")), words(await night.boss_says("log"))

        assert r"stepped on \*toes\*" in for_all
        assert "steps on toes" not in for_all
        assert "steps on toes" in for_staff
        assert "steps on toes" in words(await night.boss_says("note", player=ana))


async def test_corrections_show_what_they_would_change_before_they_do(tmp_path: Path) -> None:
    """In a closed round a preview comes first; confirmed, the standings that were posted say so."""
    async with evening(tmp_path, 6, new_seed=lambda: SEED) as night:
        await small(night)
        await night.start()
        await night.come()
        await night.hurry()
        await night.next()
        record = await night.record()
        pod = record.rounds[0].pods[0]
        people = [night.here.people[await night.who(one)] for one in pod.seats]
        result = " ".join(f"{person.mention} {score}" for score, person in enumerate(people))
        given = {"table": 1, "result": result, "reason": "typed wrong", "round_number": 1}
        seen = await night.boss_says("correct", **given)
        assert "This would change" in words(seen)
        assert re.search(r"\*\*After round 1 of \d\*\*\n[^:]+: place \d → \d", words(seen))
        assert not re.search(r"(\d) → \1\b", words(seen))
        assert record.seq == (await night.record()).seq
        done = await night.boss_says("correct", **given, confirm=True)
        await night.wait(8)

        assert "✅ Table 1 is corrected" in words(done)
        assert "Corrected: round 1, table 1: typed wrong" in words(night.calls("Standings: round 1")[0])
        log = words(await night.boss_says("log"))
        assert re.search(r"Round 1, table 1 corrected: 1\\\.\xa0.+\xa0\(\d\).+ \(typed wrong\)", log)
        assert "✋" in words(await night.boss_says("correct", **{**given, "result": "nobody"}))


async def test_no_player_becomes_host_of_a_table(tmp_path: Path) -> None:
    """Not even when the organiser, who plays, gets up; and who changes a result there does it with a reason."""
    async with evening(tmp_path, 3, new_seed=lambda: SEED) as night:
        await small(night, 2)
        night.here.people[2] = night.boss
        await night.press(2, night.post(), "Join")
        await night.start()
        await night.come()
        (thread,) = night.floor.threads

        async def typed(who: int, command: str, **options: Any) -> Any:
            return (await night.here.people[who].slash(thread, f"table {command}", **options)).response

        await night.press(2, await typed(2, "leave"), "Leave it")
        changes = [await typed(who, "kick", player=night.here.people[0]) for who in (1, 2)]
        changes.append(await typed(2, "substitute", seat=1, newcomer=night.boss))
        ends = [await typed(who, "end") for who in (0, 1)]
        assert all("belongs to a tournament" in words(answer) for answer in changes)
        assert all("once 2 of 2 people want it" in words(answer) for answer in ends)


async def test_check_k18_somebody_forgotten_is_seated_without_pairing_anew(tmp_path: Path) -> None:
    """With entry closed, at a table that has seen no move; the status names the command."""
    async with evening(tmp_path, 4, new_seed=lambda: SEED) as night:
        await small(night, 3)
        await night.start()
        asked = await night.choose(night.boss, await night.boss_says("status"), "Seat somebody there…")
        assert "`/tournament seat player: table: 1 reason:`" in words(asked)
        assert "✋" in words(await night.boss_says("add", people=night.here.people[3].mention))
        told = await night.boss_says("seat", player=night.here.people[3], table=1, reason="was forgotten")
        assert "sits down" in words(told)
        await night.wait()
        assert 4 == len((await night.round()).pods[0].seats)
        assert "(was forgotten)" in words(await night.says(3, "log"))
        assert "You play in round 1 of 2, table 1" in words(await night.says(3, "me"))


async def test_check_k14_every_table_has_its_ways_out(tmp_path: Path) -> None:
    """Those beyond the first four are a choice away."""
    async with evening(tmp_path, 18, new_seed=lambda: SEED) as night:
        await small(night, 18)
        await night.start()
        more = await night.choose(night.boss, await night.boss_says("status"), "Table 5, 6: what to do")
        menus = [menu["placeholder"] for menu in selects(more)]
        assert ["Table 5: what to do…", "Table 6: what to do…", "Other tables…"] == menus


async def test_check_k12_a_result_by_hand_is_shown_to_those_it_is_about(tmp_path: Path) -> None:
    """Once, while the standings are provisional; the log tells which result it was."""
    async with evening(tmp_path, 3, new_seed=lambda: SEED) as night:
        await small(night, 3)
        await night.start()
        await night.come()
        people = [night.here.people[await night.who(one)] for one in (await night.round()).pods[0].seats]
        result = f"{people[0].mention} 5 {people[1].mention} 7 {people[2].mention} absent"
        await night.boss_says("correct", table=1, result=result, reason="played on paper")
        await night.wait(8)
        (told,) = night.calls("was set by hand")
        assert all(person.mention in words(told) for person in people)
        for text in (words(told), words(await night.says(0, "log"))):
            assert re.search(r"(set by hand|corrected): 1\\?\.\s.*\s\(7\)\s· 2\\?\.\s.*\s\(5\)\s· .* absent", text)


async def test_points_sizes_and_tie_breaks_are_the_organisers_to_choose(tmp_path: Path) -> None:
    """Points of one's own, fewest and most at a table, and tie-breaks in any order."""
    async with evening(tmp_path, 3, new_seed=lambda: SEED) as night:
        panel = await night.create(rounds=2, table_size=4)
        for choice in ("Fewest at a table: 4", "First tie-break: places", "First tie-break: score index"):
            panel = await night.choose(night.boss, panel, choice)
            assert f"✅ {choice}." in words(panel)
        lists = "3-1, 4-2-1, 6-3-2-1, 7-5-3-1-0, 8-6-4-2-1-0"
        assert f"The organiser's own: {lists}" in words(await night.boss_says("settings", points=lists)) + words(
            await night.says(0, "settings")
        )
        setup = (await night.record()).setup
        assert Sizes(4, 4, 5) == setup.sizes
        assert ("score_index", "places", "wins", "head_to_head", "opponents", "absences") == setup.ties
        assert (6, 3, 2, 1) == setup.scheme.lists[2]
        assert "no points for tables of 6" in words(
            await night.boss_says("settings", points="3-1 4-2-1 6-3-2-1 1-1-1-1-1")
        )
        assert "must not rise" in words(await night.boss_says("settings", points="1-3"))
        assert "✋ I cannot read those points" in words(await night.boss_says("settings", points="many"))


async def test_a_thousand_things_to_change_before_the_first_move(tmp_path: Path) -> None:
    """Swap, pair again, drop, undrop, seat, substitute, cancel, reopen: each with its reason in the log."""
    async with evening(tmp_path, 8, new_seed=lambda: SEED) as night:
        await small(night, 7)
        await night.start()
        people = night.here.people
        first, second = (await night.round()).pods
        one, other = [people[await night.who(pod.seats[0])] for pod in (first, second)]
        assert "✅ They change seats" in words(await night.boss_says("swap", one=one, other=other, reason="friends"))
        assert "✅ The round is paired again" in words(await night.boss_says("repair", reason="friends"))
        await night.wait(8)
        answer = await night.boss_says("substitute", player=people[0], newcomer=people[7], reason="ill")
        assert f"✅ {night.here.names[7]} takes over" in words(answer)
        assert "✅" in words(await night.boss_says("drop", player=people[1], reason="bus"))
        assert "✅" in words(await night.boss_says("undrop", player=people[1]))
        assert "✅ Called off" in words(await night.boss_says("cancel", reason="fire alarm"))
        await night.wait(8)
        assert "called off" in words(night.post())
        assert "✅ Open again" in words(await night.boss_says("reopen", reason="false alarm"))
        await night.wait(8)
        assert "Round 1" in words(night.post())
        log = words(await night.says(2, "log"))
        assert all(f"({reason})" in log for reason in ("friends", "ill", "fire alarm", "false alarm"))
        await night.come()
        await night.hurry()
        await check_once_left(night)


async def check_once_left(night: Evening) -> None:
    """Hold the tables against what must never be: two that go on for one table of the round."""
    bot = night.here.bot
    live = [await bot.tables.glance(one) for one in await bot.store.find(guild_id=night.here.guild.id)]
    assert [] == live
    assert [] == night.here.env.errors


async def test_an_outage_is_tried_again(tmp_path: Path) -> None:
    """Discord fails for a while at whatever is sent: later all of it is there, once."""
    async with evening(tmp_path, 6, new_seed=lambda: SEED) as night:
        await small(night)
        for method, path in (("POST", "/channels/*/threads"), ("POST", "/channels/*/messages")):
            night.here.env.inject_error(method, path, status=503, code=0, times=8)
        await night.start()
        await night.wait(120)

        assert 2 == len(night.floor.threads)
        assert 2 == len(night.calls(r"press \*\*I'm here\*\*: it begins"))
        assert "Round 1" in words(night.post())
        start = len(night.here.env.http_requests)
        await night.wait(120)
        assert [] == sent(night.here, "POST", "/messages", start)


async def test_a_deadline_that_fails_is_not_tried_again_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Every few seconds, until it succeeds: whatever is broken there leaves the bot time for all others."""
    async with evening(tmp_path, 6, new_seed=lambda: SEED) as night:
        await small(night)
        await night.start()
        wake, clock = night.here.bot.tournaments.wake, night.here.bot.clock
        tries: list[int] = []

        async def fail(tournament_id: int) -> None:
            tries.append(clock())
            if len(tries) <= FAILURES:
                raise RuntimeError("broken")
            await wake(tournament_id)

        monkeypatch.setattr(night.here.bot.tournaments, "wake", fail)
        with caplog.at_level(logging.CRITICAL, logger="cogs.timing"):
            await night.wait(10 * MINUTE_S + 60)

        assert [] == [gap for gap in (b - a for a, b in pairwise(tries[: FAILURES + 1])) if gap < RETRY_MS]
        assert ["stuck", "stuck"] == [pod.stage for pod in (await night.round()).pods]


async def test_somebody_asks_where_they_are_while_a_check_in_is_open(tmp_path: Path) -> None:
    """Before the first round and before a later one: the round it is for does not exist yet."""
    async with evening(tmp_path, 4, new_seed=lambda: SEED) as night:
        await small(night, 3, check_in="every")
        await night.click(night.boss, await night.boss_says("status"), "Open the check-in")
        for number in (1, 2):
            for who in range(3):
                mine = await night.says(who, "me")
                assert "Are you there?" in words(mine)
                assert "checked in" in words(await night.press(who, mine, "I'm here"))
            await night.click(night.boss, await night.boss_says("status"), "End the check-in")
            if number == 1:
                await night.start()
                await night.come()
                await night.hurry()
                await night.next()
        await night.wait(8)
        assert 2 == (await night.round()).number
        assert [] == night.here.env.errors


async def test_a_league_has_no_next_round(tmp_path: Path) -> None:
    """Whoever asks for one is told how it ends, whether or not tables are open."""
    async with evening(tmp_path, 4, new_seed=lambda: SEED) as night:
        await night.create(format="league", table_size=2)
        await night.join(range(4))
        await night.start()
        assert "✋ That was the last round: `/tournament finish` ends it." in words(await night.boss_says("next"))
        ana, bea = night.here.people[:2]
        await night.says(0, "table", people=f"{ana.mention} {bea.mention}")
        assert "✋ Table 1 is not done." in words(await night.boss_says("next"))


async def test_a_tournament_goes_on_without_somebody_who_was_forgotten(tmp_path: Path) -> None:
    """Nobody can mention them: results are set without their name, and whatever they won is posted."""
    async with evening(tmp_path, 3, new_seed=lambda: SEED) as night:
        await small(night, 3, rounds=1)
        await night.start()
        await night.come()
        ana, bea, kim = night.here.people
        given = {"table": 1, "reason": "played on paper"}
        await night.boss_says("correct", result=f"{ana.mention} 1 {bea.mention} 9 {kim.mention} 5", **given)
        await forget(night.here, 1)
        await night.wait(8)
        assert "✅" in words(await night.boss_says("correct", result=f"{kim.mention} 3 {ana.mention} 1", **given))
        pod = (await night.round()).pods[0]
        assert {9, 3, 1} == set(pod.scores)
        await night.wait(8)
        assert 2 == len(night.calls("was set by hand"))
        assert "✅" in words(await night.boss_says("correct", result=f"{kim.mention} bye {ana.mention} bye", **given))
        pod = (await night.round()).pods[0]
        assert ((), 1, 2) == (pod.scores, len(pod.absent), len(pod.byes))
        assert "✋ I cannot read" in words(await night.boss_says("correct", result="nobody", **given))
        await night.boss_says("finish")
        await night.wait(60)

        assert 1 == len(night.calls("Thank you all for dancing"))
        assert [] == list(await night.here.bot.store.owed("tournament"))
        assert "⚠️" not in words(await night.boss_says("status"))


async def test_no_message_calls_somebody_who_was_forgotten(tmp_path: Path) -> None:
    """Discord refuses their id: the winner of a tournament is on its podium all the same."""
    async with evening(tmp_path, 3, new_seed=lambda: SEED) as night:
        await small(night, 3, rounds=1)
        await night.start()
        await night.come()
        ana, bea, kim = night.here.people
        result = f"{ana.mention} 1 {bea.mention} 9 {kim.mention} 5"
        await night.boss_says("correct", table=1, result=result, reason="played on paper")
        await night.boss_says("finish")
        await night.wait(8)
        await forget(night.here, 1)
        await night.boss_says("reopen", reason="one more look")
        await night.boss_says("finish")
        await night.wait(60)

        assert 2 == len(night.calls("Thank you all for dancing"))
        assert [] == list(await night.here.bot.store.owed("tournament"))
