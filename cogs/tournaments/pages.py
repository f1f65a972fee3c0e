"""What all may see of a tournament and each their own, made from its record alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from discord import ui

from cogs.tournaments import log_words, words
from cogs.tournaments.parts import ACCENT, TEXT_BUDGET, Titles, fitting, knob, small, title, turning, within
from cogs.tournaments.standing_pages import standings_block
from cogs.ui.layout import (
    ACCENT_HOUSE,
    Element,
    Knob,
    Style,
    ago,
    clock,
    line,
    page,
    rows,
    text,
)
from cogs.ui.names import NAME_LENGTH, shown
from rules.tournaments.ledger import standings
from rules.tournaments.model import MOST_ENTRANTS, Pod, Round, Tournament
from rules.tournaments.people import enterable
from rules.tournaments.standings import Row
from rules.tournaments.status import Where
from rules.tournaments.steps import Happened

NAMES_SHOWN = 30
TABLES_A_PAGE = 16
LOG_LINES = 12
LEAGUE_RESULTS = 5


# --- the public message --------------------------------------------------------------------------


def main(record: Tournament, titles: Titles) -> ui.LayoutView:
    """Return the tournament's one public message as it stands now."""
    played = record.round
    if record.phase == "signup" or (played is None and record.phase == "running"):
        return signup(record, titles)
    if record.phase == "running" and played is not None:
        return league(record, played, titles) if played.kind == "league" else round_page(record, played, titles)
    return over(record, titles)


def signup(record: Tournament, titles: Titles) -> ui.LayoutView:
    """Return the sign-up: what is played how, who is in, and the way in."""
    setup = record.setup
    listed = record.active
    checking = record.check != ""
    come = {
        "open": f"**Check-in closes {ago(record.check_due_ms or 0)}.** Press **I'm here**, or you are left out.",
        "over": "**The check-in is over.** Missed it? **I'm here** counts until it begins.",
    }.get(record.check, "")
    there = sum(who.checked for who in listed)
    buttons = [
        *([knob(record, "I'm here", "check", style=Style.success)] if checking else []),
        knob(record, "Join", "join", style=Style.secondary if checking else Style.success),
        knob(record, "Leave", "leave"),
        knob(record, "Who is in?", "who"),
        knob(record, "Rules", "rules"),
    ]
    limit = f" of {setup.most}" if setup.most < MOST_ENTRANTS else ""
    return page(
        ACCENT,
        text(title(record), small(record, words.phase(record))),
        text(
            f"**Game:** {words.game_titles(setup, titles)}",
            f"**How:** {words.how(setup)}",
            f"**Points:** {words.scheme(setup)}",
            f"**Check-in:** {words.CHECK_IN[setup.check_in]}" if setup.check_in != "none" else "",
        ),
        line(),
        text(
            come,
            f"**Signed up: {len(listed)}{limit}**" + (f", {there} checked in" if record.check else ""),
            words.entrants_line(listed, NAMES_SHOWN),
        ),
        *rows(buttons),
    )


def round_page(record: Tournament, played: Round, titles: Titles, first: int = 0) -> ui.LayoutView:
    """Return a round: its tables, who they wait for, and results; *first* is the index of the first table shown."""
    return fitting(lambda width: _round_page(record, played, titles, first, width))


def _round_page(record: Tournament, played: Round, titles: Titles, first: int, width: int) -> ui.LayoutView:
    setup = record.setup
    game = titles.get(setup.game(played.number).key, "")
    shown_pods = played.pods[first : first + TABLES_A_PAGE]
    running = record.phase == "running" and played is record.round
    seating = "" if played.kind in ("swiss", "final") else words.KINDS[played.kind]  # the title and the rules say it
    away = [
        f"-# {what}: {words.few_names(record, entrants, width)}"
        for what, entrants in (("Bye", played.byes), ("Not there", played.absent))
        if entrants
    ]
    return page(
        ACCENT,
        text(
            f"## 🏆 {words.round_title(record, played)}",
            "-# " + " · ".join(each for each in (shown(setup.title, 60), game, seating) if each),
        ),
        text(_round_state(record, played)),
        line(),
        text(*(_pod(record, pod, width) for pod in shown_pods), *away)
        if played.pods
        else text("The tables are being made…"),
        *_more_tables(record, played, first),
        *rows(
            [
                *([knob(record, "I'm here", "here", style=Style.success)] if _gathers(record, played) else []),
                knob(record, "My table", "mine", style=Style.primary),
                knob(record, "Standings", "standings"),
                knob(record, "Rules", "rules"),
                *([knob(record, "Join", "join", style=Style.success)] if running and enterable(record) else []),
            ]
        ),
    )


