"""A table told again from its log, and the file with which anybody can check it."""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple, get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.core.codec import dump_input
from rules.core.computers import choose_at_random
from rules.core.contract import Ctx, Event, Refusal
from rules.core.discovery import find_games
from rules.core.life import advance
from rules.core.ports import LogRow
from rules.core.replay import export, history, replay, verify
from rules.core.rng import Rng, fingerprint
from rules.core.table import (
    HOUR_MS,
    MINUTE_MS,
    Act,
    AddComputer,
    Back,
    Configure,
    End,
    Expire,
    Happening,
    Hold,
    Idle,
    Join,
    Kick,
    Leave,
    Move,
    Open,
    Person,
    Play,
    Record,
    RemoveComputer,
    Resume,
    Start,
    Substitute,
    Warn,
)

GAMES = find_games()
DISCORD_ID = 10**17
"""Ids of people, servers and channels are at least this large, like Discord's."""
ENDINGS = ("played", "vote", "host", "admin", "abandoned", "idle", "lobby")
SOME_MOVES = 12
MOVED = 0.8
"""How often the game goes on, rather than somebody coming, going or ringing."""

OPEN_GAMES = ("breakdancing_meeples",)
"""Games in which everybody sees everything."""


class Played(NamedTuple):
    """A table that is over, its log and all events of each input."""

    record: Record
    rows: list[LogRow]
    seed: bytes
    events: list[tuple[int, tuple[Event, ...]]]

    @property
    def file(self) -> bytes:
        """Its replay file."""
        return export(GAMES[self.record.table.game], self.record.table, self.rows, self.seed)


class Hall:
    """Somebody who does anything at a table that one can do there, at random."""

    def __init__(self, game: str, number: int) -> None:
        self.game = GAMES[game]
        self.dice = random.Random(number)
        self.seed = number.to_bytes(16, "big")
        self.now_ms = 1_767_225_600_000
        self.record: Record | None = None
        self.rows: list[LogRow] = []
        self.events: list[tuple[int, tuple[Event, ...]]] = []
        self.newcomers = 0

    @property
    def table(self) -> Any:
        """The table as it is."""
        assert self.record is not None
        return self.record.table

    def newcomer(self) -> Person:
        """Return somebody new; two of them may bear one name."""
        self.newcomers += 1
        return Person(DISCORD_ID + 1000 * self.newcomers + 7, self.dice.choice(("Ana", "Bea", "<@1>", "Kapitän 💃")))

    def do(self, happening: Happening) -> bool:
        """Try an input; what is refused is not logged."""
        seq = len(self.rows) + 1
        now_ms = self.now_ms + self.dice.randrange(1, 40_000)
        try:
            done = advance(self.game, self.record, happening, Ctx(now_ms, Rng(self.seed, f"step {seq}")))
        except Refusal:
            return False
        self.now_ms, self.record = now_ms, done.record
        self.rows.append(LogRow(seq, now_ms, done.seat, dump_input(happening)))
        self.events.append((now_ms, done.events))
        return True

    def lobby(self) -> None:
        """Open a lobby, let people come and go, and start with at least two of them."""
        host = self.newcomer()
        key, most = self.game.spec.key, self.game.spec.max_seats
        promise = fingerprint(self.seed)
        self.do(
            Open(
                game=key,
                guild_id=DISCORD_ID + 1,
                channel_id=DISCORD_ID + 2,
                host=host,
                computers=self.dice.randrange(most - 1),
                table_id=12,
                rules_version=self.game.spec.rules_version,
                fingerprint=promise,
            )
        )
        for _ in range(self.dice.randrange(12)):
            self.do(self.lobby_wish())
        while len(self.table.people) < 2:
            self.do(Join(self.newcomer()))

    def lobby_wish(self) -> Happening:
        """Return something to wish for in a lobby."""
        host, anybody = self.table.host_id, self.dice.choice(self.table.people)
        option = self.dice.choice(self.game.spec.options or (None,))
        chosen = {option.key: self.dice.choice(option.choices).key} if option else {}
        wishes: tuple[Happening, ...] = (
            Join(self.newcomer()),
            Join(self.newcomer()),
            AddComputer(host),
            RemoveComputer(host),
            Configure(host, options=chosen, clock_ms=self.dice.choice((MINUTE_MS, HOUR_MS))),
            Kick(host, anybody),
            Leave(anybody) if len(self.table.people) > 1 else AddComputer(host),
            Move(host, DISCORD_ID + self.dice.randrange(2, 5)),
        )
        return self.dice.choice(wishes)

    def wish(self) -> Happening:
        """Return something to wish for beside a move, while a game runs; enough people stay for it to go on."""
        host, anybody = self.table.host_id, self.dice.choice(self.table.people)
        seat = self.dice.randrange(len(self.table.sittings))
        wishes: tuple[Happening, ...] = (
            Substitute(host, seat, self.newcomer()),
            Substitute(DISCORD_ID, seat, self.newcomer(), admin=True),
            Back(anybody),
            Move(host, DISCORD_ID + self.dice.randrange(2, 5)),
            Warn(seat),
            Resume(self.now_ms - self.dice.randrange(40_000), rested=self.dice.random() < 0.5),
            *([Leave(anybody), Kick(host, anybody)] if len(self.table.people) > 2 else []),
            *([End(anybody)] if not self.table.votes and anybody != host else []),
            *self.looks(),
        )
        return self.dice.choice(wishes)

    def looks(self) -> Iterator[Happening]:
        """Yield what computers may do that nobody waits for: they keep silent, or do it."""
        state = self.record.state if self.record else None
        for seat, due_ms in enumerate(self.table.due_ms):
            if due_ms is not None and seat not in self.table.to_act:
                yield Hold(seat)
                yield Play(seat, self.game.legal(state, seat)[0], "computer")

    def move(self) -> None:
        """Have whoever is to act move: the person, the computer, or the clock. Where it is too late, time passes."""
        state = self.record.state if self.record else None
        if not self.table.to_act:
            self.do(Expire(self.dice.choice(list(self.table.deadlines))))
            return
        seat = self.dice.choice(self.table.to_act)
        rng = Rng(self.seed, f"test {len(self.rows)}")
        hosted = self.game.spec.host_actions
        legal = [action for action in self.game.legal(state, seat) if not isinstance(action, hosted)]
        action = choose_at_random(self.game.view(state, seat), legal, rng)
        if self.table.moved_for(seat):
            moved = self.do(Play(seat, action, "computer"))
        elif self.dice.random() < 0.5:
            moved = self.do(Play(seat, action, "clock"))
        else:
            moved = self.do(Act(self.table.sittings[seat].user_id, action, self.table.versions[seat]))
        assert moved or self.do(Expire(min(self.table.deadlines)))

    def end(self, ending: str) -> None:
        """Bring the table to its end."""
        match ending:
            case "vote":
                for user_id in sorted(self.table.people, key=lambda user_id: user_id == self.table.host_id):
                    self.do(End(user_id))
            case "host" | "lobby":
                self.do(End(self.table.host_id))
            case "admin":
                self.do(End(DISCORD_ID, admin=True))
            case "abandoned":
                while self.table.phase != "over":
                    self.do(Leave(self.table.people[0]))
            case "idle":
                self.now_ms = self.table.idle_due_ms
                self.do(Idle())


