"""
A computer player that sees what a person in its seat sees.

A card to lay or to pass is weighed by what the turn leaves behind: cards in the hands, how many of
one's own could be laid clean next time, and how likely the next player can lay none. In a catch game
it looks at the last card before it does anything else, overlooks some fouls as people do, and bluffs
now and then. It answers `None` where it is free to keep silent and does so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

import msgspec

from rules.core.rng import Rng
from rules.lambada.cards import CARD, COLOUR, COLOURS, DECK, TOO_MANY
from rules.lambada.model import Action, Caught, Hints, Lay, Own, OwnUp, Pass, PickToken, Public, Ready
from rules.lambada.verdict import verdict
from rules.lambada.view import SeatView, preview

SURE = 1000
"""A probability of one, in permille."""


class Weights(msgspec.Struct, frozen=True, kw_only=True):
    """
    What the player thinks of a position, in hundredths of a card.

    Found by playing thousands of rounds against itself; `benchmarks/strength.py` measures them.

    Attributes:
        card: a card in the own hand.
        theirs: a card in the hand of the next player.
        mobility: the own hand by how many of its cards could be laid clean as things stand: none, one, two, more.
        stuck: that the next player can lay no clean card.
        win: a round won.
        danger: that the next player may win at once.
        gray: a gray letter in sight, for each card that one has more than the next player.
        dare: hundredths of a fine that count in a catch game, where it may go unseen.
    """

    card: int = 100
    theirs: int = 60
    mobility: tuple[int, int, int, int] = (-700, -250, -90, 0)
    stuck: int = 400
    win: int = 100_000
    danger: int = 800
    gray: int = 4
    dare: int = 70


WEIGHTS = Weights()


class Manners(msgspec.Struct, frozen=True, kw_only=True):
    """
    How the player behaves in a catch game, in permille.

    Attributes:
        notices: fouls seen when looking, by kind.
        suspects: clean cards called all the same.
        bluffs: own fouls not owned up to, by the cards they cost.
    """

    notices: tuple[tuple[str, int], ...] = (("forbidden", 700), ("fifth", 450), ("non_matching", 550))
    suspects: int = 10
    bluffs: tuple[tuple[int, int], ...] = ((1, 500), (3, 700))


MANNERS = Manners()


def clean(colours: tuple[str, ...], forbidden: str, card: str) -> bool:
    """Tell whether *card* could be laid clean on some letter."""
    return any(verdict(colours, forbidden, card, slot) == "clean" for slot in CARD[card].slots)


class Judge:
    """
    One look at the table, from the seat that is to lay or to pass.

    Args:
        view: that of the seat whose turn it is.
        weights: what to think of a position.
    """

    __slots__ = ("_held", "_outlooks", "_own", "_public", "_rest", "_view", "_weights")

    def __init__(self, view: SeatView, weights: Weights) -> None:
        if view.own is None:
            raise ValueError("a spectator has nothing to choose")
        self._weights = weights
        self._view = view
        self._public: Public = view.public
        self._own: Own = view.own
        hints: Hints = view.hints
        following = (self._own.seat + 1) % self._public.players
        self._held = hints.known[following]
        self._rest = self._public.hands[following]
        self._outlooks: dict[tuple[str, ...], tuple[dict[str, bool], int]] = {}

    def value(self, action: Action) -> int:
        """Return what *action* is worth, comparable with the other actions of this choice."""
        match action:
            case Lay():
                return self._lay(action)
            case Pass(card):
                return self._give(card)
            case PickToken():
                return 1  # before `Ready`, which would leave it to chance
            case Ready() | OwnUp() | Caught():
                return 0
            case _:
                assert_never(action)

    def _lay(self, lay: Lay) -> int:
        """Weigh a card to lay, with the best card to pass after it."""
        seen = preview(self._view, self._own.seat, lay)
        if seen.wins:
            return self._weights.win
        colours = tuple(
            COLOUR[lay.card] if slot == lay.slot else letter.colour for slot, letter in enumerate(self._public.letters)
        )
        hand = list(self._own.hand)
        hand.remove(lay.card)
        if seen.passes:
            return max(self._after(colours, hand, card, 0) for card in dict.fromkeys(hand)) - self._drawn(seen.draws)
        return self._after(colours, hand, "", seen.draws) - self._drawn(seen.draws)

    def _give(self, card: str) -> int:
        """Weigh a card to pass."""
        colours = tuple(letter.colour for letter in self._public.letters)
        return self._after(colours, list(self._own.hand), card, 0)

    def _drawn(self, draws: int) -> int:
        """Weigh cards to be drawn."""
        return draws * self._weights.card * (self._weights.dare if self._public.catch else 100) // 100

    def _after(self, colours: tuple[str, ...], hand: list[str], passed: str, draws: int) -> int:
        """Weigh what the own turn leaves behind, *passed* ("" for none) being with the next player."""
        weights = self._weights
        forbidden = "" if draws else self._public.forbidden  # a draw uncovers another one
        ready, stuck = self._outlook(colours, forbidden)
        left = sum(map(ready.__getitem__, hand))
        kept = len(hand)
        theirs = self._rest
        if passed:
            left -= ready[passed]
            kept -= 1
            theirs += 1
            stuck = 0 if ready[passed] else stuck
        gray = colours.count("gray")
        value = weights.theirs * theirs - weights.card * kept + weights.mobility[min(3, left)]
        value += weights.stuck * stuck // SURE + weights.gray * gray * (kept + draws - theirs)
        if theirs <= 2 and gray <= 1:  # noqa: PLR2004 - one to lay and one to pass
            value -= weights.danger * (SURE - stuck) // SURE // (1 + 3 * gray)
        return value

    def _outlook(self, colours: tuple[str, ...], forbidden: str) -> tuple[dict[str, bool], int]:
        """Return which cards of the own hand could be laid clean on such a word, and how stuck the next player is."""
        known = self._outlooks.get((forbidden, *colours))
        if known is None:
            ready = {card: clean(colours, forbidden, card) for card in dict.fromkeys(self._own.hand)}
            known = ready, self._stuck(colours, forbidden)
            self._outlooks[forbidden, *colours] = known
        return known

    def _stuck(self, colours: tuple[str, ...], forbidden: str) -> int:
        """Reckon in permille how likely the next player holds no card that could be laid clean."""
        if any(clean(colours, forbidden, card) for card in self._held):
            return 0
        unseen = _unseen(self._own.hand, self._public.top, self._held, colours)
        good = sum(count for colour, count in unseen if _playable(colours, forbidden, colour))
        left = sum(count for _, count in unseen)
        chance = SURE
        for _ in range(self._rest - len(self._held)):
            if left <= good:
                return 0
            chance = chance * (left - good) // left
            left -= 1
        return chance


def _playable(colours: tuple[str, ...], forbidden: str, colour: str) -> bool:
    """Tell whether most cards of *colour* could be laid clean."""
    return colour != forbidden and 0 < colours.count(colour) < TOO_MANY - 1


def _unseen(hand: tuple[str, ...], top: str, known: tuple[str, ...], colours: tuple[str, ...]) -> list[tuple[str, int]]:
    """Count the cards of each colour that may be in a hand: all but those in sight."""
    seen = [COLOUR[card] for card in (*hand, *known, *([top] if top else []))]
    each = len(DECK) // len(COLOURS)
    return [(colour, max(0, each - seen.count(colour) - colours.count(colour))) for colour in COLOURS]


def choose(
    view: SeatView, legal: Sequence[Action], rng: Rng, weights: Weights = WEIGHTS, manners: Manners = MANNERS
) -> Action | None:
    """
    Choose the action of the highest value, by chance among equals.

    Returns:
        `None` when all that may be done is a call, and the player makes none.
    """
    call = next((action for action in legal if isinstance(action, Caught)), None)
    if call is not None and _calls(view.public, manners, rng):
        return call
    moves = [action for action in legal if not isinstance(action, Caught)]
    if len(moves) < 2:  # noqa: PLR2004 - a choice has two ends
        return moves[0] if moves else None
    if OwnUp() in moves:
        if not _bluffs(view, manners, rng):
            return OwnUp()
        moves.remove(OwnUp())
    judge = Judge(view, weights)
    values = [judge.value(action) for action in moves]
    best = max(values)
    return rng.choice([action for action, value in zip(moves, values, strict=True) if value == best])


def _calls(public: Public, manners: Manners, rng: Rng) -> bool:
    """Look at the last card laid: notice many fouls, and suspect a clean card once in a while."""
    last = public.last
    if last is None:
        return False
    before = [last.on if slot == last.slot else letter.colour for slot, letter in enumerate(public.letters)]
    kind = verdict(before, last.forbidden, last.card, last.slot)
    return rng.below(SURE) < (manners.suspects if kind == "clean" else dict(manners.notices)[kind])


def _bluffs(view: SeatView, manners: Manners, rng: Rng) -> bool:
    """Decide whether to bluff after an own foul; never with the play that would win, which is checked (LB-47)."""
    own = view.own
    if own is None or (len(own.hand) == 1 and not view.public.gray):
        return False
    return rng.below(SURE) < dict(manners.bluffs)[own.fine]