def _gathers(record: Tournament, played: Round) -> bool:
    """Tell whether anybody may say that they are there, be it at a table or for the next round."""
    return record.check == "open" or any(pod.stage in ("gathering", "stuck") for pod in played.pods)


def _round_state(record: Tournament, played: Round) -> str:
    done = sum(pod.stage == "done" for pod in played.pods)
    ends = f"\nRound ends {ago(played.due_ms)}." if played.due_ms and played.phase == "playing" else ""
    match played.phase:
        case "pairing":
            return "### ⏳ Pairing…"
        case "provisional":
            return "### ✅ All tables are done\nThe standings are provisional until an organiser confirms them."
        case "closed" if record.check == "open":
            return f"### 🙋 Check-in for the next round\nPress **I'm here**: it closes {ago(record.check_due_ms or 0)}."
        case "closed" if record.check == "over":
            return "### ✅ Round over\nToo few people are there for another one: an organiser decides."
        case "closed":
            return "### ✅ Round over"
    return f"### {done} of {words.count(len(played.pods), 'table')} done{ends}"


def place(record: Tournament, channel_id: int) -> str:
    """Return the way to a table's thread, nothing where it has none of its own."""
    return f" <#{channel_id}>" if channel_id not in (0, record.channel_id) else ""


def _pod(record: Tournament, pod: Pod, width: int = NAME_LENGTH) -> str:
    """Return one table in two or three lines: how far it is, and who sits there or what came of it."""
    head = f"**Table {pod.number}**{place(record, pod.channel_id)}"
    seated = words.names(record, pod.seats, width)
    people = f"-# {seated}"
    missing = [one for one in pod.players if one not in pod.here]
    waits = "all" if len(missing) == len(pod.players) else words.names(record, missing, width)
    due = words.moment("a seat is taken for them" if pod.stage == "picking" else "no-show", pod.due_ms)
    match pod.stage:
        case "done":
            return f"✅ {head}\n{words.came_of(record, pod, width)}"
        case "picking":
            return f"🪑 {head}: {words.name(record, pod.players[len(pod.picks)], width)} chooses a seat{due}\n{people}"
        case "gathering":
            return f"⏳ {head}\nWaits for {waits}{due}\n{people}"
        case "stuck" if pod.why == "no_show":
            who = "nobody came" if waits == "all" else f"{waits} did not come"
            return f"⚠️ {head}\n{who[0].upper()}{who[1:]}, an organiser decides\n{people}"
        case "stuck":
            return f"⚠️ {head}\nAn organiser decides\n{people}"
        case "ready":
            return f"⏳ {head} opens\n{people}"
        case _:
            return f"🎶 {head}\n-# Playing: {seated}"


def _more_tables(record: Tournament, played: Round, first: int) -> list[Element]:
    last = len(played.pods)
    starts = [(at, f"Tables {at + 1} to {min(at + TABLES_A_PAGE, last)}") for at in range(0, last, TABLES_A_PAGE)]
    return turning(record, "More tables…", "tables", starts, first, f"{played.number}.")


def league(record: Tournament, played: Round, titles: Titles) -> ui.LayoutView:
    """Return a league: tables that play, the last results, and the way in."""
    live = [pod for pod in played.pods if pod.stage != "done"]
    last = [pod for pod in played.pods if pod.stage == "done"][-LEAGUE_RESULTS:]
    more = len(live) - TABLES_A_PAGE

    def draw(width: int) -> ui.LayoutView:
        told = [_pod(record, pod, width) for pod in [*live[:TABLES_A_PAGE], *reversed(last)]]
        return page(
            ACCENT,
            text(
                title(record),
                small(record, words.game_titles(record.setup, titles), "league", f"{len(record.active)} in"),
            ),
            text(
                f"### 🎶 {words.count(len(live), 'table')} {'plays' if len(live) == 1 else 'play'}",
                "Open one: `/tournament table` with the people you play with.",
            ),
            line(),
            text(*told, f"-# And {more} more tables." if more > 0 else ""),
            *rows(
                [
                    knob(record, "Join", "join", style=Style.success),
                    knob(record, "I'm here", "here", style=Style.success),
                    knob(record, "My table", "mine", style=Style.primary),
                    knob(record, "Standings", "standings"),
                    knob(record, "Rules", "rules"),
                ]
            ),
        )

    return fitting(draw)


