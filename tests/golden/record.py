"""
Records golden games and sample states: `python -m tests.golden.record`, or `make golden`.

A game that is there already is played again with the same inputs, so that a changed rule shows as a
readable difference; only where these inputs no longer lead to that end another game is looked for. A
sample state is written once and kept for ever: it stands for what lies in databases.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from rules.core.codec import dump_state
from rules.core.contract import Game, Refusal
from tests.golden.game import HERE, path_of, read, shown_after, wanted, write
from tests.helpers import Walk, games, settings_of, walk

TRIED = 600
TRIED_FOR_WANTED = 120


def main() -> None:
    """Record everything that is missing or out of date."""
    for key, game in games().items():
        (HERE / key).mkdir(exist_ok=True)
        for reason in game.spec.end_reasons:
            _put(path_of(game, reason), _again(game, reason, [f"^end {reason}$"]) or _found(game, reason))
        for name, patterns in wanted(game).items():
            _put(path_of(game, name), _again(game, name, patterns) or _found_wanted(game, name, patterns))
        sample = sample_path(game, game.spec.state_version)
        if not sample.exists():
            _put(sample, _sample(game))


def sample_path(game: Game, version: int) -> Path:
    """Return where the sample state of a schema version lies."""
    return HERE / game.spec.key / f"state-v{version}.json"


def _put(path: Path, text: str) -> None:
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
        sys.stdout.write(f"recorded {path.relative_to(HERE)}\n")


def _again(game: Game, name: str, patterns: Sequence[str]) -> str | None:
    """Play the golden that is there once more; `None` when there is none, or it does not show *patterns* now."""
    path = path_of(game, name)
    if not path.exists():
        return None
    try:
        lines = list(write(game, *read(game, path.read_text(encoding="utf-8"))))
    except (Refusal, msgspec.ValidationError, LookupError, ValueError, StopIteration, RuntimeError):
        return None
    return None if shown_after(lines, patterns) is None else "\n".join(lines) + "\n"


def _found(game: Game, reason: str) -> str:
    """Choose of many walks with this end one that shows the most kinds of events, a short one."""
    ended = list(_ending(game, reason))
    if not ended:
        raise SystemExit(f"no game of {game.spec.title} ended as {reason!r} in {TRIED} walks")
    best = max(ended, key=lambda walked: (_kinds(walked), -len(walked.moments)))
    return "\n".join(write(game, best.setting, [moment.input for moment in best.moments])) + "\n"


def _found_wanted(game: Game, name: str, patterns: Sequence[str]) -> str:
    """Choose of many walks the one that shows all *patterns* after the fewest inputs, and stop there."""
    found = []
    for setting in settings_of(game, TRIED_FOR_WANTED):
        inputs = [moment.input for moment in walk(game, setting).moments]
        number = shown_after(list(write(game, setting, inputs)), patterns)
        if number is not None:
            found.append((setting, inputs[:number]))
    if not found:
        raise SystemExit(f"no game of {game.spec.title} shows {name!r} in {TRIED_FOR_WANTED} walks")
    return "\n".join(write(game, *min(found, key=lambda each: len(each[1])))) + "\n"


def _ending(game: Game, reason: str) -> Iterator[Walk]:
    for setting in settings_of(game, TRIED):
        walked = walk(game, setting)
        outcome = game.outcome(walked.end)
        if outcome and outcome.reason == reason:
            yield walked


def _kinds(walked: Walk) -> int:
    return len({type(event) for step in walked.steps for event in step.events})


def _sample(game: Game) -> str:
    """Write down the state of a game half-way that holds the most."""
    halves = [walked.states[len(walked.states) // 2] for walked in (walk(game, each) for each in settings_of(game, 40))]
    fullest = max((dump_state(state) for state in halves), key=len)
    return msgspec.json.format(fullest, indent=2).decode() + "\n"


if __name__ == "__main__":
    main()
