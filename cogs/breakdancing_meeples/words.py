"""Breakdancing Meeples in words: crews, stances, cards, what happened, and why something is not allowed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from cogs.ui.words import NEWS_LINES, Say, say, seat_name
from rules.breakdancing_meeples import (
    ANY,
    STANCES,
    BellRang,
    Bought,
    Card,
    Completed,
    CountIn,
    Crew,
    CrewDone,
    CrewReady,
    Placed,
    RallyCube,
    RemixDealt,
    Resumed,
    ReturnedCard,
    Rolled,
    Routine,
    Scored,
    SkippedPick,
    Swapped,
    Took,
    Voided,
    Went,
)
from rules.core.contract import Event
from rules.core.table import Entry, Table

CREWS = ("Red", "Blue", "Green", "Yellow")
SIGNS = ("🍒", "💧", "🍀", "⭐")
"""Four signs of four shapes, by seat, so that nobody needs to tell colours apart."""

STANCE: Mapping[str, str] = {"feet": "Feet", "side": "Side", "head": "Head", "back": "Back"}
STANCE_SIGN: Mapping[str, str] = {"feet": "🧍", "side": "🤸", "head": "🙃", "back": "💤"}
LETTER: Mapping[str, str] = {"feet": "F", "side": "S", "head": "H", ANY: ANY}
MANY = 3
"""So many open slots for any dancer in a row are counted instead of listed."""
SECOND_MS = 1_000
SHORT = 24


def crew_name(table: Table, seat: int) -> str:
    """Return a crew with its sign and who dances it."""
    return f"{SIGNS[seat]} **{CREWS[seat]}** · {seat_name(table, seat)}"


def slots(card: Card, locked: Sequence[str]) -> str:
    """Return a row of slots, taken ones in brackets."""
    signs = [f"[{LETTER[there]}]" if there else LETTER[asked] for asked, there in zip(card.slots, locked, strict=True)]
    runs = [(sign, len(list(run))) for sign, run in groupby(signs)]
    return " ".join(
        f"{ANY} ×{count}" if sign == ANY and count >= MANY else " ".join([sign] * count) for sign, count in runs
    )


def squares(card: Card, cubes: int) -> str:
    """Return a row of squares, covered ones in brackets."""
    return " ".join(f"[{points}]" if at < cubes else str(points) for at, points in enumerate(card.squares))


def routine(one: Routine) -> str:
    """Return a Routine's slots and squares in one line; a Matching Pair card has a use instead."""
    if one.card.kind == "matching_pair":
        return "Two alike for any dancer"
    return f"`{slots(one.card, one.locked)}` for `{squares(one.card, one.cubes)}`"


def printed(card: Card) -> str:
    """Return the same of a card without dancers and cubes."""
    return routine(Routine(card, ("",) * len(card.slots)))


def rallies(one: Routine) -> list[str]:
    """Return a line for each Rally beneath a Routine."""
    return [f"🎁 Rally `{squares(rally.card, rally.cubes)}` {rally.card.name}" for rally in one.rallies]


def about(one: Routine) -> str:
    """Return what is on offer in one plain line, for a select."""
    card = one.card
    if card.kind == "rally":
        return f"Squares {squares(card, 0)}; what for stands above"
    with_it = f" · with the Rally {' and '.join(rally.card.name for rally in one.rallies)}" if one.rallies else ""
    return routine(one).replace("`", "") + with_it


def short(name: str, length: int = SHORT) -> str:
    """Return the name of a card, cut to fit on a button."""
    return name if len(name) <= length else name[: length - 1].rstrip() + "…"


def lying(counts: Sequence[int]) -> str:
    """Return what a roll brought, *counts* being in the order of `STANCES`."""
    by_stance = dict(zip(STANCES, counts, strict=True))
    told = [f"{name} {by_stance[stance]}" for stance, name in STANCE.items() if by_stance[stance]]
    return f"Rolled {sum(counts)}: {', '.join(told)}."


def called(crew: Crew) -> str:
    """Return the Routines a crew completed in this Dance Off, each with how often; the last one is called out."""
    last = crew.completed[-1]
    counts = {name: crew.completed.count(name) for name in dict.fromkeys(crew.completed)}
    earlier = [_times(name, count) for name, count in counts.items() if name != last]
    return ", ".join([*earlier, f"📣\u00a0**{_times(_shout(last), counts[last])}**"])


