"""Whoever is forgotten is gone from a table, and the table can still be played again."""

from __future__ import annotations

import random

import msgspec
import pytest

from rules.core.codec import about, dump_input, dump_record, pseudonymise
from rules.core.computers import NAMES
from rules.core.contract import Ctx, Game, Refusal
from rules.core.discovery import find_games
from rules.core.life import advance
from rules.core.ports import LogRow
from rules.core.replay import replay, reveal
from rules.core.rng import Rng, fingerprint
from rules.core.table import (
    Act,
    AddComputer,
    Back,
    End,
    Expire,
    Happening,
    Join,
    Kick,
    Leave,
    Open,
    Person,
    Play,
    Record,
    Start,
    Substitute,
    Warn,
)

GAMES = find_games()
SEED = bytes(range(16))
ALIAS = -7
GUILD = 1_200_000_000_000_000_000
STRANGER = 1_300_000_000_000_000_999
NAMED = ('Ana "Bañana"', "Bea", NAMES[0], "host", "Kim 💃", "Lou\nLou", "Bea", "\\Nick")
PEOPLE = tuple(Person(1_300_000_000_000_000_000 + number, name) for number, name in enumerate(NAMED))


class Recorded:
    """A table with everything that is kept of it."""

    def __init__(self, game: Game, host: Person) -> None:
        self.game = game
        self.record: Record | None = None
        self.rows: list[LogRow] = []
        self.now_ms = 1_700_000_000_000
        key = game.spec.key
        self.add(Open(game=key, guild_id=GUILD, channel_id=GUILD + 1, host=host, fingerprint=fingerprint(SEED)))

    @property
    def bodies(self) -> list[bytes]:
        """The table's body and its inputs."""
        assert self.record is not None
        return [dump_record(self.game, self.record), *(row.input for row in self.rows)]

    def add(self, happening: Happening) -> bool:
        """Apply an input and tell whether the table took it."""
        self.now_ms += 40_000
        seq = len(self.rows) + 1
        try:
            done = advance(self.game, self.record, happening, Ctx(self.now_ms, Rng(SEED, f"step {seq}")))
        except Refusal:
            return False
        self.record = reveal(done.record, SEED)
        self.rows.append(LogRow(seq, self.now_ms, done.seat, dump_input(happening)))
        return True

    def stir(self, dice: random.Random) -> None:
        """Try one random input of somebody, most often a move."""
        assert self.record is not None
        table, state = self.record.table, self.record.state
        somebody, other = dice.sample(PEOPLE, 2)
        if not table.to_act:
            self.add(Expire(dice.choice(list(table.deadlines))))
            return
        seat = dice.choice(table.to_act)
        action = dice.choice(self.game.legal(state, seat))
        user_id = table.sittings[seat].user_id
        by = "clock" if table.due_ms[seat] else "computer"
        move = Play(seat, action, by) if user_id is None or dice.random() < 0.3 else Act(user_id, action)
        wishes: list[Happening] = [
            Leave(somebody.user_id),
            Kick(table.host_id, other.user_id),
            Substitute(table.host_id, dice.randrange(len(table.sittings)), somebody),
            Back(somebody.user_id),
            End(somebody.user_id) if somebody.user_id != table.host_id else Warn(seat),
        ]
        self.add(dice.choice(wishes) if dice.random() < 0.25 else move)


def random_table(game: Game, dice: random.Random) -> Recorded:
    """Play a table on which people come and go, to its end or not."""
    host, *others = dice.sample(PEOPLE, 4)
    made = Recorded(game, host)
    made.add(AddComputer(host.user_id))
    for person in others[: game.spec.max_seats - 2]:
        made.add(Join(person))
    if dice.random() < 0.3:
        made.add(Leave(host.user_id))
    assert made.record is not None
    made.add(Start(made.record.table.host_id))
    for _ in range(dice.randrange(10, 80)):
        if made.record.table.phase == "playing":
            made.stir(dice)
    return made


def rewritten(made: Recorded, person: Person) -> tuple[bytes, list[LogRow]]:
    """Return body and log after *person* was forgotten."""
    body, *inputs = pseudonymise(made.bodies, person.user_id, ALIAS)
    return body, [msgspec.structs.replace(row, input=new) for row, new in zip(made.rows, inputs, strict=True)]


@pytest.mark.parametrize("key", GAMES)
@pytest.mark.parametrize("seed", range(25))
def test_check_n2_the_rewritten_log_leads_to_the_rewritten_table(key: str, seed: int) -> None:
    """Whoever is forgotten, their id and name are gone and a replay gives the very bytes that are kept."""
    game = GAMES[key]
    made = random_table(game, random.Random(seed))

    for person in PEOPLE:
        body, rows = rewritten(made, person)

        assert body == dump_record(game, replay(game, rows, SEED))
        everything = b"\n".join([body, *(row.input for row in rows)])
        assert str(person.user_id).encode() not in everything
        name = msgspec.json.encode(person.name)
        named = [b'"%s":%s' % (field, name) for field in (b"name", b"left", b"leaver", b"before", b"after")]
        still_there = person.name in NAMES or NAMED.count(person.name) > 1  # a computer's, or a namesake's
        assert still_there or not any(field in everything for field in named)


