"""
The laws of a game, each a function that raises `AssertionError` for a walk that breaks it.

None of them names a game. `test_contract.py` holds them against every game found, and against
broken games, which they must catch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from rules.core.codec import dump_input, dump_state, load_input, load_state
from rules.core.computers import computers
from rules.core.contract import Event, Game, Refusal, Seat
from rules.core.rng import Rng
from rules.core.table import Act
from tests.contract.mutations import mutations
from tests.helpers import (
    BOUND,
    Input,
    Moment,
    Walk,
    heard,
    in_time,
    movers,
    named,
    tell,
    too_late,
    walk,
)

EXAMINED = 3
"""States of a walk that are looked at from all sides."""
TRIED = 150
"""Actions tried there beside the legal ones."""
HIDDEN = 60
"""States of a walk in which all that is hidden is redrawn for every onlooker."""
REDRAWN = 12
"""Redraws that tell what an onlooker is certain of."""
OTHER_ACTIONS = 5
LOOKALIKES = 6
"""Redraws of a moment for one onlooker; of a walk, so many moments of each kind are looked at."""


class Check:
    """One walk under examination, with a random stream of its own for what to look at."""

    def __init__(self, game: Game, walked: Walk, cards: Sequence[str] = ()) -> None:
        self.game = game
        self.walk = walked
        self.cards = cards
        self.seats = walked.setting.seats
        self.rng = Rng(walked.setting.seed, "examination")

    @property
    def onlookers(self) -> tuple[Seat | None, ...]:
        """The spectator and every seat."""
        return (None, *range(self.seats))

    def some(self, items: Sequence[Any], count: int) -> Sequence[Any]:
        """Return *items*, or *count* of them at random when there are more."""
        return items if len(items) <= count else self.rng.sample(items, count)

    def redrawn(self, state: Any, onlooker: Seat | None) -> Any:
        """Return *state* with what *onlooker* cannot know redrawn."""
        return self.game.resample(state, onlooker, Rng(self.walk.setting.seed, f"redraw {self.rng.below(1 << 32)}"))


# --- what may be done ----------------------------------------------------------------------------


def accepts_exactly_what_is_legal(check: Check) -> None:
    """`apply` takes what `legal` lists and refuses the rest, for any seat; a refusal leaves the state as it was."""
    game = check.game
    earlier: list[Any] = []
    looked_at = set(check.some(range(len(check.walk.moments)), EXAMINED))
    for number, moment in enumerate(check.walk.moments):
        offered = {seat: list(game.legal(moment.before, seat)) for seat in range(-1, check.seats + 2)}
        everyones = [action for legal in offered.values() for action in legal]
        if number in looked_at:
            forged = [
                other for action in check.some(everyones, 20) for other in mutations(action, check.cards, check.seats)
            ]
            tried = [*check.some(earlier, TRIED // 3), *check.some(forged, TRIED)]
            for seat, legal in offered.items():
                _tries(check, moment, seat, legal, [*legal, *check.some(everyones, TRIED // 3), *tried])
        earlier += [action for action in check.some(everyones, 5) if action not in earlier]


def _tries(check: Check, moment: Moment, seat: Seat, legal: Sequence[Any], tried: Iterable[Any]) -> None:
    state = moment.before
    before = dump_state(state)
    assert len(legal) == len({repr(action) for action in legal}), f"offered twice to seat {seat}"
    for action in tried:
        given = Input(moment.input.at_ms, seat, action)
        refusal = _refusal(check, state, given, moment.label, wait=True)
        assert (refusal is None or too_late(refusal)) == (action in legal), (
            f"seat {seat} may{'' if refusal is None else ' not'} {action}"
        )
        assert refusal is None or refusal.code.isidentifier(), f"odd code {refusal.code!r}"
        assert before == dump_state(state), f"{action} of seat {seat} changed the state itself"


def _refusal(check: Check, state: Any, given: Input, label: str, *, wait: bool = False) -> Refusal | None:
    """
    Return why an input is refused, `None` when it is not.

    Args:
        check: the walk under examination.
        state: the state before.
        given: the input.
        label: of its stream.
        wait: whether one that came too early is tried again when it may come.

    Raises:
        AssertionError: the game answers with something else than a step or a refusal.
    """
    carry_out = in_time if wait else tell
    try:
        carry_out(check.game, state, given, check.walk.setting.seed, label)
    except Refusal as refusal:
        return refusal
    except Exception as error:
        raise AssertionError(f"{error!r} for {given}") from error
    return None


def waits_for_those_who_can_move(check: Check) -> None:
    """Each seat in `to_act` has a legal action; while a game lasts it waits for somebody or for a deadline."""
    for moment in check.walk.moments:
        awaited = check.game.to_act(moment.before)
        assert awaited <= set(movers(check.game, moment.before, check.seats)), f"waits in vain for one of {awaited}"
        assert awaited or check.game.deadlines(moment.before), "waits for nothing"


def ends(check: Check) -> None:
    """Every game ends, and then it is over: nobody is awaited, may act, or is listened to."""
    game, end = check.game, check.walk.end
    assert game.outcome(end) is not None, f"no end within {BOUND} inputs"
    assert frozenset() == game.to_act(end)
    assert {} == dict(game.deadlines(end))
    assert [] == [seat for seat in range(-1, check.seats + 2) if game.legal(end, seat)]
    for moment in check.walk.moments:
        assert game.outcome(moment.before) is None
        if moment.input.seat is not None:
            refusal = _refusal(check, end, moment.input, moment.label)
            assert refusal is not None, f"{moment.input.action} after the end"


def outcome_is_well_formed(check: Check) -> None:
    """A place and a score a seat; ties share a place and the next is skipped; a reason that the spec names."""
    outcome = check.game.outcome(check.walk.end)
    assert outcome is not None, "no end"
    assert check.seats == len(outcome.places) == len(outcome.scores)
    assert outcome.places == tuple(1 + sum(other < place for other in outcome.places) for place in outcome.places)
    assert outcome.reason in check.game.spec.end_reasons


# --- who may know --------------------------------------------------------------------------------


def public_is_the_same_for_all(check: Check) -> None:
    """The public half of a view does not depend on who looks; a spectator, or a seat not there, has nothing else."""
    for state in check.walk.states:
        spectator = check.game.view(state, None)
        assert spectator.own is None
        for seat in range(check.seats):
            seen = check.game.view(state, seat)
            assert spectator.public == seen.public, f"seat {seat} sees another table"
            assert seen.own is not None
            assert seen.own == check.game.own(state, seat), f"seat {seat} has two own halves"
        assert check.game.view(state, check.seats).own is None


def hidden_stays_hidden(check: Check) -> None:
    """What a seat cannot know may be redrawn without any change to its view, its choices, or the cards in all."""
    for state in check.some(check.walk.states, HIDDEN):
        for onlooker in check.onlookers:
            other = check.redrawn(state, onlooker)
            seen, seen_then = check.game.view(state, onlooker), check.game.view(other, onlooker)
            assert seen.public == seen_then.public, f"everyone sees what {onlooker} cannot know"
            assert seen.own == seen_then.own, f"{onlooker} knows of its own what it cannot know"
            assert seen.hints == seen_then.hints, f"{onlooker} is given hints at what it cannot know"
            assert check.game.to_act(state) == check.game.to_act(other)
            assert dict(check.game.deadlines(state)) == dict(check.game.deadlines(other))
            assert check.game.outcome(state) == check.game.outcome(other)
            assert check.game.census(state) == check.game.census(other)
            if onlooker is not None:
                assert list(check.game.legal(state, onlooker)) == list(check.game.legal(other, onlooker))


def redrawing_moves_something(check: Check) -> None:
    """`resample` is not a mere copy: on the way through a game it changes the state for every onlooker."""
    for onlooker in check.onlookers:
        moved = (state != check.redrawn(state, onlooker) for state in check.walk.states)
        assert any(moved), f"nothing is ever hidden from {onlooker}"


def events_tell_no_more_than_the_view(check: Check) -> None:
    """
    Who cannot tell two moves apart by looking at the table hears the same of both.

    Each input is repeated on a table redrawn for the onlooker and, where somebody else moved, with other
    actions of that kind. Where the onlooker then sees the same and is certain of the same, it must have
    heard the same. Three things may differ: the order of events and cards; cards out of sight that the onlooker
    is certain of all the same, for these are no secret; and all of a step in which cards in sight went back into
    hiding (a reshuffle), because what was shown on the way may be gone from the table.
    """
    for moment in _of_each_kind(check):
        if _hid(check, moment):
            continue
        for onlooker in check.onlookers:
            for state, given in _lookalikes(check, moment, onlooker):
                step = tell(check.game, state, given, check.walk.setting.seed, moment.label)
                one, other = heard(moment.step.events, onlooker), heard(step.events, onlooker)
                if one == other or not _sees_the_same(check, moment.step.state, step.state, onlooker):
                    continue
                certain = _certain(check, moment.step.state, onlooker)
                if certain == _certain(check, step.state, onlooker):
                    known = _known_unseen(check, moment.step.state, onlooker, certain)
                    assert _hearing(one, known) == _hearing(other, known), f"{onlooker} tells the two apart"


def _of_each_kind(check: Check) -> Iterable[Moment]:
    """Return some moments of every kind of input, so that rare kinds are looked at as well."""
    kinds: dict[str, list[Moment]] = {}
    for moment in check.walk.moments:
        kinds.setdefault(moment.input.name or type(moment.input.action).__name__, []).append(moment)
    for moments in kinds.values():
        yield from check.some(moments, LOOKALIKES)


def _lookalikes(check: Check, moment: Moment, onlooker: Seat | None) -> Iterable[tuple[Any, Input]]:
    """Return tables and inputs that *onlooker* cannot tell from the moment; a spectator knows less than any seat."""
    given = moment.input
    knowing = check.onlookers if onlooker is None else (onlooker,)
    redrawn = [check.redrawn(moment.before, seat) for seat in (*knowing, *[onlooker] * (LOOKALIKES - len(knowing)))]
    for state in redrawn:
        if given.seat is None or given.action in check.game.legal(state, given.seat):
            yield state, given
    if given.seat is None or onlooker == given.seat:
        return
    for state in (moment.before, *redrawn):
        same_kind = [act for act in check.game.legal(state, given.seat) if type(act) is type(given.action)]
        for action in check.some(same_kind, OTHER_ACTIONS):
            yield state, msgspec.structs.replace(given, action=action)


def _known_unseen(check: Check, state: Any, onlooker: Seat | None, certain: dict[str, Counter[str]]) -> set[str]:
    """Return the cards that *onlooker* is certain of though it does not see them."""
    view = check.game.view(state, onlooker)
    sure = Counter(card for cards in certain.values() for card in cards.elements())
    return set(sure - Counter((*named(view.public), *named(view.own)))) & set(check.cards)


def _sees_the_same(check: Check, one: Any, other: Any, onlooker: Seat | None) -> bool:
    return check.game.view(one, onlooker) == check.game.view(other, onlooker)


def _hearing(events: Sequence[Event], known: set[str]) -> list[Any]:
    """Return *events* in no order, without the order of cards and without cards *known*."""
    return sorted((_unordered(msgspec.to_builtins(event), known) for event in events), key=repr)


def _unordered(value: Any, known: set[str]) -> Any:
    if isinstance(value, dict):
        return {key: _unordered(item, known) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return sorted(
            (_unordered(item, known) for item in value if not (isinstance(item, str) and item in known)), key=repr
        )
    return "" if isinstance(value, str) and value in known else value


def _certain(check: Check, state: Any, onlooker: Seat | None) -> dict[str, Counter[str]]:
    """Return which strings stay, by their place in the state, however often it is redrawn for *onlooker*."""
    left = _placed(state)
    for _ in range(REDRAWN):
        drawn = _placed(check.redrawn(state, onlooker))
        left = {place: found & drawn.get(place, Counter()) for place, found in left.items()}
    return {place: found for place, found in left.items() if found}


def _placed(value: Any, place: str = "") -> dict[str, Counter[str]]:
    if isinstance(value, tuple) and all(isinstance(item, str) for item in value):
        return {place: Counter(value)}
    if isinstance(value, str):
        return {place: Counter((value,))}
    found: dict[str, Counter[str]] = {}
    if isinstance(value, tuple):
        for number, item in enumerate(value):
            found |= _placed(item, f"{place}/{number}")
    elif isinstance(value, msgspec.Struct):
        for field in value.__struct_fields__:
            found |= _placed(getattr(value, field), f"{place}.{field}")
    return found


def _hid(check: Check, moment: Moment) -> bool:
    """Tell whether cards in everyone's sight went back into hiding in this step."""
    cards = set(check.cards)
    before, after = (
        Counter(word for word in named(check.game.view(state, None).public) if word in cards)
        for state in (moment.before, moment.step.state)
    )
    return bool(before - after)