def over(record: Tournament, titles: Titles) -> ui.LayoutView:
    """Return a tournament that is over: the podium, or that it was called off."""
    if record.phase == "cancelled":
        return page(
            ACCENT_HOUSE,
            text(
                title(record),
                small(record, "called off"),
                "The tournament was called off; its log tells why.",
            ),
            *rows([knob(record, "Log", "log", "0"), knob(record, "Standings", "standings")]),
        )
    return page(
        ACCENT_HOUSE,
        text(title(record), small(record, words.game_titles(record.setup, titles), "finished")),
        text(*podium(record)),
        standings_block(record, final_rows(record), 0),
        *rows(
            [
                knob(record, "Standings", "standings"),
                knob(record, "Find me", "find"),
                knob(record, "Tie-breaks", "ties", "0"),
                knob(record, "Log", "log", "0"),
            ]
        ),
    )


MEDALS = ("🥇", "🥈", "🥉")


def final_rows(record: Tournament) -> Sequence[Row]:
    """Return the standings that count at the end."""
    last = record.round
    return last.rows if last and last.rows else standings(record)


def best(record: Tournament) -> list[tuple[int, list[int]]]:
    """Return the first places with who holds them, best first; whoever was at no table stands on no podium."""
    danced = {one for played in record.rounds for pod in played.pods if pod.places for one in pod.players}
    rows_ = [row for row in final_rows(record) if not row.mark and row.entrant in danced]
    places = range(1, len(MEDALS) + 1)
    held = [(place, [row.entrant for row in rows_ if row.place == place]) for place in places]
    return [(place, there) for place, there in held if there]


def podium(record: Tournament) -> list[str]:
    """Return the first places, best first; shared ones together."""
    got = {row.entrant: row.points for row in final_rows(record)}
    decided = any(played.kind == "final" for played in record.rounds)  # then points did not place them
    lines = []
    for place, there in best(record):
        points = "" if decided else f", {words.points(got[there[0]])}"
        lines.append(f"{'### ' if place == 1 else ''}{MEDALS[place - 1]} {words.few_names(record, there)}{points}")
    return lines or ["Nobody played."]


# --- for one person --------------------------------------------------------------------------------


def who_page(record: Tournament) -> ui.LayoutView:
    """Return everybody who is in."""
    listed = record.active
    told = [shown(who.name) + (" ✅" if who.checked else "") for who in listed]
    most = len(within(told, TEXT_BUDGET - len(told)))  # a comma more each
    return page(
        ACCENT,
        text(title(record), small(record, f"{len(listed)} in"), words.and_more(told, most) or "Nobody yet."),
        *rows([knob(record, "Next step", "status")]),
    )


def rules_page(record: Tournament, titles: Titles) -> ui.LayoutView:
    """Return the rules of the tournament."""
    return page(
        ACCENT,
        text(title(record), small(record, words.phase(record))),
        text(*words.rule_lines(record.setup, titles)),
        text("-# Results come from the games themselves; every act of an organiser stands in `/tournament log`."),
    )


def leave_page(record: Tournament) -> ui.LayoutView:
    """Ask before somebody drops out."""
    return page(
        ACCENT,
        text(
            title(record),
            small(record),
            "### Drop out?",
            "You finish the table where you sit, and are not seated any more. Your points and your place stay.",
        ),
        *rows([knob(record, "Drop out", "leave", style=Style.danger), knob(record, "Stay in", "mine")]),
    )


SITTING = ("picking", "seat", "come", "here", "play")
"""States of somebody at a table that has not ended."""