@cache
def play(game: str, number: int, ending: str = "played") -> Played:
    """Return one table of *game* from its lobby to its end."""
    hall = Hall(game, number)
    hall.lobby()
    if ending != "lobby":
        assert hall.do(Start(hall.table.host_id))
    moves = 0
    while hall.table.phase == "playing" and (ending == "played" or moves < SOME_MOVES):
        if hall.dice.random() < MOVED:
            hall.move()
            moves += 1
        else:
            hall.do(hall.wish())
    if hall.table.phase != "over":
        hall.end(ending)
    assert hall.record is not None
    assert hall.record.table.phase == "over"
    return Played(hall.record, hall.rows, hall.seed, hall.events)


def tables() -> Iterator[Any]:
    """Yield what `play` takes for a few tables of each game and each way to end."""
    for game in GAMES:
        yield from (pytest.param(game, number, "played", id=f"{game} {number}") for number in range(8))
        yield from (pytest.param(game, 50, ending, id=f"{game} {ending}") for ending in ENDINGS)


every_table = pytest.mark.parametrize(("game", "number", "ending"), list(tables()))


def signed(whole: dict[str, Any]) -> bytes:
    """Return a replay file with the checksum that fits it, as a forger would."""
    rest = {name: value for name, value in whole.items() if name != "sha256"}
    plain = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return json.dumps({**rest, "sha256": hashlib.sha256(plain.encode()).hexdigest()}).encode()


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to each number, text and truth in a JSON value."""
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(part, (*path, key))
    elif value is not None:
        yield path


def at(value: Any, path: tuple[Any, ...]) -> Any:
    """Return the part of a JSON value to which *path* leads."""
    for key in path:
        value = value[key]
    return value


# --- telling it again ----------------------------------------------------------------------------


def test_the_tables_here_see_everything_that_can_happen() -> None:
    """Every kind of input and every end is among the tables that the other tests replay."""
    played = [play(*param.values) for param in tables()]
    kinds = {json.loads(row.input)["type"] for table in played for row in table.rows}
    known = {kind.__name__ for kind in get_args(Happening)}
    ends = {table.record.table.ended for table in played}

    assert set() == known - kinds
    assert {"finished", "majority", "host", "admin", "abandoned", "forgotten", "cancelled"} == ends


@every_table
def test_replay_leads_to_the_same_record(game: str, number: int, ending: str) -> None:
    """The log alone gives the whole table again, seed revealed where a deal was made."""
    played = play(game, number, ending)

    again = replay(GAMES[game], played.rows, played.seed)

    assert played.record.state == again.state
    assert played.record.recent == again.recent
    assert ("" if ending == "lobby" else played.seed.hex()) == again.table.seed
    assert played.record.table == msgspec.structs.replace(again.table, seed="")


def test_the_seed_of_a_running_table_is_not_revealed() -> None:
    """Replayed half-way a table keeps its secret."""
    played = play("lets_dance", 1)

    seeds = {
        replay(GAMES["lets_dance"], played.rows[:end], played.seed).table.seed for end in range(1, len(played.rows))
    }

    assert {""} == seeds


def test_an_empty_log_is_no_table() -> None:
    """There is nothing to tell of a table that was never opened."""
    with pytest.raises(Refusal, match="no_table"):
        replay(next(iter(GAMES.values())), [], bytes(16))


@every_table
def test_history_tells_what_everybody_saw_and_nothing_else(game: str, number: int, ending: str) -> None:
    """Every public event stands in it once, in order, at the time of its input; no private one does."""
    played = play(game, number, ending)

    told = history(GAMES[game], played.rows, played.seed)

    public = [(at_ms, event) for at_ms, events in played.events for event in events if event.audience is None]
    assert public == [(one.at_ms, event) for one in told for event in one.entry.events]
    private = any(event.audience for _, events in played.events for event in events)
    assert private == (ending != "lobby" and game not in OPEN_GAMES)


def test_history_names_people_as_they_sat_then() -> None:
    """A move of somebody who left later is told under their name, not that of whoever took the seat."""
    played = play("lets_dance", 50, "abandoned")

    told = history(GAMES["lets_dance"], played.rows, played.seed)

    people = [one.table.sittings[one.entry.seat] for one in told if one.entry.seat is not None]
    assert any(who.user_id is not None for who in people[:SOME_MOVES])
    assert len(played.record.table.people) == 1


def test_history_of_a_game_by_other_rules_is_refused() -> None:
    """Inputs that these rules do not allow are not told half-way."""
    played = play("lets_dance", 0)

    with pytest.raises(Refusal, match="other_rules"):
        history(GAMES["lets_dance"], played.rows, b"\xff" * 16)


# --- the file ------------------------------------------------------------------------------------


@every_table
def test_an_honest_file_is_fine(game: str, number: int, ending: str) -> None:
    """Whatever happened at a table, its file is found to be right."""
    played = play(game, number, ending)

    verdict = verify(GAMES, played.file)

    assert "fine" == verdict.code
    assert verdict.replay is not None
    assert len(played.rows) == len(verdict.replay.inputs)
    seats = [(who.name, who.user_id is None, who.left) for who in played.record.table.sittings]
    assert seats == [(seated.name, seated.computer, seated.left) for seated in verdict.replay.seats]


def test_a_file_may_be_laid_out_anew() -> None:
    """Spaces, line breaks and the order of names in an object mean nothing."""
    whole = json.loads(play("lets_dance", 1).file)

    assert "fine" == verify(GAMES, json.dumps(whole, indent=7, sort_keys=True).encode()).code


@every_table
def test_no_id_of_discord_leaves(game: str, number: int, ending: str) -> None:
    """People, servers and channels are numbers from 1, one each; names stay."""
    played = play(game, number, ending)
    before = [json.loads(row.input) for row in played.rows]
    after = [logged["input"] for logged in json.loads(played.file)["inputs"]]
    numbers: dict[str, dict[int, int]] = {"people": {}, "guild_id": {}, "channel_id": {}}

    for old, new in zip(before, after, strict=True):
        for path in leaves(old):
            kind = path[-1] if path[-1] in numbers else "people"
            if str(path[-1]).endswith("_id") and path[-1] != "table_id":
                given = numbers[kind]
                assert given.setdefault(at(old, path), len(given) + 1) == at(new, path)
            else:
                assert at(old, path) == at(new, path)
    assert not re.search(rb"\d{15}", re.sub(rb'"[^"]*"', b"", played.file))


def test_a_table_that_goes_on_gives_no_file() -> None:
    """As long as hands are secret the seed is: no file before the end."""
    played = play("lets_dance", 1)
    game = GAMES["lets_dance"]

    for end in range(1, len(played.rows)):
        table = replay(game, played.rows[:end], played.seed).table
        with pytest.raises(Refusal, match="not_over"):
            export(game, table, played.rows[:end], played.seed)


# --- tampering -----------------------------------------------------------------------------------

Whole = dict[str, Any]


def other_seed(whole: Whole) -> None:
    """Deal from another seed."""
    whole["seed"] = "ff" * 16


def other_promise(whole: Whole) -> None:
    """Have promised another seed."""
    whole["fingerprint"] = fingerprint(b"another")


def other_seed_and_promise(whole: Whole) -> None:
    """Deal from another seed, and have promised that one."""
    whole["seed"], whole["fingerprint"] = "ff" * 16, fingerprint(b"\xff" * 16)


def other_seed_everywhere(whole: Whole) -> None:
    """Deal from another seed, and have promised that one from the start."""
    other_seed_and_promise(whole)
    whole["inputs"][0]["input"]["fingerprint"] = whole["fingerprint"]


def other_promise_in_the_lobby(whole: Whole) -> None:
    """Have shown another fingerprint than the one in the file's head."""
    whole["inputs"][0]["input"]["fingerprint"] = fingerprint(b"another")