@pytest.mark.parametrize("key", GAMES)
def test_the_random_tables_hold_what_is_hard(key: str) -> None:
    """The tables of the test above know leavers, substitutes, kicks, votes, and hosts who hand over."""
    game = GAMES[key]
    kinds: set[str] = set()
    handed_over = shared_left = 0
    for seed in range(25):
        made = random_table(game, random.Random(seed))
        kinds |= {msgspec.json.decode(row.input)["type"] for row in made.rows}
        assert made.record is not None
        opening = msgspec.json.decode(made.rows[0].input)
        handed_over += made.record.table.host_id != opening["host"]["user_id"]
        shared_left += any(who.left for who in made.record.table.sittings)

    assert {"Open", "Join", "Start", "Act", "Play", "Leave", "Kick", "Substitute", "End"} <= kinds
    assert handed_over > 0
    assert shared_left > 0


@pytest.mark.parametrize("key", GAMES)
def test_others_stay_as_they_are(key: str) -> None:
    """Only what is of the forgotten person changes; a table that never saw them is the same bytes."""
    game = GAMES[key]
    made = Recorded(game, PEOPLE[0])
    made.add(Join(PEOPLE[1]))
    made.add(Start(PEOPLE[0].user_id))

    body, opening, joining, starting = pseudonymise(made.bodies, PEOPLE[1].user_id, ALIAS)

    assert [made.bodies[1], made.bodies[3]] == [opening, starting]
    assert {"user_id": ALIAS, "name": "Somebody"} == msgspec.json.decode(joining)["person"]
    seats = {who["user_id"]: who["name"] for who in msgspec.json.decode(body)["table"]["sittings"]}
    assert {PEOPLE[0].user_id: PEOPLE[0].name, ALIAS: "Somebody"} == seats
    assert made.bodies == pseudonymise(made.bodies, STRANGER, ALIAS)


@pytest.mark.parametrize("key", GAMES)
def test_a_name_that_a_computer_could_have_stays(key: str) -> None:
    """Were it free again, a replay would seat a computer under it: the id goes, the borrowed name stays."""
    game = GAMES[key]
    borrower = PEOPLE[2]
    made = Recorded(game, borrower)
    made.add(AddComputer(borrower.user_id))

    body, rows = rewritten(made, borrower)

    assert [NAMES[0], NAMES[1]] == [who["name"] for who in msgspec.json.decode(body)["table"]["sittings"]]
    assert body == dump_record(game, replay(game, rows, SEED))


@pytest.mark.parametrize("key", GAMES)
def test_namesakes_of_a_leaver_give_way(key: str) -> None:
    """A leaver's name stands alone, so where two of one name left, both become Somebody and a replay agrees."""
    game = GAMES[key]
    twins = (Person(STRANGER, "Bea"), PEOPLE[1])
    made = Recorded(game, PEOPLE[0])
    for twin in twins:
        made.add(Join(twin))
    made.add(Start(PEOPLE[0].user_id))
    for twin in twins:
        made.add(Leave(twin.user_id))

    body, rows = rewritten(made, twins[1])

    before, after = (
        {who["left"] for who in msgspec.json.decode(value)["table"]["sittings"]} for value in (made.bodies[0], body)
    )
    assert {"", "Bea"} == before
    assert {"", "Somebody"} == after
    assert body == dump_record(game, replay(game, rows, SEED))


@pytest.mark.parametrize("key", GAMES)
def test_namesakes_keep_their_name_while_ids_tell_them_apart(key: str) -> None:
    """As long as nobody of the name has left, only the forgotten one loses it."""
    game = GAMES[key]
    made = Recorded(game, PEOPLE[0])
    for twin in (Person(STRANGER, "Bea"), PEOPLE[1]):
        made.add(Join(twin))

    body, rows = rewritten(made, PEOPLE[1])

    seats = {who["user_id"]: who["name"] for who in msgspec.json.decode(body)["table"]["sittings"]}
    assert {PEOPLE[0].user_id: PEOPLE[0].name, STRANGER: "Bea", ALIAS: "Somebody"} == seats
    assert body == dump_record(game, replay(game, rows, SEED))


@pytest.mark.parametrize("key", GAMES)
def test_one_learns_only_of_oneself(key: str) -> None:
    """What a table holds about a person has their role, name and inputs, and nobody else's id or name."""
    game = GAMES[key]
    host, guest, third = PEOPLE[0], PEOPLE[1], PEOPLE[4]
    made = Recorded(game, host)
    made.add(Join(guest))
    made.add(Join(third))
    made.add(Kick(host.user_id, third.user_id))
    made.add(Start(host.user_id))
    body = made.bodies[0]

    of_host = about(body, made.rows, host.user_id)
    of_third = about(body, made.rows, third.user_id)

    assert of_host is not None
    assert of_third is not None
    assert ("host", [host.name]) == (of_host["role"], of_host["names"])
    assert ["Open", "Kick", "Start"] == [entry["input"]["type"] for entry in of_host["inputs"]]
    assert ("left", [third.name]) == (of_third["role"], of_third["names"])
    assert {"type": "Kick", "target_id": "you", "admin": False} == of_third["inputs"][1]["input"]
    for found, own in ((of_host, host), (of_third, third)):
        text = msgspec.json.encode(found).decode()
        assert not any(
            str(other.user_id) in text or other.name in text for other in (host, guest, third) if other is not own
        )
    assert None is about(body, made.rows, STRANGER)
    assert None is about(body, made.rows, host.user_id // 10)
