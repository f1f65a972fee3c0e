"""Lambada as the kernel sees it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from rules.core.contract import Choice, Computer, Ctx, GameSpec, Option, Outcome, Refusal, Seat, Step, View
from rules.core.rng import Rng
from rules.lambada import plays, view
from rules.lambada.actions import carry_out
from rules.lambada.cards import WORD, rounds_to_win
from rules.lambada.computer import choose
from rules.lambada.events import Happening
from rules.lambada.model import FIRST_SEAT, Action, Own, Public, State
from rules.lambada.result import FINISHED, outcome
from rules.lambada.turn import Turn

AUTO = "auto"
CATCH = "catch"

WINDOW = "window"
NEXT = "next"
TOKEN = "token"  # noqa: S105 - the name of a deadline

SPEC = GameSpec(
    key="lambada",
    title="Lambada",
    min_seats=2,
    max_seats=6,
    rules_version=1,
    state_type=State,
    action_type=Action,
    event_type=Happening,
    options=(
        Option(
            "penalties",
            "Fines",
            (Choice(AUTO, "by the bot"), Choice(CATCH, "must be caught")),
        ),
    ),
    end_reasons=(FINISHED,),
)


class Lambada:
    """
    The rules of Lambada; one game is a whole match.

    After a card laid in a catch game the next one has to wait (LB-40). That wait is a deadline and not
    a mere refusal: while it runs the table waits for nobody, so no computer lays too early and nobody
    is pinged for a turn that cannot be taken. Calls are open meanwhile, and before and after it. It is
    the same after a foul and after a clean card, and mostly over when the card is passed.
    """

    spec: GameSpec = SPEC
    computers: Mapping[str, Computer] = {"sensible": choose}

    def setup(self, seats: int, options: Mapping[str, str], ctx: Ctx) -> Step[State]:
        """
        Deal the first round.

        Args:
            seats: 2 to 6; seat 0 begins (LB-7).
            options: `penalties`, whether the bot fines or the players catch (LB-36).
            ctx: the shuffle comes from its stream.

        Raises:
            Refusal: `unknown_option`.
            ValueError: so many cannot play.
        """
        if not self.spec.min_seats <= seats <= self.spec.max_seats:
            raise ValueError(f"{seats} seats")
        empty = State(
            catch=self.spec.settle_options(options)["penalties"] == CATCH,
            target=rounds_to_win(seats),
            hands=((),) * seats,
            board=((),) * len(WORD),
            pile=(),
            wins=(0,) * seats,
            tokens=((),) * seats,
        )
        turn = Turn(empty, ctx)
        turn.deal(FIRST_SEAT)
        return turn.step()

    def to_act(self, state: State) -> frozenset[Seat]:
        """Return whose turn it is; between rounds all who are not ready; nobody while a card may only be called."""
        match state.phase:
            case "lay" | "pass" | "token":
                return frozenset((state.turn,))
            case "between":
                return frozenset(range(state.players)) - frozenset(state.ready)
            case _:
                return frozenset()

    def legal(self, state: State, seat: Seat) -> list[Action]:
        """Return every action of *seat*, in a fixed order; calls are open to seats that nobody waits for."""
        return plays.legal(state, seat)

    def apply(self, state: State, seat: Seat, action: Action, ctx: Ctx) -> Step[State]:
        """
        Carry out one action.

        Raises:
            Refusal: with one of `plays.REFUSALS`.
        """
        plays.require(state, seat, action, ctx.now_ms)
        turn = Turn(state, ctx)
        carry_out(turn, seat, action)
        return turn.step()

    def deadlines(self, state: State) -> Mapping[str, int]:
        """Return when the next card may be laid, or when the pause after a round is over; UTC ms."""
        match state.phase:
            case "window" if state.laid is not None:
                return {WINDOW: state.laid.until_ms}
            case "between":
                return {NEXT: state.until_ms}
            case "token":
                return {TOKEN: state.until_ms}
            case _:
                return {}

    def expire(self, state: State, name: str, ctx: Ctx) -> Step[State]:
        """
        Let the next card be laid, or deal the next round, or end the match with a token picked by chance.

        Raises:
            Refusal: `no_deadline`, there is none of that name now.
        """
        if name not in self.deadlines(state):
            raise Refusal("no_deadline", name=name)
        turn = Turn(state, ctx)
        if name == WINDOW:
            turn.begin_turn(state.turn)
        else:
            turn.time_is_up()
        return turn.step()

    def outcome(self, state: State) -> Outcome | None:
        """Rank the players by rounds won once the match is over."""
        return outcome(state.wins) if state.over else None

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
        """Count every card: in hands, on the word and in the pile; the gray starting cards never move."""
        cards = Counter(state.pile)
        for hand in state.hands:
            cards.update(hand)
        for stack in state.board:
            cards.update(stack)
        return cards


GAME = Lambada()
