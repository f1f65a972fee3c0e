"""People of a tournament: entering, confirming, leaving, being replaced or put out."""

from __future__ import annotations

from itertools import zip_longest

import msgspec

from rules.core.contract import Ctx, Refusal
from rules.core.rng import Rng
from rules.core.table import Person
from rules.tournaments.inputs import (
    AddMany,
    CheckIn,
    CheckOthers,
    Configure,
    Create,
    Disqualify,
    Drop,
    Gone,
    Join,
    Leave,
    OpenCheckIn,
    Seed,
    Substitute,
    Undrop,
)
from rules.tournaments.ledger import regular
from rules.tournaments.model import Entrant, Status, Tournament, changed, put_entrant, put_pod, put_round
from rules.tournaments.plan import check_setup
from rules.tournaments.pods import arrived, edit, picked
from rules.tournaments.rounds import open_check_in
from rules.tournaments.steps import Advance, Happened, by_itself, log

LOTS = 1 << 32


def create(act: Create, ctx: Ctx) -> Advance:
    """
    Create a tournament.

    Raises:
        Refusal: what `check_setup` says.
    """
    check_setup(act.setup)
    salt = "".join(f"{ctx.rng.below(LOTS):08x}" for _ in range(4))
    record = Tournament(
        tournament_id=act.tournament_id,
        guild_id=act.guild_id,
        channel_id=act.channel_id,
        host_id=act.user_id,
        setup=act.setup,
        salt=salt,
    )
    return Advance(record, (log(act, "created", ctx, facts={"title": act.setup.title}),))


def configure(record: Tournament, act: Configure, ctx: Ctx) -> Advance:
    """
    Change the rules before the start; its title and staff role at any time.

    Raises:
        Refusal: `already_started`, `full` when more are in, and what `check_setup` says.
    """
    always = {"title": act.setup.title, "staff_role": act.setup.staff_role}
    if record.phase != "signup" and act.setup != msgspec.structs.replace(record.setup, **always):
        raise Refusal("already_started")
    check_setup(act.setup)
    if len(record.active) > act.setup.most:
        raise Refusal("full", most=act.setup.most)
    return Advance(changed(record, setup=act.setup), (log(act, "configured", ctx),))


# --- coming and going ----------------------------------------------------------------------------


def upcoming(record: Tournament) -> int:
    """Return the number of the next round that is not seated yet."""
    played = record.round
    return len(record.rounds) + (played is None or played.phase != "pairing")


def enterable(record: Tournament) -> bool:
    """Tell whether people may enter now."""
    if record.phase == "signup":
        return True
    if record.phase != "running" or record.setup.format == "knockout":
        return False
    if record.setup.format == "league":
        return True
    before_last = len(regular(record)) < record.setup.rounds + (upcoming(record) == len(record.rounds))
    return before_last and upcoming(record) <= record.setup.late_until


def join(record: Tournament, act: Join, ctx: Ctx) -> Advance:
    """
    Sign up or enter late; whoever took a sign-up back may come again.

    Raises:
        Refusal: `already_entered`, `closed`, `full`.
    """
    record = enter(record, Person(act.user_id, act.name), act.lot)
    who = record.entrant_of(act.user_id)
    entrants = (who.number,) if who else ()
    return Advance(record, (log(act, "joined", ctx, entrants=entrants),))


def enter(record: Tournament, person: Person, lot: int | None, *, late: bool = False) -> Tournament:
    """
    Enter somebody, with *late* also where entry is closed; that is the staff's to do, for others.

    Raises:
        Refusal: `already_entered`, `closed`, `full`.
    """
    known = record.entrant_of(person.user_id)
    if known is not None and known.status != "unchecked":
        raise Refusal("already_entered", status=known.status, own=not late)
    if not late and not enterable(record):
        raise Refusal("closed", until=record.setup.late_until)
    if len(record.active) >= record.setup.most:
        raise Refusal("full", most=record.setup.most)
    first = 1 if record.phase == "signup" or record.setup.format == "league" else upcoming(record)
    checked = record.check != ""
    if known is not None:
        record = put_entrant(record, known.number, status="in", name=person.name, first=first, checked=checked)
        return _grouped(record, known.number)
    drawn = draw_lot(record, person.user_id) if lot is None else lot
    number = len(record.entrants) + 1
    who = Entrant(number=number, user_id=person.user_id, name=person.name, lot=drawn, first=first, checked=checked)
    return _grouped(changed(record, entrants=(*record.entrants, who)), number)


