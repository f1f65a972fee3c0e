"""Lambada in words: cards, letters, what happened, and why something is not allowed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cogs.ui.words import NEWS_LINES, Say, say, seat_name
from rules.core.contract import Event
from rules.core.table import Entry, Table
from rules.lambada import (
    CARD,
    COLOUR,
    COLOURS,
    GRAY,
    TOKENS,
    CalledInVain,
    CardLaid,
    CaughtOut,
    Dealt,
    DealtHand,
    DrewInstead,
    Fined,
    ForbiddenChanged,
    Letter,
    MatchWon,
    OwnedUp,
    Passed,
    PassedCard,
    Reshuffled,
    ReturnedCard,
    RoundWon,
    Skipped,
    TokenPicked,
)

SIGN: Mapping[str, str] = {
    "blue": "💧",
    "green": "🍀",
    "yellow": "⭐",
    "orange": "🔶",
    "red": "🍒",
    "purple": "🍇",
    "pink": "🌸",
    GRAY: "⬜",
}
"""Seven signs of seven shapes, so that nobody needs to tell colours apart."""

CODE: Mapping[str, str] = {
    "blue": "blu",
    "green": "grn",
    "yellow": "yel",
    "orange": "org",
    "red": "red",
    "purple": "pur",
    "pink": "pnk",
    GRAY: "gry",
}
TOKEN_SIGN: Mapping[str, str] = {
    "rose": "🌹",
    "palm": "🌴",
    "sun": "🌞",
    "shell": "🐚",
    "drum": "🥁",
    "parrot": "🦜",
    "pineapple": "🍍",
    "guitar": "🎸",
}
KIND: Mapping[str, str] = {
    "clean": "clean",
    "non_matching": "a colour that was not showing",
    "fifth": "a fifth of its colour",
    "forbidden": "the Forbidden Colour",
}
ORDINALS = ("1st", "2nd", "3rd", "4th", "5th", "6th", "7th")


def name(card: str) -> str:
    """Return the card's name, such as Red A."""
    return CARD[card].name


def names(cards: Sequence[str]) -> str:
    """Return the names of cards in the order given."""
    return ", ".join(name(card) for card in cards)


def sign(card: str) -> str:
    """Return the sign of the card's colour."""
    return SIGN[COLOUR[card]]


def signed(card: str) -> str:
    """Return the card's name behind its sign, kept together on one line."""
    return f"{sign(card)}\u00a0**{name(card)}**"


def colour(key: str) -> str:
    """Return the name of a colour; the starting cards are gray."""
    return COLOURS.get(key, "Gray")


def token(key: str) -> str:
    """Return a Victory Token behind its sign."""
    return f"{TOKEN_SIGN.get(key, '🏆')}\u00a0{TOKENS[key]}"


def word(letters: Sequence[Letter]) -> list[str]:
    """Return LAMBADA as it lies: signs for the glance, and a block that needs neither colour nor emoji."""
    glance = " ".join(f"{SIGN[letter.colour]}{letter.letter.upper()}" for letter in letters)
    top = "".join(f"{letter.letter.upper():<4}" for letter in letters).rstrip()
    below = " ".join(CODE[letter.colour] for letter in letters)
    return [f"### {glance}", f"```\n{top}\n{below}\n```"]


def forbidden(key: str) -> str:
    """Return the heading that says which colour is forbidden."""
    if not key:
        return "### 🚫 Forbidden: nothing now"
    return f"### 🚫 Forbidden: {SIGN[key]} {colour(key).upper()}"


def showing(counts: Sequence[tuple[str, int]]) -> str:
    """Return how often each colour shows, the most frequent first."""
    ordered = sorted(counts, key=lambda pair: -pair[1])
    listed = ", ".join(f"{SIGN[key]}\u00a0{colour(key)}\u00a0{count}" for key, count in ordered)
    return f"**Showing:** {listed or 'no colour yet'}"


def drawn(cards: Sequence[str]) -> str:
    """Return what was drawn from the face-up pile."""
    return f"drew {len(cards)} ({names(cards)})" if cards else "drew nothing, for nothing is left"


# --- what happened -------------------------------------------------------------------------------


def happened(entry: Entry, table: Table) -> str:
    """Return one public entry as a line for the board."""
    return " ".join(words for event in entry.events if (words := _public(event, table)))