def other_number(whole: Whole) -> None:
    """Give the last input a number that is not its turn."""
    whole["inputs"][-1]["seq"] += 1


def unfinished(whole: Whole) -> None:
    """Be of a game that is not over."""
    del whole["inputs"][-1]
    whole["result"] = {"ended": "", "places": [], "scores": [], "reason": ""}


def other_scores(whole: Whole) -> None:
    """Give the first seat a point more."""
    whole["result"]["scores"][0] += 1


def other_winner(whole: Whole) -> None:
    """Have the last one win."""
    whole["result"]["places"].reverse()
    whole["result"]["places"][0] += 1


def other_end(whole: Whole) -> None:
    """Have an admin end it."""
    whole["result"]["ended"] = "admin"


def other_name(whole: Whole) -> None:
    """Have somebody else sit in the first seat."""
    whole["seats"][0]["name"] = "Kim"


def swapped(whole: Whole) -> None:
    """Swap two inputs, numbers and all."""
    whole["inputs"][4:6] = reversed(whole["inputs"][4:6])


def cut(whole: Whole) -> None:
    """Forget the last input."""
    del whole["inputs"][-1]


def nothing_done(whole: Whole) -> None:
    """Forget all inputs."""
    whole["inputs"].clear()


def twice(whole: Whole) -> None:
    """Have the end happen twice."""
    whole["inputs"].append({**whole["inputs"][-1], "seq": len(whole["inputs"]) + 1})


