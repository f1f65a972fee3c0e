"""Let's Dance as the kernel sees it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from rules.core.contract import Choice, Computer, Ctx, GameSpec, Option, Outcome, Refusal, Seat, Step, View
from rules.core.rng import Rng
from rules.lets_dance import plays, view
from rules.lets_dance.actions import carry_out
from rules.lets_dance.cards import HAND_SIZE, OVER, PACKET, SMALL_DECK_UP_TO, copies, in_order
from rules.lets_dance.computer import choose
from rules.lets_dance.events import DrewCards, Happening
from rules.lets_dance.model import Action, Own, Public, State
from rules.lets_dance.scoring import result
from rules.lets_dance.turn import Turn

BY_PLAYERS = "by_players"
FULL_DECK = "full"

SPEC = GameSpec(
    key="lets_dance",
    title="Let's Dance",
    min_seats=2,
    max_seats=6,
    rules_version=1,
    state_type=State,
    action_type=Action,
    event_type=Happening,
    options=(
        Option(
            "deck",
            "Deck",
            (Choice(BY_PLAYERS, "by number of players"), Choice(FULL_DECK, "all 109 cards")),
        ),
    ),
    end_reasons=("finished", "shared"),
)


class LetsDance:
    """The rules of Let's Dance; a game has no deadlines of its own."""

    spec: GameSpec = SPEC
    computers: Mapping[str, Computer] = {"sensible": choose}

    def setup(self, seats: int, options: Mapping[str, str], ctx: Ctx) -> Step[State]:
        """
        Deal: Party's Over and ten cards at the bottom, then five cards from the top to each (LD-2, LD-3).

        Args:
            seats: 2 to 6; seat 0 begins (LD-5).
            options: `deck`, whether two or three players leave cards in the box (LD-1).
            ctx: the shuffle comes from its stream.

        Raises:
            Refusal: `unknown_option`.
            ValueError: so many cannot play.
        """
        if not self.spec.min_seats <= seats <= self.spec.max_seats:
            raise ValueError(f"{seats} seats")
        small = self.spec.settle_options(options)["deck"] == BY_PLAYERS and seats <= SMALL_DECK_UP_TO
        cards = Counter(copies(small=small))
        del cards[OVER]  # set aside; there is no First Player card among these (LD-6)
        deck = ctx.rng.shuffled(list(cards.elements()))
        packet = ctx.rng.shuffled([*deck[:PACKET], OVER])
        deck = packet + deck[PACKET:]
        hands = tuple(in_order(deck.pop() for _ in range(HAND_SIZE)) for _ in range(seats))
        state = State(small=small, hands=hands, floors=((),) * seats, deck=tuple(deck))
        return Step(state, tuple(DrewCards(seat=seat, cards=hand, audience=(seat,)) for seat, hand in enumerate(hands)))

    def to_act(self, state: State) -> frozenset[Seat]:
        """Return the one seat whose turn it is; nobody once the game is over."""
        return frozenset() if state.over else frozenset((state.turn,))

    def legal(self, state: State, seat: Seat) -> list[Action]:
        """Return every action of *seat*, in a fixed order; each order of danced cards is one of its own (LD-11)."""
        return plays.legal(state, seat)

    def apply(self, state: State, seat: Seat, action: Action, ctx: Ctx) -> Step[State]:
        """
        Carry out one action; nothing can be taken back (LD-12).

        Raises:
            Refusal: with one of `plays.REFUSALS`.
        """
        plays.require(state, seat, action)
        turn = Turn(state, ctx.rng)
        carry_out(turn, action, ctx.rng)
        return turn.step()

    def deadlines(self, state: State) -> Mapping[str, int]:
        """Return none: the turn clock is the kernel's."""
        return {}

    def expire(self, state: State, name: str, ctx: Ctx) -> Step[State]:
        """
        Refuse: there is no deadline that could pass.

        Raises:
            Refusal: `no_deadline`, always.
        """
        raise Refusal("no_deadline", name=name)

    def outcome(self, state: State) -> Outcome | None:
        """Rank the players by points once the game is over; "shared" when several are first."""
        return result(state.floors) if state.over else None

    def view(self, state: State, seat: Seat | None) -> View[Public, Own]:
        """Build what *seat* may know; `None` is a spectator."""
        return view.view(state, seat)

    def own(self, state: State, seat: Seat) -> Own:
        """Build what *seat* alone knows."""
        return view.own(state, seat)

    def resample(self, state: State, seat: Seat | None, rng: Rng) -> State:
        """Redraw what *seat* cannot know."""
        return view.resample(state, seat, rng)

    def census(self, state: State) -> Counter[str]:
        """Count every card; a Party's Over that was shown lies beside the game (LD-78)."""
        cards = Counter(state.deck)
        cards.update(state.discards)
        for hand in state.hands:
            cards.update(hand)
        for floor in state.floors:
            cards.update(laid.card for laid in floor)
        if state.grab is not None:
            cards.update(state.grab.cards)
        if state.last_round:
            cards[OVER] += 1
        return cards


GAME = LetsDance()
