"""What happened in a tournament, in words: a line for each event of its log."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cogs.tournaments import words
from cogs.ui.names import shown
from rules.tournaments.model import Tournament
from rules.tournaments.steps import Happened

Tell = Callable[[Tournament, Happened, str], str]
"""Makes a line of a record, an event, and the names of whom it concerns."""


def _plain(told: str) -> Tell:
    return lambda _record, _event, who: told.format(who=who)


def _deed(own: str, others: str) -> Tell:
    """Return a line of what somebody did: for themselves, or for or to *who*; by nobody it just came to *who*."""

    def tell(record: Tournament, event: Happened, who: str) -> str:
        if event.user_id <= 0:  # by itself, or by somebody who was forgotten
            return f"{who} {own}"
        concerned = [record.entrant(one) for one in event.entrants]
        holders = [{one.user_id, *(before.user_id for before in one.former)} for one in concerned]
        return own if len(holders) == 1 and event.user_id in holders[0] else others.format(who=who)

    return tell


def _table(told: str) -> Tell:
    return lambda _record, event, who: f"Round {event.round}, table {event.pod}: " + told.format(who=who)


def _result(record: Tournament, event: Happened, _who: str) -> str:
    lines = zip(event.facts["places"], event.entrants, event.facts["scores"], strict=True)
    return f"Round {event.round}, table {event.pod}: {words.outcome(record, lines)}"


def _corrected(record: Tournament, event: Happened, _who: str) -> str:
    facts = event.facts
    lines = ((place, one, score) for one, place, score in facts["played"])
    told = words.outcome(record, lines, facts["byes"], facts["absent"])
    return f"Round {event.round}, table {event.pod} corrected: {told}"


def _stuck(_record: Tournament, event: Happened, who: str) -> str:
    return f"Round {event.round}, table {event.pod} needs an organiser: {words.stuck_why(event.facts['why'], who)}"


EVENTS: Mapping[str, Tell] = {
    "created": lambda _record, event, _who: f"created {shown(event.facts['title'], 60)}",
    "configured": _plain("changed the rules"),
    "joined": _deed("signed up", "signed up {who}"),
    "check_in_opened": _plain("opened the check-in"),
    "check_in_closed": lambda _record, event, _who: (
        f"{'closed the check-in' if event.user_id > 0 else 'Check-in closed'}, {event.facts['checked']} are there"
    ),
    "checked_in": _deed("checked in", "checked in {who}"),
    "seeded": _plain("seeded: {who}"),
    "started": lambda _record, event, _who: f"started with {len(event.entrants)}",
    "league_open": _plain("the league is open"),
    "too_few": lambda _record, event, _who: f"Only {event.facts['players']} are there: no round can be seated",
    "pairing": lambda _record, event, _who: f"Round {event.round} is being paired",
    "paired": lambda _record, event, _who: (
        f"Round {event.round} paired: {words.count(event.facts['tables'], 'table')}, {words.KINDS[event.facts['kind']]}"
    ),
    "byes": lambda _record, event, who: f"Round {event.round}: a bye for {who}",
    "lot": lambda _record, event, who: f"Round {event.round}: a lot has decided who goes on of {who}",
    "table_ready": _table("all are there"),
    "opened": lambda _record, event, _who: (
        f"Round {event.round}, table {event.pod} is open (`/table log number:{event.facts['table']}`)"
    ),
    "picked": lambda _record, event, who: f"{who} took seat {event.facts['seat'] + 1} of the final",
    "no_show": _table("{who} did not come"),
    "stuck": _stuck,
    "went_on": _table("goes on with {who}"),
    "waits": _table("waits longer"),
    "awarded": _table("not played; points of a bye for {who}"),
    "result": _result,
    "replay": _table("is played again"),
    "swapped": _table("{who} changed seats"),
    "added_to_table": _table("{who} sits down"),
    "pod_opened": _table("opened for {who}"),
    "round_over": lambda _record, event, _who: f"Round {event.round} is over; its standings wait to be confirmed",
    "overdue": lambda _record, event, _who: f"The time of round {event.round} is over",
    "resumed": _plain("I was away: what ran out meanwhile begins again"),
    "confirmed": lambda _record, event, _who: f"confirmed the standings of round {event.round}",
    "repaired": lambda _record, event, _who: f"had round {event.round} paired again",
    "corrected": _corrected,
    "dropped": _deed("dropped out", "took {who} out"),
    "gone": _plain("{who} has left the server and is out"),
    "undropped": _deed("came in again", "let {who} in again"),
    "disqualified": _deed("was disqualified", "disqualified {who}"),
    "substituted": lambda _record, event, _who: (
        f"{shown(event.facts['after'])} takes over the place of {shown(event.facts['before'])}"
    ),
    "raffle": _deed("won the raffle", "drew a raffle, won by {who}"),
    "noted": lambda _record, event, who: f"{event.facts['level']} on {who}: {shown(event.facts['text'], 200)}",
    "finished": _plain("finished the tournament"),
    "cancelled": _plain("called the tournament off"),
    "reopened": _plain("opened it again"),
}
"""Words for each kind of event."""


def happened(record: Tournament, event: Happened) -> str:
    """Return one event in a line: what, by whom, why."""
    tell = EVENTS.get(event.what)
    listed = [shown(name) for name in record.names(event.entrants)]  # without marks: those tell what came later
    who = words.and_more(listed, words.NAMES_LISTED)
    what = tell(record, event, who) if tell else event.what.replace("_", " ")
    by = words.person(event.user_id)
    why = f" ({shown(event.reason, 200)})" if event.reason else ""
    return f"{by}{what}{why}"
