"""Standings: a page of them, what placed whom, and where one stands."""

from __future__ import annotations

from collections.abc import Sequence

from discord import ui

from cogs.tournaments import words
from cogs.tournaments.parts import ACCENT, knob, staff, turning, within
from cogs.ui.layout import Element, Style, page, rows, text
from cogs.ui.names import shown
from rules.tournaments.ledger import standings
from rules.tournaments.model import Round, Tournament
from rules.tournaments.standings import Row

ROWS_A_PAGE = 25
MARKS_SHOWN = 10
RESULTS_BUDGET = 1_200
"""Letters for the results of a round below its standings."""


def standings_block(
    record: Tournament, ranked: Sequence[Row], first: int, upto: Round | None = None
) -> ui.TextDisplay[ui.LayoutView]:
    """Return 25 lines of standings, 27 columns each, from index *first*; *upto* is their round, the latest if none."""
    earlier = _earlier(record, upto)
    before = {row.entrant: row.place for row in earlier[-1].rows} if earlier else {}
    moves = bool(earlier)
    told = [
        words.standings_line(record, row, before.get(row.entrant), moves=moves)
        for row in ranked[first : first + ROWS_A_PAGE]
    ]
    return text("```", words.standings_head(moves=moves), *told, "```")


def standings_page(record: Tournament, first: int = 0, note: str = "", upto: Round | None = None) -> ui.LayoutView:
    """
    Return one page of the standings with the way to the others.

    Args:
        record: the tournament.
        first: index of the first line.
        note: stands above them.
        upto: the closed round whose standings they are, those of now if none.
    """
    ranked = upto.rows if upto and upto.rows else standings(record)
    first = max(0, min(first, (len(ranked) - 1) // ROWS_A_PAGE * ROWS_A_PAGE)) if ranked else 0
    marks = [words.name(record, row.entrant) for row in ranked if row.mark]
    waits = upto is not None and upto.phase == "provisional" and record.phase == "running"
    turn = [
        knob(record, "Back", "page_back", str(max(0, first - ROWS_A_PAGE)), off=first == 0),
        knob(record, "On", "page_on", str(first + ROWS_A_PAGE), off=first + ROWS_A_PAGE >= len(ranked)),
    ]
    return page(
        ACCENT,
        text(
            f"## 🏆 Standings: {_after(record, upto)}",
            f"-# {shown(record.setup.title, 60)} · {_state(record, upto)}",
            note,
        ),
        standings_block(record, ranked, first, upto) if ranked else text("Nobody is in yet."),
        text(
            f"-# Pts: points. W: firsts.{_moved(record, upto)}",
            "-# The final places its people; before it points did." if _decided(record, upto) else "",
            f"-# {words.and_more(marks, MARKS_SHOWN)}" if marks else "",
            *_corrected(record, upto),
        ),
        *_tables(record, upto),
        text(f"⏳ {staff(record)} look at them, then confirm." if waits else ""),
        *_pages(record, ranked, first),
        *rows(
            [
                *(turn if len(ranked) > ROWS_A_PAGE else []),
                knob(record, "Find me", "find", style=Style.primary),
                knob(record, "Tie-breaks", "ties", str(first)),
                *([knob(record, "Next step" if upto is None else "What to do…", "status")] * (upto is None or waits)),
            ]
        ),
    )


def _earlier(record: Tournament, upto: Round | None) -> Sequence[Round]:
    """Return the confirmed rounds before the one whose standings are shown."""
    last = upto or record.round
    return [played for played in record.rounds if played.phase == "closed" and last and played.number < last.number]


def _moved(record: Tournament, upto: Round | None) -> str:
    return " ↑ ↓: places since the last round." if _earlier(record, upto) else ""


def _after(record: Tournament, upto: Round | None) -> str:
    played = upto or record.round
    if played is None:
        return "before round 1"
    return words.in_round(record, played.number).removeprefix("the ")


def _state(record: Tournament, upto: Round | None) -> str:
    played = upto or record.round
    if played is None or record.phase == "signup":
        return "nothing is played yet"
    if played.phase == "playing":
        return f"{words.count(sum(pod.stage != 'done' for pod in played.pods), 'table')} not done"
    return "confirmed" if played.phase == "closed" or record.phase == "finished" else "provisional"


def _decided(record: Tournament, upto: Round | None) -> bool:
    """Tell whether a final that is over stands above the points."""
    played = upto or record.round
    if played is None or played.kind != "final" or record.setup.format == "knockout":
        return False  # in a knockout points place nobody
    return played.phase != "playing"


def _tables(record: Tournament, upto: Round | None) -> list[Element]:
    """Return the results of the round whose standings are public: its own message gives way to the next round's."""
    done = [f"-# Table {pod.number}: {words.came_of(record, pod)}" for pod in upto.pods] if upto else []
    return [text(*within(done, RESULTS_BUDGET))] if done else []


def _corrected(record: Tournament, upto: Round | None) -> list[str]:
    rounds = (upto,) if upto else record.rounds
    fixed = {(each.at_ms, each.round, each.pod): each for played in rounds for each in played.corrections}
    return [
        f"-# Corrected: round {each.round}, table {each.pod}: {shown(each.reason, 120)}"
        for each in list(fixed.values())[-3:]
    ]


def _pages(record: Tournament, ranked: Sequence[Row], first: int) -> list[Element]:
    last = len(ranked)
    starts = [(at, f"Places {at + 1} to {min(at + ROWS_A_PAGE, last)}") for at in range(0, last, ROWS_A_PAGE)]
    return turning(record, "Places…", "standings", starts, first)


TIES_A_PAGE = 8


def ties_page(record: Tournament, first: int) -> ui.LayoutView:
    """Return every value that placed a few entrants."""
    ranked = standings(record)
    first = max(0, min(first, len(ranked) - 1)) // TIES_A_PAGE * TIES_A_PAGE
    told = [each for at in range(len(ranked))[first : first + TIES_A_PAGE] for each in words.values(record, ranked, at)]
    turn = [
        knob(record, "Back", "ties_back", str(max(0, first - TIES_A_PAGE)), off=first == 0),
        knob(record, "On", "ties_on", str(first + TIES_A_PAGE), off=first + TIES_A_PAGE >= len(ranked)),
        knob(record, "Standings", "standings", str(first // ROWS_A_PAGE * ROWS_A_PAGE)),
    ]
    order = ", ".join(words.TIE_NAMES[tie] for tie in record.setup.ties)
    return page(
        ACCENT,
        text("## 🏆 What placed whom", f"-# After points: {order}. Places: firsts, seconds, and so on."),
        text(*told or ["Nobody is in yet."]),
        *rows(turn),
    )


def found(record: Tournament, entrant: int) -> ui.LayoutView:
    """Return the page of the standings with this entrant, and what placed them."""
    ranked = standings(record)
    at = next((index for index, row in enumerate(ranked) if row.entrant == entrant), None)
    if at is None:
        return standings_page(record)
    return standings_page(record, at // ROWS_A_PAGE * ROWS_A_PAGE, "\n".join(words.values(record, ranked, at)))
