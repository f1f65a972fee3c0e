"""The panel of a crew in Breakdancing Meeples: pressed twice, late, out of turn or long ago, and what it refuses."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import discord
import pytest

from cogs.breakdancing_meeples import words as says
from rules.breakdancing_meeples import (
    Action,
    Attach,
    Buy,
    Done,
    Fill,
    Force,
    Place,
    Ready,
    Return,
    Roll,
    Routine,
    Skip,
    Swap,
    Take,
)
from rules.breakdancing_meeples import Crew as Lying
from tests.cogs.crews import (
    BEAT_S,
    FF_ANY,
    GRACE_S,
    PAIR,
    PICK_S,
    RALLIES,
    REFUSED,
    ROUTINES,
    ROW,
    SSH_ANY,
    Crew,
    Dancers,
    all_messages,
    alter,
    counted_in,
    crew_of,
    dancing,
    emit,
    for_all,
    forged,
    fresh,
    ids,
    inputs,
    lying,
    now_ms,
    offer,
    opened,
    picking,
    press_old,
    public,
    remixing,
    replace,
    status,
    three,
    until,
)
from tests.cogs.staging import Pressed, said, sitting
from tests.cogs.world import World, knobs, labels, selects, words, world

SEED = bytes(range(16))


# --- twice, stale, and by the wrong people --------------------------------------------------------


ONCE = {
    "ready": (lambda crew: crew, "ready"),
    "roll": (lambda crew: crew, "roll"),
    "place": (lambda crew: lying(crew, feet=3, back=3), "place"),
    "fill": (lambda crew: lying(crew, feet=3, back=3), "fill"),
    "swap": (
        lambda crew: lying(replace(crew, routines=(*crew.routines, fresh(PAIR))), feet=3, back=3),
        "swap",
    ),
    "done": (lambda crew: lying(crew, feet=3, back=3), "done"),
    "take": (lambda crew: crew, "take"),
    "buy": (lambda crew: crew, "buy"),
    "attach": (lambda crew: crew, "attach"),
    "return": (three, "return"),
    "skip": (lambda crew: crew, "skip"),
    "force": (lambda crew: crew, "force"),
}


async def at_the_press(here: World, verb: str) -> Crew:
    """Bring a table to where the first crew can press *verb* on its panel, and return the crew."""
    change, _ = ONCE[verb]
    if verb in ("take", "buy", "attach", "return", "skip"):
        crew, _ = await picking(here, ROW, ((0,), (1,)), crew=change)
        before = {"attach": "buy", "return": "take"}.get(verb)
        if before:
            await crew.choose(offer(crew, before))
        return crew
    if verb in ("ready", "force"):
        crews = await opened(here)
        await here.env.advance_time(61)
        return next(crew for crew in crews if crew.who == 0)
    crew, _ = await dancing(here)
    await alter(here, for_all(change))
    if verb == "done":
        await until(here, (await public(here)).ends_ms + 2_000)
    await crew.open()
    return crew


@pytest.mark.parametrize("verb", ONCE)
async def test_check_i6_two_equal_presses_are_one(tmp_path: Path, verb: str) -> None:
    """Delivered together: one effect, the second is told so on the panel, and no message is added."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        crew = await at_the_press(here, verb)
        before, count = await inputs(here), all_messages(here)
        found = ids(crew.panel, verb)
        if found:
            presses = [Pressed(here, crew.who, crew.panel, found[0]) for _ in range(2)]
        else:
            (menu,) = selects(crew.panel)
            value = offer(crew, verb)
            presses = [Pressed(here, crew.who, crew.panel, menu["custom_id"], (value,)) for _ in range(2)]
        answers = await emit(here, *presses)

        assert before + 1 == await inputs(here)
        assert [crew.panel.id] * 2 == [answer.id for answer in answers]
        assert REFUSED in status(answers[1])
        assert count >= all_messages(here)
        assert [] == here.env.errors


