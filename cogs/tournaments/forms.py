"""What organisers type, made into what the rules take: lists of people, results, seats."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import discord

from cogs.ui.answers import Interaction
from cogs.ui.names import shown
from rules.core.contract import Game, Refusal
from rules.core.table import Person
from rules.tournaments.inputs import Line
from rules.tournaments.model import MOST_ENTRANTS, GameChoice, Pod, Tournament, game_choice
from rules.tournaments.points import Scheme
from rules.tournaments.signups import read_people as listed

MOST_KILOBYTES = 200
"""Of a file with people: a thousand lines and more."""
MOST_LISTED = 2 * MOST_ENTRANTS
"""More than can be entered, since some of a list are in already or no members, and few questions to Discord."""
LOST_SHOWN = 10
MOST_CHOICE_LETTERS = 100
"""Of a choice that Discord offers while somebody types."""
MEMBERS_A_QUERY = 100
MOST_DIGITS = 5
MISSED = ("absent", "bye")
"""What stands in a result in place of a score."""

REASONS: Mapping[str, str] = {
    "GoOn": "Not everybody came.",
    "GoOnFilled": "Not everybody came: computers fill in.",
    "Replay": "The game ended without a result that counts.",
    "TakeBack": "The game was taken back while it went on.",
}
"""Reasons of acts that a select names."""

COMMANDS: Mapping[str, str] = {
    "Substitute": "💡 Say who: `/tournament substitute player: newcomer: reason:`",
    "SwapSeats": "💡 Say who: `/tournament swap one: other: reason:`",
    "Repair": "💡 It takes back all tables of the round: `/tournament repair reason:`",
    "AddToTable": "💡 Say who sits down: `/tournament seat player: table: {pod} reason:`",
    "Correct": "💡 Say how it ended: `/tournament correct table: {pod} round_number: {round} result: reason:`. "
    "A result reads `@Ana 58 @Bea 44 @Kim absent`.",
}
"""Acts that need more than a choice."""

_RESULT = re.compile(r"<@!?(\d{15,20})>\s*([^<]*)")
_SCORE = re.compile(r"[=:\s]*(-?\d{1,6})\b")


def numbers(arg: str, count: int) -> list[int]:
    """
    Read numbers with dots between from an id.

    Raises:
        Refusal: `old_button`, they are not so many.
    """
    parts = arg.split(".")
    if len(parts) != count or not all(part.isascii() and part.isdecimal() for part in parts):
        raise Refusal("old_button")
    return [int(part) for part in parts]


def read_order(record: Tournament, text: str) -> tuple[int, ...]:
    """
    Read entrants from mentions, in their order, each once.

    Raises:
        Refusal: `nobody_found`, `no_entrant`.
    """
    found = [record.entrant_of(user_id) for user_id, _ in listed(text).people]
    if not found:
        raise Refusal("nobody_found")
    if None in found:
        raise Refusal("no_entrant")
    return tuple(who.number for who in found if who is not None)


def read_result(record: Tournament, pod: Pod, text: str) -> dict[str, Any]:
    """
    Read the result of a table: a mention and a score each, or *absent* or *bye*. Higher scores place higher.

    Returns:
        `played`, `absent` and `byes` as `inputs.Correct` takes them.

    Raises:
        Refusal: `unread_result`, `no_entrant`.
    """
    told: dict[int, int | str] = {}
    for user_id, what in _RESULT.findall(text):
        who = record.entrant_of(int(user_id))
        if who is None:
            raise Refusal("no_entrant")
        word, score = what.strip(" ,;.:").lower(), _SCORE.match(what)
        if who.number in told or (word not in MISSED and score is None):
            raise Refusal("unread_result")
        told[who.number] = word if score is None else int(score[1])
    forgotten = [one for one in pod.seats if record.entrant(one).user_id <= 0]
    if not told and len(forgotten) < len(pod.seats):
        raise Refusal("unread_result")
    # Nobody can mention them any more: they keep what they had, a score only beside another.
    scored = any(isinstance(one, int) for one in told.values())
    had = dict(zip(pod.players, pod.scores, strict=False)) if scored else {}
    told |= {one: had.get(one, "bye" if one in pod.byes else "absent") for one in forgotten}

    scores = {one: score for one, score in told.items() if isinstance(score, int)}
    places = {one: 1 + sum(other > score for other in scores.values()) for one, score in scores.items()}
    return {
        "played": tuple(Line(one, places[one], score) for one, score in scores.items()),
        "absent": tuple(one for one, what in told.items() if what == "absent"),
        "byes": tuple(one for one, what in told.items() if what == "bye"),
    }


def read_games(games: Mapping[str, Game], text: str) -> tuple[GameChoice, ...]:
    """
    Read games by key or title, with commas between.

    Raises:
        Refusal: `unknown_game`.
    """
    keys = {name.lower(): key for key, game in games.items() for name in (key, game.spec.title)}
    named = [part.strip().lower() for part in text.split(",") if part.strip()]
    if not named or not set(named) <= keys.keys():
        raise Refusal("unknown_game", known=", ".join(game.spec.title for game in games.values()))
    return tuple(game_choice(games[keys[name]].spec) for name in named)


def read_points(text: str) -> Scheme:
    """
    Read points by place, a list for each size of table: `5-2, 5-3-1, 5-3-2-1`.

    Raises:
        Refusal: `unread_points`.
    """
    lists = [part.split("-") for part in re.split(r"[,;\s]+", text.strip())]
    if not all(value.isascii() and value.isdecimal() and len(value) < MOST_DIGITS for each in lists for value in each):
        raise Refusal("unread_points")
    return Scheme("custom", tuple(tuple(map(int, each)) for each in sorted(lists, key=len)))


async def read_people(
    interaction: Interaction, text: str, file: discord.Attachment | None
) -> tuple[tuple[Person, ...], list[str]]:
    """
    Read people from mentions and a file, and look each one up in the server.

    Returns:
        Whom it found, and whom not: bots, those who are not in the server, and lines without an id.

    Raises:
        Refusal: `nobody_found`, `big_file`, `lost_file`, `long_list`.
    """
    in_file = listed(await _content(file) if file is not None else "")
    named = {**dict(listed(text).people), **dict(in_file.people)}
    if len(named) > MOST_LISTED:
        raise Refusal("long_list", listed=len(named), most=MOST_LISTED)
    members = await _members(interaction.guild, list(named))
    people = tuple(Person(one.id, one.display_name) for one in members.values() if not one.bot)
    if not people:
        raise Refusal("nobody_found")
    lost = [
        shown(name) if name else str(user_id)
        for user_id, name in named.items()
        if user_id not in members or members[user_id].bot
    ]
    return people, [*lost, *(f"line {number}" for number in in_file.unread)]


async def _content(file: discord.Attachment) -> str:
    if file.size > MOST_KILOBYTES * 1000:
        raise Refusal("big_file", most=MOST_KILOBYTES)
    try:
        return (await file.read()).decode("utf-8", errors="replace")
    except discord.HTTPException:
        raise Refusal("lost_file") from None


async def _members(guild: discord.Guild | None, user_ids: Sequence[int]) -> dict[int, discord.Member]:
    """Return those who are in the server, in their order; many are asked for at once."""
    found: dict[int, discord.Member] = {}
    if guild is None:
        return found
    for start in range(0, len(user_ids), MEMBERS_A_QUERY):
        asked = list(user_ids[start : start + MEMBERS_A_QUERY])
        for member in await guild.query_members(user_ids=asked, limit=len(asked), cache=False):
            found[member.id] = member
    return {user_id: found[user_id] for user_id in user_ids if user_id in found}