def draw_lot(record: Tournament, user_id: int) -> int:
    """Return the lot that a person draws, the same whenever they enter."""
    return Rng(bytes.fromhex(record.salt), f"lot {user_id}").below(LOTS)


def _grouped(record: Tournament, number: int) -> Tournament:
    """Put a late entrant into the smallest group."""
    if record.setup.format != "groups" or record.phase != "running" or record.entrant(number).group:
        return record
    groups = range(1, len(record.planes) + 1)
    sizes = {group: sum(who.group == group for who in record.active) for group in groups}
    return put_entrant(record, number, group=min(groups, key=lambda group: (sizes[group], group)))


def add_many(record: Tournament, act: AddMany, ctx: Ctx) -> Advance:
    """
    Sign up others.

    Raises:
        Refusal: `closed`, `full`, `nobody_new`.
    """
    added = []
    for person, lot in zip_longest(act.people, act.lots):
        try:
            record = enter(record, person, lot)
        except Refusal as refusal:
            if refusal.code != "already_entered":
                raise
            continue
        who = record.entrant_of(person.user_id)
        if who is not None:
            added.append(who.number)
    if not added:
        raise Refusal("nobody_new")
    return Advance(record, (log(act, "joined", ctx, entrants=tuple(added)),))


def open_checks(record: Tournament, act: OpenCheckIn, ctx: Ctx) -> Advance:
    """
    Open the check-in before the first round.

    Raises:
        Refusal: `already_started`, `no_check_in`, `already_done`.
    """
    if record.phase != "signup":
        raise Refusal("already_started")
    if record.setup.check_in == "none":
        raise Refusal("no_check_in")
    if record.check == "open":
        raise Refusal("already_done")
    record, call = open_check_in(record, ctx)
    return Advance(record, (log(act, "check_in_opened", ctx),), (call,))


def check_in(record: Tournament, act: CheckIn) -> Advance:
    """
    Confirm that one is there; before the first round also after the window, for those who come now may join as well.

    Raises:
        Refusal: `not_entered`, `no_check_in`, `already_done`.
    """
    who = own_entrant(record, act.user_id)
    if record.check != "open" and not (record.check and record.phase == "signup"):
        raise Refusal("no_check_in")
    return _checked(record, who)


def check_others(record: Tournament, act: CheckOthers, ctx: Ctx) -> Advance:
    """
    Confirm for somebody, also after the window has closed.

    Raises:
        Refusal: `no_entrant`, `no_check_in`, `already_done`.
    """
    who = entrant(record, act.entrant, "in")
    if not record.check:
        raise Refusal("no_check_in")
    made = _checked(record, who)
    return Advance(made.record, (log(act, "checked_in", ctx, entrants=(who.number,)),))


def _checked(record: Tournament, who: Entrant) -> Advance:
    if who.checked:
        raise Refusal("already_done")
    return Advance(put_entrant(record, who.number, checked=True))


def seed(record: Tournament, act: Seed, ctx: Ctx) -> Advance:
    """
    Rank entrants before a knockout.

    Raises:
        Refusal: `already_started`, `no_seeds`, `no_entrant`.
    """
    if record.phase != "signup":
        raise Refusal("already_started")
    if record.setup.format != "knockout":
        raise Refusal("no_seeds")
    numbers = {who.number for who in record.entrants}
    if len(set(act.order)) != len(act.order) or not set(act.order) <= numbers:
        raise Refusal("no_entrant")
    for who in record.entrants:
        rank = act.order.index(who.number) + 1 if who.number in act.order else 0
        record = put_entrant(record, who.number, seed=rank)
    return Advance(record, (log(act, "seeded", ctx, entrants=act.order),))


# --- out and back --------------------------------------------------------------------------------


def entrant(record: Tournament, number: int, *statuses: Status) -> Entrant:
    """
    Return an entrant in one of *statuses*, in any when none is named.

    Raises:
        Refusal: `no_entrant`.
    """
    if not 1 <= number <= len(record.entrants):
        raise Refusal("no_entrant")
    who = record.entrant(number)
    if statuses and who.status not in statuses:
        raise Refusal("no_entrant", status=who.status)
    return who


def own_entrant(record: Tournament, user_id: int) -> Entrant:
    """
    Return the entrant with whom a person plays on.

    Raises:
        Refusal: `not_entered`.
    """
    who = record.entrant_of(user_id)
    if who is None or who.status != "in":
        raise Refusal("not_entered", status=who.status if who else "", open=enterable(record))
    return who


