"""Tournaments in words: rules, plans, places and points, results."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from cogs.ui.layout import ago
from cogs.ui.names import NAME_LENGTH, plain, shown
from cogs.ui.words import span
from rules.tournaments.model import Entrant, Pod, Round, Setup, Tournament
from rules.tournaments.plan import Plan, PlannedRound
from rules.tournaments.points import UNIT
from rules.tournaments.standings import Row
from rules.tournaments.status import Overview

FORMATS: Mapping[str, str] = {
    "swiss": "Swiss: everybody plays every round",
    "groups": "Groups, then a final",
    "knockout": "Knockout: the best of each table go on",
    "league": "League: tables whenever people like",
}
SCHEMES: Mapping[str, str] = {
    "share": "A win 1, last 0, the others between",
    "5-3-2-1": "5-3-2-1",
    "6-4-2-0": "6-4-2-0",
    "win-draw": "A win 5, a shared first 1",
    "custom": "The organiser's own",
}
TIE_NAMES: Mapping[str, str] = {
    "wins": "wins",
    "head_to_head": "head-to-head",
    "score_index": "score index",
    "opponents": "opponents' points",
    "places": "better places",
    "absences": "fewer absences",
}
KINDS: Mapping[str, str] = {
    "swiss": "nobody meets twice while that can be helped",
    "power": "seated by rank alone",
    "groups": "groups",
    "knockout": "knockout",
    "league": "league",
    "playoff": "play-off for the last seats",
    "final": "final",
}
CHECK_IN: Mapping[str, str] = {"none": "none", "first": "before round 1", "every": "before every round"}
NO_SHOW: Mapping[str, str] = {"ask": "the organisers decide", "short": "the table goes on without them"}
OVERDUE: Mapping[str, str] = {
    "ask": "the organisers decide",
    "computers": "computers finish",
    "absent": "whoever is awaited counts as absent",
}
PHASES: Mapping[str, str] = {
    "signup": "sign-up open",
    "running": "running",
    "finished": "finished",
    "cancelled": "called off",
}


def phase(record: Tournament) -> str:
    """Return how far a tournament is."""
    return "check-in" if record.phase == "signup" and record.check else PHASES[record.phase]


def name(record: Tournament, entrant: int, width: int = NAME_LENGTH) -> str:
    """Return an entrant's name for message text, with a mark when they are out."""
    who = record.entrant(entrant)
    return shown(who.name, width) + MARKS.get(who.status, "")


MARKS: Mapping[str, str] = {
    "dropped": " (dropped)",
    "disqualified": " (disqualified)",
    "unchecked": " (not checked in)",
}


def names(record: Tournament, entrants: Iterable[int], width: int = NAME_LENGTH) -> str:
    """Return names in a row."""
    return ", ".join(name(record, one, width) for one in entrants)


NAMES_LISTED = 12


def few_names(
    record: Tournament, entrants: Sequence[int], width: int = NAME_LENGTH, *, most: int = NAMES_LISTED
) -> str:
    """Return the first names in a row and how many more there are."""
    return and_more([name(record, one, width) for one in entrants[: most + 1]], most, len(entrants))


def and_more(listed: Sequence[str], most: int, total: int | None = None) -> str:
    """Return the first of *total* (all of them, if none is given) and how many more there are."""
    more = (len(listed) if total is None else total) - most
    return ", ".join(listed[:most]) + (f" and {more} more" if more > 0 else "")


def points(value: int) -> str:
    """Return points for people, at most two decimals."""
    return f"{value / UNIT:.2f}".rstrip("0").rstrip(".")


def minutes(length_ms: int) -> str:
    """Return a timer in words; 0 is none."""
    return span(length_ms) if length_ms else "no limit"


def game_titles(setup: Setup, titles: Mapping[str, str]) -> str:
    """Return the games in words, one after the other when they change by round."""
    listed = list(dict.fromkeys(titles.get(game.key, game.key) for game in setup.games))
    return ", then ".join(listed)


def scheme(setup: Setup) -> str:
    """Return how places become points, in a line."""
    own = f": {own_points(setup)}" if setup.scheme.key == "custom" else ""
    return f"{SCHEMES[setup.scheme.key]}{own}"


def own_points(setup: Setup) -> str:
    """Return the lists of points that the organiser typed, whether they hold or not."""
    return ", ".join("-".join(map(str, each)) for each in setup.scheme.lists)


