"""The fixture game is played on Discord without a line changed anywhere else."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from rules.core.contract import Ctx, Outcome, Refusal
from rules.core.rng import Rng
from tests.cogs.world import World, knobs, labels, words, world
from tests.fixture_game.rules.clap import BELL, BELL_MS, BREATH_MS, GAME, BellRang, Lay, State, TakeBack, with_retakes

PACKAGES: Mapping[str, Any] = {
    "game_packages": ("rules", "tests.fixture_game.rules"),
    "cog_packages": ("cogs", "tests.fixture_game.cogs"),
}
NOW_MS = 1_000_000
FREE = {"pace": "free"}
SEED = bytes(16)


def dealt(options: Mapping[str, str]) -> State:
    """Deal to two."""
    return GAME.setup(2, options, Ctx(NOW_MS, Rng(SEED, "deal"))).state


def ctx(at_ms: int) -> Ctx:
    """Return the world at a moment."""
    return Ctx(at_ms, Rng(SEED, "step"))


def holding(*hands: str, **others: Any) -> State:
    """Return a free game with these hands, the deck as long as it takes."""
    given = {"beats": 3, "bell": False, "taken": (False,) * len(hands), "turned": (), "deck": ("tap",) * 6}
    rest = {"discards": (), "scores": (0,) * len(hands), "beat": 1, "began_ms": 0, "leader": -1, "row": 0, "ended": ""}
    held = {"hands": tuple(tuple(hand.split()) for hand in hands), "laid": ("",) * len(hands)}
    return State(**{**given, **rest, **held, **others})


async def play_out(party: World, people: int, table_id: int = 1) -> None:
    """Have everybody lay the first card on the panel until the game is over."""
    for _ in range(6 * people):
        for who in range(people):
            if "Over: " in words(party.board(table_id)):
                return
            panel = await party.hand(who, table_id)
            lay = next((label for label in labels(panel) if label.startswith("Lay")), None)
            if lay is not None:
                await party.press(who, panel, lay)
                await party.env.advance_time(2)
    raise AssertionError("the game does not end")


async def test_it_is_opened_started_and_played_to_the_end(tmp_path: Path) -> None:
    """Two people meet in the lobby, lay cards by button until the end, and see their places."""
    async with world(tmp_path / "clap.db", **PACKAGES) as party:
        lobby = await party.open("clap new", pace="free")
        await party.start(2)
        await play_out(party, 2)
        result = words(party.board())

        assert "👏 Clap" in words(lobby)
        assert "Pace: as long as it takes" in words(lobby)
        assert "Ana Banana" in result
        assert "1\\." in result
        assert [] == knobs(party.board())
        party.check_sizes()


async def test_a_computer_sits_in(tmp_path: Path) -> None:
    """A person and a computer play to the end, the computer in its own time."""
    async with world(tmp_path / "clap.db", **PACKAGES) as party:
        await party.open("clap new", computer_players=1, pace="free")
        await party.start(1)
        for _ in range(5):
            panel = await party.hand(0)
            await party.press(0, panel, next(label for label in labels(panel) if label.startswith("Lay")))
            await party.env.advance_time(4)
            if "Over: " in words(party.board()):
                break

        assert "Over: " in words(party.board())
        assert "(computer)" in words(party.board())


async def test_its_own_bell_ends_a_game_that_nobody_plays(tmp_path: Path) -> None:
    """With the bell on the scheduler plays the beats of people who look away."""
    async with world(tmp_path / "clap.db", **PACKAGES) as party:
        await party.open("clap new")
        await party.start(2)
        ticking = words(party.board())
        await party.env.advance_time(5 * BELL_MS / 1000)

        assert "The bell rings <t:" in ticking
        assert "Over: " in words(party.board())


async def test_a_refusal_of_its_own_is_said_in_its_own_words(tmp_path: Path) -> None:
    """A card pressed before the beat can be heard is answered with the game's sentence."""
    async with world(tmp_path / "clap.db", **PACKAGES) as party:
        await party.open("clap new")
        await party.start(2)
        panel = await party.hand(0)
        first = await party.press(0, panel, labels(panel)[0])

        assert "Wait for the beat" in words(first.response)


async def test_a_card_is_taken_back_and_laid_again(tmp_path: Path) -> None:
    """The panel of somebody nobody waits for has its button, once."""
    async with world(tmp_path / "clap.db", **PACKAGES) as party:
        await party.open("clap new", pace="free")
        await party.start(2)
        panel = await party.hand(0)
        await party.press(0, panel, labels(panel)[0])
        laid = labels(panel)
        await party.press(0, panel, "Take it back")
        await party.press(0, panel, labels(panel)[0])

        assert ["Take it back"] == laid
        assert [] == labels(panel)


