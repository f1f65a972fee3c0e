"""
Measure how strong the computer crews of Breakdancing Meeples are.

Plays whole games of two with the sides alternated, each press taking 1.2 to 2 seconds, and prints how
often a level beats the next one, a tie counted half, and what it scores.

    python -m benchmarks.breakdancing_meeples_strength [games]
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rules.breakdancing_meeples import GAME, State
from rules.core.computers import RANDOM, computers
from rules.core.contract import Computer, Ctx, Outcome, Refusal
from rules.core.rng import SEED_BYTES, Rng

GAMES = 400
THINK_MS = (1_200, 2_000)
PAIRS = (("sharp", "steady"), ("steady", "sleepy"), ("sleepy", RANDOM))


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
        ctx = Ctx(0, Rng(seed, f"step {step}"))
        if deadline is not None and (seat is None or deadline[0] <= due[seat]):
            now_ms = deadline[0]
            state = GAME.expire(state, deadline[1], Ctx(now_ms, ctx.rng)).state
            continue
        assert seat is not None
        now_ms = due.pop(seat)
        legal = [action for action in GAME.legal(state, seat) if not isinstance(action, GAME.spec.host_actions)]
        action = players[seat](GAME.view(state, seat), legal, Rng(seed, f"choice {step}"))
        try:
            state = GAME.apply(state, seat, action, Ctx(now_ms, ctx.rng)).state
        except Refusal as refusal:
            due[seat] = now_ms + refusal.facts.get("wait_ms", THINK_MS[0])
    return outcome


def contest(player: Computer, other: Computer, games: int) -> tuple[float, float]:
    """Return the share of *games* that *player* wins, and how much it scores in one."""
    won = scored = 0.0
    for number in range(games):
        seat = number % 2
        outcome = play((player, other) if seat == 0 else (other, player), number // 2)
        won += 0.5 if outcome.places[0] == outcome.places[1] else outcome.places[seat] == 1
        scored += outcome.scores[seat]
    return won / games, scored / games


def main() -> None:
    """Print the win rates level by level."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else GAMES
    levels = computers(GAME)
    for level, other in PAIRS:
        share, score = contest(levels[level], levels[other], games)
        print(f"{level} against {other}: {share:.1%} of {games} games, {score:.0f} points a game")


if __name__ == "__main__":
    main()