def how(setup: Setup) -> str:
    """Return the format in a line."""
    sizes = setup.sizes
    seats = f"tables of {sizes.preferred}"
    if sizes.low + 1 == sizes.high:
        seats = f"tables of {sizes.low} or {sizes.high}"
    elif sizes.low < sizes.high:
        seats += f" ({sizes.low} to {sizes.high})"
    final = f", a final of {setup.final}" if setup.final else ""
    match setup.format:
        case "swiss":
            return f"Swiss, {count(setup.rounds, 'round')}, {seats}{final}"
        case "groups":
            return f"Groups, {count(setup.rounds, 'round')}, {seats}, the first {setup.advance} go on{final}"
        case "knockout":
            return f"Knockout, {seats}, the first {setup.advance} of each go on"
        case _:
            return f"League, {seats}"


TWICE = 2
"""Rounds in which a pair can meet twice at most."""

PLURALS: Mapping[str, str] = {"person": "people", "rematch": "rematches"}


def count(number: int, what: str) -> str:
    """Return how many there are of something."""
    return f"1 {what}" if number == 1 else f"{number} {PLURALS.get(what, f'{what}s')}"


COUNTED = ("swiss", "power", "groups")
"""Kinds of rounds of which it is known beforehand how many there are."""


def round_title(record: Tournament, played: Round) -> str:
    """Return what a round is called."""
    of = f" of {record.setup.rounds}" if played.kind in COUNTED else ""
    return {"final": "The final", "playoff": "The play-off", "league": "The league"}.get(
        played.kind, f"Round {played.number}{of}"
    )


def in_round(record: Tournament, number: int) -> str:
    """Return what a round is called within a sentence."""
    title = round_title(record, record.rounds[number - 1])
    return title[0].lower() + title[1:]


def next_title(seen: Overview) -> str:
    """Return what comes after the round that is over."""
    return {"final": "The final", "playoff": "A play-off"}.get(seen.next_kind, f"Round {seen.round + 1}")


def person(user_id: int) -> str:
    """Return who acted, for the beginning of a line; nothing where nobody did, or they were forgotten."""
    return f"<@{user_id}> " if user_id > 0 else ""


def rule_lines(setup: Setup, titles: Mapping[str, str]) -> list[str]:
    """Return all rules of a tournament, a line each."""
    ties = ", ".join(TIE_NAMES[tie] for tie in setup.ties)
    late = "any time" if setup.format == "league" else "no"
    if setup.late_until > 1:
        late = f"until round {setup.late_until} starts; missed rounds count as absences"
    equal = "a drawn lot" if setup.equal == "lot" else "a shared place"
    cut = "a play-off" if setup.cut == "playoff" else "a drawn lot"
    return [
        f"**Game:** {game_titles(setup, titles)}",
        f"**How:** {how(setup)}",
        f"**Points:** {scheme(setup)}",
        f"**When equal:** {ties}, then {equal}. Who goes on is settled by {cut}",
        f"**Check-in:** {CHECK_IN[setup.check_in]}"
        + (f", {minutes(setup.check_in_ms)}" if setup.check_in != "none" else ""),
        f"**No-show:** after {minutes(setup.no_show_ms)} {NO_SHOW[setup.no_show]}"
        if setup.no_show_ms
        else "**No-show:** tables wait for everybody",
        f"**Round:** {minutes(setup.round_ms)}" + (f", then {OVERDUE[setup.overdue]}" if setup.round_ms else ""),
        f"**Turn clock:** {span(setup.clock_ms)}",
        f"**Late entry:** {late}",
        f"**Computers:** {'may fill short tables, and score nothing' if setup.computers else 'none'}",
    ]


def people_lines(setup: Setup) -> list[str]:
    """Return who may come until when, and how long things may take, in two short lines."""
    rounds = setup.format != "league"
    check_in = "no check-in" if setup.check_in == "none" else f"check-in {CHECK_IN[setup.check_in]}"
    late = f", late entry until round {setup.late_until}" if setup.late_until > 1 and rounds else ""
    waits = f"no-show after {minutes(setup.no_show_ms)}" if setup.no_show_ms else "tables wait"
    ends = f", a round {minutes(setup.round_ms)}" if setup.round_ms and rounds else ""
    return [
        f"**People:** up to {setup.most}, {check_in}{late}",
        f"**Time:** turn clock {span(setup.clock_ms)}, {waits}{ends}",
    ]


# --- the plan ------------------------------------------------------------------------------------

