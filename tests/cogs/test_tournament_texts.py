"""What tournaments say: words for every code and event, limits of size, hostile names, files, people's own data."""

from __future__ import annotations

import ast
import csv
import io
import json
import re
import typing
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

import cogs.tournaments
import rules.tournaments
from cogs.tournaments import forms, pages, rulebook, staff_pages, standing_pages, words
from cogs.tournaments.log_words import EVENTS, happened
from cogs.tournaments.refusals import REFUSALS
from cogs.tournaments.words import column, standings_head
from rules.core.contract import Refusal
from rules.core.rng import Rng
from rules.core.table import Person
from rules.tournaments import inputs as i
from rules.tournaments.codec import dump_record, load_input
from rules.tournaments.event import advance, context, replay
from rules.tournaments.event import replay as replayed
from rules.tournaments.ledger import standings
from rules.tournaments.model import Setup, Tournament, game_choice
from rules.tournaments.orders import OpenTable, Pair, Place, orders
from rules.tournaments.pairing import propose
from rules.tournaments.plan import plan
from rules.tournaments.sizes import Sizes
from rules.tournaments.status import overview, where
from tests.cogs.evening import DANCERS, Evening, evening
from tests.cogs.test_privacy import everything, forget, my_data
from tests.cogs.test_tournaments import quick
from tests.cogs.test_words import SENTENCE, codes
from tests.cogs.world import columns
from tests.cogs.world import words as text
from tests.helpers import games
from tests.tournaments.hall import BOSS, Hall, setup

SEED = bytes(range(16))
NOW_MS = 1_767_225_600_000
LABEL = 31
"""Letters of a closed select that a phone of 400 pixels shows."""
TITLES = {key: game.spec.title for key, game in games().items()}
HOSTILE = (
    "`" * 30, "```\n", "**bold** @everyone", "<@1234567890123456789>", "\u202eevil", "אבגדה" * 9, "w" * 80,
    "_~|>#[x](y)`" * 4, "ﷺ" * 20, "汉字" * 20, "a̷̢̛͎" * 20, "💃" * 30, " ", "-# small", "||spoiler||", "i\u200d" * 15,
)  # fmt: skip


# --- words -----------------------------------------------------------------------------------------


def literals() -> set[str]:
    """Return every kind of event that the rules make."""
    found = set()
    for path in Path(next(iter(rules.tournaments.__path__))).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("log", "by_itself"):
                at = 1 if node.func.id == "log" else 0
                found |= {str(part) for part in strings(node.args[at])} if len(node.args) > at else set()
    return found


def strings(node: ast.expr) -> Iterator[str]:
    """Yield the texts that an expression may have."""
    if isinstance(node, ast.Constant):
        yield str(node.value)
    elif isinstance(node, ast.IfExp):
        yield from strings(node.body)
        yield from strings(node.orelse)


def test_every_refusal_of_tournaments_has_its_sentence() -> None:
    """No code without words, no words without a code."""
    raised = codes(rules.tournaments) | codes(cogs.tournaments)

    assert raised - {"old_button", "unknown_option"} == set(REFUSALS)


def test_every_reason_has_words_of_its_own() -> None:
    """No two codes share a sentence; each is a short whole sentence without code words."""
    facts: Any = defaultdict(
        lambda: 2, listed="1 is A", known="Lambada", missing="Send Messages", field="games", pods=[1]
    )
    spoken = {code: say(facts) for code, say in REFUSALS.items()}

    assert len(spoken) == len(set(spoken.values()))
    assert {} == {code: said for code, said in spoken.items() if not SENTENCE.match(said)}
    assert {} == {code: said for code, said in spoken.items() if re.search(r"[{}<>]|None", said)}
    assert {} == {code: said for code, said in spoken.items() if re.search(r"[a-z]_[a-z]", re.sub("`.*?`", "", said))}
    assert {} == {code: said for code, said in spoken.items() if len(said) > 140}


def refusal(hall: Hall, happening: i.Happening) -> str:
    """Return what an input that is refused is answered with."""
    with pytest.raises(Refusal) as met:
        hall.do(happening)
    return REFUSALS[met.value.code](met.value.facts)


