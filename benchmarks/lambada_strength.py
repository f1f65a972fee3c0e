"""Rounds of Lambada between computer players, and a greedy player to measure them by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rules.core.contract import Computer, Ctx
from rules.core.rng import SEED_BYTES, Rng
from rules.lambada import GAME, Action, Caught, OwnUp, State, preview

THINK_MS = 1500


def choose_greedily(view: Any, legal: Sequence[Action], rng: Rng, /) -> Action | None:
    """Win if possible, else draw as few cards as possible and pass one; never bluff, never call."""
    actions = [action for action in legal if not isinstance(action, Caught)]
    honest = [action for action in actions if isinstance(action, OwnUp)]

    def gain(action: Action) -> tuple[bool, int, bool]:
        seen = preview(view, view.own.seat, action)
        return seen.wins, -seen.draws, seen.passes

    if not actions:
        return None
    best = max(map(gain, actions))
    return rng.choice(honest or [action for action in actions if gain(action) == best])


def ask(player: Computer, state: State, seat: int, rng: Rng) -> Action | None:
    """Ask one player for a move, or `None` for silence where that is possible."""
    action: Action | None = player(GAME.view(state, seat), GAME.legal(state, seat), rng)
    return action


def places(penalties: str, players: Sequence[Computer], number: int) -> tuple[int, ...]:
    """Play one round and return the place of each player, the first or the second."""
    seed = number.to_bytes(SEED_BYTES, "big")
    state = GAME.setup(len(players), {"penalties": penalties}, Ctx(0, Rng(seed, "setup"))).state
    step = now_ms = looked = 0
    while state.playing:
        step += 1
        ctx = Ctx(now_ms, Rng(seed, f"step {step}"))
        if state.phase == "window":
            (name, now_ms), *_ = GAME.deadlines(state).items()
            state = GAME.expire(state, name, Ctx(now_ms, ctx.rng)).state
            continue
        callers = [seat for seat in range(state.players) if seat != state.turn and GAME.legal(state, seat)]
        if callers and looked < state.lays:  # everybody looks once at a card just laid
            looked = state.lays
            calls = ((seat, ask(players[seat], state, seat, Rng(seed, f"look {step} {seat}"))) for seat in callers)
            seat, action = next((call for call in calls if call[1] is not None), (state.turn, None))
            if action is not None:
                state = GAME.apply(state, seat, action, ctx).state
                continue
        action = ask(players[state.turn], state, state.turn, Rng(seed, f"choice {step}"))
        now_ms += THINK_MS
        state = GAME.apply(state, state.turn, action, Ctx(now_ms, ctx.rng)).state  # type: ignore[arg-type]
    return tuple(1 if seat == state.winner else 2 for seat in range(state.players))