# --- values --------------------------------------------------------------------------------------


def values_are_plain(check: Check) -> None:
    """States, actions and events are frozen, hashable, and made of tuples, strings and whole numbers."""
    for step in check.walk.steps:
        for value in (step.state, *step.events):
            _plain(value)
            hash(value)
    for moment in check.walk.moments:
        for seat in range(check.seats):
            for action in check.some(check.game.legal(moment.before, seat), 10):
                _plain(action)
                hash(action)


def _plain(value: Any) -> None:
    if value is None or type(value) in (bool, int, str, bytes):
        return
    if type(value) is tuple:
        for item in value:
            _plain(item)
        return
    assert isinstance(value, msgspec.Struct), f"{type(value).__name__} in a value"
    assert value.__struct_config__.frozen, f"{type(value).__name__} can be changed"
    for field in value.__struct_fields__:
        _plain(getattr(value, field))


def types_are_those_of_the_spec(check: Check) -> None:
    """States, actions and events are of the types that the spec names, with audiences that exist."""
    spec = check.game.spec
    for step in check.walk.steps:
        assert isinstance(step.state, spec.state_type)
        for event in step.events:
            assert isinstance(event, spec.event_type), f"{type(event).__name__} is no event of the spec"
            assert event.audience is None or set(event.audience) <= set(range(check.seats))
    for moment in check.walk.moments:
        assert moment.input.seat is None or isinstance(moment.input.action, spec.action_type)


