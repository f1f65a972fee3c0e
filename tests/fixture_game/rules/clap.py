"""
Clap: everyone lays a card in secret, all are turned at once, the loudest scores.

Small, but with a bit of everything the kernel has to bear: hidden hands, simultaneous turns, moves of
seats nobody waits for, a bell of its own, moments too early and too late, a reshuffle, ties.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, assert_never

import msgspec

from rules.core.contract import (
    Choice,
    Computer,
    Ctx,
    Event,
    GameSpec,
    Option,
    Outcome,
    Refusal,
    Seat,
    Step,
    View,
)
from rules.core.discovery import load_data
from rules.core.rng import Rng

DATA = load_data("clap", "tests.fixture_game.data")
CARDS: tuple[str, ...] = tuple(card["key"] for card in DATA["card"])
LOUD: Mapping[str, int] = {card["key"]: card["loud"] for card in DATA["card"]}
COPIES: Mapping[str, int] = {card["key"]: card["copies"] for card in DATA["card"]}
NAME: Mapping[str, str] = {card["key"]: card["name"] for card in DATA["card"]}
HAND: int = DATA["table"]["hand"]
BREATH_MS: int = DATA["table"]["breath_ms"]
BELL_MS: int = DATA["table"]["bell_ms"]
ENCORE: int = DATA["table"]["encore"]
BEATS: Mapping[str, int] = DATA["beats"]

BELL = "bell"
NOBODY: Seat = -1


class State(msgspec.Struct, frozen=True, kw_only=True):
    """
    A game under way.

    Attributes:
        beats: how many there are.
        bell: whether a beat ends by itself.
        hands: by seat, quietest card first.
        laid: by seat, the secret card of this beat, "" before.
        taken: by seat, whether a card was taken back in this beat.
        turned: by seat, the cards of the last beat; empty before the first.
        deck: the top card last.
        discards: the last one last.
        scores: by seat.
        beat: from 1.
        began_ms: when this beat began, UTC ms; 0 without a bell.
        leader: who scored in the last beat, `NOBODY` when none did.
        row: beats in a row that `leader` scored in.
        ended: the end reason, "" while under way.
    """

    beats: int
    bell: bool
    hands: tuple[tuple[str, ...], ...]
    laid: tuple[str, ...]
    taken: tuple[bool, ...]
    turned: tuple[str, ...]
    deck: tuple[str, ...]
    discards: tuple[str, ...]
    scores: tuple[int, ...]
    beat: int
    began_ms: int
    leader: Seat
    row: int
    ended: str


class Lay(msgspec.Struct, frozen=True, tag=True):
    """Lay *card* in secret."""

    card: str


class TakeBack(msgspec.Struct, frozen=True, tag=True):
    """Take the own card back, once a beat (CL-2)."""


Action = Lay | TakeBack


class Dealt(Event, frozen=True, kw_only=True):
    """To *seat*: its first cards."""

    seat: Seat
    cards: tuple[str, ...]


class LaidDown(Event, frozen=True, kw_only=True):
    """*seat* laid a card."""

    seat: Seat


class Chose(Event, frozen=True, kw_only=True):
    """To *seat*: which card it laid."""

    seat: Seat
    card: str


class TookBack(Event, frozen=True, kw_only=True):
    """*seat* took its card back."""

    seat: Seat


class BellRang(Event, frozen=True, kw_only=True):
    """The beat was over before *late* had laid."""

    late: tuple[Seat, ...]


class Turned(Event, frozen=True, kw_only=True):
    """All cards, by seat; *winner* scored."""

    cards: tuple[str, ...]
    winner: Seat


class Reshuffled(Event, frozen=True, kw_only=True):
    """The *cards* discards became the deck."""

    cards: int


class Drew(Event, frozen=True, kw_only=True):
    """*seat* drew a card."""

    seat: Seat


class DrewCard(Event, frozen=True, kw_only=True):
    """To *seat*: which card it drew."""

    seat: Seat
    card: str


class Ended(Event, frozen=True, kw_only=True):
    """The game is over."""

    reason: str


Happening = Dealt | LaidDown | Chose | TookBack | BellRang | Turned | Reshuffled | Drew | DrewCard | Ended


class Public(msgspec.Struct, frozen=True, kw_only=True):
    """What everyone sees; *laid* tells who has laid, not what."""

    hands: tuple[int, ...]
    laid: tuple[bool, ...]
    taken: tuple[bool, ...]
    turned: tuple[str, ...]
    deck: int
    discards: tuple[str, ...]
    scores: tuple[int, ...]
    beat: int
    beats: int
    bell_ms: int
    leader: Seat
    row: int
    ended: str


class Own(msgspec.Struct, frozen=True, kw_only=True):
    """What one seat knows beside: its hand and the card it laid, "" before."""

    hand: tuple[str, ...]
    laid: str


def by_loudness(cards: Iterable[str]) -> tuple[str, ...]:
    """Return *cards* in the order of a hand."""
    return tuple(sorted(cards, key=CARDS.index))


def put(values: Sequence[Any], seat: Seat, value: Any) -> tuple[Any, ...]:
    """Return *values* with that of *seat* replaced."""
    return (*values[:seat], value, *values[seat + 1 :])


def with_retakes(old: dict[str, Any]) -> dict[str, Any]:
    """Lift schema 1, which let nobody take a card back, to 2."""
    return {**old, "taken": [False] * len(old["hands"])}


def loudest(_view: View[Public, Own], legal: Sequence[Action], _rng: Rng, /) -> Action:
    """Lay the loudest card, and leave it there where there is a choice."""
    return max(legal, key=lambda action: LOUD[action.card] if isinstance(action, Lay) else -1)


SPEC = GameSpec(
    key="clap",
    title="Clap",
    min_seats=2,
    max_seats=3,
    rules_version=1,
    state_type=State,
    action_type=Action,
    event_type=Happening,
    options=(
        Option("length", "Length", (Choice("short", "three beats"), Choice("long", "five beats"))),
        Option("pace", "Pace", (Choice(BELL, "with the bell"), Choice("free", "as long as it takes"))),
    ),
    upgrades=(with_retakes,),
    end_reasons=("finished", "encore"),
)


class Clap:
    """
    The rules of Clap.

    Args:
        copies: of each card in the deck.
    """

    spec: GameSpec = SPEC
    computers: Mapping[str, Computer] = {"loud": loudest}

    def __init__(self, copies: Mapping[str, int] = COPIES) -> None:
        self._copies = copies

    def with_deck(self, text: str) -> Clap:
        """
        Return the game with another deck: lines such as `3 hush`.

        Raises:
            ValueError: a line is something else, or there are too few cards.
        """
        copies: dict[str, int] = {}
        for number, line in enumerate(text.splitlines(), 1):
            count, _, key = line.partition(" ")
            if not count.isdecimal() or key not in CARDS:
                raise ValueError(f"line {number}: expected a number and a card, such as 3 hush")
            copies[key] = int(count)
        needed = SPEC.max_seats * (HAND + 1)
        if sum(copies.values()) < needed:
            raise ValueError(f"it needs {needed} cards and has {sum(copies.values())}")
        return Clap(copies)

    def setup(self, seats: int, options: Mapping[str, str], ctx: Ctx) -> Step[State]:
        """
        Deal.

        Raises:
            Refusal: an unknown option, or `seats` outside the range.
        """
        if not self.spec.min_seats <= seats <= self.spec.max_seats:
            raise Refusal("seats", seats=seats)
        chosen = self.spec.settle_options(options)
        deck = ctx.rng.shuffled([card for card, copies in self._copies.items() for _ in range(copies)])
        hands = tuple(by_loudness(deck.pop() for _ in range(HAND)) for _ in range(seats))
        bell = chosen["pace"] == BELL
        state = State(
            beats=BEATS[chosen["length"]],
            bell=bell,
            hands=hands,
            laid=("",) * seats,
            taken=(False,) * seats,
            turned=(),
            deck=tuple(deck),
            discards=(),
            scores=(0,) * seats,
            beat=1,
            began_ms=ctx.now_ms if bell else 0,
            leader=NOBODY,
            row=0,
            ended="",
        )
        return Step(state, tuple(Dealt(seat=seat, cards=hand, audience=(seat,)) for seat, hand in enumerate(hands)))

    def to_act(self, state: State) -> frozenset[Seat]:
        """Return who has not laid."""
        return frozenset() if state.ended else frozenset(seat for seat, card in enumerate(state.laid) if not card)

    def legal(self, state: State, seat: Seat) -> Sequence[Action]:
        """Return each different card of the hand, or taking back."""
        if state.ended or not 0 <= seat < len(state.hands):
            return ()
        if state.laid[seat]:
            return () if state.taken[seat] else (TakeBack(),)
        return tuple(Lay(card) for card in dict.fromkeys(state.hands[seat]))

    def apply(self, state: State, seat: Seat, action: Action, ctx: Ctx) -> Step[State]:
        """
        Lay or take back.

        Raises:
            Refusal: not this seat, card or moment.
        """
        if state.ended:
            raise Refusal("over")
        if not 0 <= seat < len(state.hands):
            raise Refusal("no_such_seat", seat=seat)
        match action:
            case Lay(card):
                if state.laid[seat]:
                    raise Refusal("laid_already")
                if card not in state.hands[seat]:
                    raise Refusal("not_in_hand")
                self._require_moment(state, ctx)
                return self._lay(state, seat, card, ctx)
            case TakeBack():
                if not state.laid[seat]:
                    raise Refusal("nothing_laid")
                if state.taken[seat]:
                    raise Refusal("taken_back_already")
                self._require_moment(state, ctx)
                return self._take_back(state, seat)
            case _:
                assert_never(action)

    def _require_moment(self, state: State, ctx: Ctx) -> None:
        """Refuse what comes before everyone has seen the beat begin, or after its bell."""
        if not state.bell:
            return
        if ctx.now_ms < state.began_ms + BREATH_MS:
            raise Refusal("too_early", wait_ms=state.began_ms + BREATH_MS - ctx.now_ms)
        if ctx.now_ms > state.began_ms + BELL_MS:
            raise Refusal("too_late")

    def _lay(self, state: State, seat: Seat, card: str, ctx: Ctx) -> Step[State]:
        place = state.hands[seat].index(card)
        hand = state.hands[seat][:place] + state.hands[seat][place + 1 :]
        after = msgspec.structs.replace(state, hands=put(state.hands, seat, hand), laid=put(state.laid, seat, card))
        told: tuple[Event, ...] = (LaidDown(seat=seat), Chose(seat=seat, card=card, audience=(seat,)))
        if all(after.laid):
            turned = self._turn(after, ctx)
            return Step(turned.state, told + turned.events)
        return Step(after, told)

    def _take_back(self, state: State, seat: Seat) -> Step[State]:
        after = msgspec.structs.replace(
            state,
            hands=put(state.hands, seat, by_loudness((*state.hands[seat], state.laid[seat]))),
            laid=put(state.laid, seat, ""),
            taken=put(state.taken, seat, True),
        )
        return Step(after, (TookBack(seat=seat),))

    def _turn(self, state: State, ctx: Ctx) -> Step[State]:
        """Turn all cards, score, deal one each, begin the next beat (CL-1, CL-3)."""
        seats = range(len(state.hands))
        most = max(LOUD[card] for card in state.laid)
        first = [seat for seat in seats if LOUD[state.laid[seat]] == most]
        winner = first[0] if len(first) == 1 else NOBODY
        row = 0 if winner == NOBODY else state.row + 1 if winner == state.leader else 1
        ended = "encore" if row == ENCORE else "finished" if state.beat == state.beats else ""
        told: list[Event] = [Turned(cards=state.laid, winner=winner)]
        hands, deck, discards = state.hands, list(state.deck), [*state.discards, *state.laid]
        for seat in seats if not ended else ():
            if not deck:
                told.append(Reshuffled(cards=len(discards)))
                deck, discards = ctx.rng.shuffled(discards), []
            card = deck.pop()
            hands = put(hands, seat, by_loudness((*hands[seat], card)))
            told += [Drew(seat=seat), DrewCard(seat=seat, card=card, audience=(seat,))]
        if ended:
            told.append(Ended(reason=ended))
        after = msgspec.structs.replace(
            state,
            hands=hands,
            laid=("",) * len(hands),
            taken=(False,) * len(hands),
            turned=state.laid,
            deck=tuple(deck),
            discards=tuple(discards),
            scores=tuple(score + (seat == winner) for seat, score in enumerate(state.scores)),
            beat=state.beat + (not ended),
            began_ms=ctx.now_ms if state.bell else 0,
            leader=winner,
            row=row,
            ended=ended,
        )
        return Step(after, tuple(told))

    def deadlines(self, state: State) -> Mapping[str, int]:
        """Return the bell of this beat."""
        return {BELL: state.began_ms + BELL_MS} if state.bell and not state.ended else {}

    def expire(self, state: State, name: str, ctx: Ctx) -> Step[State]:
        """
        Lay a card at random for everyone who is late.

        Raises:
            Refusal: `no_deadline`.
        """
        if name not in self.deadlines(state):
            raise Refusal("no_deadline", name=name)
        late = tuple(sorted(self.to_act(state)))
        after = state
        for seat in late:
            hand = after.hands[seat]
            place = ctx.rng.below(len(hand))
            after = msgspec.structs.replace(
                after,
                hands=put(after.hands, seat, hand[:place] + hand[place + 1 :]),
                laid=put(after.laid, seat, hand[place]),
            )
        turned = self._turn(after, ctx)
        return Step(turned.state, (BellRang(late=late), *turned.events))

    def outcome(self, state: State) -> Outcome | None:
        """Rank by points."""
        if not state.ended:
            return None
        places = tuple(1 + sum(other > score for other in state.scores) for score in state.scores)
        return Outcome(places, state.scores, state.ended)

    def view(self, state: State, seat: Seat | None) -> View[Public, Own]:
        """Build what *seat* sees."""
        public = Public(
            hands=tuple(len(hand) for hand in state.hands),
            laid=tuple(card != "" for card in state.laid),
            taken=state.taken,
            turned=state.turned,
            deck=len(state.deck),
            discards=state.discards,
            scores=state.scores,
            beat=state.beat,
            beats=state.beats,
            bell_ms=self.deadlines(state).get(BELL, 0),
            leader=state.leader,
            row=state.row,
            ended=state.ended,
        )
        if seat is None or not 0 <= seat < len(state.hands):
            return View(public, None)
        return View(public, self.own(state, seat))

    def own(self, state: State, seat: Seat) -> Own:
        """Build what *seat* alone knows: its hand and the card it has laid."""
        return Own(hand=state.hands[seat], laid=state.laid[seat])

    def resample(self, state: State, seat: Seat | None, rng: Rng) -> State:
        """Redraw the others' cards and the deck."""
        hidden = [other for other in range(len(state.hands)) if other != seat]
        pool = list(state.deck)
        for other in hidden:
            pool += state.hands[other]
            if state.laid[other]:
                pool.append(state.laid[other])
        pool = rng.shuffled(pool)
        hands, laid = state.hands, state.laid
        for other in hidden:
            hands = put(hands, other, by_loudness(pool.pop() for _ in hands[other]))
            if laid[other]:
                laid = put(laid, other, pool.pop())
        return msgspec.structs.replace(state, hands=hands, laid=laid, deck=tuple(pool))

    def census(self, state: State) -> Counter[str]:
        """Count hands, laid cards, deck and discards."""
        cards = Counter((*state.deck, *state.discards, *filter(None, state.laid)))
        for hand in state.hands:
            cards.update(hand)
        return cards


GAME = Clap()