HINTS: Mapping[str, str] = {
    "threes": "💡 With so few people tables of three are better: fewer meet twice. `/tournament settings` sets them.",
    "byes": "💡 These sizes cannot seat everybody: somebody has a bye in a round, never the same person first.",
    "rematches": "💡 With these tables and rounds some people must meet again.",
    "smaller_final": "💡 There are fewer people than seats in the final.",
}
BLOCKS: Mapping[str, str] = {
    "too_few": "Too few people for one table.",
    "check_in_first": "The check-in comes first.",
    "tables_open": "Tables are still playing.",
}


def blocked(record: Tournament, block: str) -> str:
    """Return why it cannot begin; while people still confirm, too few of them are nothing amiss."""
    if block == "too_few" and record.check == "open":
        return "So far too few have checked in for a table."
    return BLOCKS[block]


def left_out(record: Tournament) -> str:
    """Return how the check-in before the start stands and whom it leaves out."""
    missing = [who.number for who in record.active if not who.checked]
    state = {"open": f"The check-in is open{moment('it closes', record.check_due_ms)}", "over": "The check-in is over"}
    if not record.check:
        return ""
    if not missing:
        return f"{state[record.check]}: nobody is missing."
    few = "has not confirmed and is" if len(missing) == 1 else "have not confirmed and are"
    return (
        f"{state[record.check]}: {len(missing)} of {len(record.active)} {few} left out: {few_names(record, missing)}."
    )


def planned(made: PlannedRound, first: int, last: int) -> str:
    """Return equal planned rounds, from *first* to *last*, in a line."""
    sizes = [f"{count(made.tables.count(size), 'table')} of {size}" for size in sorted(set(made.tables), reverse=True)]
    byes = f", {count(made.byes, 'bye')}" if made.byes else ""
    number = f"Rounds {first} {'and' if first + 1 == last else 'to'} {last}" if first < last else f"Round {first}"
    what = "The final" if made.kind == "final" else number
    return f"{what}: {' and '.join(sizes) or 'no table'}{byes}"


def plan_lines(plan: Plan) -> list[str]:
    """Return the plan of a tournament; equal rounds in one line."""
    lines: list[str] = []
    last = 0
    for made, equal in groupby(plan.rounds):
        first, last = last + 1, last + len(list(equal))
        lines.append(planned(made, first, last))
    if plan.fixed:
        lines.append("A fixed plan of seats keeps everybody apart.")
    elif plan.rematches:
        counted = sum(made.kind != "final" for made in plan.rounds)
        more = " (a third meeting of a pair counts as two more)" if counted > TWICE else ""
        lines.append(f"{count(plan.rematches, 'rematch')} cannot be avoided{more}.")
    elif plan.rounds:
        lines.append("Nobody has to meet twice.")
    hints = [hint for hint in plan.hints if hint != "rematches" or "threes" not in plan.hints]  # one advice is enough
    return [*lines, *(HINTS[hint] for hint in hints)]


# --- standings -----------------------------------------------------------------------------------

PLACE, MOVE, DANCER, POINTS = 3, 3, 12, 4


def standings_head(*, moves: bool) -> str:
    """Return the heading of the columns; *moves* tells whether there are places to compare with."""
    return _columns("#", "±" if moves else None, f"{'Dancer':<{DANCER}}", "Pts", "W")


def standings_line(record: Tournament, row: Row, before: int | None, *, moves: bool) -> str:
    """Return one line of standings, 27 columns at most; *before* is the place after the last round, if any."""
    moved = 0 if before is None else before - row.place
    move = "=" if not moved else f"{'↑' if moved > 0 else '↓'}{min(abs(moved), MOST_MOVED)}"
    wins = min(MOST_WINS, row.places[0]) if row.places else 0
    cell = (move if before is not None else "") if moves else None
    return _columns(
        str(row.place), cell, column(record.entrant(row.entrant).name, DANCER), _cell(row.points), str(wins)
    )


def _columns(place: str, move: str | None, who: str, got: str, wins: str) -> str:
    moved = [] if move is None else [f"{move:>{MOVE}}"]
    return " ".join([f"{place:>{PLACE}}", *moved, who, f"{got:>{POINTS}}", wins])


MOST_WINS = 9
MOST_MOVED = 99


