"""The rules of a tournament as its organisers choose them: one select a rule, each choice holds at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import discord
import msgspec
from discord import ui

from cogs.tournaments import words
from cogs.tournaments.parts import ACCENT, Titles, knob, press, small, title
from cogs.ui.ids import PICK
from cogs.ui.layout import MAX_PLACEHOLDER, Element, Style, option, page, rows, select, text
from cogs.ui.words import span
from rules.core.contract import Game, Refusal
from rules.core.table import CLOCKS_MS, DAY_MS, HOUR_MS, MINUTE_MS
from rules.tournaments.model import MOST_ENTRANTS, GameChoice, Setup, Tournament
from rules.tournaments.plan import check_setup
from rules.tournaments.points import LARGEST_SIZE, LEAST_SIZE, Scheme
from rules.tournaments.sizes import Sizes

ROUNDS_OFFERED = 10
"""More are possible, but no evening lasts so long."""
LATEST_ENTRY = 5
PAGES: Mapping[str, str] = {"": "Play", "people": "People and time", "games": "Games"}
"""The panel's pages: more selects than Discord allows in one message."""


class Rule(msgspec.Struct, frozen=True):
    """
    One rule that can be chosen.

    Attributes:
        page: where it stands.
        title: what it is about.
        choices: values in words, by the text that stands for them.
        now: gives the text of the value a setup has.
        put: gives the setup with another value.
        formats: in which formats it matters, none for all.
        short: a choice's name where the words are too long for a phone; they stand below it then.
        matters: whether other rules leave it anything to say.
        game: of which game it is an option.
        useful: whether a choice would make a difference.
        about: what stands below a choice, where that depends on the setup.
    """

    page: str
    title: str
    choices: Mapping[str, str]
    now: Callable[[Setup], str]
    put: Callable[[Setup, str], Setup]
    formats: tuple[str, ...] = ()
    short: Mapping[str, str] = {}
    matters: Callable[[Setup], bool] = bool
    game: str = ""
    useful: Callable[[Setup, str], bool] = lambda _setup, _to: True
    about: Callable[[Setup, str], str] = lambda _setup, _to: ""


# --- what goes together ------------------------------------------------------------------------------


def sizes_for(games: Sequence[GameChoice], preferred: int) -> Sizes:
    """Return sizes of tables that prefer one and allow one more or less, within what all games allow."""
    least, most = max(game.low for game in games), min(game.high for game in games)
    preferred = max(least, min(preferred, most))
    return Sizes(max(least, preferred - 1), preferred, min(most, preferred + 1))


def fitted(setup: Setup) -> Setup:
    """Return *setup* with whatever follows from the format and the games: sizes, late entry, check-in, final."""
    setup = msgspec.structs.replace(setup, **setup.overruled)  # another format may leave it as it was
    fields: dict[str, Any] = {}
    if not setup.least_seats <= setup.sizes.low <= setup.sizes.high <= setup.most_seats:
        fields["sizes"] = sizes_for(setup.games, setup.sizes.preferred)
    if setup.final:
        fields["final"] = max(setup.least_seats, min(setup.final, setup.most_seats))
    demanded: dict[str, Any] = {}
    if setup.format == "knockout" and setup.late_until > 1:
        demanded["late_until"] = 1
    if setup.format == "league" and setup.check_in == "every":
        demanded["check_in"] = "first"
    if setup.format == "groups" and not setup.final:
        demanded["final"] = min(setup.sizes.preferred, setup.most_seats)
    overruled = {name: getattr(setup, name) for name in demanded}
    return msgspec.structs.replace(setup, **fields, **demanded, overruled=overruled)


# --- the rules -----------------------------------------------------------------------------------


def _field(name: str, kind: Callable[[str], Any] = str) -> tuple[Callable[[Setup], str], Callable[[Setup, str], Setup]]:
    """Return how a plain field is read and written."""

    def put(setup: Setup, to: str) -> Setup:
        others = {field: had for field, had in setup.overruled.items() if field != name}
        return msgspec.structs.replace(setup, **{name: kind(to)}, overruled=others)

    return lambda setup: str(getattr(setup, name)), put


def _flag(to: str) -> bool:
    return to == "True"


def _spans(*lengths_ms: int) -> Mapping[str, str]:
    return {str(length): words.minutes(length) for length in lengths_ms}


def _resized(setup: Setup, to: str) -> Setup:
    return msgspec.structs.replace(setup, sizes=sizes_for(setup.games, int(to)))


def _rescored(setup: Setup, to: str) -> Setup:
    scheme = Scheme(to, setup.scheme.lists)  # type: ignore[arg-type]  # checked against the choices
    return msgspec.structs.replace(setup, scheme=scheme)


def _narrowed(name: str) -> tuple[Callable[[Setup], str], Callable[[Setup, str], Setup]]:
    """Return how the fewest or most at a table are read and written."""

    def put(setup: Setup, to: str) -> Setup:
        return msgspec.structs.replace(setup, sizes=msgspec.structs.replace(setup.sizes, **{name: int(to)}))

    return lambda setup: str(getattr(setup.sizes, name)), put