def comes_back_from_storage(check: Check) -> None:
    """A stored state, input or event is the same when it is read again."""
    game, spec = check.game, check.game.spec
    for step in check.walk.steps:
        assert step.state == load_state(game, dump_state(step.state), spec.state_version)
        told = msgspec.json.decode(msgspec.json.encode(step.events), type=tuple[spec.event_type, ...])  # type: ignore[name-defined]
        assert step.events == told
    for moment in check.walk.moments:
        if moment.input.seat is not None:
            act = Act(1, moment.input.action, 2)
            assert act == load_input(game, dump_input(act))


def no_card_is_lost(check: Check) -> None:
    """The census is the same from the deal to the end, and knows every card by a name of the data file."""
    dealt = check.game.census(check.walk.dealt.state)
    assert not check.cards or set(dealt) <= set(check.cards)
    for state in check.walk.states:
        assert dealt == check.game.census(state)


def the_seed_decides_all(check: Check) -> None:
    """The same seed and inputs give the same game again."""
    again = walk(check.game, check.walk.setting)
    assert check.walk.dealt == again.dealt
    assert check.walk.moments == again.moments


# --- time and computers --------------------------------------------------------------------------


def deadlines_are_met(check: Check) -> None:
    """A deadline is a positive moment, can pass, and is then gone or later; another name is refused."""
    game, seed = check.game, check.walk.setting.seed
    for number, moment in enumerate(check.walk.moments):
        for name, due_ms in game.deadlines(moment.before).items():
            assert isinstance(due_ms, int)
            assert due_ms > 0
            step = tell(game, moment.before, Input(due_ms, None, name=name), seed, f"deadline {number}")
            assert game.census(moment.before) == game.census(step.state)
            assert game.deadlines(step.state).get(name, due_ms + 1) > due_ms, f"{name} passes for ever"
        nothing = Input(moment.input.at_ms, None, name="no such thing")
        assert _refusal(check, moment.before, nothing, "deadline") is not None, "a deadline that is not there passed"