def me_page(record: Tournament, where: Where, note: str = "") -> ui.LayoutView:
    """Tell somebody where and when they play."""
    rivals = [one for one in where.with_whom if one != where.entrant]
    at = f"<#{where.channel_id}>" if where.channel_id else "its thread opens in a moment"
    table = f"{words.in_round(record, where.round)}, table {where.pod}" if where.pod else ""
    due = f" Time is up {ago(where.due_ms)}." if where.due_ms else ""
    told: Mapping[str, tuple[str, str]] = {
        "not_entered": ("You are not in this tournament", "**Join** gets you in." if enterable(record) else ""),
        "signed_up": ("You are signed up", "You are called when the first round begins."),
        "check_in": ("Are you there?", f"Press **I'm here**.{due}"),
        "checked": ("You are signed up", "You are checked in, and called when the first round begins."),
        "missed": ("You missed the check-in", "Press **I'm here** before it begins, or you are left out."),
        "unchecked": ("You are not in", _way_in(record)),
        "dropped": ("You dropped out", "An organiser can let you in again."),
        "disqualified": ("You were disqualified", ""),
        "picking": ("You are in the final", f"At {at}. Seats are being chosen, the best rank first."),
        "seat": ("You choose your seat in the final", f"At {at}.{due}"),
        "come": (f"You play in {table}", f"Go to {at} and press **I'm here**.{due}"),
        "here": ("You are noted as being there", f"It begins once all are, {table}: {at}."),
        "play": ("You play now", f"It is {table}: {at}."),
        "table_done": ("Your table is done", f"That was {table}. {_confirmed(record)}"),
        "staff": ("Your table waits for an organiser", f"It is {table}."),
        "bye": (f"You have a bye in round {where.round}", "Its points are counted."),
        "absent": (f"You were not there for round {where.round}", "You are in for the next one."),
        "waiting": ("You are in", "The next round is not paired yet."),
        "pairing": ("The next round is being paired", ""),
        "free": (
            "You have no table now",
            "`/tournament table` with the people you play with opens one."
            if record.setup.self_open
            else "The organisers open one.",
        ),
        "finished": ("The tournament is over", "The standings tell how it went."),
        "cancelled": ("The tournament was called off", ""),
        "not_through": ("You are not in this stage any more", "Thank you for dancing!"),
    }
    what, more = told[where.state]
    with_whom = f"With {words.names(record, rivals)}." if rivals and where.state in SITTING else ""
    seat = f"Your seat: {where.seat + 1}." if where.seat is not None and rivals else ""
    choice = seats_page(record, record.rounds[-1].pods[where.pod - 1]) if where.state == "seat" else []
    return page(
        ACCENT,
        text(title(record), small(record), note),
        text(f"### {what}", more, with_whom, seat),
        *choice,
        *rows(_own_knobs(record, where)),
    )


def _way_in(record: Tournament) -> str:
    if enterable(record):
        return "**Join** gets you in."
    return "" if record.setup.format == "knockout" else "An organiser can let you in: `/tournament undrop`."


def _confirmed(record: Tournament) -> str:
    if record.round is not None and record.round.phase == "playing":
        return "Once all are, the standings are confirmed."
    return "An organiser confirms the standings."


def _own_knobs(record: Tournament, where: Where) -> list[Knob]:
    """Return what somebody can do from where they are."""
    knobs = [] if record.phase == "signup" else [knob(record, "Standings", "standings")]
    if where.state == "come":
        knobs.insert(0, knob(record, "I'm here", "here", style=Style.success))
    elif where.state in ("check_in", "missed"):
        knobs.insert(0, knob(record, "I'm here", "check", style=Style.success))
    elif where.state in ("not_entered", "unchecked") and enterable(record):
        knobs.insert(0, knob(record, "Join", "join", style=Style.success))
    who = record.entrant(where.entrant) if where.entrant else None
    if record.phase in ("signup", "running") and who is not None and who.status == "in":
        knobs.append(knob(record, "Drop out…", "leave_ask"))
    return knobs


def seats_page(record: Tournament, pod: Pod) -> list[Element]:
    """Return the seats of a final that are still free, as buttons."""
    free = [seat for seat in range(len(pod.players)) if seat not in pod.picks]
    return rows([knob(record, f"Seat {seat + 1}", "pick", str(seat), Style.success) for seat in free])


# --- the log -------------------------------------------------------------------------------------


def log_page(record: Tournament, events: Sequence[Happened], number: int) -> ui.LayoutView:
    """Return one page of the log, the newest first."""
    pages = max(1, -(-len(events) // LOG_LINES))
    number = max(0, min(number, pages - 1))
    newest_first = events[::-1][number * LOG_LINES : (number + 1) * LOG_LINES]
    lines = [f"{clock(event.at_ms)} {log_words.happened(record, event)}" for event in newest_first]
    turn = [
        knob(record, "Newer", "log_on", str(max(0, number - 1)), off=number == 0),
        knob(record, "Older", "log_back", str(number + 1), off=number + 1 >= pages),
        knob(record, "Next step", "status"),
    ]
    return page(
        ACCENT,
        text("## 📜 Log", small(record, f"page {number + 1} of {pages}, newest first")),
        text(*within(lines)) if lines else text("Nothing has happened yet."),
        *rows(turn if pages > 1 else turn[2:]),
    )