def _first_tie(setup: Setup) -> str:
    return setup.ties[0] if setup.ties else ""


def _tied(setup: Setup, to: str) -> Setup:
    """Put one first and leave the others as they are: chosen one after the other they come into any order."""
    return msgspec.structs.replace(setup, ties=tuple(sorted(setup.ties, key=lambda tie: tie != to)))


NUMBERS = {str(number): str(number) for number in range(1, ROUNDS_OFFERED + 1)}
SEATS = {str(number): str(number) for number in range(LEAST_SIZE, LARGEST_SIZE + 1)}
YES = {"False": "no", "True": "yes"}
ROUNDS = ("swiss", "groups")

RULES: Mapping[str, Rule] = {
    "format": Rule(
        "", "Format", words.FORMATS, *_field("format"),
        short={"swiss": "Swiss", "groups": "Groups", "knockout": "Knockout", "league": "League"},
    ),
    "rounds": Rule("", "Rounds", NUMBERS, *_field("rounds", int), formats=ROUNDS),
    "size": Rule("", "People at a table", SEATS, lambda setup: str(setup.sizes.preferred), _resized),
    "low": Rule("", "Fewest at a table", SEATS, *_narrowed("low")),
    "high": Rule("", "Most at a table", SEATS, *_narrowed("high")),
    "final": Rule("", "Final table", {"0": "none", **SEATS}, *_field("final", int), formats=ROUNDS),
    "advance": Rule(
        "", "How many go on", {n: n for n in ("1", "2", "3")}, *_field("advance", int), formats=("knockout", "groups")
    ),
    "group_size": Rule(
        "", "People in a group", {"0": "all", **{str(n): str(n) for n in (6, 8, 9, 12, 16)}},
        *_field("group_size", int), formats=("groups",),
    ),
    "power": Rule("", "Last round by rank", YES, *_field("power", _flag), formats=("swiss",)),
    "scheme": Rule(
        "", "Points", words.SCHEMES, lambda setup: setup.scheme.key, _rescored,
        short={"share": "a win 1, last 0", "win-draw": "a win 5, a draw 1", "custom": "the organiser's own"},
        about=lambda setup, to: words.own_points(setup) if to == "custom" else "",
    ),
    "ties": Rule(
        "", "First tie-break", words.TIE_NAMES, _first_tie, _tied,
        short={"opponents": "opponents", "places": "places", "absences": "absences"},
    ),
    "equal": Rule(
        "", "Still equal", {"shared": "place shared", "lot": "drawn lot"}, *_field("equal")
    ),
    "cut": Rule(
        "", "Tie for the last seat", {"lot": "a lot", "playoff": "play-off"}, *_field("cut"),
        formats=("swiss", "groups", "knockout"),
    ),
    "check_in": Rule("people", "Check-in", words.CHECK_IN, *_field("check_in")),
    "check_in_ms": Rule(
        "people", "Check-in lasts",
        _spans(*(minutes * MINUTE_MS for minutes in (5, 10, 15, 20, 30, 60, 120)), DAY_MS),
        *_field("check_in_ms", int), matters=lambda setup: setup.check_in != "none",
    ),
    "late_until": Rule(
        "people", "Late entry",
        {"1": "none", **{str(n): f"until round {n}" for n in range(2, LATEST_ENTRY + 1)}},
        *_field("late_until", int), formats=ROUNDS, useful=lambda setup, to: int(to) <= setup.rounds,
    ),
    "most": Rule(
        "people", "Most people",
        {str(n): str(n) for n in (MOST_ENTRANTS, 8, 12, 16, 24, 32, 64)},
        *_field("most", int),
    ),
    "clock_ms": Rule(
        "people", "Turn clock", {str(clock): span(clock) for clock in CLOCKS_MS}, *_field("clock_ms", int)
    ),
    "no_show_ms": Rule(
        "people", "Wait for people",
        _spans(0, 5 * MINUTE_MS, 10 * MINUTE_MS, 15 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS, DAY_MS, 7 * DAY_MS),
        *_field("no_show_ms", int),
    ),
    "no_show": Rule(
        "people", "No-show", words.NO_SHOW, *_field("no_show"),
        short={"ask": "organisers decide", "short": "the others play"}, matters=lambda setup: bool(setup.no_show_ms),
    ),
    "round_ms": Rule(
        "people", "A round lasts",
        _spans(0, 30 * MINUTE_MS, HOUR_MS, 90 * MINUTE_MS, 2 * HOUR_MS, DAY_MS, 7 * DAY_MS),
        *_field("round_ms", int), formats=("swiss", "groups", "knockout"),
    ),
    "overdue": Rule(
        "people", "Time over", words.OVERDUE, *_field("overdue"), formats=("swiss", "groups", "knockout"),
        short={"ask": "organisers decide", "absent": "absent"}, matters=lambda setup: bool(setup.round_ms),
    ),
    "pick_ms": Rule(
        "people", "Choosing a seat",
        _spans(0, MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS, HOUR_MS, DAY_MS), *_field("pick_ms", int),
        formats=("swiss", "groups", "knockout"), matters=lambda setup: bool(setup.final) or setup.format == "knockout",
    ),
    "computers": Rule("people", "Computers fill seats", YES, *_field("computers", _flag)),
    "self_open": Rule("people", "Players open tables", YES, *_field("self_open", _flag), formats=("league",)),
}  # fmt: skip
"""Rules by key; those of the games' own options are made by `game_rules`."""