def test_who_is_out_or_in_already_is_told_so_as_oneself_or_as_another() -> None:
    """Whoever presses is spoken to, whom an organiser names is spoken of; the way in is named where there is one."""
    hall = Hall(setup(sizes=Sizes(2, 3, 4)))
    staff: Any = {"user_id": BOSS, "staff": True, "reason": "why"}
    hall.enter(6)
    assert "**Join** under its message gets you in" in refusal(hall, i.Leave(user_id=1))
    assert "where and when you play" in refusal(hall, i.Join(user_id=1001, name="P1"))
    taken = i.Substitute(**staff, entrant=1, person=Person(1002, "P2"))
    assert "They are in its list already." == refusal(hall, taken)
    hall.start()
    hall.boss(i.Drop, entrant=2)
    hall.boss(i.Disqualify, entrant=3)
    for happening in (i.Join(user_id=1002, name="P2"), i.Leave(user_id=1002)):
        assert refusal(hall, happening).startswith("You dropped out: an organiser")
    assert refusal(hall, i.Join(user_id=1003, name="P3")).startswith("You were disqualified: an organiser")
    assert refusal(hall, taken).startswith("They dropped out: `/tournament undrop`")
    assert "You are not in this tournament." == refusal(hall, i.Leave(user_id=1))


def test_who_is_meant_is_named() -> None:
    """Those of a table that is corrected, save for who cannot be mentioned, and those who play already."""
    hall = Hall(setup(format="league", sizes=Sizes(2, 3, 4)))
    for number, name in enumerate(("Ana", "*Bea*", "Kim"), 1):
        hall.do(i.Join(user_id=1000 + number, name=name))
    hall.start()
    hall.do(i.OpenPod(user_id=1001, entrants=(1, 2, 3)))
    correct = i.Correct(user_id=BOSS, staff=True, reason="why", round=1, pod=1, absent=(1,))
    named = [hall.record.entrant(one).name.replace("*", r"\*") for one in hall.pod().seats]

    assert r"At a table of this round already: Ana and \*Bea\*." == refusal(
        hall, i.OpenPod(user_id=1001, entrants=(1, 2))
    )
    assert refusal(hall, correct) == (
        f"Name exactly the people of that table, each once: {named[0]}, {named[1]} and {named[2]}."
    )
    entrants = tuple(
        msgspec.structs.replace(who, user_id=-3 if who.number == 3 else who.user_id) for who in hall.record.entrants
    )
    hall.record = msgspec.structs.replace(hall.record, entrants=entrants)
    assert "Kim" not in refusal(hall, correct)


@pytest.mark.parametrize(
    ("phase", "says"),
    [("signup", "not begun yet"), ("running", "not made yet"), ("finished", "over"), ("cancelled", "called off")],
)
def test_what_does_not_run_says_why(phase: str, says: str) -> None:
    """Before the start, before the first round, at the end, or called off; what may come next is named."""
    hall = Hall(setup())
    hall.record = msgspec.structs.replace(hall.record, phase=phase)
    told = refusal(hall, i.Here(user_id=1))

    assert says in told
    assert "`/tournament " in told
    assert SENTENCE.match(told)


def test_every_event_has_words() -> None:
    """Whatever the rules put into the log can be told, and nothing is kept that never happens."""
    assert literals() | {"dropped", "disqualified"} == set(EVENTS)


@pytest.mark.parametrize(
    ("user_id", "line"),
    [
        (1001, "<@1001> dropped out"),
        (999, "<@999> took P1 out (because)"),
        (-7, "P1 dropped out"),
        (0, "P1 dropped out"),
    ],
)
def test_who_did_it_to_whom(user_id: int, line: str) -> None:
    """One's own deed names one once; by nobody, or by somebody forgotten, it just came to them; no mark of today."""
    hall = Hall(setup())
    hall.enter(3)
    hall.boss(i.Drop, entrant=1)
    reason = "because" if user_id == 999 else ""
    event = msgspec.structs.replace(hall.events[-1], user_id=user_id, reason=reason)
    assert line == happened(hall.record, event)


