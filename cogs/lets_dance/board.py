"""What everybody sees of Let's Dance: the board, the standing, the final score sheet."""

from __future__ import annotations

from collections.abc import Sequence

from discord import ui

from cogs.lets_dance import words
from cogs.ui.face import Face
from cogs.ui.ids import Press
from cogs.ui.layout import MAX_TEXT, MAX_TITLE_TEXT, Element, button, line, text
from cogs.ui.screens import again, board_buttons, deadline, fairness, just_now
from cogs.ui.words import ended, placed_name, seat_name
from rules.core.table import Table
from rules.core.tables import Scene
from rules.lets_dance import Floor, Public, Sheet

FLOORS_ROOM = 2_000
"""Characters for all floors of a board; the rest of the 4,000 is names, events and headings."""
FINAL_ROOMS = (1_100, 500, 0)
"""The same for the result: what fits first is taken, for names, ties and score sheets may leave less or more."""
COLUMNS_NARROW = 6
COLUMNS_WIDE = 4
THREE_DIGITS = 100


def board(face: Face, scene: Scene) -> list[Element]:
    """Return the board of a game under way, or its result."""
    public: Public = scene.view.public
    if scene.table.phase == "over":
        return result(face, scene.table, public)
    table = scene.table
    told = just_now(face, scene)
    return [
        text(f"## {face.title}", f"-# {_where(table, public)}"),
        text(*_turn(table, public), deadline(table)),
        line(),
        *(text(*_seat(table, public, seat)) for seat in range(public.players)),
        line(),
        *([told] if told else []),
        *board_buttons(face, table, button("Scores", Press(face.key, "scores", table.table_id))),
    ]


def _where(table: Table, public: Public) -> str:
    parts = [f"Table {table.table_id}"]
    if public.final:
        parts.append("**final round, nobody draws**")
    else:
        parts.append(f"round {public.round}")
        if public.party_over:
            parts.append("**one more round after this one**")
        parts.append(f"deck {public.deck}")
    return " · ".join([*parts, f"discards {len(public.discards)}"])


def _turn(table: Table, public: Public) -> list[str]:
    dancer = seat_name(table, public.turn)
    match public.awaits:
        case "conga":
            line_up = ", ".join(seat_name(table, seat) for seat in public.conga)
            return [
                f"### 👉 {dancer}: follow the Conga Line or sit out",
                f"🚂\u00a0{line_up}: worth {len(public.conga)} each so far",
            ]
        case "keep":
            return [f"### 👉 {dancer} chooses which grabbed card to keep"]
        case _:
            return [f"### 👉 {dancer} to dance"]