def column(name: str, width: int) -> str:
    """
    Return a name that fills a column of a code block: nothing in it ends the block or turns its line around.

    Letters that are wider than one column, as in Chinese, count as two.
    """
    letters: list[str] = []
    room = width
    text = plain(name.replace("`", "'"), width)
    for letter in text:
        if unicodedata.combining(letter) or letter == "\u200d":
            continue
        wide = 1 + (unicodedata.east_asian_width(letter) in ("W", "F"))
        if wide > room:
            break
        letters.append(letter)
        room -= wide
    filled = "".join(letters)
    isolated = f"\u2068{filled}\u2069" if shown(filled).startswith("\u2068") else filled
    return f"{isolated}{' ' * room}"


def _cell(value: int) -> str:
    """Return points in four characters: with as many decimals as there is room for."""
    exactly = value / UNIT
    return next((told for told in (f"{exactly:.2f}", f"{exactly:.1f}") if len(told) <= POINTS), f"{exactly:.0f}")


PARTED: Mapping[str, str] = {
    "last": "below all others",
    "stage": "how far they came, then the final",
    "points": "points",
    "lot": "a drawn lot",
    **TIE_NAMES,
}


def values(record: Tournament, ranked: Sequence[Row], at: int) -> list[str]:
    """Return every value that placed the entrant at an index of the standings; the export has them exactly."""
    row = ranked[at]
    missed = [count(number, what) for number, what in ((row.byes, "bye"), (row.absences, "absence")) if number]
    tables = f"{points(row.table_points)} at {count(row.played, 'table')}"
    total = f"{points(row.points)} {'point' if row.points == UNIT else 'points'}"
    got = f"{total}: {', '.join([tables, *missed])}" if missed else f"{total} at {count(row.played, 'table')}"
    head = "" if row.head_to_head is None else f" · head-to-head {row.head_to_head}"
    best = "-".join(map(str, row.places)) or "none"
    line = [
        f"**{row.place}. {name(record, row.entrant)}**: {got}",
        f"-# Wins {_decimal(row.wins)}{head} · score index {_decimal(row.score_index)}",
        f"-# Opponents {_decimal(row.opponents, UNIT)} · places {best}",
    ]
    if at:
        line.append(f"-# Placed here by: {PARTED[row.parted]}." if row.parted else "-# Shares the place above.")
    return line


def _decimal(value: tuple[int, int], unit: int = 1) -> str:
    """Return a fraction of *unit* with at most three decimals."""
    top, bottom = value
    return f"{top / bottom / unit:.3f}".rstrip("0").rstrip(".")


# --- tables ----------------------------------------------------------------------------------------

NEXT = "\u00a0· "
"""Stands between two in a row: a line breaks after it, not before."""


def outcome(
    record: Tournament,
    lines: Iterable[tuple[int, int, int]],
    byes: Iterable[int] = (),
    absent: Iterable[int] = (),
    width: int = NAME_LENGTH,
) -> str:
    """Return the result of a table from places, entrants and scores: by place, then who did not play."""
    told = [f"{place}\\.\u00a0{name(record, one, width)}\u00a0({score})" for place, one, score in sorted(lines)]
    told += [f"{name(record, one, width)} bye" for one in byes]
    told += [f"{name(record, one, width)} absent" for one in absent]
    return NEXT.join(told)


def came_of(record: Tournament, pod: Pod, width: int = NAME_LENGTH) -> str:
    """Return the result of a table of a round."""
    lines = zip(pod.places, pod.players, pod.scores, strict=True) if pod.places else ()
    return outcome(record, lines, pod.byes, pod.absent, width)


ENDED_BY: Mapping[str, str] = {
    "abandoned": "everybody had left it",
    "host": "an organiser ended it",
    "admin": "an admin ended it",
    "majority": "most of its players ended it",
    "cancelled": "it was closed before it began",
    "idle": "it was closed before it began",
    "forgotten": "nobody had touched it for a long time",
}
"""Why a game has no result, by the reason of its table's end."""


def stuck_why(why: str, who: str) -> str:
    """Return why a table needs a decision; *who* are those it waited for."""
    if why == "no_show":
        return f"{who} did not come" if who else "too few are left to play"
    return f"no result, {ENDED_BY.get(why.removeprefix('ended:'), 'the game ended early')}"


def entrants_line(listed: Sequence[Entrant], most: int) -> str:
    """Return who is in, the first ones by name."""
    return and_more([shown(who.name) for who in listed], most) or "Nobody yet: be the first."


def moment(what: str, due_ms: int | None) -> str:
    """Return what happens when, as the end of a sentence; nothing without a moment. It reads *in 5 minutes*."""
    return f", {what} {ago(due_ms)}" if due_ms else ""
