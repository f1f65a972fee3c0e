"""One input being carried out: a state taken apart, changed step by step and put together again."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from rules.core.contract import Ctx, Event, Seat, Step
from rules.lambada.cards import (
    BETWEEN_MS,
    CARD,
    COLOUR,
    DECK,
    HAND_SIZE,
    STARTERS,
    TOKEN_MS,
    TOKENS,
    WORD,
    in_order,
)
from rules.lambada.events import (
    Dealt,
    DealtHand,
    ForbiddenChanged,
    MatchWon,
    Reshuffled,
    RoundWon,
    Skipped,
    TokenPicked,
)
from rules.lambada.model import EVERYONE, NOBODY, Known, Laid, Phase, State
from rules.lambada.result import places
from rules.lambada.verdict import may_start


def tokens_left(state: State) -> tuple[str, ...]:
    """Return the tokens that may be picked: those nobody has, or all once none is left (LB-29)."""
    taken = [token for row in state.tokens for token in row]
    return tuple(token for token in TOKENS if token not in taken) or tuple(TOKENS)


class Turn:
    """
    A state in the middle of an input.

    Args:
        state: as it was before.
        ctx: time and random stream of this step.
    """

    __slots__ = (
        "_before",
        "_forbidden",
        "_rng",
        "board",
        "events",
        "hands",
        "known",
        "laid",
        "lays",
        "now_ms",
        "phase",
        "pile",
        "ready",
        "round",
        "starter",
        "tokens",
        "turn",
        "until_ms",
        "winner",
        "wins",
    )

    def __init__(self, state: State, ctx: Ctx) -> None:
        self._before = state
        self._rng = ctx.rng
        self.now_ms = ctx.now_ms
        self.hands = list(state.hands)
        self.board = list(state.board)
        self.pile = list(state.pile)
        self.turn = state.turn
        self.phase: Phase = state.phase
        self.round = state.round
        self.starter = state.starter
        self.wins = state.wins
        self.tokens = state.tokens
        self.winner = state.winner
        self.ready = state.ready
        self.until_ms = state.until_ms
        self.lays = state.lays
        self.laid = state.laid
        self.known = state.known
        self.events: list[Event] = []
        self._forbidden = self.forbidden

    def step(self) -> Step[State]:
        """Put the state together again."""
        state = State(
            catch=self._before.catch,
            target=self._before.target,
            hands=tuple(self.hands),
            board=tuple(self.board),
            pile=tuple(self.pile),
            wins=self.wins,
            tokens=self.tokens,
            turn=self.turn,
            phase=self.phase,
            round=self.round,
            starter=self.starter,
            winner=self.winner,
            ready=self.ready,
            until_ms=self.until_ms,
            lays=self.lays,
            laid=self.laid,
            known=self.known,
        )
        return Step(state, tuple(self.events))

    @property
    def catch(self) -> bool:
        """Whether fouls cost only those who are caught."""
        return self._before.catch

    @property
    def forbidden(self) -> str:
        """The Forbidden Colour: that of the pile's top card, "" without one (LB-33)."""
        return COLOUR[self.pile[-1]] if self.pile else ""

    @property
    def covered(self) -> bool:
        """Whether no gray letter shows: the condition of victory."""
        return all(self.board)

    @property
    def last(self) -> Laid:
        """The last card laid in this round."""
        if self.laid is None:
            raise ValueError("no card was laid")
        return self.laid

    def tell(self, event: Event) -> None:
        """Add *event* to what happened."""
        self.events.append(event)

    def note(self, **fields: object) -> None:
        """Change what is known of the last card laid."""
        self.laid = msgspec.structs.replace(self.last, **fields)

    def following(self, seat: Seat) -> Seat:
        """Return the seat on the left, for turns and for passing (LB-8)."""
        return (seat + 1) % len(self.hands)

    # The pile

    def draw(self, seat: Seat, count: int, event: Callable[[tuple[str, ...]], Event]) -> None:
        """
        Give *seat* up to *count* cards from the pile, in everyone's sight (LB-20).

        Args:
            seat: whose hand they go to.
            count: what the rules ask for; what cannot be drawn is forgiven (LB-33).
            event: makes of the cards drawn what is told of it.
        """
        drawn: list[str] = []
        while len(drawn) < count and self.pile:
            drawn.append(self.pile.pop())
            self.refill()
        if drawn:
            self.hands[seat] = in_order((*self.hands[seat], *drawn))
            self.known += tuple(Known(seat, card, EVERYONE) for card in drawn)
        self.tell(event(tuple(drawn)))
        self.announce()

    def refill(self) -> None:
        """Make a new pile of all covered cards as soon as there is none (LB-32, LB-35); of nothing if none is there."""
        if self.pile:
            return
        under = [card for cards in self.board for card in cards[:-1]]
        if under:
            self.board = [cards[-1:] for cards in self.board]
            self.pile = self._rng.shuffled(under)
            self.tell(Reshuffled(cards=len(under)))

    def announce(self) -> None:
        """Tell everyone of another Forbidden Colour (LB-21, LB-34)."""
        if self.forbidden != self._forbidden:
            self._forbidden = self.forbidden
            self.tell(ForbiddenChanged(colour=self.forbidden))

    # Hands

    def lay(self, seat: Seat, card: str, slot: int) -> None:
        """Put a card of a hand on the word; of a card known to be there one fewer is."""
        self._take(seat, card)
        self.board[slot] = (*self.board[slot], card)
        noted = [note for note in self.known if note.holder == seat and note.card == card]
        for witness in {note.witness for note in noted}:
            self._forget(Known(seat, card, witness))

    def hand_over(self, giver: Seat, receiver: Seat, card: str) -> None:
        """
        Pass a card unseen by all but these two (LB-20).

        Nobody else is sure any longer of any card of the giver; the two know where this one went.
        """
        self._take(giver, card)
        self.hands[receiver] = in_order((*self.hands[receiver], card))
        seen: list[Known] = []
        others: list[Known] = []
        for note in self.known:
            if note.holder != giver:
                others.append(note)
            elif note.witness in (receiver, EVERYONE):
                seen.append(Known(giver, note.card, receiver))
        gone = Known(giver, card, receiver)
        if gone in seen:
            seen.remove(gone)
        self.known = (*others, *seen, Known(receiver, card, giver))

    def hand_back(self, giver: Seat, receiver: Seat, card: str) -> None:
        """Return a passed card to its giver, as both of them know (LB-41, LB-42)."""
        self._take(receiver, card)
        self.hands[giver] = in_order((*self.hands[giver], card))
        self._forget(Known(receiver, card, giver))
        self.known = (*self.known, Known(giver, card, receiver))

    def _take(self, seat: Seat, card: str) -> None:
        """Take a card, which is there, out of a hand."""
        hand = list(self.hands[seat])
        hand.remove(card)
        self.hands[seat] = tuple(hand)

    def _forget(self, note: Known) -> None:
        """Drop one note, if there is one like it."""
        place = self.known.index(note) if note in self.known else len(self.known)
        self.known = self.known[:place] + self.known[place + 1 :]

    # Turns

    def end_turn(self) -> None:
        """
        Give the turn to the next seat.

        While the card may still be called and its time is not over, that seat waits (LB-40).
        """
        seat = self.following(self.last.seat)
        if self.last.settled or self.now_ms >= self.last.until_ms:
            self.begin_turn(seat)
            return
        self.turn = seat
        self.phase = "window"

    def begin_turn(self, seat: Seat) -> None:
        """Let *seat* lay; a hand that stayed empty wins now or is skipped (LB-27, LB-28)."""
        for _ in self.hands:
            if self.hands[seat]:
                break
            if self.covered:
                self.win(seat, "waited")
                return
            self.tell(Skipped(seat=seat))
            seat = self.following(seat)
        self.turn = seat
        self.phase = "lay"

    # Rounds

    def win(self, seat: Seat, how: str) -> None:
        """End the round, and the match at the last of its rounds (LB-30); the winner begins the next one (LB-7)."""
        self.wins = tuple(won + (who == seat) for who, won in enumerate(self.wins))
        self.winner = seat
        self.turn = seat
        self.ready = ()
        self.note(settled=True)
        last = self.wins[seat] == self._before.target
        self.phase = "token" if last else "between"
        self.until_ms = self.now_ms + (TOKEN_MS if last else BETWEEN_MS)
        self.tell(RoundWon(seat=seat, how=how, wins=self.wins[seat]))

    def take_token(self, token: str, *, chosen: bool) -> None:
        """Give the winner of the round a token, which ends the match if it was the last one."""
        self.tokens = tuple((*row, token) if seat == self.winner else row for seat, row in enumerate(self.tokens))
        self.tell(TokenPicked(seat=self.winner, token=token, chosen=chosen))
        if self.phase == "token":
            self.phase = "over"
            self.until_ms = 0
            self.tell(MatchWon(seat=self.winner, places=places(self.wins), scores=self.wins))

    def time_is_up(self) -> None:
        """Pick the token if the winner has not, and go on to the next round if there is one."""
        last = self.phase == "token"
        if sum(map(len, self.tokens)) < sum(self.wins):
            self.take_token(self._rng.choice(tokens_left(self._before)), chosen=False)
        if not last:
            self.round += 1
            self.deal(self.winner)

    def deal(self, starter: Seat) -> None:
        """
        Set up a round with all 56 cards (LB-31).

        Seven cards to each, two on the word that differ (LB-2), drawn anew until they do (LB-3), each on
        its leftmost free letter (LB-4); the rest is the pile (LB-6).
        """
        deck = self._rng.shuffled(DECK)
        hands = [[deck.pop() for _ in range(HAND_SIZE)] for _ in self.hands]
        while not may_start(deck[-STARTERS:]):
            deck = self._rng.shuffled(deck)
        first = tuple(deck.pop() for _ in range(STARTERS))
        board: list[tuple[str, ...]] = [()] * len(WORD)
        slots = []
        for card in first:
            slot = next(slot for slot in CARD[card].slots if not board[slot])
            board[slot] = (card,)
            slots.append(slot)
        self.hands = [in_order(hand) for hand in hands]
        self.board = board
        self.pile = deck
        self.starter = starter
        self.turn = starter
        self.phase = "lay"
        self.winner = NOBODY
        self.ready = ()
        self.until_ms = 0
        self.laid = None
        self.known = ()
        self._forbidden = self.forbidden
        self.tell(
            Dealt(round=self.round, starter=starter, cards=first, slots=tuple(slots), forbidden=self.forbidden),
        )
        for seat, hand in enumerate(self.hands):
            self.tell(DealtHand(seat=seat, cards=hand, audience=(seat,)))
