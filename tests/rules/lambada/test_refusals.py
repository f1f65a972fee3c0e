"""Refusals: the most truthful code, before anything changes, whatever comes in."""

from __future__ import annotations

from typing import Any

import pytest

from rules.core.contract import Ctx, Refusal, Seat
from rules.core.rng import Rng
from rules.lambada import (
    CARDS,
    GAME,
    REFUSALS,
    TOKENS,
    Action,
    Caught,
    Lay,
    OwnUp,
    Pass,
    PickToken,
    Ready,
    State,
)
from tests.rules.lambada.build import OPEN, act, after, catching, give, lay, refused, table, walk

TURN = table("redA yelB", "bluA")
PASSING = after(TURN, lay("redA", 1))
PAUSE = act(table("redA", "bluA"), lay("redA", 1)).state
MATCH = act(table("redA", "bluA", wins=(2, 0), tokens=(("rose", "palm"), ())), lay("redA", 1)).state
OVER = act(MATCH, PickToken("sun")).state
HUNT = catching("yelA redA pnkB", "bluA", "bluA", word=OPEN)
FOUL = after(HUNT, lay("yelA", 1))
CLEAN = after(HUNT, lay("redA", 1))
WINDOW = after(CLEAN, give("pnkB"))
VAIN = act(WINDOW, Caught(1), 2).state
OWNED = after(FOUL, OwnUp())


@pytest.mark.parametrize(
    ("state", "seat", "action", "code"),
    [
        (OVER, 0, Ready(), "over"),
        (TURN, 2, lay("redA", 1), "no_such_seat"),
        (TURN, -1, lay("redA", 1), "no_such_seat"),
        (TURN, 1, lay("bluA", 1), "not_your_turn"),
        (PASSING, 1, lay("bluA", 1), "not_your_turn"),
        (TURN, 0, lay("bluA", 1), "not_in_hand"),
        (TURN, 0, Lay("gray_a", 1), "not_in_hand"),
        (TURN, 0, lay("redA", 7), "no_such_slot"),
        (TURN, 0, lay("redA", -1), "no_such_slot"),
        (TURN, 0, lay("redA", 2), "wrong_letter"),
        (TURN, 0, give("redA"), "lay_first"),
        (PASSING, 0, lay("yelB", 3), "pass_first"),
        (PASSING, 0, give("redA"), "not_in_hand"),
        (PASSING, 0, OwnUp(), "no_catch"),
        (PASSING, 1, Caught(1), "no_catch"),
        (TURN, 0, Ready(), "round_is_on"),
        (TURN, 0, PickToken("rose"), "round_is_on"),
        (PAUSE, 0, lay("redA", 1), "round_is_over"),
        (PAUSE, 1, Pass("blue_a"), "round_is_over"),
        (PAUSE, 1, PickToken("rose"), "not_winner"),
        (PAUSE, 0, PickToken("gold"), "no_such_token"),
        (MATCH, 0, PickToken("rose"), "token_taken"),
        (MATCH, 1, Ready(), "match_is_won"),
        (act(PAUSE, PickToken("rose"), 0).state, 0, PickToken("palm"), "token_picked"),
        (act(PAUSE, Ready(), 1).state, 1, Ready(), "already_ready"),
        (HUNT, 0, OwnUp(), "lay_first"),
        (CLEAN, 0, OwnUp(), "not_a_foul"),
        (HUNT, 1, Caught(1), "no_card_laid"),
        (FOUL, 0, Caught(1), "own_card"),
        (FOUL, 1, Caught(2), "no_card_laid"),
        (WINDOW, 1, lay("bluA", 1), "too_early"),
        (WINDOW, 0, give("pnkB"), "not_your_turn"),
        (VAIN, 2, Caught(1), "called_in_vain"),
        (OWNED, 1, Caught(1), "already_settled"),
        (after(OWNED, lay("bluA", 1)), 2, Caught(1), "too_late"),
    ],
)
def test_the_code_names_the_reason(state: State, seat: Seat, action: Action, code: str) -> None:
    """Each refusal has a code of its own, and nothing has changed."""
    before = repr(state)

    assert code == refused(state, action, seat)
    assert code in REFUSALS
    assert before == repr(state)


