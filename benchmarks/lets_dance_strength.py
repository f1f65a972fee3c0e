"""Games of Let's Dance between computer players, and a greedy player to measure them by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rules.core.contract import Computer, Ctx
from rules.core.rng import SEED_BYTES, Rng
from rules.lets_dance import GAME, Action, preview


def choose_greedily(view: Any, legal: Sequence[Action], _rng: Rng, /) -> Action:
    """Take the action with the largest gain in worth at once; among equals the one that draws most."""

    def gain(action: Action) -> tuple[int, int]:
        seen = preview(view, view.public.turn, action)
        return seen.after - seen.before, seen.draws

    return max(legal, key=gain)


def places(players: Sequence[Computer], number: int) -> tuple[int, ...]:
    """Play one game and return the place of each player, from 1."""
    seed = number.to_bytes(SEED_BYTES, "big")
    state = GAME.setup(len(players), {}, Ctx(0, Rng(seed, "setup"))).state
    step = 0
    while not state.over:
        seat = state.turn
        action = players[seat](GAME.view(state, seat), GAME.legal(state, seat), Rng(seed, f"choice {step}"))
        state = GAME.apply(state, seat, action, Ctx(0, Rng(seed, f"step {step}"))).state
        step += 1
    outcome = GAME.outcome(state)
    assert outcome is not None
    return outcome.places