async def test_the_last_dancer_is_locked_only_after_a_warning(tmp_path: Path) -> None:
    """A press that would end one's minute asks first, also when it comes twice at once; the next one does it."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        crew, _ = await dancing(here)

        def last(each: Lying) -> Lying:
            full = Routine(SSH_ANY, ("side", "side", "head", "feet", ""))
            return lying(replace(each, routines=(Routine(FF_ANY, ("feet", "", "")), full), unrolled=0), feet=1)

        await alter(here, for_all(last))
        await crew.open()
        before = await inputs(here)
        warned = ids(crew.panel, "warn")
        await emit(here, *(Pressed(here, crew.who, crew.panel, warned[0]) for _ in range(2)))
        asked, still = status(crew.panel), await inputs(here)
        others = ids(crew.panel, "warn")
        await crew.press(ids(crew.panel, "place")[0])
        after = await crew_of(here, crew.who)

        assert 2 <= len(warned)
        assert "❗ That locks your last dancer" in asked
        assert before == still
        assert len(warned) - 1 == len(others)
        assert 0 == after.free
        assert before + 1 == await inputs(here)
        assert "All your dancers are locked" in status(crew.panel)
        assert "Roll free dancers" not in labels(crew.panel)
        assert [] == crew.refused


async def test_check_c3_panels_of_an_earlier_dance_off_play_nothing(tmp_path: Path) -> None:
    """All that stood on panels of the first round, pressed in the second and after a restart, changes nothing."""
    old: set[str] = set()
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        crews = await opened(here)
        dancers = Dancers(here, [crew.who for crew in crews], random.Random(2))
        for mine, theirs in zip(dancers.crews, crews, strict=True):
            mine.panel = theirs.panel

        async def look() -> None:
            old.update(each["custom_id"] for each in knobs(dancers.crews[0].panel))

        dancers.crews[0].between = look
        while (await public(here)).dance_off == 1:
            match (await public(here)).phase:
                case "ready":
                    await dancers.ready()
                    await here.env.advance_time(0.1)
                case "count":
                    await dancers.minute()
                case "placing":
                    await dancers.place()
                case "remix":
                    await dancers.remix()
        before = await inputs(here)
        crew = dancers.crews[0]
        verbs = {re.sub(r"^d:\w+:\d+:\d+:(\w+):.*", r"\1", each) for each in old}
        for turn in range(2):
            for each in sorted(old)[turn::7]:
                assert "Dance Off 2 of 4" in words(await press_old(here, crew.who, each))
            await here.restart()

        assert {"ready", "roll", "fill", "place", "skip"} <= verbs
        assert len(old) > 40
        assert before == await inputs(here)


async def test_an_old_panel_leads_on_after_a_restart(tmp_path: Path) -> None:
    """Its first press after a restart is refused or done, and the panel is the current one."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        crew, _ = await dancing(here)
        roll = ids(crew.panel, "roll")[0]
        await here.restart()
        await crew.press(roll)
        rolled = (await crew_of(here, crew.who)).rolls
        await here.restart()
        await here.env.advance_time(BEAT_S)
        old = await press_old(here, crew.who, roll)

        assert 1 == rolled
        assert "One press was enough" in status(old)
        assert [roll.rsplit(":", 1)[1], "1"] == ["0", ids(old, "roll")[0].rsplit(":", 1)[1]]
        assert [] == crew.refused


async def test_a_press_at_the_go_is_not_painted_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The panel is refreshed for the go; a roll is answered before that reaches Discord: what stays is the roll."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        crew, _ = await counted_in(here)
        edit, answer = discord.Interaction.edit_original_response, discord.InteractionResponse.edit_message
        answered = asyncio.Event()
        late: list[int] = []

        async def slow(interaction: discord.Interaction[Any], **options: Any) -> Any:
            if not late:
                late.append(interaction.id)
                Pressed(here, crew.who, crew.panel, ids(crew.panel, "roll")[0]).emit()
                await answered.wait()
            return await edit(interaction, **options)

        async def quick(response: Any, **options: Any) -> Any:
            done = await answer(response, **options)
            answered.set()
            return done

        seats = await sitting(here)
        others = next(who for who in seats if who != crew.who)
        here.bot.boards.panels._open.pop((1, here.people[others].id))  # noqa: SLF001 - the other one is closed
        monkeypatch.setattr(discord.Interaction, "edit_original_response", slow)
        monkeypatch.setattr(discord.InteractionResponse, "edit_message", quick)
        await until(here, (await public(here)).starts_ms)

        assert late
        assert 1 == (await crew_of(here, crew.who)).rolls
        assert "Rolled 6: " in status(crew.panel)
        assert ids(crew.panel, "roll")[0].endswith(":1")