def any_moment_is_answered(check: Check) -> None:
    """An action at an odd time is taken or refused, at the very start as at the deadline and long after it."""
    for moment in check.walk.moments:
        if moment.input.seat is None:
            continue
        dues = check.game.deadlines(moment.before).values()
        for at_ms in (0, *dues, *(due_ms + 1 for due_ms in dues), moment.input.at_ms + 10**12):
            given = msgspec.structs.replace(moment.input, at_ms=at_ms)
            refusal = _refusal(check, moment.before, given, moment.label)
            assert refusal is None or refusal.facts.get("wait_ms", 1) > 0


def computers_choose_what_is_legal(check: Check) -> None:
    """A computer of any level chooses from its view an action it is offered, or none where nobody waits for it."""
    game, seed = check.game, check.walk.setting.seed
    for number, moment in enumerate(check.some(check.walk.moments, 4 * EXAMINED)):
        awaited = game.to_act(moment.before)
        for seat in movers(game, moment.before, check.seats):
            legal = game.legal(moment.before, seat)
            view = game.view(moment.before, seat)
            for level, choose in computers(game).items():
                action = choose(view, legal, Rng(seed, f"computer {number}"))
                if action is None and seat not in awaited:
                    continue
                assert action in legal, f"the {level} computer wants {action}"


LAWS = (
    accepts_exactly_what_is_legal,
    waits_for_those_who_can_move,
    ends,
    outcome_is_well_formed,
    public_is_the_same_for_all,
    hidden_stays_hidden,
    redrawing_moves_something,
    events_tell_no_more_than_the_view,
    values_are_plain,
    types_are_those_of_the_spec,
    comes_back_from_storage,
    no_card_is_lost,
    the_seed_decides_all,
    deadlines_are_met,
    any_moment_is_answered,
    computers_choose_what_is_legal,
)
