"""What an input brings about: the next record, lines of the log, messages that go out once."""

from __future__ import annotations

from typing import Any

import msgspec

from rules.core.contract import Ctx
from rules.tournaments.inputs import Act
from rules.tournaments.model import Tournament


class Happened(msgspec.Struct, frozen=True, kw_only=True):
    """
    One line of the log: what an input brought about.

    Attributes:
        what: kind of event; the words for it live elsewhere.
        at_ms: when, UTC ms.
        user_id: who did it, 0 for the tournament itself.
        staff: whether only the staff may read it; all else is public.
        reason: as given.
        round: which one, 0 for none.
        pod: which table of it, 0 for none.
        entrants: whom it concerns.
        facts: more for the words.
    """

    what: str
    at_ms: int
    user_id: int = 0
    staff: bool = False
    reason: str = ""
    round: int = 0
    pod: int = 0
    entrants: tuple[int, ...] = ()
    facts: dict[str, Any] = msgspec.field(default_factory=dict)


class Call(msgspec.Struct, frozen=True):
    """
    A message that must go out once.

    Whom it pings is read off the record when it is sent.

    Attributes:
        kind: `seats` (come to your table), `pick` (choose your seat), `check_in`, `checked` (it is over, the
            staff goes on), `stuck` (a table or a round, for the staff), `by_hand` (a result was set),
            `standings`, `podium`.
        round: which one, 0 for none.
        pod: which table, 0 for none.
        nonce: at most 25 characters, the same at every attempt; `advance` gives it.
    """

    kind: str
    round: int = 0
    pod: int = 0
    nonce: str = ""


class Advance(msgspec.Struct, frozen=True):
    """Outcome of one input: the next record, the lines of the log, messages that go out once."""

    record: Tournament
    events: tuple[Happened, ...] = ()
    calls: tuple[Call, ...] = ()


def log(act: Act, what: str, ctx: Ctx, **more: object) -> Happened:
    """Return a line of the log on what a person did."""
    line = Happened(what=what, at_ms=ctx.now_ms, user_id=act.user_id, reason=act.reason.strip())
    return msgspec.structs.replace(line, **more)


def by_itself(what: str, ctx: Ctx, **more: object) -> Happened:
    """Return a line of the log on what came by itself."""
    return msgspec.structs.replace(Happened(what=what, at_ms=ctx.now_ms), **more)


def due(ctx: Ctx, timer_ms: int) -> int | None:
    """Return when a timer that starts now runs out, UTC ms; `None` for one of 0, which never does."""
    return ctx.now_ms + timer_ms if timer_ms else None