async def test_a_restart_keeps_the_buttons(tmp_path: Path) -> None:
    """A panel from before a restart plays its card after it."""
    async with world(tmp_path / "clap.db", **PACKAGES) as party:
        await party.open("clap new", pace="free")
        await party.start(2)
        panel = await party.hand(0)
        await party.restart()
        laid = await party.press(0, panel, labels(panel)[0])

        assert ["Take it back"] == labels(laid.response)


async def test_rules_and_help_know_it(tmp_path: Path) -> None:
    """Its rules are shown from its data file, and the help lists its command."""
    async with world(tmp_path / "clap.db", **PACKAGES) as party:
        rules = await party.people[0].slash(party.channel, "clap rules")
        overview = await party.people[0].slash(party.channel, "help")

        assert "What it is about" in words(rules.response)
        assert "`/clap new` Clap, 2 to 3\n" in words(overview.response)


async def test_the_bot_does_not_start_without_its_cog(tmp_path: Path) -> None:
    """A game whose cog is missing is reported by name."""
    with pytest.raises(RuntimeError, match="clap"):
        async with world(tmp_path / "clap.db", game_packages=PACKAGES["game_packages"]):
            pass


# --- its rules -----------------------------------------------------------------------------------


def test_cl_1_two_equally_loud_cards_score_nothing() -> None:
    """A tie at the top gives nobody a point."""
    state = holding("stomp tap", "stomp tap", "tap tap")

    for seat, card in enumerate(("stomp", "stomp", "tap")):
        state = GAME.apply(state, seat, Lay(card), ctx(NOW_MS)).state

    assert (0, 0, 0) == state.scores
    assert 2 == state.beat


def test_cl_2_a_card_comes_back_once_a_beat() -> None:
    """The second time is refused."""
    state = holding("tap clap", "tap clap")
    for action in (Lay("tap"), TakeBack(), Lay("clap")):
        state = GAME.apply(state, 0, action, ctx(NOW_MS)).state

    with pytest.raises(Refusal, match="taken_back_already"):
        GAME.apply(state, 0, TakeBack(), ctx(NOW_MS))


def test_cl_3_two_points_in_a_row_are_an_encore() -> None:
    """Who scores twice in a row ends the game at once."""
    state = holding("clap", "tap", leader=0, row=1, scores=(1, 0), beat=2)

    state = GAME.apply(state, 0, Lay("clap"), ctx(NOW_MS)).state
    state = GAME.apply(state, 1, Lay("tap"), ctx(NOW_MS)).state

    assert "encore" == state.ended
    assert Outcome((1, 2), (2, 0), "encore") == GAME.outcome(state)


def test_a_game_may_end_in_a_tie() -> None:
    """Equal scores share the first place."""
    state = holding("tap", "tap", beat=3, scores=(1, 1))

    state = GAME.apply(state, 0, Lay("tap"), ctx(NOW_MS)).state
    state = GAME.apply(state, 1, Lay("tap"), ctx(NOW_MS)).state

    assert Outcome((1, 1), (1, 1), "finished") == GAME.outcome(state)


@pytest.mark.parametrize(
    ("late_ms", "code"), [(BREATH_MS - 1, "too_early"), (BREATH_MS, ""), (BELL_MS, ""), (BELL_MS + 1, "too_late")]
)
def test_a_beat_has_a_first_and_a_last_moment(late_ms: int, code: str) -> None:
    """Both edges of a beat still count, the moments beyond them do not."""
    state = dealt({})
    action = GAME.legal(state, 0)[0]

    if code:
        with pytest.raises(Refusal, match=code):
            GAME.apply(state, 0, action, ctx(NOW_MS + late_ms))
    else:
        assert GAME.apply(state, 0, action, ctx(NOW_MS + late_ms)).state.laid[0]


def test_the_bell_lays_for_whoever_is_late() -> None:
    """A beat that runs out goes on with a card at random for those who have not laid."""
    state = dealt({})
    state = GAME.apply(state, 1, GAME.legal(state, 1)[0], ctx(NOW_MS + BREATH_MS)).state

    step = GAME.expire(state, BELL, ctx(NOW_MS + BELL_MS))

    assert BellRang(late=(0,)) == step.events[0]
    assert 2 == len(step.state.turned)


def test_an_old_state_learns_to_take_back() -> None:
    """Schema 1 had no retakes; nobody has used theirs."""
    assert {"hands": [[], []], "taken": [False, False]} == with_retakes({"hands": [[], []]})


def test_a_free_game_has_no_bell() -> None:
    """Without the bell there is no deadline, however long it takes."""
    state = dealt(FREE)

    assert {} == GAME.deadlines(state)
    assert GAME.apply(state, 0, GAME.legal(state, 0)[0], ctx(NOW_MS + 10**9)).state.laid[0]
