"""Whole games of Breakdancing Meeples between computer crews, each press taking as long as at a table."""

from __future__ import annotations

from collections.abc import Sequence

from rules.breakdancing_meeples import GAME, State
from rules.core.contract import Computer, Ctx, Outcome, Refusal
from rules.core.rng import SEED_BYTES, Rng
from rules.core.table import RETRY_MS, THINK_MS


def play(players: Sequence[Computer], number: int) -> Outcome:
    """Play one game, each crew pressing as soon as it has thought, and return how it ended."""
    seed = number.to_bytes(SEED_BYTES, "big")
    think = Rng(seed, "think")
    state: State = GAME.setup(len(players), {}, Ctx(0, Rng(seed, "setup"))).state
    due: dict[int, int] = {}
    now_ms = step = 0
    while (outcome := GAME.outcome(state)) is None:
        step += 1
        awaited = GAME.to_act(state)
        due = {
            seat: due.get(seat, now_ms + THINK_MS[0] + think.below(THINK_MS[1] - THINK_MS[0]))
            for seat in sorted(awaited)
        }
        deadline = min(((at, name) for name, at in GAME.deadlines(state).items()), default=None)
        seat = min(due, key=lambda each: (due[each], each), default=None)
        rng = Rng(seed, f"step {step}")
        if deadline is not None and (seat is None or deadline[0] <= due[seat]):
            now_ms = deadline[0]
            state = GAME.expire(state, deadline[1], Ctx(now_ms, rng)).state
            continue
        assert seat is not None
        now_ms = due.pop(seat)
        legal = [action for action in GAME.legal(state, seat) if not isinstance(action, GAME.spec.host_actions)]
        action = players[seat](GAME.view(state, seat), legal, Rng(seed, f"choice {step}"))
        try:
            state = GAME.apply(state, seat, action, Ctx(now_ms, rng)).state
        except Refusal as refusal:
            due[seat] = now_ms + refusal.facts.get("wait_ms", RETRY_MS)
    return outcome


def places(players: Sequence[Computer], number: int) -> tuple[int, ...]:
    """Play one game and return the place of each crew, from 1."""
    return play(players, number).places