def _public(event: Event, table: Table) -> str:
    def who(seat: int) -> str:
        return seat_name(table, seat)

    match event:
        case Dealt():
            return f"Round {event.round} is dealt, {who(event.starter)} begins."
        case CardLaid():
            return f"{who(event.seat)}: {name(event.card)} on {colour(event.on)}."
        case Fined():
            why = " That would have won, so it was looked at:" if event.checked else ""
            return f"{why} {KIND[event.kind].capitalize()}, {drawn(event.cards)}.".strip()
        case Passed():
            return f"{who(event.seat)} passed a card to {who(event.to)}."
        case DrewInstead():
            return f"A letter is still gray: {who(event.seat)} {drawn(event.cards)}."
        case OwnedUp():
            return f"{who(event.seat)} owned up ({KIND[event.kind]}) and {drawn(event.cards)}."
        case CaughtOut():
            back = " The passed card went back." if event.returned else ""
            return f"📣 {who(event.caller)} caught {who(event.seat)}: {KIND[event.kind]}, {drawn(event.cards)}.{back}"
        case CalledInVain():
            return f"{who(event.caller)} called the card of {who(event.seat)}: it was clean."
        case ForbiddenChanged():
            return f"Forbidden now: {colour(event.colour) if event.colour else 'nothing'}."
        case Reshuffled():
            return "The covered cards became the new pile."
        case Skipped():
            return f"{who(event.seat)} holds no card and waits for the last letters."
        case RoundWon():
            return f"🌹 LAMBADA! {who(event.seat)} wins the round."
        case TokenPicked():
            return f"{who(event.seat)} takes {token(event.token)}."
        case MatchWon():
            return f"🏆 {who(event.seat)} wins the match."
        case _:
            return ""


def told(events: Sequence[Event], table: Table, seat: int) -> list[str]:
    """Return what just happened to *seat*, a line each, for its own panel; of much the latest."""
    return [words for event in events if (words := _own(event, table, seat))][-NEWS_LINES:]


def _own(event: Event, table: Table, seat: int) -> str:
    match event:
        case CardLaid(seat=layer) if layer == seat:
            return f"You laid {signed(event.card)} on {colour(event.on)}."
        case Fined(seat=layer) if layer == seat:
            why = " It would have won, so it was looked at." if event.checked else ""
            return f"That was {KIND[event.kind]}: you {drawn(event.cards)}.{why}"
        case DrewInstead(seat=layer) if layer == seat:
            return f"A letter is still gray: you {drawn(event.cards)}."
        case OwnedUp(seat=layer) if layer == seat:
            return f"You owned up and {drawn(event.cards)}."
        case CaughtOut(seat=layer) if layer == seat:
            return f"📣 {seat_name(table, event.caller)} caught you: you {drawn(event.cards)}."
        case CaughtOut(caller=caller) if caller == seat:
            return f"📣 Right! It was {KIND[event.kind]}."
        case CalledInVain(caller=caller) if caller == seat:
            return "That card was clean. You cannot call it again."
        case PassedCard(seat=giver) if giver == seat:
            return f"You passed {signed(event.card)} to {seat_name(table, event.to)}."
        case PassedCard(to=receiver) if receiver == seat:
            return f"🎁 {seat_name(table, event.seat)} passed you {signed(event.card)}."
        case ReturnedCard(seat=giver) if giver == seat:
            return f"{signed(event.card)} comes back to you."
        case ReturnedCard(to=receiver) if receiver == seat:
            return f"{signed(event.card)} goes back to {seat_name(table, event.seat)}."
        case RoundWon(seat=winner) if winner == seat:
            return "🌹 **LAMBADA!** The round is yours. Hips, please!"
        case DealtHand(seat=dealt) if dealt == seat:
            return f"You were dealt {len(event.cards)} cards."
        case RoundWon() | TokenPicked() | ForbiddenChanged() | Dealt() | MatchWon():
            return _public(event, table)
        case _:
            return ""


# --- refusals ------------------------------------------------------------------------------------

REFUSALS: Mapping[str, Say] = {
    "malformed": say("That is no move of this game. Press **My hand** and choose again."),
    "over": say("The match is over. Once more? `/lambada new`"),
    "no_such_seat": say("Nobody sits there."),
    "not_your_turn": say("It is not your turn yet: the board shows who is to lay."),
    "too_early": lambda facts: (
        f"Give the others {max(1, -(-facts.get('wait_ms', 0) // 1000))} more seconds to call the last card."
    ),
    "round_is_over": say("This round is over; the next one is dealt in a moment."),
    "pass_first": say("First pass a card to the next player."),
    "lay_first": say("Lay a card before you pass one."),
    "not_in_hand": say("You do not hold that card any more. Here is your hand as it is now."),
    "no_such_slot": say("There are seven letters only."),
    "wrong_letter": say("A card lies on its own letter only."),
    "no_catch": say("At this table the bot sees every foul by itself."),
    "not_a_foul": say("There is nothing to own up to: your card was clean."),
    "no_card_laid": say("No card has been laid in this round yet."),
    "too_late": say("Too late: the next card lies already, and that one stays."),
    "already_settled": say("That card is settled already."),
    "own_card": say("Call others, not yourself."),
    "called_in_vain": say("You called this card once already; it was clean."),
    "round_is_on": say("The round is still going on."),
    "not_winner": say("The winner of the round picks the token."),
    "token_picked": say("You have picked a token for this round."),
    "no_such_token": say("There is no such token."),
    "token_taken": say("That token is taken: pick another."),
    "match_is_won": say("The match is won: only the last token is missing."),
    "already_ready": say("You are ready already; now for the others."),
}
