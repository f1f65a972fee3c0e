"""Let's Dance in words: cards, floors, what happened, and why something is not allowed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby

from cogs.ui.words import NEWS_LINES, Say, say, seat_name
from rules.core.contract import Event
from rules.core.table import Entry, Table
from rules.lets_dance import (
    CARD,
    FAMILY,
    SCORING,
    Danced,
    Discarded,
    DrewCards,
    Fell,
    FinalRound,
    Followed,
    Grabbed,
    KeptCard,
    Laid,
    LineEnded,
    PartyOver,
    Passed,
    Renewed,
    Replenished,
    Reshuffled,
    SatOut,
    Sheet,
    SpinHeld,
    Stepped,
)

SIGN: Mapping[str, str] = {
    "basic": "👟",
    "floorwork": "🧹",
    "ymca": "🔤",
    "spin": "🌀",
    "conga": "🚂",
    "euphoria": "✨",
    "fever": "🔥",
    "toes": "🦶",
    "over": "🛑",
}
CHAIR = "🪑"
LONG_SUM = 10
"""More summands than this are shown grouped: 3×7 rather than seven threes."""


def sign(card: str) -> str:
    """Return the sign of the card's family."""
    return SIGN[FAMILY[card]]


def name(card: str) -> str:
    """Return the card's name."""
    return CARD[card].name


def names(cards: Sequence[str]) -> str:
    """Return the names of cards in the order given."""
    return ", ".join(name(card) for card in cards)


def signed(card: str) -> str:
    """Return the card's name behind its sign, kept together on one line."""
    return f"{sign(card)}\u00a0**{name(card)}**"


def about(card: str, held: int) -> str:
    """Return what a card is good for, in a few words; *held* is how many of it are in the hand."""
    match FAMILY[card]:
        case "basic":
            points = CARD[card].points
            return f"{points} point{'s' if points > 1 else ''}"
        case "floorwork":
            return "{}, a pair {}, a trio {}".format(*SCORING.floorwork)
        case "ymca":
            return "one letter towards YMCA"
        case "spin":
            together = {1: "", 2: f", both {SCORING.spin[1]}"}.get(held, f", three {SCORING.spin[2]}")
            return f"{SCORING.spin[0]} points{together}"
        case "conga":
            return "1 a dancer in the line"
        case "euphoria":
            return "+1 a card after it"
        case "fever":
            return "doubles the step before it"
        case _:
            return "grab a card"


# --- floors --------------------------------------------------------------------------------------


def _short(laid: Laid, open_worth: int) -> str:
    if laid.card == "conga":
        return f"Conga{laid.worth or open_worth}"
    return CARD[laid.card].short


def chip(sequence: Sequence[Laid], open_worth: int) -> str:
    """Return one sequence as inline code, equal neighbours drawn together: `Shuffle Spin×3`."""
    parts = []
    for short, run in groupby(_short(laid, open_worth) for laid in sequence):
        count = len(list(run))
        parts.append(short if count == 1 else f"{short}×{count}")
    return f"`{' '.join(parts)}`"


def floor(laid: Sequence[Laid], open_worth: int = 0, room: int = 1000) -> str:
    """
    Return a floor as chips, one a sequence, with a chair for each break.

    Args:
        laid: the cards from left to right.
        open_worth: what a card of the open Conga Line is worth so far.
        room: characters at most; the oldest sequences shrink to their length first.
    """
    pieces: list[tuple[str, int]] = []
    for down, run in groupby(laid, key=lambda card: card.down):
        cards = list(run)
        pieces += [(CHAIR, 0)] * len(cards) if down else [(chip(cards, open_worth), len(cards))]
    shown = [piece for piece, _ in pieces]
    for place, (_, length) in enumerate(pieces):
        if len(" ".join(shown)) <= room:
            break
        if length:
            shown[place] = f"`{length} card{'s' if length > 1 else ''}`"
    text = " ".join(shown)
    if len(text) > room:
        breaks = sum(piece == CHAIR for piece in shown)
        text = f"`{len(laid) - breaks} cards` {CHAIR}×{breaks}"
    return text or "*nothing yet*"