async def test_no_call_lies_between_the_board_and_the_panels_while_they_dance(tmp_path: Path) -> None:
    """Whoever is late is called; with the count-in the call is answered and goes."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        crews = await opened(here)
        await here.env.advance_time(5)
        called = len(here.pings())
        for crew in crews:
            await crew.try_press("ready")
        await here.env.advance_time(3)

        assert 1 == called
        assert "count" == (await public(here)).phase
        assert [] == here.pings()
        assert 1 == len(here.messages())


async def test_check_a4_strangers_and_crews_out_of_turn_get_one_private_sentence(tmp_path: Path) -> None:
    """Whoever has no crew, and whoever may not pick yet, presses the board: a sentence, and nothing changes."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        first, second = await opened(here)
        answers = [(await here.press(5, here.board(), label)).response for label in labels(here.board())]
        answers = answers[:-1]  # the rules are for everybody
        closes_ms = now_ms(here) + PICK_S * 1_000
        await alter(here, remixing(ROW, ((0,), (1,)), closes_ms))
        await here.env.advance_time(3)
        before = await inputs(here)
        board = here.board()
        answers += [
            (await here.press(5, board, label)).response for label in ("Take", "Buy", "Take nothing", "My crew")
        ]
        early = [(await here.press(second.who, board, label)).response for label in ("Take", "Buy", "Take nothing")]
        panel = await second.open()

        assert all(answer.ephemeral for answer in answers + early)
        assert {"✋ You do not sit at this table. Watch along, or open one of your own."} == set(map(said, answers))
        assert {"✋ It is not your pick yet: lowest Crowd Appeal goes first."} == set(map(said, early))
        assert [] == selects(panel)
        assert "Your turn comes." in said(panel)
        assert before == await inputs(here)
        assert first.who != second.who


# --- refusals -------------------------------------------------------------------------------------


READY: dict[str, Action] = {
    "other_dance_off": Ready(2),
    "already_ready": Ready(1),
    "not_dancing": Roll(0),
    "bell_not_rung": Done(1),
    "no_remix": Take(1, 0),
    "too_early": Force(1),
}
DANCE: dict[str, Action] = {
    "dance_off_is_on": Ready(1),
    "old_roll": Roll(9),
    "already_placed": Place(0, "feet", 1, 1),
    "too_fast": Roll(1),
    "no_such_routine": Place(7, "feet", 1, 3),
    "no_such_stance": Place(0, "back", 1, 3),
    "no_slots": Place(2, "feet", 1, 3),
    "no_slot": Place(3, "feet", 1, 3),
    "no_dancer": Place(0, "side", 1, 0),
    "nothing_fits": Fill(3, 1, 3),
    "squares_full": Place(4, "feet", 1, 3),
    "no_pair": Swap("head", "feet", 0, "feet", 1, 3),
}
LEFT: dict[str, tuple[Callable[[Lying], Lying], Action]] = {
    "no_cubes": (lambda crew: replace(crew, cubes=0), Place(0, "feet", 1, 3)),
    "no_matching_pair": (lambda crew: replace(crew, routines=crew.routines[:2]), Swap("feet", "back", 0, "feet", 1, 3)),
    "all_locked": (lambda crew: replace(crew, lying=(0,) * 4, unrolled=0), Roll(1)),
}
BELL: dict[str, tuple[float, Action]] = {
    "too_late": (0.5, Roll(1)),
    "bell_rang": (GRACE_S + 0.5, Roll(1)),
    "crew_is_done": (0, Done(1)),
}
PICKS: dict[str, Action] = {
    "other_remix": Take(2, 0),
    "nothing_to_return": Return(1, 0),
    "nothing_to_attach": Attach(1, 0),
    "no_such_place": Take(1, 9),
    "gone": Take(1, 3),
    "to_be_bought": Take(1, 1),
    "not_a_rally": Buy(1, 0),
    "too_dear": Buy(1, 1),
}
SECOND: dict[str, Action] = {
    "not_your_pick": Skip(1),
    "return_first": Skip(1),
    "already_picked": Skip(1),
    "attach_first": Take(1, 0),
    "no_room_for_rally": Attach(1, 2),
}
NEVER = {"malformed", "over", "no_such_seat"}
"""Presses that nobody's buttons make, and of tables that are over: told before the rules are asked."""
NUMBERS = re.compile(r"\d[\d.]* s|<t:\d+:T>")


