"""
Measure how strong the computer players of Let's Dance are.

Plays two-player games with the sides alternated and prints how often the sensible one wins against a
greedy one and against the random one; a tie counts half.

    python -m benchmarks.lets_dance_strength [games]
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from rules.core.computers import choose_at_random
from rules.core.contract import Computer, Ctx
from rules.core.rng import SEED_BYTES, Rng
from rules.lets_dance import GAME, Action, preview

GAMES = 1000


def choose_greedily(view: Any, legal: Sequence[Action], _rng: Rng, /) -> Action:
    """Take the action with the largest gain in worth at once; among equals the one that draws most."""

    def gain(action: Action) -> tuple[int, int]:
        seen = preview(view, view.public.turn, action)
        return seen.after - seen.before, seen.draws

    return max(legal, key=gain)


def play(players: Sequence[Computer], number: int) -> tuple[int, ...]:
    """Play one game and return the places."""
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


def win_rate(player: Computer, other: Computer, games: int) -> float:
    """Return the share of *games* that *player* wins, from 0 to 1."""
    points = 0.0
    for number in range(games):
        seat = number % 2
        places = play((player, other) if seat == 0 else (other, player), number // 2)
        points += 0.5 if places[0] == places[1] else places[seat] == 1
    return points / games


def main() -> None:
    """Print the win rates of the sensible player."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else GAMES
    sensible = GAME.computers["sensible"]
    for name, other in (("greedy", choose_greedily), ("random", choose_at_random)):
        print(f"sensible against {name}: {win_rate(sensible, other, games):.1%} of {games} games")


if __name__ == "__main__":
    main()