def summed(values: Sequence[int]) -> str:
    """Return summands as a sum that can be checked by hand; many of them grouped, as `3×7`."""
    if len(values) <= LONG_SUM:
        return "+".join(map(str, values))
    return "+".join(f"{value}×{count}" for value, count in sorted(Counter(values).items(), reverse=True))


def explained(sheet: Sheet) -> str:
    """Return a score sheet by family, empty families left out."""
    families = {
        "Basic": sheet.basic,
        "Floorwork": sheet.floorwork,
        "YMCA": sheet.ymca,
        "Spin": sheet.spin,
        "Conga": sheet.conga,
        "Fever": tuple(value for value in sheet.fever if value),
    }
    parts = [f"{family} {summed(values)}" for family, values in families.items() if values]
    if sheet.euphoria:
        parts.append(f"Euphoria +1 ×{sheet.euphoria}")
    flourishes = {"Dance Machine": sheet.machine, "Big Finish": sheet.finish, "Party Pooper": sheet.pooper}
    parts += [f"{flourish} {value:+d}".replace("-", "−") for flourish, value in flourishes.items() if value]
    return " · ".join(parts) or "nothing scored"


# --- what happened -------------------------------------------------------------------------------


def happened(entry: Entry, table: Table) -> str:
    """Return one public entry as a line for the board."""
    return " ".join(words for event in entry.events if (words := _public(event, table)))


def _public(event: Event, table: Table) -> str:
    def who(seat: int) -> str:
        return seat_name(table, seat)

    match event:
        case Danced():
            opens = " A Conga Line is open!" if "conga" in event.cards else ""
            return f"{who(event.seat)} danced {_shorts(event.cards)}: {event.gained:+d}.{opens}"
        case SpinHeld():
            return f"Shown: {_shorts(event.shown)}. No fall." if event.shown else ""
        case Fell():
            spins = event.tried.count("spin")
            lost = "The Spin is" if spins == 1 else f"{spins} Spins are"
            return f"{who(event.seat)} fell! Shown: {_shorts(event.shown)}. {lost} gone, one sat out."
        case Followed():
            return f"{who(event.seat)} followed the Conga Line, {event.line} in it now."
        case SatOut():
            return f"{who(event.seat)} sat out: the Conga Line ends at {event.closes} each."
        case LineEnded():
            return f"The Conga Line is over: {event.worth} each."
        case Stepped():
            grabbed = ("got nothing", "grabbed a card", "grabbed two cards")[event.grabbed]
            return f"{who(event.seat)} stepped on the toes of {who(event.victim)} and {grabbed}."
        case Discarded():
            return f"{who(event.seat)} threw away {name(event.card)}."
        case Replenished():
            return f"{who(event.seat)} caught their breath and drew {_counted(event.drew)}."
        case Renewed():
            threw = f", threw away {_shorts(event.dropped)}" if event.dropped else ""
            return f"{who(event.seat)} sat one out to renew{threw}, drew {_counted(event.drew)}."
        case Passed():
            return f"{who(event.seat)} passed."
        case PartyOver():
            return "🛑 **Party's Over!** One more full round after this one."
        case FinalRound():
            return "The final round begins: nobody draws."
        case Reshuffled():
            return "The discards became the new deck."
        case _:
            return ""


def _counted(cards: int) -> str:
    return f"{cards or 'no'} card{'' if cards == 1 else 's'}"


def _shorts(cards: Sequence[str]) -> str:
    return ", ".join(CARD[card].short for card in cards)


def told(events: Sequence[Event], table: Table, seat: int) -> list[str]:
    """Return what just happened to *seat*, a line each, for its own panel; of much the latest."""
    return [words for event in events if (words := _own(event, table, seat))][-NEWS_LINES:]


