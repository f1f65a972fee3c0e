"""What a tournament is: its rules, who is entered, and round by round who sits where with what result."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import msgspec

from rules.core.contract import GameSpec
from rules.core.table import MINUTE_MS, Person
from rules.tournaments.points import Scheme
from rules.tournaments.sizes import Sizes
from rules.tournaments.standings import TIES, Row, Tie

Format = Literal["swiss", "groups", "knockout", "league"]
Kind = Literal["swiss", "power", "groups", "knockout", "league", "playoff", "final"]
UNCOUNTED: tuple[Kind, ...] = ("playoff", "final")
"""Rounds that give no points: the first only parts who is tied, the second places by its own result."""
ALL_PLAY: tuple[Kind, ...] = ("swiss", "groups", "power")
"""Rounds in which everybody who is there is seated, not only who has got through."""

MOST_ENTRANTS = 256
MOST_ROUNDS = 30
MOST_TIMER_MS = 60 * 24 * 60 * MINUTE_MS


class GameChoice(msgspec.Struct, frozen=True):
    """A game to be played: its key, fewest and most seats, and its options, all settled."""

    key: str
    low: int
    high: int
    options: dict[str, str] = msgspec.field(default_factory=dict)


def game_choice(spec: GameSpec, options: dict[str, str] | None = None) -> GameChoice:
    """
    Choose a game for a tournament.

    Raises:
        Refusal: `unknown_option`.
    """
    return GameChoice(spec.key, spec.min_seats, spec.max_seats, spec.settle_options(options or {}))


class Setup(msgspec.Struct, frozen=True, kw_only=True):
    """
    The rules of one tournament, chosen at its creation.

    Attributes:
        title: as people call it.
        format: how it goes; see `rounds` to `group_size` for what each one needs.
        games: one for all rounds, or one a round (the last one goes on).
        sizes: of tables, inside what every game allows.
        rounds: of `swiss` and `groups`.
        final: seats of the final table, 0 for none (`swiss`, `groups`).
        advance: how many of each table (`knockout`) or group (`groups`) go on.
        group_size: people in a group (`groups`), 0 for all in one.
        scheme: how places become points.
        ties: tie-breaks, in order.
        equal: what happens to those equal in everything.
        cut: how a tie is parted that decides who goes on.
        power: whether the last round of `swiss` is seated by rank alone, rematches or not.
        check_in: before which rounds people confirm that they are there.
        check_in_ms: how long they may.
        no_show_ms: how long a table waits for its players, 0 for ever.
        no_show: what follows: `ask` an organiser, or go on `short` of whoever is missing.
        round_ms: how long a round may take, 0 for ever.
        overdue: what follows: `ask` an organiser, have `computers` finish, or count those awaited as `absent`.
        pick_ms: time to choose a seat in the final.
        clock_ms: turn clock at the tables, one of `CLOCKS_MS`.
        late_until: people may enter until this round starts; 1 for no late entry.
        computers: whether they may fill short tables; they never score.
        self_open: whether entrants open tables themselves (`league`).
        most: most entrants.
        staff_role: role that may run this tournament beside the admins.
        overruled: by field, what the organisers have where the format demands something else.
    """

    title: str
    format: Format
    games: tuple[GameChoice, ...]
    sizes: Sizes
    rounds: int = 3
    final: int = 0
    advance: int = 2
    group_size: int = 0
    scheme: Scheme = Scheme()
    ties: tuple[Tie, ...] = TIES
    equal: Literal["shared", "lot"] = "shared"
    cut: Literal["lot", "playoff"] = "lot"
    power: bool = False
    check_in: Literal["none", "first", "every"] = "none"
    check_in_ms: int = 10 * MINUTE_MS
    no_show_ms: int = 10 * MINUTE_MS
    no_show: Literal["ask", "short"] = "ask"
    round_ms: int = 0
    overdue: Literal["ask", "computers", "absent"] = "ask"
    pick_ms: int = 2 * MINUTE_MS
    clock_ms: int = 2 * MINUTE_MS
    late_until: int = 1
    computers: bool = False
    self_open: bool = True
    most: int = MOST_ENTRANTS
    staff_role: int | None = None
    overruled: dict[str, Any] = msgspec.field(default_factory=dict)

    def game(self, number: int) -> GameChoice:
        """Return the game of round *number*, from 1."""
        return self.games[min(number, len(self.games)) - 1]

    @property
    def least_seats(self) -> int:
        """Fewest people that every game of this tournament can be played by."""
        return max(game.low for game in self.games)

    @property
    def most_seats(self) -> int:
        """Most people that every game of this tournament can be played by."""
        return min(game.high for game in self.games)


Status = Literal["in", "unchecked", "dropped", "disqualified"]


class Entrant(msgspec.Struct, frozen=True, kw_only=True):
    """
    A place in the tournament and who holds it now.

    Attributes:
        number: from 1 in order of entry; a name, nothing is ordered by it.
        user_id: who holds it.
        name: theirs.
        lot: drawn once.
        former: who held it before a substitute took over, the first one first.
        seed: rank given before a knockout, from 1; 0 for none.
        group: number of the group, from 1 (`groups`); 0 before the start.
        first: the first round they could play in; earlier ones count as absences.
        status: `unchecked` ones missed the first check-in and are not listed.
        checked: whether they confirmed in the last check-in.
    """

    number: int
    user_id: int
    name: str
    lot: int
    former: tuple[Person, ...] = ()
    seed: int = 0
    group: int = 0
    first: int = 1
    status: Status = "in"
    checked: bool = False


Stage = Literal["picking", "gathering", "stuck", "ready", "open", "moved", "done"]
"""Seats are chosen; players come; an organiser must decide; all are there; the game waits, goes on, is over."""


class Pod(msgspec.Struct, frozen=True, kw_only=True):
    """
    One table of a round.

    Attributes:
        number: from 1, the best table first.
        seats: entrants in order of their seats, the beginner first; while seats are chosen, by rank.
        group: of the format `groups`, else 0.
        attempt: raised whenever what was opened for it no longer counts.
        stage: how far it is.
        why: while stuck: `no_show`, `deadline`, or `ended:` and why the game ended without a result.
        here: entrants who said that they are there.
        absent: entrants who did not play, for nothing.
        byes: entrants who could not play, for the points of a bye.
        computers: seats filled up with computers, after all others.
        picks: seats chosen so far, in order of rank.
        channel_id: where it is played, 0 before that is known.
        table_id: the game's table, 0 before it is opened.
        users: ids of those who sit at that table, as it was opened.
        due_ms: when the next one must have come or chosen, UTC ms.
        places: of `players`, once done.
        scores: theirs.
        result: the game's end reason, `by_hand` or `awarded`.
    """

    number: int
    seats: tuple[int, ...]
    group: int = 0
    attempt: int = 1
    stage: Stage = "gathering"
    why: str = ""
    here: tuple[int, ...] = ()
    absent: tuple[int, ...] = ()
    byes: tuple[int, ...] = ()
    computers: int = 0
    picks: tuple[int, ...] = ()
    channel_id: int = 0
    table_id: int = 0
    users: tuple[int, ...] = ()
    due_ms: int | None = None
    places: tuple[int, ...] = ()
    scores: tuple[int, ...] = ()
    result: str = ""

    @property
    def players(self) -> tuple[int, ...]:
        """Entrants who play or played, in order of their seats."""
        return tuple(one for one in self.seats if one not in self.absent and one not in self.byes)

    @property
    def gathers(self) -> bool:
        """Whether it waits for its players, in time or beyond it."""
        return self.stage == "gathering" or (self.stage == "stuck" and self.why == "no_show")

    @property
    def movable(self) -> bool:
        """Whether no move was made, so that people may still change places."""
        return self.gathers or self.stage in ("picking", "ready", "open")

    @property
    def live(self) -> bool:
        """Whether a game was opened for it that still goes on."""
        return self.stage in ("open", "moved")


class Correction(msgspec.Struct, frozen=True):
    """Why closed standings are not those that were published."""

    at_ms: int
    user_id: int
    round: int
    pod: int
    reason: str


class Round(msgspec.Struct, frozen=True, kw_only=True):
    """
    One round.

    Attributes:
        number: from 1.
        kind: how it was seated and whether it counts.
        phase: being paired, played, over but not confirmed, or closed.
        attempt: raised when it is paired again.
        pods: its tables.
        byes: entrants without a table.
        absent: entrants who were not there when it was paired.
        due_ms: when it must be over, UTC ms.
        overdue: whether that has passed.
        rows: standings when it was closed.
        corrections: what changed them since.
    """

    number: int
    kind: Kind
    phase: Literal["pairing", "playing", "provisional", "closed"] = "pairing"
    attempt: int = 1
    pods: tuple[Pod, ...] = ()
    byes: tuple[int, ...] = ()
    absent: tuple[int, ...] = ()
    due_ms: int | None = None
    overdue: bool = False
    rows: tuple[Row, ...] = ()
    corrections: tuple[Correction, ...] = ()

    @property
    def begun(self) -> bool:
        """Whether a game of it has seen a move or a result, so that it cannot be paired again."""
        return any(not pod.movable for pod in self.pods)

    @property
    def counts(self) -> bool:
        """Whether it gives points."""
        return self.kind not in UNCOUNTED


class Note(msgspec.Struct, frozen=True):
    """Something the staff remembers about an entrant; nobody else sees it."""

    at_ms: int
    user_id: int
    entrant: int
    level: Literal["note", "caution", "warning"]
    text: str


class Tournament(msgspec.Struct, frozen=True, kw_only=True):
    """
    A tournament with everything in it.

    Attributes:
        salt: secret of its chance in hex, drawn by the first input.
        host_id: who created it.
        phase: people sign up, it runs, it is over.
        before: the phase that it was cancelled in.
        check: the check-in before the next round: not held, open, over.
        check_due_ms: when it closes, UTC ms.
        planes: by group, entrants in the order in which they stand in a fixed design; empty without one.
        attempt: that of the next round to be made; raised when one was taken back, so that its tables stay apart.
        closing: tables that were opened and are not wanted any more.
        notes: the staff's.
    """

    tournament_id: int
    guild_id: int
    channel_id: int
    host_id: int
    setup: Setup
    salt: str
    phase: Literal["signup", "running", "finished", "cancelled"] = "signup"
    before: Literal["signup", "running"] = "signup"
    seq: int = 0
    entrants: tuple[Entrant, ...] = ()
    rounds: tuple[Round, ...] = ()
    check: Literal["", "open", "over"] = ""
    check_due_ms: int | None = None
    planes: tuple[tuple[int, ...], ...] = ()
    attempt: int = 1
    closing: tuple[int, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def live(self) -> bool:
        """Whether it is neither finished nor cancelled."""
        return self.phase in ("signup", "running")

    def entrant(self, number: int) -> Entrant:
        """Return an entrant by number, which must be one."""
        return self.entrants[number - 1]

    def entrant_of(self, user_id: int) -> Entrant | None:
        """Return the entrant that this person holds, `None` when there is none."""
        return next((who for who in self.entrants if who.user_id == user_id), None)

    def names(self, numbers: Iterable[int]) -> tuple[str, ...]:
        """Return the names of entrants, as they are."""
        return tuple(self.entrant(number).name for number in numbers)

    @property
    def active(self) -> tuple[Entrant, ...]:
        """Entrants who play on."""
        return tuple(who for who in self.entrants if who.status == "in")

    @property
    def round(self) -> Round | None:
        """The latest round, `None` before the first."""
        return self.rounds[-1] if self.rounds else None


def changed(record: Tournament, **fields: Any) -> Tournament:
    """Return *record* with some fields replaced."""
    return msgspec.structs.replace(record, **fields)


def put_entrant(record: Tournament, number: int, **fields: Any) -> Tournament:
    """Return *record* with some fields of one entrant replaced."""
    who = msgspec.structs.replace(record.entrants[number - 1], **fields)
    return changed(record, entrants=(*record.entrants[: number - 1], who, *record.entrants[number:]))


def put_round(record: Tournament, number: int, **fields: Any) -> Tournament:
    """Return *record* with some fields of one round replaced."""
    made = msgspec.structs.replace(record.rounds[number - 1], **fields)
    return changed(record, rounds=(*record.rounds[: number - 1], made, *record.rounds[number:]))


def put_pod(record: Tournament, number: int, pod: Pod) -> Tournament:
    """Return *record* with one table of round *number* replaced."""
    pods = record.rounds[number - 1].pods
    return put_round(record, number, pods=(*pods[: pod.number - 1], pod, *pods[pod.number :]))