def _seat(table: Table, public: Public, seat: int) -> list[str]:
    floor = public.floors[seat]
    mark = "👉 " if seat == public.turn else ""
    return [
        f"{mark}**{seat + 1}\\. {seat_name(table, seat)}: {floor.sheet.worth}**",
        words.floor(floor.laid, len(public.conga), FLOORS_ROOM // public.players),
        f"-# {floor.hand} in hand · longest {floor.sheet.longest} · sat out {floor.sheet.breaks}",
    ]


def standing(face: Face, table: Table, public: Public) -> list[Element]:
    """Return the score sheet as it stands, before flourishes."""
    floors = list(enumerate(public.floors))
    return [
        text(f"## {face.title}: scores so far", f"-# Table {table.table_id} · before flourishes"),
        text(*(f"{seat + 1}\\. {seat_name(table, seat)}: **{floor.sheet.worth}**" for seat, floor in floors)),
        text(*score_tables("Seat", [(seat + 1, floor.sheet) for seat, floor in floors])),
        line(),
        text(
            *(f"**{seat + 1}\\.** {words.explained(floor.sheet)}" for seat, floor in floors),
            "-# Still to come: +5 for the longest sequence, +5 for ending on a Dance Fever, "
            "−5 for sitting out most often.",
        ),
    ]


def result(face: Face, table: Table, public: Public) -> list[Element]:
    """Return the end of a table: places and the sheet that explains them, or why there are none."""
    if not table.places:
        worths = [f"{seat_name(table, seat)}: {floor.sheet.worth}" for seat, floor in enumerate(public.floors)]
        return [
            text(f"## {face.title}", f"-# Table {table.table_id} · round {public.round} · ended early"),
            text(f"### 🛑 {ended(table)}", *worths, fairness(table), again(face, table)),
        ]
    parts: list[Element] = []
    most = MAX_TEXT - (MAX_TITLE_TEXT if table.title else 0)
    for room in FINAL_ROOMS:
        parts = _ranking(face, table, public, room // public.players)
        if sum(len(part.content) for part in parts if isinstance(part, ui.TextDisplay)) <= most:
            break
    return parts


def _ranking(face: Face, table: Table, public: Public, room: int) -> list[Element]:
    """Return places and the sheet that explains them; *room* is for one floor."""
    order = sorted(range(public.players), key=lambda seat: (table.places[seat], seat))
    sheets = [(table.places[seat], public.floors[seat].sheet) for seat in order]
    winners = [seat for seat in order if table.places[seat] == 1]
    return [
        text(
            "## 💃 Party's over!",
            f"-# Let's Dance · table {table.table_id} · {public.round} rounds · finished",
            _winners(table, winners),
            *(
                f"{table.places[seat]}\\. {placed_name(table, seat)}: **{table.scores[seat]}**"
                for seat in order
                if table.places[seat] != 1
            ),
        ),
        text(*score_tables("Place", sheets)),
        text(*_flourishes(table, public)),
        line(),
        *(text(*_explained(table, public.floors[seat], seat, room)) for seat in order),
        line(),
        text(fairness(table), again(face, table)),
    ]


def _winners(table: Table, winners: Sequence[int]) -> str:
    score = table.scores[winners[0]]
    if len(winners) == 1:
        return f"### 🏆 {placed_name(table, winners[0])} wins with {score}"
    shared = " and ".join(placed_name(table, seat) for seat in winners)
    return f"### 🏆 {shared} share the victory with {score}"


def _flourishes(table: Table, public: Public) -> list[str]:
    def having(points: str) -> str:
        return ", ".join(
            seat_name(table, seat) for seat, floor in enumerate(public.floors) if getattr(floor.sheet, points)
        )

    longest = max(floor.sheet.longest for floor in public.floors)
    most = max(floor.sheet.breaks for floor in public.floors)
    flourishes = {
        "**Dance Machine, +5:**": (having("machine"), f" ({longest} in a row)"),
        "**Big Finish, +5:**": (having("finish"), ""),
        "**Party Pooper, −5:**": (having("pooper"), f" (sat out {most} time{'s' if most > 1 else ''})"),
    }
    return [f"{title} {who}{why}" for title, (who, why) in flourishes.items() if who]


def _explained(table: Table, floor: Floor, seat: int, room: int) -> list[str]:
    return [
        f"**{table.places[seat]}\\. {seat_name(table, seat)}**",
        words.floor(floor.laid, 0, room),
        f"-# {words.explained(floor.sheet)}",
    ]


FAMILIES = ("basic", "floorwork", "ymca", "spin", "conga", "euphoria", "fever")
FLOURISHES = ("machine", "finish", "pooper")
ROW_NAMES = {"floorwork": "Floor", "ymca": "YMCA"}


def score_tables(heading: str, sheets: Sequence[tuple[int, Sheet]]) -> list[str]:
    """
    Return score sheets as code blocks of at most 27 columns, a column a player.

    Args:
        heading: what the numbers above the columns are.
        sheets: number and sheet of each player, in order.
    """
    wide = any(abs(sheet.total) >= THREE_DIGITS for _, sheet in sheets)
    most, width = (COLUMNS_WIDE, 4) if wide else (COLUMNS_NARROW, 3)
    blocks = []
    for start in range(0, len(sheets), most):
        part = sheets[start : start + most]
        lines = [_row(heading, [number for number, _ in part], width)]
        for field in (*FAMILIES, *FLOURISHES):
            values = [_points(sheet, field) for _, sheet in part]
            if any(_points(sheet, field) for _, sheet in sheets):
                lines.append(_row(ROW_NAMES.get(field, field.capitalize()), values, width))
        lines.append(_row("TOTAL", [sheet.total for _, sheet in part], width, keep_zero=True))
        blocks.append("```\n" + "\n".join(lines) + "\n```")
    return blocks


def _points(sheet: Sheet, field: str) -> int:
    value = getattr(sheet, field)
    return sum(value) if isinstance(value, tuple) else value


def _row(title: str, values: Sequence[int], width: int, *, keep_zero: bool = False) -> str:
    cells = "".join(f"{value if value or keep_zero else '·':>{width}}" for value in values)
    return f"{title:<8}{cells}"
