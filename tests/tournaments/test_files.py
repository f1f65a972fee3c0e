"""Lists that come in, files that go out."""

from __future__ import annotations

import csv
import io
import json

import pytest

from rules.tournaments import inputs as i
from rules.tournaments.export import as_json, exact, standings_csv, tables_csv
from rules.tournaments.signups import read_people
from tests.tournaments.hall import Hall, setup

ANA, BEA = 123456789012345678, 223456789012345678


@pytest.mark.parametrize(
    ("text", "people", "unread"),
    [
        (f"<@{ANA}> <@!{BEA}>", ((ANA, ""), (BEA, "")), ()),
        (f"name,id\nAna,{ANA}\nBea,{BEA}\n", ((ANA, "Ana"), (BEA, "Bea")), ()),
        (f'\ufeff{ANA};"Ana; B"\r\n\r\nnobody;x', ((ANA, "Ana; B"),), (3,)),
        (f"{ANA}\tAna\n{ANA}\tAgain", ((ANA, "Ana"),), ()),
        (f"<@&{ANA}> <#{BEA}>\n1234", (), (2,)),
        ("", (), ()),
    ],
)
def test_lists_of_people_are_read(text: str, people: tuple[tuple[int, str], ...], unread: tuple[int, ...]) -> None:
    """Mentions, ids, CSV with any separator; roles and channels are no people; what is not read is said."""
    listed = read_people(text)

    assert (listed.people, listed.unread) == (people, unread)


@pytest.mark.parametrize(
    ("points", "text"), [(0, "0"), (600, "5"), (300, "2.5"), (40, "1/3"), (135, "1.125"), (1, "1/120")]
)
def test_points_are_written_exactly(points: int, text: str) -> None:
    """As a decimal number where that is exact."""
    assert exact(points) == text


def event() -> Hall:
    """Return an event that was played, with a name that a spreadsheet would take for a formula."""
    hall = Hall(setup(rounds=2), 6)
    hall.enter(8)
    hall.do(i.Join(user_id=2**60 + 1, name="=HYPERLINK(1)"))
    hall.start()
    hall.boss(i.Remember, entrant=1, level="note", text="a secret of the staff")
    hall.whole()
    return hall


def test_standings_and_tables_as_csv() -> None:
    """A line for each entrant and each seat, no formulas."""
    hall = event()
    rows = list(csv.DictReader(io.StringIO(standings_csv(hall.record))))
    seats = list(csv.DictReader(io.StringIO(tables_csv(hall.record))))

    assert [row["place"] for row in rows] == [str(row.place) for row in hall.round.rows]
    assert "'=HYPERLINK(1)" in {row["name"] for row in rows}
    assert len(seats) == 18
    assert {row["counts_as"] for row in seats} == {"played"}
    assert rows[0]["points"] == exact(hall.round.rows[0].points)


def test_all_that_is_public_as_json() -> None:
    """Ids as text, the chance of the event once it is finished, nothing of the staff's."""
    hall = event()
    body = as_json(hall.record, hall.events)
    value = json.loads(body)

    assert b"secret of the staff" not in body
    assert value["entrants"][8]["user_id"] == str(2**60 + 1)
    assert value["salt"] == hall.record.salt
    assert [line["what"] for line in value["log"]][:2] == ["created", "joined"]
    assert value["standings"][0]["place"] == 1
    assert value["rounds"][0]["rows"][0]["entrant"] == hall.record.rounds[0].rows[0].entrant
    assert not json.loads(as_json(called_off().record))["salt"]


def called_off() -> Hall:
    """Return an event that may be opened again: its lots are still to come."""
    hall = Hall(setup())
    hall.enter(8)
    hall.boss(i.Cancel)
    return hall