def test_ones_own_deed_stays_ones_own_after_a_substitute_came() -> None:
    """Nobody reads that they signed up somebody else."""
    hall = Hall(setup())
    hall.enter(8)
    hall.start()
    hall.do(i.Leave(user_id=1001))
    hall.boss(i.Substitute, entrant=1, person=Person(50, "Zoe"))
    told = [happened(hall.record, event) for event in hall.events if event.user_id == 1001]
    assert ["<@1001> signed up", "<@1001> dropped out"] == told


def test_nobody_stands_on_a_podium_without_having_danced() -> None:
    """A league in which no table was played: no medal for all at once."""
    hall = Hall(setup(format="league"))
    hall.enter(8)
    hall.start()
    hall.boss(i.Finish)
    assert ["Nobody played."] == pages.podium(hall.record)
    assert [] == pages.best(hall.record)


def test_every_choice_has_words() -> None:
    """Formats, kinds of rounds, tie-breaks, states of a player, steps, ways out, fields of a setup."""
    model, status = rules.tournaments.model, rules.tournaments.status
    assert set(typing.get_args(model.Format)) == set(words.FORMATS)
    assert set(typing.get_args(model.Kind)) == set(words.KINDS)
    assert set(typing.get_args(rules.tournaments.standings.Tie)) == set(words.TIE_NAMES)
    assert set(typing.get_args(rules.tournaments.standings.Parted)) == {"", *words.PARTED}
    source = Path(str(pages.__file__)).read_text(encoding="utf-8")
    assert [] == [state for state in typing.get_args(status.State) if f'"{state}":' not in source]
    source = Path(str(staff_pages.__file__)).read_text(encoding="utf-8")
    assert [] == [step for step in typing.get_args(status.Step) if f'"{step}":' not in source]
    ways = Path(str(status.__file__)).read_text(encoding="utf-8")
    offered = set(re.findall(r'"([A-Z][A-Za-z]+)"', ways[ways.index("def waiting") : ways.index("# --- for a player")]))
    assert offered <= set(staff_pages.WAYS)
    assert set(staff_pages.WAYS) - {"Wait", "Restart", *forms.REASONS} <= set(forms.COMMANDS)


# --- the largest tournament ------------------------------------------------------------------------


class Event:
    """A tournament without Discord, its inputs made by hand."""

    def __init__(self, people: int, names: tuple[str, ...], **fields: Any) -> None:
        self.inputs: list[tuple[int, Any]] = []
        self.record: Tournament | None = None
        game = game_choice(games()["lets_dance"].spec)
        setup = rulebook.fitted(
            Setup(
                **{"title": "*Friday* `Floor` @everyone " * 3, "format": "swiss", "rounds": 3, **fields},
                games=(game,),
                sizes=rulebook.sizes_for((game,), 4),
            )
        )
        self.do(i.Create(user_id=1, staff=True, setup=setup, guild_id=1, channel_id=2, tournament_id=1))
        crowd = tuple(Person(10**18 + number, names[number % len(names)]) for number in range(people))
        self.do(i.AddMany(user_id=1, staff=True, people=crowd))

    def do(self, happening: Any) -> None:
        """Apply one input."""
        seq = len(self.inputs) + 1
        self.record = advance(self.record, happening, context(SEED, seq, NOW_MS + seq)).record
        self.inputs.append((NOW_MS + seq, happening))

    @property
    def now(self) -> Tournament:
        """The tournament."""
        assert self.record is not None
        return self.record

    def serve(self) -> None:
        """Carry out what is wanted, until nothing is."""
        while wanted := [order for order in orders(self.now) if isinstance(order, Pair | Place | OpenTable)]:
            match wanted[0]:
                case Pair() as order:
                    self.do(i.Paired(proposal=propose(order.request)))
                case Place() as order:
                    where_ = {"round": order.round, "pod": order.pod, "attempt": order.attempt}
                    self.do(i.Placed(**where_, channel_id=10**18 + order.pod))
                case OpenTable() as order:
                    where_ = {"round": order.round, "pod": order.pod, "attempt": order.attempt}
                    self.do(i.Opened(**where_, table_id=1000 * order.round + order.pod))

    def play(self, rng: Rng, *, stop: int = 0) -> None:
        """Have all come and all tables end, save for the last few."""
        self.serve()
        for pod in self.now.rounds[-1].pods[: len(self.now.rounds[-1].pods) - stop]:
            for one in pod.players:
                self.do(i.Here(user_id=self.now.entrant(one).user_id))
            self.serve()
            table_id = self.now.rounds[-1].pods[pod.number - 1].table_id
            scores = tuple(rng.below(60) for _ in pod.players)
            places = tuple(1 + sum(other > score for other in scores) for score in scores)
            about = {"round": len(self.now.rounds), "pod": pod.number, "attempt": pod.attempt, "table_id": table_id}
            self.do(i.Result(**about, places=places, scores=scores, reason="finished"))


