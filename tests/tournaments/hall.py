"""A tournament with a clock that is known and tables that are played by dice."""

from __future__ import annotations

import random
from typing import Any

import msgspec

from rules.core.contract import Refusal
from rules.core.table import Person
from rules.tournaments import inputs as i
from rules.tournaments.clock import deadlines
from rules.tournaments.event import advance, context, replay
from rules.tournaments.model import GameChoice, Pod, Round, Setup, Tournament
from rules.tournaments.orders import EndTable, Hurry, OpenTable, Pair, Place, PutOut, Reseat, orders
from rules.tournaments.pairing import propose
from rules.tournaments.sizes import Sizes
from rules.tournaments.status import overview
from rules.tournaments.steps import Advance, Call, Happened

NOW_MS = 1_700_000_000_000
BOSS = 999
SEED = bytes(range(16))
GAME = GameChoice("clap", 2, 6)

_decoder = msgspec.json.Decoder(i.Happening)
_records = msgspec.json.Decoder(Tournament)


def setup(**given: Any) -> Setup:
    """Return rules of a tournament, three rounds of threes and fours unless said otherwise."""
    usual = {"title": "Friday", "format": "swiss", "games": (GAME,), "sizes": Sizes(3, 4, 5), "check_in": "none"}
    return Setup(**{**usual, **given})


