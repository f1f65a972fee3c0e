"""
A computer player that sees what a person in its seat sees.

Each legal action gets a value in hundredths of a point: what the floor would be worth, what the cards
left in the hand may still bring, and how the flourishes stand. Turns that are left weigh the future.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import assert_never

import msgspec

from rules.core.contract import Seat
from rules.core.rng import Rng
from rules.lets_dance.cards import (
    CONGA,
    EUPHORIA,
    EXTRAS,
    FAMILY,
    FEVER,
    FLOORWORK,
    HAND_SIZE,
    LETTERS,
    PACKET,
    POINTS,
    SCORING,
    SPIN,
    TOES,
    YMCA,
    in_order,
)
from rules.lets_dance.model import (
    Action,
    Dance,
    Floor,
    Follow,
    Hints,
    Keep,
    Laid,
    Own,
    Pass,
    Public,
    Renew,
    Replenish,
    SitOut,
    StepOnToes,
)
from rules.lets_dance.scoring import big_finish, current_sequence, floorwork_values, score, words_begun, ymca_values
from rules.lets_dance.view import SeatView

POINT = 100
CHAIR = Laid("", down=True)


class Weights(msgspec.Struct, frozen=True, kw_only=True):
    """
    What the player thinks of things that are not scored yet, in hundredths of a point.

    Found by playing thousands of games against itself; `benchmarks/strength.py` measures them.

    Attributes:
        spin: a Spin in the hand.
        fever: a Dance Fever in the hand.
        finish: holding a Dance Fever for the Big Finish.
        euphoria: a Euphoria in the hand, for each turn left up to four.
        conga: a Conga Line card in the hand.
        toes: a Step on Toes in the hand.
        letters: by the number of different letters of a set that is not complete.
        in_order: by the number of letters that are in order already.
        floorwork: a floorwork card that is not in a set of three.
        running: a Euphoria in the current sequence, for each turn left up to four.
        draw: a card drawn unseen.
        tempo: a turn.
        follow: a Conga Line card on the table of another player, for each point it gains.
        break_others: making another player sit one out.
        lose_card: making another player lose a card.
        now: hundredths that a card in the hand keeps of its value, by turns left (none, one, two, more).
        slope: hundredths of a flourish, for each card or break ahead, at the end.
        spread: by how much `slope` shrinks with each turn left.
        pace: cards drawn in a turn by a player, in hundredths.
    """

    spin: int = 250
    fever: int = 250
    finish: int = 125
    euphoria: int = 70
    conga: int = 180
    toes: int = 175
    letters: tuple[int, int, int, int] = (0, 150, 350, 650)
    in_order: tuple[int, int, int, int] = (0, 40, 105, 295)
    floorwork: int = 50
    running: int = 100
    draw: int = 85
    tempo: int = 300
    follow: int = 60
    break_others: int = 120
    lose_card: int = 120
    now: tuple[int, int, int, int] = (0, 45, 90, 70)
    slope: int = 60
    spread: int = 15
    pace: int = 190


WEIGHTS = Weights()


class Judge:
    """
    One look at the table, from the seat that is to act.

    Args:
        view: that of the seat whose turn it is.
        weights: what to think of things that are not scored yet.
    """

    __slots__ = (
        "_cards",
        "_floor",
        "_floors",
        "_hands",
        "_hints",
        "_own",
        "_public",
        "_rivals",
        "_seat",
        "_turns",
        "_weights",
    )

    def __init__(self, view: SeatView, weights: Weights) -> None:
        if view.own is None:
            raise ValueError("a spectator has nothing to choose")
        self._weights = weights
        self._public: Public = view.public
        self._own: Own = view.own
        self._hints: Hints = view.hints
        self._seat: Seat = view.public.turn
        self._floor: Floor = view.public.floors[self._seat]
        self._rivals = self._lengths_and_breaks(None)
        self._turns = self._turns_left()
        self._cards = {
            SPIN: weights.spin,
            FEVER: weights.fever,
            EUPHORIA: weights.euphoria * min(4, self._turns),
            CONGA: weights.conga,
            TOES: weights.toes,
        }
        self._floors: dict[tuple[tuple[Laid, ...], int], int] = {}
        self._hands: dict[tuple[tuple[Laid, ...], tuple[str, ...]], int] = {}

    def _turns_left(self) -> int:
        """Guess the number of own turns after this one."""
        public = self._public
        if public.final:
            return 0
        if public.party_over:
            return 1
        drawn_a_round = public.players * self._weights.pace
        return 1 + max(0, public.deck - PACKET // 2) * 100 // drawn_a_round

    def value(self, action: Action) -> int:
        """Return what *action* is worth, comparable with the other actions of this turn."""
        weights, hand, laid = self._weights, self._own.hand, self._floor.laid
        match action:
            case Dance(cards):
                return self._dance(cards)
            case Follow():
                line = len(self._public.conga) + 1
                own = self._stand((*laid, Laid(CONGA)), _without(hand, (CONGA,)), 1, line)
                return own - weights.follow * (line - 1)
            case SitOut(card):
                return self._stand((*laid, CHAIR), _without(hand, (card,)), 0, 0) + weights.tempo
            case StepOnToes(victim):
                return self._stand(laid, _without(hand, (TOES,)), 0, 0) + self._step(victim)
            case Keep(card):
                return self._hand(laid, in_order((*hand, card)))
            case Replenish():
                return self._stand(laid, hand, HAND_SIZE - len(hand), 0)
            case Renew(card, drop):
                kept = _without(hand, (card, *drop))
                return self._stand((*laid, CHAIR), kept, HAND_SIZE - len(kept), 0)
            case Pass():
                return self._stand(laid, hand, 0, 0)
            case _:
                assert_never(action)

    def _dance(self, cards: tuple[str, ...]) -> int:
        """Weigh a Dance, with Spins by the risk of falling."""
        laid = self._floor.laid
        left = _without(self._own.hand, cards)
        stands = self._stand(laid + tuple(map(Laid, cards)), left, 1, 1)
        if CONGA in cards:
            return stands + self._line()
        spins = cards.count(SPIN)
        if not spins:
            return stands
        risk = self._hints.fall_permille[spins - 1]
        falls = self._stand((*laid, CHAIR), in_order((*left, *(card for card in cards if card in EXTRAS))), 1, 0)
        return (stands * (1000 - risk) + falls * risk) // 1000

    def _line(self) -> int:
        """Weigh a new Conga Line: the next player follows, to one's gain, or has to sit one out."""
        following = self._public.floors[(self._seat + 1) % self._public.players]
        if not following.hand:
            return 0
        follows = min(90, following.hand * 8)
        return (follows * 50 + (100 - follows) * (self._weights.break_others + self._weights.lose_card)) // 100

    def _step(self, victim: Seat) -> int:
        """Weigh a Step on Toes: a card of two, a break, and what the break spoils."""
        weights, floor = self._weights, self._public.floors[victim]
        value = weights.break_others
        if floor.hand:
            value += self._later((weights.draw + weights.draw // 2,) if floor.hand > 1 else (weights.draw,))
        if any(laid.card == EUPHORIA for laid in current_sequence(floor.laid)):
            value += weights.running * min(4, self._turns)
        if self._public.final:
            danced = victim < self._seat
            value += SCORING.big_finish * POINT if danced and big_finish(floor.laid) else 0
            value += 0 if danced else weights.lose_card * min(2, floor.hand)
        mine = (self._floor.sheet.longest, self._floor.sheet.breaks)
        stopped = self._lengths_and_breaks(victim)
        return value + self._flourishes(mine, stopped) - self._flourishes(mine, self._rivals)

    def _lengths_and_breaks(self, stopped: Seat | None) -> list[tuple[int, int]]:
        """Return longest sequence and breaks of each other seat, with one more break for the one that is stopped."""
        return [
            (floor.sheet.longest, floor.sheet.breaks + (seat == stopped))
            for seat, floor in enumerate(self._public.floors)
            if seat != self._seat
        ]

    def _stand(self, laid: tuple[Laid, ...], hand: tuple[str, ...], draws: int, line: int) -> int:
        """Weigh how one would stand with this floor and hand and so many cards to draw."""
        drawn = 0 if self._public.final else self._later((self._weights.draw,) * draws)
        return self._dancefloor(laid, line) + self._hand(laid, hand) + drawn

    def _dancefloor(self, laid: tuple[Laid, ...], line: int) -> int:
        """Weigh the own floor as it would lie, remembered because all Renews lead to the same one."""
        known = self._floors.get((laid, line))
        if known is not None:
            return known
        sheet = score(laid, line)
        current = current_sequence(laid)
        value = sheet.total * POINT + self._progress([each.card for each in laid if not each.down], sheet.floorwork)
        if any(each.card == EUPHORIA for each in current):
            value += self._weights.running * min(4, self._turns)
        if not self._turns and big_finish(laid):
            value += SCORING.big_finish * POINT
        value += self._flourishes((max(sheet.longest, len(current) + self._turns), sheet.breaks), self._rivals)
        self._floors[laid, line] = value
        return value

    def _flourishes(self, mine: tuple[int, int], others: Sequence[tuple[int, int]]) -> int:
        """Weigh the chance of Dance Machine and Party Pooper by the lead in cards and breaks."""
        slope = max(5, self._weights.slope - self._weights.spread * self._turns)
        longer = mine[0] - max(longest for longest, _ in others)
        steadier = max(breaks for _, breaks in others) - mine[1]
        machine = SCORING.dance_machine * max(-100, min(100, slope * longer))
        pooper = -SCORING.party_pooper * max(-100, min(100, slope * steadier))
        return machine + pooper

    def _progress(self, cards: Sequence[str], floorwork: Sequence[int]) -> int:
        """Weigh sets on a floor that are not complete yet."""
        weights = self._weights
        if not self._turns:
            return 0
        _, different, ordered = _spelled(tuple(card for card in cards if card in LETTERS))
        loose = weights.letters[different] + weights.in_order[ordered]
        singles = sum(points < SCORING.floorwork[-1] for points in floorwork)
        return weights.floorwork * singles + loose * self._share() // 100

    def _share(self) -> int:
        """Return the hundredths that the future is worth."""
        return self._weights.now[min(self._turns, 3)]

    def _later(self, values: Sequence[int]) -> int:
        """Weigh cards that can only be danced in later turns."""
        return sum(values) * self._share() // 100

    def _hand(self, laid: tuple[Laid, ...], hand: tuple[str, ...]) -> int:
        """Weigh a hand beside a floor: what its cards would add if they were danced one day."""
        if not hand or not self._turns:
            return 0
        known = self._hands.get((laid, hand))
        if known is not None:
            return known
        values = [self._card(card) for card in hand]
        danced = [each.card for each in laid if not each.down]
        both = danced + [card for card in hand if FAMILY[card] in (FLOORWORK, YMCA)]
        if len(both) > len(danced):
            values.append(self._sets(both) - self._sets(danced))
        value = self._later(values) + (self._weights.finish if FEVER in hand else 0)
        self._hands[laid, hand] = value
        return value

    def _card(self, card: str) -> int:
        """Weigh a card in the hand by itself; floorwork and letters count in sets only."""
        return POINTS[card] * POINT or self._cards.get(card, 0)

    def _sets(self, cards: Sequence[str]) -> int:
        """Weigh floorwork and letters, complete or not."""
        floorwork = floorwork_values([card for card in cards if FAMILY[card] == FLOORWORK])
        spelled = _spelled(tuple(card for card in cards if card in LETTERS))
        return (sum(floorwork) + spelled[0]) * POINT + self._progress(cards, floorwork)


@lru_cache(maxsize=4096)
def _spelled(letters: tuple[str, ...]) -> tuple[int, int, int]:
    """
    Return how far *letters* are on the way to YMCA.

    Returns:
        points of the full sets, different letters beyond those, and the most of them in order.
    """
    counts = [letters.count(letter) for letter in LETTERS]
    waiting = words_begun(letters)
    ordered = max((place for place in range(1, len(LETTERS)) if waiting[place]), default=0)
    return sum(ymca_values(letters)), sum(count > min(counts) for count in counts), ordered


def _without(hand: tuple[str, ...], cards: Sequence[str]) -> tuple[str, ...]:
    """Return *hand* less *cards*."""
    left = list(hand)
    for card in cards:
        left.remove(card)
    return tuple(left)


def choose(view: SeatView, legal: Sequence[Action], rng: Rng, weights: Weights = WEIGHTS) -> Action:
    """Choose the action of the highest value, by chance among equals."""
    if len(legal) == 1:
        return legal[0]
    judge = Judge(view, weights)
    values = [judge.value(action) for action in legal]
    best = max(values)
    return rng.choice([action for action, value in zip(legal, values, strict=True) if value == best])