@pytest.fixture(scope="module")
def largest() -> Event:
    """Give a tournament of 256 people with the worst names, in the middle of its second round."""
    event = Event(256, HOSTILE)
    event.do(i.Start(user_id=1, staff=True, players=256))
    event.play(Rng(SEED, "one"))
    event.do(i.Next(user_id=1, staff=True, round=1))
    for one in range(1, 200):
        event.do(i.Drop(user_id=1, staff=True, entrant=one)) if one % 3 == 0 else None
    event.play(Rng(SEED, "two"), stop=20)
    for number in range(40):
        event.do(i.Remember(user_id=1, staff=True, entrant=1, level="note", text=f"{number}" + "*_`" * 90))
    return event


def layout(view: Any) -> str:
    """Return all text of a screen."""
    return "\n".join(part.content for part in view.walk_children() if hasattr(part, "content"))


def test_check_g3_every_screen_of_256_people_fits(largest: Event) -> None:
    """Each screen passes the one check of sizes, its blocks keep to 27 columns, and no name breaks out."""
    record = largest.now
    _, steps = replayed(SEED, largest.inputs)
    log = [event for step in steps for event in step.events]
    views = [
        pages.main(record, TITLES),
        pages.who_page(record),
        pages.rules_page(record, TITLES),
        pages.leave_page(record),
        pages.signup(record, TITLES),
        pages.over(record, TITLES),
        *(staff_pages.status_page(record, overview(record), TITLES, "✅ Done.", first) for first in range(0, 64, 4)),
        staff_pages.plan_page(record, plan(record)),
        staff_pages.notes_page(record, 1),
        *(pages.round_page(record, played, TITLES, first) for played in record.rounds for first in range(0, 64, 16)),
        *(standing_pages.standings_page(record, first) for first in range(0, 300, 25)),
        *(standing_pages.ties_page(record, first) for first in range(0, 256, 8)),
        *(pages.me_page(record, where(record, who.user_id)) for who in record.entrants[::9]),
        *(standing_pages.found(record, who.number) for who in record.entrants[::9]),
        *(pages.log_page(record, log, number) for number in range(0, len(log) // 12, 7)),
        *(rulebook.settings_page(record, TITLES, games(), at) for at in rulebook.PAGES),
    ]
    for view in views:
        for block in re.findall(r"```\n(.*?)\n```", layout(view), re.DOTALL):
            assert block.startswith((standings_head(moves=True), standings_head(moves=False)))
            assert all(columns(row) <= 27 for row in block.splitlines()), block
        assert layout(view).count("```") % 2 == 0
        assert not re.search(r"(?<!\\)@everyone", layout(view))


def test_a_page_of_standings_has_25_lines_and_says_where_one_stands(largest: Event) -> None:
    """256 people are eleven pages, and Find me leads to the right one."""
    record = largest.now
    pages_ = [layout(standing_pages.standings_page(record, first)) for first in range(0, 256, 25)]
    rows = [row for page in pages_ for row in re.findall(r"^ *\d+ .{3} .* .{4} \d$", page, re.MULTILINE)]
    last = standings(record)[-1]

    assert len(standings(record)) == len(rows) == 256
    assert f"**{last.place}" in layout(standing_pages.found(record, last.entrant))


@pytest.mark.parametrize("name", [*HOSTILE, *DANCERS])
def test_check_g2_a_name_fills_its_column_and_no_more(name: str) -> None:
    """Whatever is in it, the columns after it stay where they are."""
    filled = column(name, 12)

    assert "`" not in filled
    assert "\n" not in filled
    assert columns(filled) <= 12


@pytest.mark.parametrize("kind", ["swiss", "groups", "knockout", "league"])
def test_every_rule_on_offer_holds_together(kind: str) -> None:
    """Each choice of each select leads to rules that can be kept, and is then the one that is shown."""
    event = Event(2, DANCERS, format=kind)
    setup = event.now.setup
    for key, rule in rulebook.all_rules(setup, games()).items():
        for offer in rulebook.offers(rule, key, setup):
            to = offer.value.partition("=")[2]
            found, made = rulebook.changed(setup, games(), key, to)
            event.do(i.Configure(user_id=1, staff=True, setup=made))
            assert to == found.now(event.now.setup)


def test_what_is_chosen_can_be_read_on_a_phone() -> None:
    """No closed select cuts its value off, and what other rules leave nothing to say is not asked."""
    setup = Event(2, DANCERS).now.setup
    offered = [offer for key, rule in rulebook.RULES.items() for offer in rulebook.offers(rule, key, setup)]
    idle = {rule.title for rule in rulebook.RULES.values() if not rule.matters(setup)}
    timed = msgspec.structs.replace(setup, check_in="first", round_ms=1, final=4)

    assert [] == [offer.label for offer in offered if len(offer.label) > LABEL]
    assert {"Check-in lasts", "Time over", "Choosing a seat"} == idle
    assert all(rule.matters(timed) for rule in rulebook.RULES.values())


def chosen(setup: Setup, *choices: str) -> Setup:
    """Return *setup* after choices made one after the other."""
    for choice in choices:
        key, _, to = choice.partition("=")
        _, setup = rulebook.changed(setup, games(), key, to)
    return setup


TOUR = ("format=groups", "format=knockout", "format=league", "format=swiss")


def test_what_a_format_demands_goes_with_it() -> None:
    """Trying every format leaves all as it was, whatever was chosen before; what is chosen on the way stays."""
    plain = Event(2, DANCERS).now.setup
    own = chosen(plain, "rounds=4", "final=3", "late_until=3", "check_in=every")

    assert plain == chosen(plain, *TOUR)
    assert own == chosen(own, *TOUR)
    assert "a final of 4" in words.how(chosen(plain, "format=groups"))
    assert 5 == chosen(plain, "format=groups", "size=5").final
    for choice in ("final=4", "final=5"):
        assert int(choice[-1]) == chosen(plain, "format=groups", choice, *TOUR[1:]).final
    assert "first" == chosen(own, "format=league", "check_in=first", "format=swiss").check_in


def told(setup: Setup, key: str) -> list[str]:
    """Return the lines of a rule's select."""
    return [offer.label for offer in rulebook.offers(rulebook.RULES[key], key, setup)]


def test_late_entry_is_offered_for_rounds_that_exist() -> None:
    """A later one that was chosen before is still shown."""
    setup = chosen(Event(2, DANCERS).now.setup, "rounds=2")
    assert ["Late entry: none", "Late entry: until round 2"] == told(setup, "late_until")
    assert "Late entry: until round 4" in told(chosen(setup, "rounds=5", "late_until=4", "rounds=2"), "late_until")


def test_own_points_are_shown_and_can_be_come_back_to() -> None:
    """Their lists stand in the select; they are offered as long as they suit the tables, and never without lists."""
    plain = Event(2, DANCERS).now.setup
    lists = "5-2, 5-3-1, 5-3-2-1, 5-3-2-1-0, 5-3-2-1-0-0"
    typed = msgspec.structs.replace(plain, scheme=forms.read_points(lists))
    tried = chosen(typed, "scheme=share")
    own = next(offer for offer in rulebook.offers(rulebook.RULES["scheme"], "scheme", tried) if "own" in offer.label)

    assert "Points: the organiser's own" not in told(plain, "scheme")
    assert (lists, False) == (own.description, own.default)
    assert len(own.label) <= LABEL
    assert "A win 1, last 0, the others between" == words.scheme(tried)
    assert typed == chosen(tried, "scheme=custom")


@pytest.mark.parametrize("at", rulebook.PAGES)
@pytest.mark.parametrize("kind", ["swiss", "groups", "knockout", "league"])
def test_every_page_of_rules_says_what_holds(kind: str, at: str) -> None:
    """In a few short lines, also with every rule in view and all games."""
    every = tuple(game_choice(game.spec) for game in games().values())
    event = Event(2, DANCERS, format=kind, check_in="every", round_ms=1, final=4)
    fields = {"games": every, "sizes": rulebook.sizes_for(every, 3)}
    record = msgspec.structs.replace(event.now, setup=msgspec.structs.replace(event.now.setup, **fields))
    shown = layout(rulebook.settings_page(record, TITLES, games(), at, "✅ Format: Swiss."))
    lines = [line for line in shown.splitlines() if re.match(r"\*\*\w+:\*\* ", line)]

    assert 1 <= len(lines) <= 3
    assert all(len(line) <= 80 for line in lines), lines


@pytest.mark.parametrize(
    ("people", "choices", "lines"),
    [
        (
            10,
            ("rounds=2", "final=4", "size=3"),
            [
                "Rounds 1 and 2: 1 table of 4 and 2 tables of 3",
                "The final: 1 table of 4",
                "1 rematch cannot be avoided.",
                "💡 With these tables and rounds some people must meet again.",
            ],
        ),
        (
            16,
            ("rounds=6",),
            [
                "Rounds 1 to 6: 4 tables of 4",
                "24 rematches cannot be avoided (a third meeting of a pair counts as two more).",
                "💡 With these tables and rounds some people must meet again.",
            ],
        ),
    ],
)
def test_the_plan_counts_what_can_come(people: int, choices: tuple[str, ...], lines: list[str]) -> None:
    """A third meeting needs three rounds beside the final."""
    event = Event(people, DANCERS)
    event.do(i.Configure(user_id=1, staff=True, setup=chosen(event.now.setup, *choices)))
    assert lines == words.plan_lines(plan(event.now))


def test_the_plan_says_whom_the_check_in_leaves_out() -> None:
    """While it is open too few are nothing amiss; those who are missing are named then and when it is over."""
    event = Event(5, DANCERS, check_in="first")
    event.do(i.OpenCheckIn(user_id=1, staff=True))
    for screen in (
        staff_pages.plan_page(event.now, plan(event.now)),
        staff_pages.status_page(event.now, overview(event.now), TITLES),
    ):
        assert "So far too few have checked in for a table." in layout(screen)
        assert "⚠️" not in layout(screen)
    for one in range(1, 5):
        event.do(i.CheckOthers(user_id=1, staff=True, entrant=one))
    missing = f"1 of 5 has not confirmed and is left out: {words.name(event.now, 5)}."
    seen = layout(staff_pages.plan_page(event.now, plan(event.now)))
    assert re.search(rf"The check-in is open, it closes <t:\d+:R>: {re.escape(missing)}", seen)
    event.do(i.CloseCheckIn(user_id=1, staff=True))
    assert f"The check-in is over: {missing}" in layout(staff_pages.plan_page(event.now, plan(event.now)))


def test_a_plan_without_people_only_says_so() -> None:
    """Before two have come there is nothing to plan, and no step to take."""
    shown = layout(staff_pages.plan_page(Event(1, DANCERS).now, plan(Event(1, DANCERS).now)))

    assert "⚠️ Too few people for one table." in shown
    assert "Round" not in shown


def test_everybody_reads_what_placed_them(largest: Event) -> None:
    """Decimals that fit the standings; the first line has nobody above, a shared place says so."""
    ranked = standings(largest.now)
    told = [words.values(largest.now, ranked, at) for at in range(len(ranked))]

    assert not any("/" in line for lines in told for line in lines[1:])
    assert not any("Placed here" in line or "Shares" in line for line in told[0])
    for at, lines in enumerate(told[1:], 1):
        assert (ranked[at].place == ranked[at - 1].place) == (lines[-1] == "-# Shares the place above.")


# --- files -----------------------------------------------------------------------------------------


async def test_people_are_signed_up_from_mentions_and_a_file(tmp_path: Path) -> None:
    """Each once; bots, strangers and senseless lines are named, not signed up."""
    async with evening(tmp_path, 6) as night:
        await night.create(table_size=3)
        people = night.here.people
        answer = await night.boss_says("add", people=f"{people[0].mention} and {people[1].mention} {people[0].mention}")
        assert "✅ 2 more signed up." in text(answer)
        robot = night.here.guild.add_member(night.here.env.create_user("robot", bot=True))
        lines = [
            "id,name",
            f"{people[1].id},Bea",
            f"{people[2].id};Cap",
            f"{robot.id},Robot",
            "123456789012345678,Gone",
            "x",
        ]
        body = "\n".join(lines).encode()
        answer = await night.boss_says("add", file=("people.csv", body))
        assert "✅ 1 more signed up." in text(answer)
        for left_out in ("Robot", "Gone", "line 6"):
            assert left_out in text(answer)
        assert "I found nobody" in text(await night.boss_says("add", people="everybody"))
        crowd = "\n".join(str(people[0].id + number) for number in range(600)).encode()
        assert "That list has 600 people; I take 512" in text(await night.boss_says("add", file=("all.csv", crowd)))
        assert 3 == len((await night.record()).active)


async def test_the_export_is_read_by_a_spreadsheet_and_by_a_program(tmp_path: Path) -> None:
    """Standings and tables as CSV, everything public as JSON; no note of the staff is in it."""
    async with evening(tmp_path, 6, names=("=1+1", "a,b", *DANCERS[2:]), new_seed=lambda: SEED) as night:
        await quick(night, await night.create(rounds=1, table_size=3))
        await night.join(range(6))
        await night.boss_says("note", player=night.here.people[1], text="secret")
        await night.start()
        await night.come()
        await night.hurry()
        answer = await night.says(4, "export")
        files = {file.filename.partition("-")[2].partition("-")[2]: await file.read() for file in answer.attachments}
        lines = list(csv.reader(io.StringIO(files["standings.csv"].decode())))
        tables = list(csv.reader(io.StringIO(files["tables.csv"].decode())))
        everything_ = json.loads(files["all.json"])

        assert answer.ephemeral
        assert 7 == len(lines) == len(tables)
        assert {"'=1+1", "a,b"} <= {line[1] for line in lines}
        assert {"result", "paired", "started"} <= {event["what"] for event in everything_["log"]}
        assert b"secret" not in b"".join(files.values())


async def test_a_raffle_is_drawn_among_those_who_are_there(tmp_path: Path) -> None:
    """It stands in the log; more than there are cannot win."""
    async with evening(tmp_path, 4) as night:
        await night.create(table_size=2)
        await night.join(range(2))
        assert "🎟️ Drawn: " in text(await night.boss_says("raffle", count=2))
        assert "drew a raffle, won by" in text(await night.says(3, "log"))
        assert "✋" in text(await night.boss_says("raffle", count=3))


# --- which one -------------------------------------------------------------------------------------


async def test_commands_find_the_tournament_that_is_meant(tmp_path: Path) -> None:
    """The one of this channel or thread, else the only one; with several one is asked by number and name."""
    async with evening(tmp_path, 3) as night:
        await night.create(name="First")
        other = night.here.guild.create_text_channel("second-floor")
        elsewhere = night.here.guild.create_text_channel("bar")
        await night.boss.slash(other, "tournament create", name="*Second*", game="lambada")
        await night.wait()
        ana = night.here.people[0]
        assert "First" in text((await ana.slash(night.floor, "tournament me")).response)
        assert r"\*Second\*" in text((await ana.slash(other, "tournament me")).response)
        told = text((await ana.slash(elsewhere, "tournament me")).response)
        assert r"2 is \*Second\*, 1 is First" in told
        assert "First" in text((await ana.slash(elsewhere, "tournament me", number=1)).response)


async def test_the_games_are_offered_while_somebody_types(tmp_path: Path) -> None:
    """Also the second one, after a comma."""
    async with evening(tmp_path, 1) as night:
        offers = await night.boss.autocomplete(night.floor, "tournament create", "game", "Lambada, let")
        assert ["Lambada, Let's Dance"] == [offer["name"] for offer in offers]
        answer = await night.boss_says("create", name="x", game="Tango")
        assert "I do not know that game" in text(answer)


# --- one's own data --------------------------------------------------------------------------------


async def check_replays(night: Evening) -> None:
    """Fold the stored inputs and compare the outcome with what is kept, to the byte."""
    store = night.here.bot.store
    snapshot = await store.load(night.number)
    assert snapshot is not None
    load = rules.tournaments.codec.load_input
    rows = [(row.at_ms, load(row.input)) for row in await store.log(night.number)]
    record, _ = replayed(snapshot.seed, rows)
    assert record is not None
    assert msgspec.json.decode(snapshot.body) == msgspec.json.decode(dump_record(record))


async def test_check_n2_my_data_and_forget_me_know_tournaments(tmp_path: Path) -> None:
    """All of mine comes out, nothing of others; forgotten while it runs I drop out, and it can still be replayed."""
    async with evening(tmp_path, 6, new_seed=lambda: SEED) as night:
        await quick(night, await night.create(rounds=2, table_size=3))
        await night.join(range(6))
        await night.boss_says("note", player=night.here.people[1], text="steps on toes")
        await night.start()
        await night.come()
        await night.hurry()
        await night.next()
        _, data = await my_data(night.here, 1)
        (mine,) = [stay for stay in data["tables"] if stay["table"] == night.number]
        assert ("in", ["Bea"], True) == (mine["role"], mine["names"], mine["running"])
        assert [{"level": "note", "text": "steps on toes"}] == mine["notes"]
        assert [1, 2] == [each["round"] for each in mine["rounds"]]
        told = json.dumps(data)
        assert [] == [name for name in DANCERS[2:6] if name in told]
        assert [] == [
            person.id for person in night.here.people if str(person.id) in told and person.id != night.here.people[1].id
        ]

        asked = (await night.here.people[1].slash(night.floor, "forget-me")).response
        assert "You drop out of one tournament" in text(asked)
        done = await forget(night.here, 1)
        await night.wait(8)
        assert "Done" in text(done)
        assert "Somebody" in text(await night.boss_says("standings"))
        for left in (b"Bea", str(night.here.people[1].id).encode(), b"steps on toes"):
            assert left not in b"".join(row.input for row in await night.here.bot.store.log(night.number))
        await check_replays(night)
        assert "Bea" not in text(night.post())
        assert "dropped out" in text(await night.boss_says("log"))
        await night.wait(8)
        await night.here.bot.close()
        assert b"steps on toes" not in everything(night.here.path)


async def test_check_n2_people_from_a_list_are_forgotten_as_well(tmp_path: Path) -> None:
    """Their lot is written down beside the alias, so that the log still leads to the same tournament."""
    async with evening(tmp_path, 4, new_seed=lambda: SEED) as night:
        await night.create(table_size=2)
        await night.boss_says("add", people=" ".join(person.mention for person in night.here.people[:4]))
        await forget(night.here, 2)
        await night.wait(8)
        snapshot = await night.here.bot.store.load(night.number)
        assert snapshot is not None
        assert "Somebody" in snapshot.body.decode()
        added = next(
            json.loads(row.input) for row in await night.here.bot.store.log(night.number) if b"AddMany" in row.input
        )
        record = await night.record()
        assert [None, None, record.entrants[2].lot, None] == added["lots"]
        rows = await night.here.bot.store.log(night.number)
        replayed, _ = replay(snapshot.seed, [(row.at_ms, load_input(row.input)) for row in rows])
        assert record == replayed
        assert str(night.here.people[2].id) not in snapshot.body.decode()


async def test_a_server_that_is_forgotten_takes_its_tournaments_along(tmp_path: Path) -> None:
    """Thirty days after the bot was removed nothing is left, and nothing fails."""
    async with evening(tmp_path, 3) as night:
        await night.create(table_size=3)
        await night.join(range(3))
        number = night.number
        night.here.env.backend.remove_guild(night.here.guild.id)
        await night.wait(31 * 24 * 3600)

        assert await night.here.bot.store.load(number) is None
        assert [] == night.here.env.errors