@pytest.mark.parametrize(
    "action",
    [
        None,
        "red_a",
        7,
        Lay(None, 1),  # type: ignore[arg-type]
        Lay("red_a", "1"),  # type: ignore[arg-type]
        Lay("red_a", 1.0),  # type: ignore[arg-type]
        Lay("red_a", True),
        Pass(["red_a"]),  # type: ignore[arg-type]
        PickToken(0),  # type: ignore[arg-type]
        Caught("1"),  # type: ignore[arg-type]
        Caught(True),
    ],
)
def test_malformed_input_is_refused(action: Any) -> None:
    """What is no action of ours, or has a field of a wrong type, is refused and crashes nothing."""
    assert ["malformed", "malformed"] == [refused(state, action, 0) for state in (TURN, WINDOW)]


def test_too_early_says_how_long_to_wait() -> None:
    """In milliseconds, never less than none; time changes nothing else."""
    for at, wait_ms in ((0, 5000), (4999, 1), (7000, 0)):
        with pytest.raises(Refusal) as caught:
            act(WINDOW, lay("bluA", 1), 1, at)

        assert {"wait_ms": wait_ms} == caught.value.facts


def test_deadlines_that_do_not_run_cannot_pass() -> None:
    """Each passes in its own phase alone."""
    for state, name in ((TURN, "window"), (PAUSE, "token"), (WINDOW, "next"), (MATCH, "next"), (OVER, "token")):
        with pytest.raises(Refusal, match="no_deadline"):
            GAME.expire(state, name, Ctx(0, Rng(bytes(16), "expire")))


def conceivable(state: State) -> list[Action]:
    """List every action with each card, slot, token and number there is, and some that there are not."""
    found: list[Action] = [OwnUp(), Ready()]
    found += [Lay(card.key, slot) for card in CARDS for slot in range(-1, 8)]
    found += [Pass(card.key) for card in CARDS]
    found += [PickToken(token) for token in (*TOKENS, "")]
    found += [Caught(number) for number in range(-1, state.lays + 2)]
    return found


def accepts(state: State, seat: Seat, action: Action) -> bool:
    """Tell whether `apply` accepts *action*; a code that is none of ours counts as such."""
    try:
        GAME.apply(state, seat, action, Ctx(0, Rng(bytes(16), "try")))
    except Refusal as refusal:
        return refusal.code not in REFUSALS
    return True


@pytest.mark.parametrize(("seats", "penalties"), [(2, "catch"), (3, "auto"), (6, "catch")])
def test_legal_is_exactly_what_apply_accepts(seats: int, penalties: str) -> None:
    """Along a match every conceivable action is accepted if it is listed, and only then; none is listed twice."""
    phases = set()
    for number, (state, _) in enumerate(walk(seats, 5, penalties, most=2000)):
        if state.phase not in phases or number % 50 == 0:
            phases.add(state.phase)
            for seat in range(-1, seats + 1):
                legal = GAME.legal(state, seat)

                assert {*legal} == {action for action in conceivable(state) if accepts(state, seat, action)}
                assert len(legal) == len({*legal})

    assert {"lay", "pass", "between", "token"} | ({"window"} if penalties == "catch" else set()) == phases


@pytest.mark.parametrize("penalties", ["auto", "catch"])
def test_the_table_never_waits_for_nothing(penalties: str) -> None:
    """Whoever is waited for can act; where nobody is, a deadline runs; after the end there is neither."""
    for seed in range(4):
        steps = list(walk(2 + seed, seed, penalties, most=3000))
        last = steps[-1][1].state

        assert all(GAME.to_act(state) or GAME.deadlines(state) for state, _ in steps)
        assert all(GAME.legal(state, seat) for state, _ in steps for seat in GAME.to_act(state))
        assert last.over, "a random match ends"
        assert (frozenset(), {}) == (GAME.to_act(last), GAME.deadlines(last))
        assert not any(GAME.legal(last, seat) for seat in range(2 + seed))