def test_no_refusal_is_left_out() -> None:
    """Every code that has words stands in one of the lists."""
    assert set(says.REFUSALS) == {*READY, *DANCE, *LEFT, *BELL, *PICKS, *SECOND, *NEVER}


async def refused(here: World, crew: Crew, action: Action, code: str) -> None:
    """Do what the rules refuse with *code* on a panel: it stands in its status line, true words and no message."""
    before = await inputs(here)
    answer = await press_old(here, crew.who, forged(action))
    sentence = NUMBERS.sub("…", says.REFUSALS[code]({"wait_ms": 1, "bell_ms": 1, "at_ms": 2}))
    assert f"✋ {sentence}" in NUMBERS.sub("…", status(answer)), (code, status(answer))
    assert before == await inputs(here), code


async def test_check_a5_refused_before_a_dance_off_in_the_panel(tmp_path: Path) -> None:
    """Ready twice, for another one, forced too soon; and whatever belongs elsewhere."""
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        host = next(crew for crew in await opened(here) if crew.who == 0)
        await host.try_press("ready")
        for code, action in READY.items():
            await refused(here, host, action, code)


async def test_check_a5_refused_in_the_minute_in_the_panel(tmp_path: Path) -> None:
    """Each reason why nothing is rolled, placed or traded; and after the bell, once done."""

    def busy(each: Lying) -> Lying:
        heads = next(card for card in ROUTINES if set(card.slots) == {"head"})
        full = fresh(ROUTINES[0], cubes=len(ROUTINES[0].squares))
        return lying(replace(each, routines=(*each.routines, fresh(PAIR), fresh(heads), full)), feet=3, back=3)

    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        crew, _ = await dancing(here)
        await alter(here, for_all(busy))
        await alter(here, for_all(lambda each: replace(each, rolled_ms=now_ms(here))))
        for code, action in DANCE.items():
            await refused(here, crew, action, code)
        for code, (change, action) in LEFT.items():
            await alter(here, for_all(change))
            await refused(here, crew, action, code)
        await alter(here, for_all(lambda each: lying(replace(each, cubes=6, rolls=0), feet=3, back=3)))
        for code, (seconds, action) in BELL.items():
            if code == "crew_is_done":
                await crew.open()
                await crew.try_press("done")
            else:
                await until(here, (await public(here)).ends_ms + round(seconds * 1_000))
            await refused(here, crew, action, code)


async def test_check_a5_refused_in_a_remix_in_the_panel(tmp_path: Path) -> None:
    """Each reason why a card is not taken, bought, returned or put anywhere."""
    dear = max(RALLIES, key=lambda card: card.cost)
    row = (fresh(ROUTINES[1]), fresh(dear), fresh(PAIR), None)
    closes = 3 * PICK_S * 1_000
    async with world(tmp_path / "game.sqlite3", new_seed=lambda: SEED) as here:
        crew, other = await picking(here, row, ((0,), (1,)), totals=(1, 1))
        for code, action in PICKS.items():
            await refused(here, crew, action, code)
        await refused(here, other, SECOND["not_your_pick"], "not_your_pick")
        await alter(here, for_all(three))
        await crew.open()
        await crew.choose(offer(crew, "take"))
        await refused(here, crew, SECOND["return_first"], "return_first")
        await crew.press(ids(crew.panel, "return")[0])
        await refused(here, crew, SECOND["already_picked"], "already_picked")
        await alter(here, remixing(row, ((0,), (1,)), now_ms(here) + closes, totals=(50, 50)))
        await alter(here, for_all(lambda each: replace(each, routines=(*each.routines[:2], fresh(PAIR)))))
        await crew.open()
        await crew.choose(offer(crew, "buy"))
        await refused(here, crew, SECOND["attach_first"], "attach_first")
        await refused(here, crew, SECOND["no_room_for_rally"], "no_room_for_rally")