def _own(event: Event, table: Table, seat: int) -> str:
    match event:
        case Danced(seat=dancer) if dancer == seat:
            return f"You danced {names(event.cards)}: **{event.gained:+d}**."
        case SpinHeld(seat=dancer) if dancer == seat and event.shown:
            return f"Shown: {names(event.shown)}. You keep your balance."
        case Fell(seat=dancer) if dancer == seat:
            return _own_fall(event)
        case Followed(seat=dancer) if dancer == seat:
            return f"You followed the Conga Line: {event.line} in it now."
        case SatOut(seat=dancer) if dancer == seat:
            return f"You sat out: the Conga Line ends at {event.closes} each. Now take your turn."
        case Stepped(victim=victim) if victim == seat:
            return f"{CHAIR} {seat_name(table, event.seat)} stepped on your toes: you sit one out."
        case Grabbed() if event.cards:
            return f"{'Taken from you:' if event.victim == seat else 'You grabbed'} {names(event.cards)}."
        case KeptCard(seat=thief) if thief == seat:
            return f"You keep {signed(event.card)}."
        case DrewCards():
            return f"You drew {', '.join(signed(card) for card in event.cards)}."
        case Stepped(seat=thief) if thief == seat and not event.grabbed:
            return f"You stepped on the toes of {seat_name(table, event.victim)}: there was nothing to grab."
        case Replenished() | Renewed() | Passed() if event.seat == seat:
            return _own_rest(event)
        case PartyOver() | FinalRound():
            return _public(event, table)
        case _:
            return ""


def _own_rest(event: Replenished | Renewed | Passed) -> str:
    if isinstance(event, Passed):
        return "You passed."
    empty = "" if event.drew else " There was no card left to draw."
    if isinstance(event, Replenished):
        return f"You caught your breath.{empty}"
    threw = f" and threw away {names(event.dropped)}" if event.dropped else ""
    return f"You sat one out to renew your hand{threw}.{empty}"


def _own_fall(event: Fell) -> str:
    why = "Stumble!" if event.reason == "stumble" else "Dizzy!"
    spins = event.tried.count("spin")
    gone = "Your Spin is gone" if spins == 1 else f"Your {spins} Spins are gone"
    back = f", {names(event.returned)} is back in your hand" if event.returned else ""
    return (
        f"**You fell!** Shown: {names(event.shown)}. {why}\n"
        f"{CHAIR} {name(event.shown[0])} lies face-down: you sit one out. {gone}{back}."
    )


# --- refusals ------------------------------------------------------------------------------------

REFUSALS: Mapping[str, Say] = {
    "malformed": say("That is no move of this game. Press **My hand** and choose again."),
    "over": say("The party is over. Once more? `/letsdance new`"),
    "not_your_turn": say("It is not your turn yet: the board shows who is dancing."),
    "must_keep_first": say("First choose which of the two grabbed cards you keep."),
    "not_grabbed": say("That card is not one of the two you grabbed."),
    "line_is_open": say("A Conga Line is open: follow it, or sit one out."),
    "no_line": say("The Conga Line is over already: take a normal turn."),
    "no_conga_card": say("You hold no Conga Line card to follow with: sit one out."),
    "no_cards": say("Choose one to three cards to dance."),
    "not_in_hand": say("You do not hold those cards any more. Here is your hand as it is now."),
    "toes_cannot_dance": say("Step on Toes is not danced: pick a victim for it."),
    "too_many_cards": say("At most three cards in a dance, Euphoria and Dance Fever included."),
    "two_extras": say("Only one Euphoria or one Dance Fever goes with a dance."),
    "extra_alone": say("Euphoria and Dance Fever go with another card."),
    "mixed_families": say("Cards of one dance belong to one family."),
    "one_conga": say("One Conga Line card a turn."),
    "second_euphoria": say("Your sequence has a Euphoria already: the next one waits for a break."),
    "no_such_seat": say("Nobody sits there."),
    "own_toes": say("Your own toes? Pick somebody else's."),
    "no_sequence_to_stop": say("They are sitting out or have not begun: no toes to step on."),
    "hand_is_full": say("You hold five cards: there is nothing to replenish. Dance, or renew."),
    "final_pass_only": say("In the final round nobody draws: pass, or dance what you have."),
    "drop_not_in_order": say("Those cards cannot be thrown away like that. Choose again."),
    "cannot_pass": say("There is no passing now: dance, renew or replenish."),
}
