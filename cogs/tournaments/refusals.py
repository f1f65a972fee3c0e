"""Sentences for all that a tournament refuses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cogs.ui.names import shown
from cogs.ui.words import Say, say

OUT: Mapping[str, str] = {"dropped": "dropped out", "disqualified": "were disqualified"}
PHASES: Mapping[str, str] = {
    "signup": "It has not begun yet: an organiser starts it with `/tournament start`.",
    "running": "Its first round is not made yet: `/tournament status` tells what is awaited.",
    "finished": "It is over: `/tournament standings` shows how it ended.",
    "cancelled": "It was called off: an organiser can open it again with `/tournament reopen`.",
}


def _sizes(facts: Mapping[str, Any]) -> str:
    return f"Tables of this game have {facts['low']} to {facts['high']} seats: fewest, preferred and most must fit."


def tables_open(facts: Mapping[str, Any]) -> str:
    """Return which tables are not done."""
    *first, last = map(str, facts.get("pods") or ("?",))
    which = f"Tables {', '.join(first)} and {last} are" if first else f"Table {last} is"
    return f"{which} not done."


def _too_few(facts: Mapping[str, Any]) -> str:
    return f"Only {facts.get('players', 0)} are in: too few for one table."


def _names(facts: Mapping[str, Any]) -> str:
    *first, last = [shown(name) for name in facts.get("names") or ("Somebody",)]
    return f"{', '.join(first)} and {last}" if first else last


def _you_are_out(out: str) -> str:
    return f"You {out}: an organiser can let you in again with `/tournament undrop`."


def _already_entered(facts: Mapping[str, Any]) -> str:
    """Tell apart who presses themself and whom an organiser names."""
    out = OUT.get(facts.get("status", ""))
    if facts.get("own"):
        return _you_are_out(out) if out else "You are in already: `/tournament me` tells where and when you play."
    return f"They {out}: `/tournament undrop` lets them in again." if out else "They are in its list already."


def _not_entered(facts: Mapping[str, Any]) -> str:
    out = OUT.get(facts.get("status", ""))
    if out:
        return _you_are_out(out)
    return f"You are not in this tournament{': **Join** under its message gets you in' if facts.get('open') else ''}."


def _not_those(facts: Mapping[str, Any]) -> str:
    return f"Name exactly the people of that table, each once: {_names(facts)}."


FIELDS: Mapping[str, str] = {
    "games": "a game",
    "title": "a name",
    "rounds": "1 to 30 rounds",
    "final": "a final that the game has seats for",
    "advance": "at least one to go on",
    "group_size": "groups of at least one table",
    "ties": "each tie-break once",
    "timers": "timers of up to 60 days, and a check-in that lasts",
    "late_until": "late entry only where rounds follow",
    "most": "up to 256 people",
    "check_in": "no check-in each round in a league",
    "clock": "one of the turn clocks on offer",
}

REFUSALS: Mapping[str, Say] = {
    "no_tournament": say("There is no such tournament here. `/tournament create` opens one."),
    "which_tournament": lambda facts: f"There are several: say which one with `number:`. Number {facts['listed']}.",
    "cannot_post": lambda facts: f"I may not post here. Ask an admin to allow me: {facts['missing']}.",
    "no_thread_here": say("A tournament opens threads of its own: create it in a channel, not in a thread."),
    "unknown_game": lambda facts: f"I do not know that game. There are: {facts['known']}.",
    "no_newcomer": say("Whoever takes over must be a person in this server."),
    "big_file": lambda facts: f"That file is too large: at most {facts['most']} kilobytes.",
    "long_list": lambda facts: f"That list has {facts['listed']} people; I take {facts['most']} at a time.",
    "lost_file": say("I could not read that file from Discord. Please send it once more."),
    "not_admin": say("Only people who may manage the server can create a tournament."),
    "not_staff": say("Only admins and the tournament's organisers can do that."),
    "reason_needed": say("That changes results or tables: give a `reason:`, it stands in the public log."),
    "reason_too_long": say("That reason is too long: keep it below 300 letters."),
    "already_created": say("This tournament is there already."),
    "already_done": say("That is done already: one press was enough."),
    "already_entered": _already_entered,
    "already_here": say("You are noted as being there. The game opens once all are."),
    "already_paired": say("This round is paired already."),
    "already_playing": lambda facts: f"At a table of this round already: {_names(facts)}.",
    "already_started": say("It has begun: the rules stay as they are."),
    "bad_count": say("Draw one person or more, and no more than are there."),
    "bad_pairing": say("That pairing does not fit any more; a new one is made."),
    "bad_places": say("Those places do not add up: from 1, and ties share a place."),
    "bad_points": say("A list of points must not rise, and there is one for each size."),
    "bad_setup": lambda facts: (
        f"That does not go together: it needs {FIELDS.get(facts.get('field', ''), 'something else')}."
    ),
    "bad_sizes": _sizes,
    "bad_wait": say("A table can wait up to a day longer."),
    "check_in_first": say("The check-in comes first: `/tournament status` opens it."),
    "closed": say("Entry is closed. Organisers can still seat somebody at a short table: `/tournament seat`."),
    "finished": say("This tournament is over. `/tournament reopen` opens it again."),
    "full": lambda facts: f"All {facts.get('most', 0)} places are taken.",
    "has_moved": say("A move was made in this round already: its tables stay as they are."),
    "has_result": say("That table has a result: `/tournament correct` changes it."),
    "no_check_in": say("No check-in is open."),
    "no_computers": say("Computers are not allowed in this tournament."),
    "no_deadline": say("That moment has passed already."),
    "no_entrant": say("They are not in this tournament, or not any more."),
    "no_more_rounds": say("That was the last round: `/tournament finish` ends it."),
    "no_picking": say("No seats are chosen now."),
    "no_pod": say("This round has no such table."),
    "no_seeds": say("Only a knockout is seeded, before it starts."),
    "no_table_for_you": say("You have no table to come to now. `/tournament me` tells more."),
    "nobody_new": say("Everybody in that list is in already."),
    "nobody_found": say("I found nobody in that list: mention people, or give a file with their ids."),
    "not_a_league": say("Only in a league are tables opened one by one."),
    "not_at_a_table": say("One of them has no table in this round."),
    "not_entered": _not_entered,
    "not_open": say("That table has not been opened."),
    "not_running": lambda facts: PHASES.get(facts.get("phase", ""), "It does not run now."),
    "not_this_round": lambda facts: f"That was about another round: it is round {facts.get('round', 0)} now.",
    "not_those": _not_those,
    "not_waiting": say("That table waits for nobody any more."),
    "not_your_pick": say("It is not your choice yet: the best rank chooses first."),
    "nothing_to_reopen": say("There is nothing to open again."),
    "one_alone": say("One person alone is no table: give them a bye."),
    "outdated": say("That came too late: the table was changed since."),
    "outdated_pairing": say("People came or went meanwhile: a new pairing is made."),
    "pairing": say("The round is being paired: one moment."),
    "plan_changed": say("Somebody came or left since you saw the plan: here is the new one."),
    "preview_first": say("Rounds have followed: look at the consequences, then repeat it with `confirm: True`."),
    "round_closed": say("That round is closed: only `/tournament correct` changes it."),
    "rounds_left": say("There are rounds left: to end it early give a `reason:`."),
    "seat_taken": say("That seat is taken: choose another one."),
    "seats_first": say("Seats are chosen first; then press it again."),
    "table_full": say("That table is full."),
    "tables_open": lambda facts: f"{tables_open(facts)} `/tournament status` names what to do.",
    "text_needed": say("Write down what there is to remember."),
    "too_early": say("Not yet: its time has not come."),
    "too_few": _too_few,
    "too_few_here": lambda facts: (
        f"At least {facts.get('least', 2)} must be there. Wait, put in a substitute, or award it."
    ),
    "too_many_notes": say("There are enough notes on them."),
    "unknown_size": lambda facts: f"There are no points for tables of {facts.get('size', 0)}.",
    "unread_points": say("I cannot read those points: a list for each size of table, as `5-2, 5-3-1, 5-3-2-1`."),
    "unread_result": say("I cannot read that result. Write it like `@Ana 58 @Bea 44 @Kim absent`."),
}
"""Sentences for refusals of tournaments."""