def game_rules(setup: Setup, games: Mapping[str, Game]) -> Iterator[tuple[str, Rule]]:
    """Yield the games' own options as rules, each with its key."""
    for key in dict.fromkeys(game.key for game in setup.games if game.key in games):
        for each in games[key].spec.options:

            def now(setup: Setup, key: str = key, name: str = each.key) -> str:
                return next(game.options[name] for game in setup.games if game.key == key)

            def put(setup: Setup, to: str, key: str = key, name: str = each.key) -> Setup:
                changed = tuple(
                    msgspec.structs.replace(game, options={**game.options, name: to}) if game.key == key else game
                    for game in setup.games
                )
                return msgspec.structs.replace(setup, games=changed)

            choices = {choice.key: choice.title for choice in each.choices}
            yield f"{key}.{each.key}", Rule("games", each.title, choices, now, put, game=games[key].spec.title)


def all_rules(setup: Setup, games: Mapping[str, Game]) -> dict[str, Rule]:
    """Return every rule that matters in the format of *setup*, by key."""
    known = {**RULES, **dict(game_rules(setup, games))}
    return {key: rule for key, rule in known.items() if not rule.formats or setup.format in rule.formats}


def changed(setup: Setup, games: Mapping[str, Game], key: str, to: str) -> tuple[Rule, Setup]:
    """
    Change one rule.

    Returns:
        The rule, and the setup with it.

    Raises:
        Refusal: `old_button`, there is no such rule or choice.
    """
    rule = all_rules(setup, games).get(key)
    if rule is None or to not in (*rule.choices, rule.now(setup)):
        raise Refusal("old_button")
    return rule, fitted(rule.put(setup, to))


# --- the panel -----------------------------------------------------------------------------------


def settings_page(
    record: Tournament, titles: Titles, games: Mapping[str, Game], at: str = "", note: str = ""
) -> ui.LayoutView:
    """Return one page of the organisers' panel: every rule of it that matters in this format."""
    setup = record.setup
    mine = {key: rule for key, rule in all_rules(setup, games).items() if rule.page == at and rule.matters(setup)}
    parts: list[Element] = [
        text(title(record), small(record, "its rules", PAGES.get(at, "")), note),
        text(*_summary(setup, titles, at)),
    ]
    game = ""
    for key, rule in mine.items():
        if rule.game != game:
            parts.append(text(f"**{rule.game}**"))
            game = rule.game
        menu = press(record, PICK, f"set_{key}")
        parts.append(select(rule.title[:MAX_PLACEHOLDER], menu, offers(rule, key, setup)))
    others = [knob(record, f"{name}…", "settings", key) for key, name in PAGES.items() if key != at]
    doors = [knob(record, "Look at the plan", "plan", style=Style.primary), knob(record, "Next step", "status")]
    return page(ACCENT, *parts, *rows([*others, *doors]))


def _summary(setup: Setup, titles: Titles, at: str) -> list[str]:
    """Return what holds, in a few lines."""
    more = "-# Other games, points, name or staff role: options of `/tournament settings`."
    game = f"**Game:** {words.game_titles(setup, titles)}"
    match at:
        case "people":
            return words.people_lines(setup)
        case "games":
            return [game]
        case _:
            own = f"**Points:** {words.scheme(setup)}" if setup.scheme.key == "custom" else ""
            return [game, f"**How:** {words.how(setup)}", own, more]


def chosen(rule: Rule, to: str) -> str:
    """Return the line that confirms a choice."""
    return f"✅ {rule.title}: {rule.short.get(to, rule.choices.get(to, to))}."


def offers(rule: Rule, key: str, setup: Setup) -> list[discord.SelectOption]:
    """Return the choices of a rule that go together with all others, and the one that holds."""
    now = rule.now(setup)
    known = dict(rule.choices) if now in rule.choices else {now: now, **rule.choices}
    told = []
    for to, said in known.items():
        if to != now and not (rule.useful(setup, to) and _possible(rule, setup, to)):
            continue
        about = rule.about(setup, to) or (said if to in rule.short else "")
        entry = option(f"{rule.title}: {rule.short.get(to, said)}", "set", f"{key}={to}", about=about)
        entry.default = to == now
        told.append(entry)
    return told


def _possible(rule: Rule, setup: Setup, to: str) -> bool:
    made = fitted(rule.put(setup, to))
    try:
        check_setup(made)
    except Refusal:
        return False
    return rule.now(made) == to  # else it would only become another one