def _times(name: str, count: int) -> str:
    return name if count == 1 else f"{name}\u00a0×{count}"


def listed(names: Sequence[str]) -> str:
    """Return names in a row, the last one after *and*."""
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)


def seconds(length_ms: int) -> str:
    """Return a short length of time, to a tenth below ten seconds."""
    if length_ms < 10 * SECOND_MS:
        return f"{max(1, -(-length_ms // 100)) / 10:g} s"
    return f"{-(-length_ms // SECOND_MS)} s"


def clock(moment_ms: int) -> str:
    """Return a moment as each reader's own clock shows it, with seconds."""
    return f"<t:{moment_ms // SECOND_MS}:T>"


# --- what happened -------------------------------------------------------------------------------


def happened(entry: Entry, table: Table) -> str:
    """Return one line about what happened, empty for rolls and placings, which are too many to tell."""
    return " ".join(told for event in entry.events if (told := _public(event, table)))


def _public(event: Event, table: Table) -> str:
    def who(seat: int) -> str:
        return f"{SIGNS[seat]} {seat_name(table, seat)}"

    match event:
        case CountIn() if event.forced:
            return f"5, 6, 7, 8! Not ready and late: {', '.join(who(seat) for seat in event.forced)}."
        case CountIn():
            return "5, 6, 7, 8!"
        case Went():
            return f"Dance Off {event.dance_off}: dance!"
        case Completed():
            return f"📣 {who(event.seat)}: **{_shout(event.name)}**"
        case RallyCube():
            return f"🎁 {who(event.seat)}: **{event.name}** +{event.points}."
        case BellRang():
            return "🔔 The bell! Stop rolling."
        case Scored():
            return _scored(event, table)
        case RemixDealt():
            return f"💿 Remix {event.remix}."
        case Took():
            return _ended(f"{who(event.seat)} takes {event.name}")
        case Bought():
            return f"{who(event.seat)} buys {event.name} for {event.cost}."
        case ReturnedCard() if event.timeout:
            return f"Time is up: {who(event.seat)} gives {event.name} back."
        case ReturnedCard():
            return _ended(f"{who(event.seat)} returns {event.name}")
        case SkippedPick() if event.timeout:
            return f"Time is up: {who(event.seat)} takes nothing."
        case SkippedPick():
            return f"{who(event.seat)} takes nothing."
        case Voided():
            return f"The bot was away for {seconds(event.lost_ms)} of Dance Off {event.dance_off}: it is danced anew."
        case Resumed():
            time = "the time begins anew" if event.anew else "the bell keeps its time"
            return f"The bot was away for {seconds(event.lost_ms)}; {time}."
        case _:
            return ""


def _ended(sentence: str) -> str:
    """Return a sentence with its full stop, unless the card at its end has a mark of its own."""
    return sentence if sentence.endswith(("!", "?")) else f"{sentence}."


def _shout(name: str) -> str:
    return name if name.endswith(("!", "?")) else f"{name}!"


def _scored(event: Scored, table: Table) -> str:
    best = max(crew.points for crew in event.sheet.crews)
    winners = [seat for seat, crew in enumerate(event.sheet.crews) if crew.points == best]
    names = listed([seat_name(table, seat) for seat in winners])
    return f"🏆 Dance Off {event.sheet.dance_off}: {best} for {names}."


def told(events: Sequence[Event], seat: int) -> str:
    """Return one line about what *seat* just did, its latest deed last; empty when there is nothing to say."""
    mine = [event for event in events if getattr(event, "seat", None) == seat]
    placed = [event for event in mine if isinstance(event, Placed)]
    lines = [_placed(placed)] if placed else []
    return " ".join([*lines, *(words for event in mine if (words := _own(event)))][-NEWS_LINES:])


def _placed(placed: Sequence[Placed]) -> str:
    stances = [STANCE[event.stance] for event in placed]
    counts = {stance: stances.count(stance) for stance in dict.fromkeys(stances)}
    return f"Placed {', '.join(f'{stance} {count}' for stance, count in counts.items())}."