class Hall:
    """
    One tournament.

    Attributes:
        record: as it is now.
        log: inputs so far with their time.
        events: all lines of the log.
        calls: all messages that went out.
        tables: games that were opened, by id: the order and whether it is over.
    """

    def __init__(self, rules: Setup, seed: int = 0) -> None:
        self.seed = seed.to_bytes(16, "big")
        self.dice = random.Random(seed)
        self.now_ms = NOW_MS
        self.log: list[tuple[int, Any]] = []
        self.events: list[Happened] = []
        self.calls: list[Call] = []
        self.tables: dict[int, OpenTable] = {}
        self.over: set[int] = set()
        self.record: Tournament = None  # type: ignore[assignment] - made by the next line
        self.boss(i.Create, setup=rules, guild_id=1, channel_id=2, tournament_id=7)

    def do(self, happening: i.Happening) -> Advance:
        """Put an input in, as it comes out of the log."""
        happening = _decoder.decode(msgspec.json.encode(happening))
        before = msgspec.json.encode(self.record)
        try:
            made = advance(self.record, happening, context(self.seed, len(self.log) + 1, self.now_ms))
        except Refusal:
            assert before == msgspec.json.encode(self.record)
            raise
        self.record = _records.decode(msgspec.json.encode(made.record))
        assert self.record == made.record
        self.log.append((self.now_ms, happening))
        self.events += made.events
        self.calls += made.calls
        return made

    def boss(self, kind: type[i.Act], **given: Any) -> Advance:
        """Have the organiser do something, with a reason."""
        return self.do(kind(**{"user_id": BOSS, "staff": True, "reason": "because", **given}))  # type: ignore[arg-type]

    def enter(self, people: int, start: int = 1) -> None:
        """Sign people up; entrant n is user 1000 + n."""
        for number in range(start, start + people):
            self.do(i.Join(user_id=1000 + number, name=f"P{number}"))

    def start(self) -> None:
        """Begin with whoever is there, and pair."""
        self.boss(i.Start, players=sum(who.checked or not self.record.check for who in self.record.active))
        self.obey()

    def next(self) -> None:
        """Go on to the next round."""
        self.boss(i.Next, round=len(self.record.rounds))
        self.obey()

    @property
    def round(self) -> Round:
        """The latest round."""
        return self.record.rounds[-1]

    def pod(self, number: int = 1) -> Pod:
        """Return a table of the latest round."""
        return self.round.pods[number - 1]

    def code(self, happening: i.Happening) -> str:
        """Return the code of the refusal that an input meets, "" if it meets none."""
        try:
            self.do(happening)
        except Refusal as refusal:
            return refusal.code
        return ""

    # --- the outside -----------------------------------------------------------------------------

    def obey(self) -> None:
        """Carry out what is wanted, until nothing is."""
        for _ in range(40):
            wanted = [order for order in orders(self.record) if not self._carry_out(order)]
            if not wanted:
                return
        raise AssertionError(f"never content: {wanted}")

    def _carry_out(self, order: Any) -> bool:
        """Carry out an order; tell whether there was nothing to do."""
        match order:
            case Pair():
                self.do(i.Paired(proposal=propose(order.request)))
            case Place():
                self.do(i.Placed(round=order.round, pod=order.pod, attempt=order.attempt, channel_id=50 + order.pod))
            case OpenTable():
                ids = [table for table, known in self.tables.items() if known.origin == order.origin]
                table_id = ids[0] if ids else len(self.tables) + 1
                self.tables[table_id] = order
                self.do(i.Opened(round=order.round, pod=order.pod, attempt=order.attempt, table_id=table_id))
            case EndTable():
                known = self.tables.get(order.table_id)
                self.end(order.table_id, "tournament", awaited=(known.people[0].user_id,) if known else ())
            case Hurry():
                self.finish(order.table_id)
            case Reseat():
                named = {"round": order.round, "pod": order.pod, "attempt": order.attempt, "table_id": order.table_id}
                self.do(i.Reseated(**named, seat=order.seat, user_id=order.person.user_id))
            case PutOut():
                return True
        return False

    def _report(self, table_id: int) -> dict[str, int]:
        order = self.tables.get(table_id)
        if order is None:  # nobody knows it
            return {"round": 1, "pod": 1, "attempt": 1, "table_id": table_id}
        return {"round": order.round, "pod": order.pod, "attempt": order.attempt, "table_id": table_id}

    def end(self, table_id: int, why: str, awaited: tuple[int, ...] = ()) -> str:
        """End a game without a result."""
        self.over.add(table_id)
        return self.code(i.Ended(**self._report(table_id), why=why, awaited=awaited))

    def move(self, table_id: int) -> str:
        """Make the first move at a game."""
        return self.code(i.Moved(**self._report(table_id)))

    def outcome(self, table_id: int) -> i.Result:
        """Return a result of a game by dice, ties among them."""
        order = self.tables[table_id]
        scores = tuple(self.dice.randint(-2, 6) for _ in range(len(order.people) + order.computers))
        places = tuple(1 + sum(other > score for other in scores) for score in scores)
        return i.Result(**self._report(table_id), places=places, scores=scores, reason="finished")

    def finish(self, table_id: int) -> str:
        """Play a game to its end."""
        self.over.add(table_id)
        return self.code(self.outcome(table_id))

    # --- whole rounds ----------------------------------------------------------------------------

    def gather(self) -> None:
        """Have everybody choose their seats and come to their tables."""
        for pod in self.round.pods:
            while self.pod(pod.number).stage == "picking":
                now = self.pod(pod.number)
                free = [seat for seat in range(len(now.players)) if seat not in now.picks]
                turn = now.players[len(now.picks)]
                self.do(i.PickSeat(user_id=self.user(turn), seat=self.dice.choice(free)))
            for one in self.pod(pod.number).players:
                if self.pod(pod.number).stage == "gathering" and one not in self.pod(pod.number).here:
                    self.do(i.Here(user_id=self.user(one)))
        self.obey()

    def play(self) -> None:
        """Play the round to its provisional end."""
        self.gather()
        for pod in self.round.pods:
            if pod.stage in ("open", "moved"):
                assert self.finish(pod.table_id) == ""
        self.obey()

    def whole(self) -> None:
        """Play on until there is nothing left but to finish, and finish."""
        while overview(self.record).step != "finish":
            if self.round.phase == "playing":
                self.play()
            else:
                self.next()
        self.boss(i.Finish)

    def user(self, entrant: int) -> int:
        """Return who holds an entrant's place."""
        return self.record.entrant(entrant).user_id

    def pass_time(self) -> None:
        """Go to the next deadline and let it pass."""
        name, due_ms = min(deadlines(self.record).items(), key=lambda item: (item[1], item[0]))
        self.now_ms = max(self.now_ms, due_ms)
        self.do(i.Expire(name=name))
        self.obey()

    def replayed(self) -> Tournament | None:
        """Return what the log leads to, decoded from what is kept."""
        inputs = [(at_ms, _decoder.decode(msgspec.json.encode(happening))) for at_ms, happening in self.log]
        return replay(self.seed, inputs)[0]


def person(number: int) -> Person:
    """Return somebody who is not entered."""
    return Person(5000 + number, f"New {number}")