def leave(record: Tournament, act: Leave, ctx: Ctx) -> Advance:
    """
    Take the sign-up back, or drop out.

    Raises:
        Refusal: `not_entered`, `finished`.
    """
    who = own_entrant(record, act.user_id)
    return out(record, who.number, "dropped", log(act, "dropped", ctx, entrants=(who.number,)), ctx)


def drop(record: Tournament, act: Drop | Disqualify, ctx: Ctx) -> Advance:
    """
    Take somebody out: after the running table, or at once for the disqualified.

    Raises:
        Refusal: `no_entrant`, `finished`.
    """
    dropped = isinstance(act, Drop)
    allowed: tuple[Status, ...] = ("in",) if dropped else ("in", "dropped")
    who = entrant(record, act.entrant, *allowed)
    what: Status = "dropped" if dropped else "disqualified"
    return out(record, who.number, what, log(act, what, ctx, entrants=(who.number,)), ctx)


def gone(record: Tournament, happening: Gone, ctx: Ctx) -> Advance:
    """
    Drop who has left the server.

    Raises:
        Refusal: `not_entered`, `finished`.
    """
    who = own_entrant(record, happening.user_id)
    return out(record, who.number, "dropped", by_itself("gone", ctx, entrants=(who.number,)), ctx)


def out(record: Tournament, number: int, status: Status, event: Happened, ctx: Ctx) -> Advance:
    """Put an entrant out; a table that waits for nobody else goes on without them."""
    if not record.live:
        raise Refusal("finished", phase=record.phase)
    if record.phase == "signup" and status == "dropped":
        status = "unchecked"  # has never taken part
    record = put_entrant(record, number, status=status)
    made = Advance(record)
    played = record.round
    for pod in played.pods if played and played.phase == "playing" else ():
        if number not in pod.players:
            continue
        if pod.stage == "picking" and pod.players[len(pod.picks)] == number:
            made = picked(made.record, pod, None, ctx)
        elif pod.stage == "gathering":
            made = arrived(made.record, pod, ctx)
        elif pod.stage == "ready":
            made = arrived(made.record, edit(pod, stage="gathering", attempt=pod.attempt + 1), ctx)
    return Advance(made.record, (event, *made.events), made.calls)


def undrop(record: Tournament, act: Undrop, ctx: Ctx) -> Advance:
    """
    Let somebody back in from the next round on.

    Raises:
        Refusal: `no_entrant`, `finished`, `closed` in a knockout, `reason_needed` for the disqualified.
    """
    who = entrant(record, act.entrant, "dropped", "unchecked", "disqualified")
    if not record.live:
        raise Refusal("finished", phase=record.phase)
    if record.phase == "running" and record.setup.format == "knockout" and who.status == "unchecked":
        raise Refusal("closed", until=1)
    if who.status == "disqualified" and not act.reason.strip():
        raise Refusal("reason_needed")
    first = upcoming(record) if who.status == "unchecked" and record.phase == "running" else who.first
    record = put_entrant(record, who.number, status="in", first=first, checked=record.check != "")
    played = record.round
    if played is not None and played.phase == "pairing" and who.number in played.absent:
        record = put_round(record, played.number, absent=tuple(one for one in played.absent if one != who.number))
    return Advance(_grouped(record, who.number), (log(act, "undropped", ctx, entrants=(who.number,)),))


def substitute(record: Tournament, act: Substitute, ctx: Ctx) -> Advance:
    """
    Give an entrant's place to somebody else; a running game hands the seat over.

    Raises:
        Refusal: `no_entrant`, `already_entered`, `finished`.
    """
    who = entrant(record, act.entrant, "in", "dropped")
    if not record.live:
        raise Refusal("finished", phase=record.phase)
    known = record.entrant_of(act.person.user_id)
    if known is not None:
        raise Refusal("already_entered", status=known.status)
    record = put_entrant(
        record,
        who.number,
        user_id=act.person.user_id,
        name=act.person.name,
        former=(*who.former, Person(who.user_id, who.name)),
        status="in",
    )
    played = record.round
    for pod in played.pods if played and played.phase == "playing" else ():
        if who.number in pod.here and pod.movable and pod.stage != "open":  # an open one hands over the seat
            here = tuple(one for one in pod.here if one != who.number)
            fresh = {"stage": "gathering", "attempt": pod.attempt + 1} if pod.stage == "ready" else {}
            record = put_pod(record, len(record.rounds), edit(pod, here=here, **fresh))
    facts = {"before": who.name, "after": act.person.name}
    return Advance(record, (log(act, "substituted", ctx, entrants=(who.number,), facts=facts),))
