"""Refusals: the most truthful code, before anything changes, whatever comes in."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from rules.core.contract import Ctx, Refusal
from rules.core.rng import Rng
from rules.lets_dance import (
    CARDS,
    GAME,
    REFUSALS,
    Action,
    Dance,
    Follow,
    Keep,
    Pass,
    Renew,
    Replenish,
    SitOut,
    State,
    StepOnToes,
)
from tests.rules.lets_dance.build import after, cards, deal, final, refused, table

TURN = table("Y M Toes Spin Fever", "Y", "Y", floors=["Y", "Y", ""])
SHORT = table("Y M", "Y")
LINE = table("Y", "Y M", floors=["Conga"], conga=(0,), turn=1)
THEFT = after(table("Toes Y", "Y M", floors=["", "Y"]), StepOnToes(1))
LAST = final("Y M", "Y")
OVER = after(final("", ""), Pass(), Pass())


@pytest.mark.parametrize(
    ("state", "action", "code"),
    [
        (TURN, Dance(()), "no_cards"),
        (TURN, Dance(cards("Worm")), "not_in_hand"),
        (TURN, Dance(cards("Y Y")), "not_in_hand"),
        (TURN, Dance(("nonsense",)), "not_in_hand"),
        (TURN, Dance(("over",)), "not_in_hand"),
        (TURN, Dance(("",)), "not_in_hand"),
        (TURN, Dance(cards("Toes")), "toes_cannot_dance"),
        (TURN, Dance(cards("Y Spin")), "mixed_families"),
        (TURN, Follow(), "no_line"),
        (TURN, SitOut("y"), "no_line"),
        (TURN, Keep("y"), "not_grabbed"),
        (TURN, Replenish(), "hand_is_full"),
        (TURN, Pass(), "cannot_pass"),
        (TURN, StepOnToes(0), "own_toes"),
        (TURN, StepOnToes(2), "no_sequence_to_stop"),
        (TURN, StepOnToes(3), "no_such_seat"),
        (TURN, StepOnToes(-1), "no_such_seat"),
        (TURN, Renew("worm", ()), "not_in_hand"),
        (TURN, Renew("y", cards("Y")), "not_in_hand"),
        (TURN, Renew("y", cards("Spin M")), "drop_not_in_order"),
        (SHORT, StepOnToes(1), "not_in_hand"),
        (LINE, Follow(), "no_conga_card"),
        (LINE, SitOut("worm"), "not_in_hand"),
        (LINE, Replenish(), "line_is_open"),
        (LINE, Keep("y"), "not_grabbed"),
        (THEFT, Keep("worm"), "not_grabbed"),
        (THEFT, Follow(), "must_keep_first"),
        (LAST, Replenish(), "final_pass_only"),
        (LAST, Renew("y", ()), "final_pass_only"),
        (OVER, Pass(), "over"),
    ],
)
def test_the_code_names_the_reason(state: State, action: Action, code: str) -> None:
    """Each refusal has a code of its own."""
    before = repr(state)

    assert code == refused(state, action)
    assert code in REFUSALS
    assert before == repr(state)


@pytest.mark.parametrize(
    "action",
    [
        None,
        "y",
        7,
        (),
        Dance("y"),  # type: ignore[arg-type]
        Dance(["y"]),  # type: ignore[arg-type]
        Dance((1,)),  # type: ignore[arg-type]
        Dance(None),  # type: ignore[arg-type]
        StepOnToes("1"),  # type: ignore[arg-type]
        StepOnToes(1.0),  # type: ignore[arg-type]
        StepOnToes(True),
        Renew(None, ()),  # type: ignore[arg-type]
        Renew("y", ["m"]),  # type: ignore[arg-type]
        Renew("y", (None,)),  # type: ignore[arg-type]
        Keep(None),  # type: ignore[arg-type]
        SitOut(3),  # type: ignore[arg-type]
    ],
)
def test_malformed_input_is_refused(action: Any) -> None:
    """What is no action of ours, or has a field of a wrong type, is refused and crashes nothing."""
    assert "malformed" == refused(TURN, action)


@pytest.mark.parametrize("seat", [-1, 1, 2, 3, 99])
@pytest.mark.parametrize("state", [TURN, OVER])
def test_others_are_refused(state: State, seat: int) -> None:
    """Nobody moves out of turn, and nobody at all after the end."""
    assert ("over" if state is OVER else "not_your_turn") == refused(state, Pass(), seat)
    assert [] == GAME.legal(state, seat)


def accepts(state: State, action: Action) -> bool:
    """Tell whether `apply` accepts *action*."""
    try:
        GAME.apply(state, state.turn, action, Ctx(0, Rng(bytes(16), "try")))
    except Refusal:
        return False
    return True


def conceivable(state: State) -> list[Action]:
    """List every action with cards of the hand, and one with each card and seat there is."""
    hand = state.hands[state.turn]
    every = [card.key for card in CARDS]
    orders = [order for size in range(6) for order in permutations(hand, size)]
    found: list[Action] = [Follow(), Replenish(), Pass()]
    found += [Dance(order) for order in orders]
    found += [Dance((card, *hand[:1])) for card in every]
    found += [Renew(order[0], order[1:]) for order in orders if order]
    found += [kind(card) for kind in (Keep, SitOut) for card in every]
    found += [Renew(card, drop) for card in every for drop in ((), hand[:1])]
    found += [StepOnToes(seat) for seat in range(-1, state.players + 1)]
    return list(dict.fromkeys(found))


@pytest.mark.parametrize(("seats", "seed"), [(2, 1), (4, 0), (6, 0)])
def test_legal_is_exactly_what_apply_accepts(seats: int, seed: int) -> None:
    """Along a game every conceivable action is accepted if it is listed, and only then; none is listed twice."""
    state = deal(seats, seed)
    pick = Rng(bytes([seed]) * 16, "pick")
    met = set()
    for turn in range(60):
        if state.over:
            break
        legal = GAME.legal(state, state.turn)
        met.add(state.awaits)
        if turn % 4 == 0 or state.awaits != "turn" or state.final:
            assert {*legal} == {action for action in conceivable(state) if accepts(state, action)}
        assert len(legal) == len({*legal})
        kind = pick.choice(sorted({type(action).__name__ for action in legal}))
        action = pick.choice([action for action in legal if type(action).__name__ == kind])
        state = GAME.apply(state, state.turn, action, Ctx(0, Rng(bytes([turn]) * 16, "step"))).state

    assert {"turn", "conga", "keep"} == met
