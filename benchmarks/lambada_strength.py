"""
Measure how strong the computer players of Lambada are.

Plays two-player rounds with the sides alternated and prints how often the sensible one wins against a
greedy one and against the random one, with fines by the bot and in catch games.

    python -m benchmarks.lambada_strength [rounds]
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from rules.core.computers import choose_at_random
from rules.core.contract import Computer, Ctx
from rules.core.rng import SEED_BYTES, Rng
from rules.lambada import AUTO, CATCH, GAME, Action, Caught, OwnUp, State, preview

ROUNDS = 1000
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


def play(players: Sequence[Computer], number: int, penalties: str) -> int:
    """Play one round and return the seat that won it."""
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
    return state.winner


def win_rate(player: Computer, other: Computer, rounds: int, penalties: str = AUTO) -> float:
    """Return the share of *rounds* that *player* wins, from 0 to 1."""
    won = 0
    for number in range(rounds):
        seat = number % 2
        won += seat == play((player, other) if seat == 0 else (other, player), number // 2, penalties)
    return won / rounds


def main() -> None:
    """Print the win rates of the sensible player."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    sensible = GAME.computers["sensible"]
    for penalties in (AUTO, CATCH):
        for name, other in (("greedy", choose_greedily), ("random", choose_at_random)):
            rate = win_rate(sensible, other, rounds, penalties)
            print(f"{penalties}: sensible against {name}: {rate:.1%} of {rounds} rounds")


if __name__ == "__main__":
    main()


def places(penalties: str, players: Sequence[Computer], number: int) -> tuple[int, ...]:
    """Play one round and return the place of each of two players, from 1."""
    winner = play(players, number, penalties)
    return tuple(1 if seat == winner else 2 for seat in range(len(players)))
