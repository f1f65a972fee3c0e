"""Screens of a tournament for those who run it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import discord
from discord import ui

from cogs.tournaments import words
from cogs.tournaments.pages import place
from cogs.tournaments.parts import ACCENT, Titles, fitting, knob, press, small, title, turning, within
from cogs.ui.ids import PICK
from cogs.ui.layout import Element, Knob, Style, ago, line, option, page, rows, select, text
from cogs.ui.names import plain, shown
from rules.tournaments.corrections import Change, Preview
from rules.tournaments.model import Tournament
from rules.tournaments.plan import Plan
from rules.tournaments.status import Overview, Waiting

WAYS_SHOWN = 4
"""Tables with a select of their own on one page, more where there would be too many pages; the others are named."""
MOST_PAGES = 25
OTHERS_BUDGET = 1_200
CHECKS_OFFERED = 25
AWAITED_SHOWN = 20
MOVES_BUDGET = 2_500


def plan_page(record: Tournament, made: Plan, note: str = "") -> ui.LayoutView:
    """Return what a start would lead to, and the button that starts."""
    few = "too_few" in made.blocks
    sign = "⏳" if record.check == "open" else "⚠️"
    plan = [f"{sign} {words.blocked(record, 'too_few')}"] if few else words.plan_lines(made)
    start = knob(record, f"Start with {made.players}", "start", str(made.players), Style.success, off=few)
    first = ""
    if "check_in_first" in made.blocks and not few:
        first = f"⚠️ {words.BLOCKS['check_in_first']}"
        start = knob(record, NEXT_STEP["open_check_in"], "step", "open_check_in.0", Style.success)
    return page(
        ACCENT,
        text(title(record), small(record, f"the plan for {words.count(made.players, 'person')}"), note),
        text(f"### {words.how(record.setup)}", *plan, words.left_out(record), first),
        *rows(
            [
                start,
                knob(record, "Next step", "status"),
                knob(record, "Who is in?", "who"),
                knob(record, "Change the rules", "settings"),
            ]
        ),
    )


WAYS: Mapping[str, str] = {
    "Wait": "Wait 10 more minutes",
    "GoOn": "Go on without who is missing",
    "GoOnFilled": "Go on, computers on the empty seats",
    "Replay": "Have it played again",
    "Restart": "Take the game back, play it anew…",
    "Substitute": "Put in a substitute…",
    "SwapSeats": "Swap two seats…",
    "AddToTable": "Seat somebody there…",
    "Repair": "Pair the round again…",
    "Correct": "Set the result by hand…",
}
"""What can be done about a table; those with … ask once more, or name the command for it."""


def restart_page(record: Tournament, number: int, pod: int) -> ui.LayoutView:
    """Ask before a game that goes on is taken back."""
    return page(
        ACCENT,
        text(
            title(record),
            small(record),
            f"### Take back the game of table {pod}?",
            "It ends without counting. Its people are called again, and it is dealt anew.",
        ),
        *rows(
            [
                knob(record, "Take it back", "way", f"TakeBack.{number}.{pod}", Style.danger),
                knob(record, "Next step", "status"),
            ]
        ),
    )


NEXT_STEP: Mapping[str, str] = {
    "open_check_in": "Open the check-in",
    "check_in": "End the check-in and go on",
    "start": "Look at the plan",
    "next": "Confirm and go on",
    "recheck": "Hold the check-in again",
    "finish": "Confirm and finish",
}


def status_page(record: Tournament, seen: Overview, titles: Titles, note: str = "", first: int = 0) -> ui.LayoutView:
    """
    Return what is awaited, from whom, the ways out, and the next step as the one green button.

    Args:
        record: the tournament.
        seen: what is awaited.
        titles: the games' names by key.
        note: stands above it.
        first: index of the first table with its ways out, the most urgent tables first.
    """
    return fitting(lambda width: _status_page(record, seen, titles, note, first, width))


def _status_page(
    record: Tournament, seen: Overview, titles: Titles, note: str, first: int, width: int
) -> ui.LayoutView:
    parts: list[Element] = [
        text(
            f"## 🧭 {shown(record.setup.title, 60)}",
            small(record, words.phase(record), _games(record, seen, titles)),
            note,
        ),
        text(f"### {_headline(record, seen)}", _deadline(record, seen), _awaited(record, seen)),
        *_check_menu(record, seen),
    ]
    urgent = sorted(seen.tables, key=lambda waiting: (waiting.stage != "stuck", waiting.pod))
    each = max(WAYS_SHOWN, -(-len(urgent) // MOST_PAGES))
    first = first // each * each if first < len(urgent) else 0
    for waiting in urgent[first : first + each]:
        parts.append(text(_waiting(record, waiting, width)))
        menu = press(record, PICK, f"way{waiting.pod}")
        parts.append(select(f"Table {waiting.pod}: what to do…", menu, _ways(record, waiting)))
    others = [_waiting(record, waiting, width) for waiting in (*urgent[:first], *urgent[first + each :])]
    parts.append(text(*within(others, OTHERS_BUDGET)))
    parts += _turns(record, urgent, first, each)
    blocks = [words.blocked(record, block) for block in seen.blocks]
    says = " ".join(blocks) if not seen.ready and seen.step != "tables" else ""  # those are named above
    parts += [line(), text(f"**Next step:** {_step_words(seen)}", says)]
    return page(ACCENT, *parts, *rows(_steps(record, seen)))


def _games(record: Tournament, seen: Overview, titles: Titles) -> str:
    """Return the game of the running round; before and after it all of them."""
    setup = record.setup
    running = record.phase == "running" and seen.round
    return titles.get(setup.game(seen.round).key, "") if running else words.game_titles(setup, titles)


def _check_menu(record: Tournament, seen: Overview) -> list[Element]:
    """Return a select of those whom an organiser may check in, while a check-in counts."""
    if not seen.awaited:
        return []
    menu = [option(plain(record.entrant(one).name), "check_other", str(one)) for one in seen.awaited[:CHECKS_OFFERED]]
    return [select("Check somebody in…", press(record, PICK, "check_other"), menu)]


def _headline(record: Tournament, seen: Overview) -> str:
    title_ = words.round_title(record, record.rounds[seen.round - 1]) if seen.round else ""
    match seen.step:
        case "tables":
            open_ = len(seen.tables)
            return f"{title_} waits for {'one table' if open_ == 1 else f'{open_} tables'}"
        case "pairing":
            return f"{title_} is being paired"
        case "next" | "check_in" | "recheck" | "no_round" | "finish" if seen.round:
            return f"{title_} is over"
        case "league":
            return f"The league runs: {words.count(len(seen.tables), 'table')} not done"
        case "reopen":
            return "It is over"
        case _:
            return f"{words.count(len(record.active), 'person')} signed up"


def _deadline(record: Tournament, seen: Overview) -> str:
    if not seen.due_ms:
        return ""
    if seen.step == "tables":
        return f"-# The round ends {ago(seen.due_ms)}; then {words.OVERDUE[record.setup.overdue]}."
    return f"-# The check-in closes {ago(seen.due_ms)}."


def _awaited(record: Tournament, seen: Overview) -> str:
    if not seen.awaited:
        return ""
    return f"Not checked in: {words.few_names(record, seen.awaited, most=AWAITED_SHOWN)}"


def _waiting(record: Tournament, waiting: Waiting, width: int) -> str:
    where = place(record, waiting.channel_id)
    who = words.names(record, waiting.entrants, width)
    due = words.moment("time is up" if waiting.stage == "picking" else "no-show", waiting.due_ms)
    state = {
        "picking": f"{who} chooses a seat{due}",
        "gathering": f"waits for {who}{due}",
        "ready": "opens in a moment",
        "open": "dealt, no move yet",
        "moved": "plays",
        "stuck": words.stuck_why(waiting.why, who),
    }[waiting.stage]
    sign = {"stuck": "⚠️", "open": "🎶", "moved": "🎶"}.get(waiting.stage, "⏳")
    return f"{sign} **Table {waiting.pod}**{where}: {state}"


def _turns(record: Tournament, urgent: Sequence[Waiting], first: int, each: int) -> list[Element]:
    """Return the way to all tables that are awaited, so many a page."""
    pages = [
        (at, ", ".join(str(waiting.pod) for waiting in urgent[at : at + each])) for at in range(0, len(urgent), each)
    ]
    starts = [(at, f"Table {numbers}: what to do") for at, numbers in pages]
    return turning(record, "Other tables…", "status", starts, first)


def _ways(record: Tournament, waiting: Waiting) -> list[discord.SelectOption]:
    ways = list(waiting.ways)
    if "GoOn" in ways and record.setup.computers:
        ways.insert(ways.index("GoOn") + 1, "GoOnFilled")
    if waiting.stage != "stuck":  # then there is a game that goes on
        ways = ["Restart" if way == "Replay" else way for way in ways]
    return [option(WAYS[way], "way", f"{way}.{waiting.round}.{waiting.pod}") for way in ways if way in WAYS]


def _step_words(seen: Overview) -> str:
    stuck = ", ".join(str(waiting.pod) for waiting in seen.tables if waiting.stage == "stuck")
    told: Mapping[str, str] = {
        "open_check_in": "open the check-in; whoever does not confirm is left out.",
        "check_in": "wait for the check-in, or end it now.",
        "start": "look at the plan and start.",
        "pairing": "comes by itself, in a moment.",
        "tables": f"decide about table {stuck}."
        if stuck
        else "when all tables are done, look at the standings, then confirm them.",
        "next": f"look at the standings, then confirm them. {words.next_title(seen)} follows.",
        "recheck": f"too few came. Call everybody again; {words.next_title(seen)} follows.",
        "no_round": "no round can be seated: let people in, or finish.",
        "finish": "look at the standings, then confirm and finish.",
        "reopen": "nothing. `/tournament reopen` opens it again.",
        "league": "goes on until `/tournament finish`.",
    }
    return told[seen.step]


def _steps(record: Tournament, seen: Overview) -> list[Knob]:
    label = NEXT_STEP.get(seen.step)
    if seen.step == "check_in" and not seen.round:  # before the first round nothing goes on by it
        label = "End the check-in"
    at = f"{seen.step}.{seen.round}"
    before = record.phase == "signup"
    return [
        *([knob(record, label, "step", at, Style.success, off=not seen.ready)] if label else []),
        knob(record, "Change the rules", "settings") if before else knob(record, "Standings", "standings"),
        knob(record, "Log", "log", "0"),
        knob(record, "Refresh", "status"),
        knob(record, "Post the message anew", "post"),
    ]


def preview_page(record: Tournament, seen: Preview, note: str) -> ui.LayoutView:
    """Return what a correction would change, and how to do it."""
    told: list[str] = []
    for number in dict.fromkeys(moved.round for moved in seen.moves):
        told.append(f"**After {words.in_round(record, number)}**")
        told += [f"{words.name(record, one.entrant)}: {_change(one)}" for one in seen.moves if one.round == number]
    kept = "Later rounds that have begun stay as they were paired." if seen.kept else ""
    again = "The running round can be paired again after it: `/tournament repair`." if seen.repairable else ""
    return page(
        ACCENT,
        text("## ✏️ This would change", small(record), *within(told, MOVES_BUDGET) or ["No place and no points."]),
        text(kept, again, note),
    )


def _change(moved: Change) -> str:
    pairs = (
        ("place", str(moved.place_before), str(moved.place_after)),
        ("points", words.points(moved.points_before), words.points(moved.points_after)),
    )
    return ", ".join(f"{what} {before} → {after}" for what, before, after in pairs if before != after)


def notes_page(record: Tournament, entrant: int) -> ui.LayoutView:
    """Return what the staff remembers about somebody, the newest first."""
    notes = [note for note in record.notes if note.entrant == entrant]
    told = [
        f"<t:{note.at_ms // 1000}:f> {words.person(note.user_id)}**{note.level}**: {shown(note.text, 300)}"
        for note in reversed(notes)
    ]
    return page(
        ACCENT,
        text(f"## 📝 {words.name(record, entrant)}", small(record, "for the staff alone")),
        text(*within(told)) if told else text("No notes."),
    )
