"""
What the project promises to whoever plays, row by row; `test_rows` holds the tests against this list.

A row is proven by every test whose name begins with its id, such as `test_check_b1_...`, wherever under tests/.
"""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """
    One promise.

    Attributes:
        promise: what our bot does, in one line.
        waits: what must be there before any of it can be tested, empty for a row that has tests.
        later: the part of a tested row that waits, and for what.
    """

    promise: str
    waits: str = ""
    later: str = ""


PICTURES = "pictures"
RATINGS = "ratings"
TRANSLATIONS = "translations"
HOSTING = "hosting"

ROWS = {
    # Interactions
    "A1": Row(
        "However slow the database, a first answer comes in time; too late all the same, nothing is lost",
        later=PICTURES,
    ),
    "A2": Row("An interaction that arrives twice counts once; a second process on one database does not start"),
    "A3": Row("Hundreds of random presses, every one is answered"),
    "A4": Row("Outsiders, people whose turn it is not, and buttons of finished games get one sentence in private"),
    "A5": Row("Every refusal has a sentence of its own, and the true reason is the one that is given"),
    "A6": Row("No command and no button ends without an answer, even when our own code fails"),
    # Restarts and time
    "B1": Row("Killed at any moment, the game goes on from the button that stands in the channel"),
    "B3": Row("After a start the boards that are behind are edited, and no message is posted to say so"),
    "B4": Row("A deadline is a moment, not a span: over any restart it passes once"),
    "B5": Row("What is saved comes back as it was, after every input, and every phase can be taken up and ended"),
    "B6": Row("No table is there for ever, and host, majority and admin can end one in any phase"),
    # The private hand
    "C1": Row("An open hand follows its owner's own changes while it can, and leads on however old it is"),
    "C2": Row("My hand under the board and /hand are the same door, at any time"),
    "C3": Row("Of two open hands the older plays nothing, and no card is lost or played twice"),
    "C4": Row("Sixty cards in a hand are all within reach"),
    "C5": Row("A whole game needs no direct message, nor does a tournament"),
    "C6": Row("What is private is an answer that its reader alone sees, never a direct message"),
    "C7": Row("Nothing that all can see tells a card of a hidden hand", later=f"alt texts and file names: {PICTURES}"),
    # Races
    "D1": Row("Fifty joins of one person are one seat, two hundred people never more than the seats"),
    "D2": Row("Two presses at once have one effect, and the second is told that it is done"),
    "D3": Row("A hundred tables that finish at once close one round"),
    "D4": Row("In whatever order tables finish, the next round can start"),
    # People
    "E1": Row("Whoever has left the server is noticed at their turn, and the game ends as any other"),
    "E2": Row("A leaver ends no game of three or more; a game of two has a defined end"),
    "E3": Row("Somebody new can take over seat, hand and score; an empty lobby closes by itself"),
    "E5": Row("When the host goes the earliest to have joined has all the host's powers; the last one out closes"),
    "E6": Row("A deadline that is seen, one warning, a move by computer, and a seat kept until its owner is back"),
    "E7": Row("Computers come and go in the lobby, are marked everywhere, and are enough for a game", later=RATINGS),
    "E9": Row("Anyone in the channel can watch a board, and learns nothing hidden"),
    # Places
    "F1": Row("Message, thread or channel deleted: the board comes again, or the table waits to be moved"),
    "F2": Row("A permission taken away stops no process and no other table, and is named to whoever asks"),
    "F3": Row("/setup check names what is missing, and nothing but text is needed to play"),
    "F4": Row("Where no thread can be opened the game stays in the channel and says so"),
    "F5": Row("An archived thread is opened for the board; of a locked one people are told what to do"),
    "F6": Row("Several tables in a channel and many in a server: each press reaches its own"),
    "F8": Row("An outage of Discord is no removal"),
    "F9": Row("A server that removed the bot is parked, freed, and forgotten after its time"),
    # Texts
    "G1": Row("No name and no text of ours pings anybody but the one person who is called"),
    "G2": Row("Names are shown as they are and break nothing around them", later=f"alt texts: {PICTURES}"),
    "G3": Row("The fullest table and the standings of 256 people fit, with the worst names"),
    "G4": Row("Somebody deleted can still be taken from a table, and no lookup that fails breaks anything"),
    # Limits and calls
    "H1": Row("One edit of a board at a time and one a second, and the last state is always shown"),
    "H2": Row("A board that is old, or that Discord will not have edited, is posted anew"),
    "H4": Row("One call a turn, none while the same person goes on"),
    "H5": Row("A call has game, deadline and a way to the board, and everyone chooses how they are called"),
    "H6": Row("Direct messages go to those who asked for them, one a turn"),
    "H7": Row("Nobody gets a direct message unasked, and each one says how to stop them"),
    # The real-time game
    "I1": Row("The end of a round is shown by the reader's own clock, without edits"),
    "I2": Row("The moment stands in text, not in an embed"),
    "I3": Row("Rolls are answered on the roller's own panel, in time at twenty tables"),
    "I4": Row("The server's clock decides, and says so"),
    "I5": Row("A restart in the last minute has a stated outcome"),
    "I6": Row("One roll a panel version"),
    # Storage
    "J1": Row("Two hundred moves at once beside a backup and a query: none fails"),
    "J2": Row("An update finds its data, or refuses to start", waits=HOSTING),
    "J4": Row("First saved, then said; what was owed at a crash is said once"),
    # Tournaments
    "K1": Row("Nobody has a second bye while somebody else has had none"),
    "K5": Row("Of the tables with most points the closest is the first"),
    "K12": Row("A result set by hand is shown to those it is about, while the standings can still be put right"),
    "K14": Row("Who goes on too early is told each table that is awaited, with a link and the ways out"),
    "K17": Row("Whoever does not confirm is left out before the pairing; a table waits for nobody for ever"),
    "K18": Row("Somebody late or forgotten is seated at a short table without pairing anew"),
    "K23": Row("A tournament belongs to its server and its staff; what is over stays as it is unless opened again"),
    # Seeing and reading
    "L1": Row("Every kind of card has a sign and a word; nothing is told by colour alone", later=PICTURES),
    "L2": Row("A game is text from lobby to result, readable by a screen reader", later=f"alt texts: {PICTURES}"),
    "L3": Row("One line a player, narrow blocks, short labels, no inline fields"),
    "L4": Row("All sentences in the reader's language", waits=TRANSLATIONS),
    "L5": Row("Cards are words first, signs are decoration"),
    # Commands, privacy, hosting
    "N1": Row(
        "Commands are registered once a process, in one place; a reconnect sends nothing",
        later=f"only when they changed, and to development servers: {HOSTING}",
    ),
    "N2": Row("Everybody gets and erases what is kept about them, and others' games stay checkable", later=RATINGS),
    "N3": Row("The token comes from the environment, stands in no log, and a wrong one ends the start clearly"),
}
