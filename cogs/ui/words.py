"""Words that belong to no single game: refusals of the table, the end, clocks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cogs.ui.names import shown, sitter
from rules.core.contract import Event, Refusal
from rules.core.table import (
    DAY_MS,
    HOUR_MS,
    MINUTE_MS,
    CameBack,
    SeatTaken,
    Substituted,
    Table,
    TableEnded,
    WentAway,
)

Say = Callable[[Mapping[str, Any]], str]
"""Makes a sentence of the facts of a refusal."""

NEWS_LINES = 10
"""Of what happened to somebody while their hand lay open, in a hand; a game that goes on by itself has many."""


def say(sentence: str) -> Say:
    """Return what says *sentence*, whatever the facts."""
    return lambda _: sentence


REFUSALS: Mapping[str, Callable[[Mapping[str, int]], str]] = {
    "no_table": lambda _: "There is no such table any more. `/table show` finds the ones that run here.",
    "table_over": lambda _: "This table is over. Start a new one with the game's `new` command.",
    "already_started": lambda _: "The game has begun already. `/table show` brings its board.",
    "not_started": lambda _: "The game has not begun yet: the host presses **Start**.",
    "not_host": lambda _: "Only the host of this table can do that.",
    "not_seated": lambda _: "You do not sit at this table. Watch along, or open one of your own.",
    "already_seated": lambda _: "You sit at this table already.",
    "table_full": lambda _: "All seats are taken. Open a second table: there is room for more than one.",
    "no_computer": lambda _: "There is no computer to remove.",
    "too_many_computers": lambda facts: f"At most {facts['most']} computers: you want a seat yourself.",
    "too_few": lambda facts: f"{_people(facts['missing'])} missing: wait for people, or press **Add computer**.",
    "unknown_clock": lambda _: "That is not one of the turn clocks on offer.",
    "unknown_option": lambda _: "This game has no such option.",
    "stale": lambda _: "This panel is old: here is your hand as it is now, nothing was played.",
    "already_done": lambda _: "That is done already: one press was enough.",
    "not_over": lambda _: "This table is not over: a replay would show every hand. Ask again at the end.",
    "other_rules": lambda _: "That game was played by other rules than the ones I know now: I cannot play it again.",
    "which_table": lambda _: "There are several tables: say which one with `number:`. `/table show` lists them.",
    "here_already": lambda _: "The table is in this channel already.",
    "kick_yourself": lambda _: "To go yourself, use `/table leave`.",
    "of_tournament": lambda _: (
        "This table belongs to a tournament: its organisers have `/tournament substitute` and `/tournament disqualify`."
    ),
    "no_such_person": lambda _: "They do not sit at this table.",
    "not_tied": lambda _: "Only those who share the first place can ask for the rematch.",
    "unknown_seat": lambda _: "There is no such seat at this table.",
    "not_away": lambda _: "You are not away: your seat is yours.",
    "no_deadline": lambda _: "That moment has passed already.",
    "already_voted": lambda facts: (
        f"Your vote is counted: {facts['votes']} of {facts['needed']} needed to end the game."
    ),
    "old_button": lambda _: "This button has had its day. `/table show` brings the board as it is now.",
}

ENDED: Mapping[str, str] = {
    "abandoned": "Everybody has left: the game ends without a ranking.",
    "host": "The host ended the game: no ranking.",
    "admin": "An admin ended the game: no ranking.",
    "majority": "Most players wanted to stop: the game ends without a ranking.",
    "cancelled": "The lobby was closed before the game began.",
    "idle": "Nobody came for an hour: the lobby is closed.",
    "forgotten": "Nobody has touched this table for a long time: it is closed without a ranking.",
}


def ended(table: Table) -> str:
    """Return why a table has no ranking of its own; that of a tournament may have got one from the organisers."""
    if table.title and table.ended == "admin":
        return "The organisers ended this game: what counts stands in the tournament's message."
    return ENDED[table.ended]


def refusal_words(refusal: Refusal, own: Mapping[str, Callable[[Mapping[str, int]], str]]) -> str:
    """Return the sentence for *refusal*, a game's *own* words first."""
    words = own.get(refusal.code) or REFUSALS.get(refusal.code)
    return words(refusal.facts) if words else f"That is not possible now ({refusal.code.replace('_', ' ')})."


def _people(missing: int) -> str:
    return "One player is" if missing == 1 else f"{missing} players are"


def kernel_words(event: Event, table: Table) -> str:
    """Return one line for what happened to the table itself."""
    match event:
        case SeatTaken():
            how = "had to go" if event.kicked else "left"
            return f"{shown(event.leaver)} {how}; {shown(event.computer)} (computer) dances on."
        case Substituted():
            return f"{shown(event.after)} takes over from {shown(event.before)}."
        case WentAway():
            return f"{seat_name(table, event.seat)}: a computer keeps the seat until they are back."
        case CameBack():
            return f"{shown(table.sittings[event.seat].name)} is back."
        case TableEnded():
            return ENDED[event.reason]
    return ""


def seat_name(table: Table, seat: int) -> str:
    """Return who sits in *seat*, for message text, and whether a computer plays for them."""
    return sitter(table.sittings[seat]) + (" (away)" if table.away(seat) else "")


def placed_name(table: Table, seat: int) -> str:
    """Return who holds *seat* in the result, for message text, and whether they took it over."""
    who = table.sittings[seat]
    return sitter(who) + (", for somebody who left" if who.left else "")


def span(length_ms: int) -> str:
    """Return a turn clock in words."""
    if not length_ms:
        return "off"
    for unit_ms, name in ((DAY_MS, "day"), (HOUR_MS, "hour"), (MINUTE_MS, "minute")):
        if length_ms % unit_ms == 0:
            count = length_ms // unit_ms
            return f"{count} {name}{'s' if count > 1 else ''}"
    return f"{length_ms // 1000} seconds"
