"""
The contract of a game.

A game is pure and synchronous: it maps a frozen state and an input to a new state and events.
It never reads a clock, a database or a global random number; all of that comes in by `Ctx`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, runtime_checkable

import msgspec

if TYPE_CHECKING:
    from rules.core.rng import Rng

Seat = int
"""Index of a seat at a table, from 0, in turn order."""

S = TypeVar("S")
A = TypeVar("A")
P = TypeVar("P")
O = TypeVar("O")  # noqa: E741 - the "own" half of a view


class Refusal(Exception):
    """
    A rule says no; nothing has changed.

    Attributes:
        code: stable name of the reason; the words for it live with whoever speaks to people.
        facts: public facts the words may need, such as ``seat=2``. ``wait_ms=600`` says that the same
            would be right so much later; a computer then tries again.
    """

    def __init__(self, code: str, **facts: Any) -> None:
        super().__init__(code)
        self.code = code
        self.facts = facts


class Event(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """
    Something that happened, as a value.

    Attributes:
        audience: the seats that learn of it; `None` means everyone.
    """

    audience: tuple[Seat, ...] | None = None

    def heard_by(self, seat: Seat | None) -> bool:
        """Tell whether *seat* (`None`: a spectator) learns of this event."""
        return self.audience is None or seat in self.audience


class Step(msgspec.Struct, Generic[S], frozen=True):
    """A new state and what happened on the way to it, in order."""

    state: S
    events: tuple[Event, ...] = ()


class Ctx(msgspec.Struct, frozen=True):
    """
    What a step may know of the world.

    Attributes:
        now_ms: the input's time, UTC milliseconds.
        rng: the random stream of this step and no other.
    """

    now_ms: int
    rng: Rng


class Choice(msgspec.Struct, frozen=True):
    """One value of an `Option`: its key in the options, and its words in the lobby."""

    key: str
    title: str


class Option(msgspec.Struct, frozen=True):
    """A setting of one game, chosen by the host in the lobby; the first choice is the default."""

    key: str
    title: str
    choices: tuple[Choice, ...]


class GameSpec(msgspec.Struct, frozen=True, kw_only=True):
    """
    What can be known of a game without running its rules.

    Attributes:
        key: stable name, also that of the module, the data file and the `custom_id` part.
        title: as people write it.
        min_seats: fewest seats, computers included.
        max_seats: most seats.
        options: the host's choices beside the turn clock.
        rules_version: raised when the same inputs may lead to another state.
        state_type: type of the state, for the codec.
        action_type: type (or union of types) of the actions.
        event_type: type (or union of types) of the events.
        upgrades: `upgrades[v - 1]` lifts a stored state from schema *v* to *v + 1*, dict to dict.
        end_reasons: every `Outcome.reason` the game can give; each has a golden game.
        host_actions: kinds of action that the rules allow every seat, but the table only its host.
    """

    key: str
    title: str
    min_seats: int
    max_seats: int
    rules_version: int
    state_type: Any
    action_type: Any
    event_type: Any
    options: tuple[Option, ...] = ()
    upgrades: tuple[Callable[[dict[str, Any]], dict[str, Any]], ...] = ()
    end_reasons: tuple[str, ...] = ("finished",)
    host_actions: tuple[type, ...] = ()

    @property
    def state_version(self) -> int:
        """Schema version of the states that are written now, from 1."""
        return len(self.upgrades) + 1

    def settle_options(self, chosen: Mapping[str, str]) -> dict[str, str]:
        """
        Complete *chosen* with the defaults.

        Raises:
            Refusal: `unknown_option`, a key or value that this game does not have.
        """
        known = {option.key: [choice.key for choice in option.choices] for option in self.options}
        for key, value in chosen.items():
            if value not in known.get(key, ()):
                raise Refusal("unknown_option", option=key)
        return {key: chosen.get(key, values[0]) for key, values in known.items()}


class Outcome(msgspec.Struct, frozen=True):
    """
    How a game ended.

    Attributes:
        places: per seat, from 1; tied seats share a place and the next one is skipped.
        scores: per seat, for people to read; places never follow from them elsewhere.
        reason: one of the game's `end_reasons`.
    """

    places: tuple[int, ...]
    scores: tuple[int, ...]
    reason: str


class View(msgspec.Struct, Generic[P, O], frozen=True):
    """
    What one onlooker may know, built up from nothing.

    Attributes:
        public: the same for everyone.
        own: what this seat alone knows; `None` for a spectator. A change of it makes the seat's panel out of date.
        hints: what this seat may reckon beside, such as odds; they drift with others' moves and outdate nothing.
    """

    public: P
    own: O | None
    hints: Any = None


class Computer(Protocol):
    """A computer player: sees what a person in that seat would see, never the state."""

    def __call__(self, view: Any, legal: Sequence[Any], rng: Rng, /) -> Any:
        """Choose one of *legal* (never empty); `None` to keep silent where the table does not wait for the seat."""
        ...


class Game(Protocol):
    """
    A game's rules. One module-level instance, named `GAME`, makes it found.

    `legal` and `apply` agree exactly, save that time lives in `apply` alone: *too early* and
    *too late* are refusals of `apply`.
    """

    @property
    def spec(self) -> GameSpec:
        """Key, title, seats, options, versions and types."""
        ...

    @property
    def computers(self) -> Mapping[str, Computer]:
        """Computer players by level, the usual one first; a random one is added for free."""
        ...

    def setup(self, seats: int, options: Mapping[str, str], ctx: Ctx) -> Step[Any]:
        """Deal a new game; seat 0 begins where the rules name a first player."""
        ...

    def to_act(self, state: Any) -> frozenset[Seat]:
        """Whom the table waits for: pinged, clocked, moved for. Each of them has legal actions."""
        ...

    def legal(self, state: Any, seat: Seat) -> Sequence[Any]:
        """Every action *seat* may take now; others than `to_act` may have some too."""
        ...

    def apply(self, state: Any, seat: Seat, action: Any, ctx: Ctx) -> Step[Any]:
        """
        Carry out one action.

        Raises:
            Refusal: before anything changes.
        """
        ...

    def deadlines(self, state: Any) -> Mapping[str, int]:
        """Return the game's own deadlines by name, UTC ms. While there is one the turn clock rests."""
        ...

    def expire(self, state: Any, name: str, ctx: Ctx) -> Step[Any]:
        """Do what the rules say happens when deadline *name* passes."""
        ...

    def outcome(self, state: Any) -> Outcome | None:
        """Places and scores once the game is over, else `None`."""
        ...

    def view(self, state: Any, seat: Seat | None) -> View[Any, Any]:
        """Build what *seat* may know; `None` is a spectator, who sees least."""
        ...

    def own(self, state: Any, seat: Seat) -> Any:
        """Build the own half of `view` alone: asked of every seat after every step, to see whose panel is outdated."""
        ...

    def resample(self, state: Any, seat: Seat | None, rng: Rng) -> Any:
        """Redraw what *seat* cannot know, leaving what it sees and may do as it is."""
        ...

    def census(self, state: Any) -> Counter[str]:
        """Count every card wherever it lies, for the law that none is lost or doubled."""
        ...


@runtime_checkable
class RealTime(Protocol):
    """What a game adds whose phases are spoilt when nobody can press for a while."""

    def resume(self, state: Any, since_ms: int, ctx: Ctx) -> Step[Any]:
        """Go on after a stop of the bot: nobody could press from *since_ms* until now, UTC ms."""
        ...