def from_the_middle(whole: Whole) -> None:
    """Leave the lobby out."""
    del whole["inputs"][0]


def other_rules(whole: Whole) -> None:
    """Come from a bot with newer rules."""
    whole["rules_version"] += 1


def other_format(whole: Whole) -> None:
    """Come from a newer bot."""
    whole["format"] += 1


def other_game(whole: Whole) -> None:
    """Be of a game nobody knows."""
    whole["game"] = "foxtrot"


def other_table(whole: Whole) -> None:
    """Be of another table."""
    whole["table"] += 1


@pytest.mark.parametrize(
    ("tamper", "code"),
    [
        (other_seed, "seed"),
        (other_promise, "seed"),
        (other_seed_and_promise, "input"),
        (other_seed_everywhere, "input"),
        (other_promise_in_the_lobby, "seed"),
        (other_number, "input"),
        (unfinished, "result"),
        (other_scores, "result"),
        (other_winner, "result"),
        (other_end, "result"),
        (other_name, "result"),
        (swapped, "input"),
        (cut, "result"),
        (nothing_done, "result"),
        (twice, "input"),
        (from_the_middle, "input"),
        (other_rules, "other_rules"),
        (other_format, "other_format"),
        (other_game, "unknown_game"),
        (other_table, "result"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_a_forgery_is_found(tamper: Callable[[Whole], None], code: str) -> None:
    """What does not follow from the promised seed is found out, though the checksum fits."""
    whole = json.loads(play("lets_dance", 2).file)
    tamper(whole)

    assert code == verify(GAMES, signed(whole)).code


def test_an_honest_file_signed_here_is_fine() -> None:
    """The checksum is what its description says, so the forgeries above fail for their own reasons."""
    assert "fine" == verify(GAMES, signed(json.loads(play("lets_dance", 2).file))).code


def test_the_refused_input_is_named() -> None:
    """A move that another seat would have to make is refused by its number."""
    whole = json.loads(play("lets_dance", 2).file)
    moves = [logged for logged in whole["inputs"] if logged["input"]["type"] == "Play"]
    moves[3]["input"]["seat"] = (moves[3]["input"]["seat"] + 1) % len(whole["seats"])

    verdict = verify(GAMES, signed(whole))

    assert ("input", moves[3]["seq"]) == (verdict.code, verdict.seq)


def test_another_game_of_the_same_inputs_is_found() -> None:
    """A file does not pass as one of another game, even where that game knows its moves."""
    whole = json.loads(play("lets_dance", 2).file)
    whole["game"] = "other"

    assert "result" == verify({"other": GAMES["lets_dance"]}, signed(whole)).code


@pytest.mark.parametrize("number", range(3))
def test_no_input_can_be_left_out(number: int) -> None:
    """Take any one input away and number the rest anew: the file is no longer fine."""
    file = play("lets_dance", number).file

    for place in range(len(json.loads(file)["inputs"])):
        whole = json.loads(file)
        del whole["inputs"][place]
        for seq, logged in enumerate(whole["inputs"], 1):
            logged["seq"] = seq
        whole["sha256"] = json.loads(file)["sha256"]
        assert "fine" != verify(GAMES, json.dumps(whole).encode()).code, place


FILES = [play("lets_dance", 3).file, play("lets_dance", 50, "vote").file]
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@given(file=st.sampled_from(FILES), data=st.data())
@settings(max_examples=150, deadline=None)
def test_any_one_change_is_found(file: bytes, data: st.DataObject) -> None:
    """Put anything in the place of any number or text: be it a time or a name, the file is no longer fine."""
    whole = json.loads(file)
    path = data.draw(st.sampled_from(list(leaves(whole))))
    holder, old = at(whole, path[:-1]), at(whole, path)
    near = st.just(old + 1) if type(old) is int else st.just(f"{old} ")
    new = data.draw(near | anything)
    holder[path[-1]] = new
    changed = json.dumps(whole).encode()

    assert (json.dumps(old) == json.dumps(new)) == (verify(GAMES, changed).code == "fine")


@given(file=st.sampled_from(FILES), data=st.data())
@settings(max_examples=150, deadline=None)
def test_a_forger_meets_no_traceback(file: bytes, data: st.DataObject) -> None:
    """Put anything in the place of any part, with a checksum that fits: there is always a verdict."""
    whole = json.loads(file)
    path = data.draw(st.sampled_from(list(leaves(whole))))
    depth = data.draw(st.integers(1, len(path)))
    at(whole, path[: depth - 1])[path[depth - 1]] = data.draw(anything)

    verify(GAMES, signed(whole))


@given(file=st.sampled_from(FILES), share=st.floats(0, 1, exclude_max=True))
@settings(max_examples=60, deadline=None)
def test_a_part_of_a_file_is_no_file(file: bytes, share: float) -> None:
    """A download that broke off is said to be one."""
    assert "not_a_replay" == verify(GAMES, file[: int(share * len(file))]).code


@given(body=st.binary() | anything.map(lambda value: json.dumps(value).encode()))
@settings(max_examples=200, deadline=None)
def test_other_bytes_are_no_file(body: bytes) -> None:
    """Any bytes at all get that verdict and no traceback."""
    assert "not_a_replay" == verify(GAMES, body).code


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"format": 1' + b"0" * 5000 + b', "game": "lets_dance", "rules_version": 1}',
        b'{"format": 1, "game": "lets_dance", "rules_version": 1, "x": "\\ud800"}',
        b'{"format": 1, "game": "lets_dance", "rules_version": 1}',
        b"\xef\xbb\xbf{}",
    ],
    ids=["deep list", "deep object", "large number", "half a letter", "head alone", "byte order mark"],
)
def test_hostile_bytes_are_no_file(body: bytes) -> None:
    """What breaks readers of JSON gets the same verdict."""
    assert "not_a_replay" == verify(GAMES, body).code
