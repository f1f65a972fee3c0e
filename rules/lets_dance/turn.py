"""One action being carried out: a state taken apart, changed step by step and put together again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rules.core.contract import Event, Seat, Step
from rules.core.rng import Rng
from rules.lets_dance.cards import CONGA, HAND_SIZE, OVER, in_order
from rules.lets_dance.events import Drew, DrewCards, Ended, FinalRound, LineEnded, PartyOver, Reshuffled
from rules.lets_dance.model import EVERYONE, FIRST_SEAT, NOBODY, Known, Laid, State
from rules.lets_dance.scoring import result, score

VICTIM_DRAWS_IN_FINAL_ROUND: bool = False
"""LD-82, contested: whether a player who is stepped on in the final round draws two all the same."""


class Turn:
    """
    A state in the middle of an action.

    Args:
        state: as it was before.
        rng: the stream of this step.
    """

    __slots__ = (
        "_before",
        "_rng",
        "conga",
        "deck",
        "discards",
        "events",
        "floors",
        "grab",
        "hands",
        "known",
        "last_round",
        "round",
        "seat",
    )

    def __init__(self, state: State, rng: Rng) -> None:
        self._before = state
        self._rng = rng
        self.seat = state.turn
        self.hands = list(state.hands)
        self.floors = list(state.floors)
        self.deck = list(state.deck)
        self.discards = list(state.discards)
        self.conga = state.conga
        self.grab = state.grab
        self.known = state.known
        self.round = state.round
        self.last_round = state.last_round
        self.events: list[Event] = []

    def step(self) -> Step[State]:
        """Put the state together again."""
        state = State(
            small=self._before.small,
            hands=tuple(self.hands),
            floors=tuple(self.floors),
            deck=tuple(self.deck),
            discards=tuple(self.discards),
            turn=self.seat,
            round=self.round,
            last_round=self.last_round,
            conga=self.conga,
            grab=self.grab,
            known=self.known,
        )
        return Step(state, tuple(self.events))

    @property
    def final(self) -> bool:
        """Whether this is the final round."""
        return self.round == self.last_round

    def tell(self, event: Event) -> None:
        """Add *event* to what happened."""
        self.events.append(event)

    # Cards from the deck

    def _top(self) -> str | None:
        """
        Take the top card of the deck, which is made anew of the discards when a card is needed (LD-79).

        Party's Over is shown, leaves the game and is replaced by the next card (LD-55, LD-78, LD-85);
        it counts as shown by the seat whose turn it is (LD-31). `None`: no card is left anywhere (LD-80).
        """
        while True:
            if not self.deck:
                if not self.discards:
                    return None
                self.deck = self._rng.shuffled(self.discards)
                self.tell(Reshuffled(cards=len(self.deck)))
                self.discards = []
            card = self.deck.pop()
            if card != OVER:
                return card
            self.last_round = self.round + 1  # LD-81
            self.tell(PartyOver(seat=self.seat))

    def reveal(self) -> str | None:
        """Show the top card of the deck, `None` when none is left; in the final round as well (LD-83)."""
        return self._top()

    def draw(self, seat: Seat, count: int) -> tuple[str, ...]:
        """Give *seat* up to *count* cards from the deck, none in the final round (LD-82); return them."""
        if self.final:
            return ()
        return self._take(seat, count)

    def _take(self, seat: Seat, count: int) -> tuple[str, ...]:
        """Give *seat* up to *count* cards from the deck and return them."""
        drawn: list[str] = []
        while len(drawn) < count and (card := self._top()) is not None:
            drawn.append(card)
        self.give(seat, drawn)
        return tuple(drawn)

    def fill(self, seat: Seat) -> tuple[str, ...]:
        """Let *seat* draw up to a full hand and return the cards (LD-17, LD-18)."""
        return self.draw(seat, HAND_SIZE - len(self.hands[seat]))

    def draw_as_victim(self, seat: Seat) -> None:
        """Let the victim of a Step on Toes draw two, whatever was taken (LD-30)."""
        drawn = self._take(seat, 2) if VICTIM_DRAWS_IN_FINAL_ROUND else self.draw(seat, 2)
        self.tell_count(seat, drawn)

    def draw_one(self) -> None:
        """End a Dance, a fall or a step in a Conga Line with its one card (LD-13)."""
        self.tell_count(self.seat, self.draw(self.seat, 1))

    def tell_count(self, seat: Seat, drawn: tuple[str, ...]) -> None:
        """Tell everyone how many, and *seat* which cards it drew."""
        if drawn:
            self.tell(Drew(seat=seat, count=len(drawn)))
            self.tell_cards(seat, drawn)

    def tell_cards(self, seat: Seat, drawn: tuple[str, ...]) -> None:
        """Tell *seat* alone which cards it drew."""
        if drawn:
            self.tell(DrewCards(seat=seat, cards=drawn, audience=(seat,)))

    # Hands

    def give(self, seat: Seat, cards: Sequence[str]) -> None:
        """Put *cards* into a hand."""
        if cards:
            self.hands[seat] = in_order((*self.hands[seat], *cards))

    def take(self, seat: Seat, cards: Iterable[str]) -> None:
        """Take *cards*, which are there, out of a hand; whoever knew of such a card is no longer sure of it."""
        hand = list(self.hands[seat])
        for card in cards:
            hand.remove(card)
            if self.known:
                self.known = tuple(known for known in self.known if (known.holder, known.card) != (seat, card))
        self.hands[seat] = tuple(hand)

    def forget(self, seat: Seat) -> None:
        """Drop what others knew of a hand: some card left it unseen."""
        if self.known:
            self.known = tuple(known for known in self.known if known.holder != seat)

    def remember(self, holder: Seat, card: str, witness: Seat = EVERYONE) -> None:
        """Note that *witness* saw *card* go into the hand of *holder*."""
        self.known = (*self.known, Known(holder, card, witness))

    # Floors

    def lay(self, seat: Seat, *laid: Laid) -> None:
        """Lay cards at the right end of a floor, where they stay for good (LD-12)."""
        self.floors[seat] = (*self.floors[seat], *laid)

    def lay_hidden(self, card: str) -> None:
        """Lay a card of the own hand face-down; nobody else sees which it is, and it has no effect (LD-19, LD-20)."""
        self.take(self.seat, (card,))
        self.forget(self.seat)
        self.lay(self.seat, Laid(card, down=True, public=False))

    def worth(self) -> int:
        """Return the worth of the floor of the seat whose turn it is."""
        return score(self.floors[self.seat], len(self.conga)).total

    # The Conga Line

    def close_line(self) -> int:
        """
        End the open Conga Line: each of its cards is worth as much as players joined (LD-38, LD-39).

        Returns:
            that worth.
        """
        worth = len(self.conga)
        for seat in self.conga:
            # All older Conga Line cards have a worth: one line is open at a time, one card a player in it.
            self.floors[seat] = tuple(
                Laid(CONGA, worth=worth) if laid.card == CONGA and not laid.down and not laid.worth else laid
                for laid in self.floors[seat]
            )
        self.conga = ()
        return worth

    def _end_line(self) -> None:
        """End the open Conga Line without anybody sitting out."""
        seats = self.conga
        self.tell(LineEnded(seats=seats, worth=self.close_line()))

    # Turns and rounds

    def pass_turn(self) -> None:
        """
        Give the turn to the next seat; rounds are counted by seats (LD-5, LD-50, LD-81).

        An open Conga Line ends when it is back at its starter (LD-45), or at an empty hand that can
        neither follow nor sit out (LD-42).
        """
        following = (self.seat + 1) % len(self.hands)
        if following == FIRST_SEAT and self.final:
            self._end()
            return
        if following == FIRST_SEAT:
            self.round += 1
            if self.final:
                self.tell(FinalRound())
        self.seat = following
        if self.conga and (following == self.conga[0] or not self.hands[following]):
            self._end_line()

    def _end(self) -> None:
        """End the game; an open Conga Line counts those who are in it (LD-48)."""
        if self.conga:
            self._end_line()
        self.seat = NOBODY
        outcome = result(self.floors)
        self.tell(Ended(places=outcome.places, scores=outcome.scores, reason=outcome.reason))