def _own(event: Event) -> str:
    match event:
        case Rolled():
            return lying((event.back, event.feet, event.side, event.head))
        case Completed():
            points = f" +{event.points}." if event.points else ""
            return f"📣 **{_shout(event.name)}**{points}"
        case RallyCube():
            return f"🎁 **{event.name}** +{event.points}."
        case Swapped():
            return f"Two {STANCE[event.pair]} spent."
        case CrewReady():
            return "You are ready."
        case CrewDone():
            return "You are done."
        case Took():
            return _ended(f"You take {event.name}")
        case Bought():
            return f"You buy {event.name} for {event.cost}."
        case ReturnedCard():
            return _ended(f"{'Time is up: you' if event.timeout else 'You'} return {event.name}")
        case SkippedPick():
            return f"{'Time is up: you' if event.timeout else 'You'} take nothing."
        case _:
            return ""


# --- refusals ------------------------------------------------------------------------------------


def _too_late(facts: Mapping[str, int]) -> str:
    bell_ms, at_ms = facts["bell_ms"], facts["at_ms"]
    late = seconds(at_ms - bell_ms)
    return f"The bell rang at {clock(bell_ms)}, your roll came at {clock(at_ms)}, {late} late. Place what lies."


def _stopped(facts: Mapping[str, int]) -> str:
    bell_ms, at_ms = facts["bell_ms"], facts["at_ms"]
    if at_ms > bell_ms:
        return _too_late(facts)
    return f"Rolled at {clock(at_ms)}, before the bell at {clock(bell_ms)}, yet it came too late. Place what lies."


def _too_soon(facts: Mapping[str, int]) -> str:
    return f"Too early by {seconds(facts['wait_ms'])}: nothing lost, press again then."


REFUSALS: Mapping[str, Say] = {
    "malformed": say("That button is none of mine."),
    "over": say("The dance is over."),
    "no_such_seat": say("There is no such crew at this table."),
    "other_dance_off": say("That button was for another Dance Off. This panel is the current one."),
    "already_ready": say("You are ready already. It starts once all are."),
    "dance_off_is_on": say("It is counted in already: **My crew**, and roll!"),
    "not_dancing": say("Nobody dances right now: wait for the count-in."),
    "bell_rang": _stopped,
    "bell_not_rung": say("Done is for after the bell, while crews still place."),
    "crew_is_done": say("Your crew is done for this Dance Off."),
    "old_roll": say("One press was enough: these dancers were rolled anew since."),
    "already_placed": say("One press was enough: this is how your dancers lie now."),
    "all_locked": say("All your dancers are locked: nobody is left to roll."),
    "too_early": _too_soon,
    "too_late": _too_late,
    "too_fast": lambda facts: f"Too fast by {seconds(facts['wait_ms'])}: nothing lost, roll again.",
    "no_such_routine": say("Your crew has no such Routine any more."),
    "no_such_stance": say("There is no such stance."),
    "no_slots": say("A Matching Pair card takes no dancers: trade a pair with it."),
    "no_cubes": say("Your six cubes are used up: that was your Dance Off."),
    "squares_full": say("That Routine is full of cubes until the next Dance Off."),
    "no_slot": say("No open slot there takes that stance."),
    "no_dancer": say("No free dancer of yours lies like that."),
    "nothing_fits": say("Nothing fits there as your dancers lie now: roll on."),
    "no_matching_pair": say("You have no Matching Pair card to trade with."),
    "no_pair": say("For that trade you need two alike and one more free dancer."),
    "no_remix": say("The Remix is over: the cards are put away."),
    "other_remix": say("That button was for another Remix."),
    "not_your_pick": say("It is not your pick yet: lowest Crowd Appeal goes first."),
    "already_picked": say("You have had your pick in this Remix."),
    "return_first": say("Three Routines are the limit: return one first."),
    "attach_first": say("Put the Rally you reserved beneath a Routine first, or take nothing."),
    "nothing_to_return": say("You have nothing to return."),
    "nothing_to_attach": say("You have reserved no Rally."),
    "no_such_place": say("There is no such card on offer."),
    "gone": say("Somebody was faster: that card is gone. Pick another one."),
    "to_be_bought": say("That one is a Routine: it is taken, not bought."),
    "not_a_rally": say("Only Rally cards are bought."),
    "too_dear": say("That Rally costs more Crowd Appeal than you have."),
    "no_room_for_rally": say("A Rally lies beneath a Routine with squares."),
}
