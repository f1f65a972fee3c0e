"""Every button and select of a tournament."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from cogs.tournaments import forms, pages, refusals, rulebook, staff_pages, standing_pages
from cogs.tournaments.office import Office
from cogs.ui.answers import Interaction, Reply
from cogs.ui.ids import Press, to_number
from cogs.ui.layout import said
from cogs.ui.names import shown
from rules.core.contract import Refusal
from rules.core.table import MINUTE_MS
from rules.tournaments import inputs
from rules.tournaments.model import Entrant, Tournament
from rules.tournaments.people import enterable
from rules.tournaments.plan import plan

WAIT_MS = 10 * MINUTE_MS

Handler = Callable[[Interaction, Tournament, Press], Awaitable[Reply]]


def _entered(interaction: Interaction, record: Tournament) -> Entrant:
    """
    Return the entrant that somebody is, be it one who is out.

    Raises:
        Refusal: `not_entered`, with whether one can get in.
    """
    who = record.entrant_of(interaction.user.id)
    if who is None:
        raise Refusal("not_entered", open=enterable(record))
    return who


class Presses:
    """
    Answers presses.

    Args:
        office: finds tournaments and applies acts.
    """

    def __init__(self, office: Office) -> None:
        self._office = office
        self._verbs: Mapping[str, Handler] = {
            # people
            "join": self.join,
            "leave": self.leave,
            "leave_ask": self.leave_ask,
            "who": self.who,
            "rules": self.rules,
            "check": self.check,
            "here": self.here,
            "mine": self.mine,
            "pick": self.pick_seat,
            "tables": self.tables,
            "standings": self.standings,
            "page_on": self.standings,
            "page_back": self.standings,
            "find": self.find,
            "ties": self.ties,
            "ties_on": self.ties,
            "ties_back": self.ties,
            "log": self.log,
            "log_on": self.log,
            "log_back": self.log,
            # organisers
            "status": self.status,
            "plan": self.plan,
            "start": self.start,
            "step": self.step,
            "way": self.way,
            "check_other": self.check_other,
            "post": self.post,
            "settings": self.settings,
            "set": self.set_rule,
        }

    async def on_press(self, interaction: Interaction, press: Press) -> Reply:
        """Answer a press."""
        handler = self._verbs.get(press.verb)
        if handler is None:
            raise Refusal("old_button")
        return await handler(interaction, await self._office.known(interaction, press.table_id), press)

    # --- people: in and out --------------------------------------------------------------------------

    async def join(self, interaction: Interaction, record: Tournament, _press: Press) -> Reply:
        """Sign somebody up, or let them enter late."""
        act = inputs.Join(**self._office.by(interaction, record), name=interaction.user.display_name)
        after = (await self._office.submit(interaction, record, act)).record
        who = after.entrant_of(interaction.user.id)
        late = f" You play from round {who.first} on." if who and who.first > 1 else ""
        return Reply(
            sentence=f"You are in: {shown(record.setup.title, 60)}, {len(after.active)} signed up.{late} "
            "`/tournament me` tells where and when you play."
        )

    async def leave(self, interaction: Interaction, record: Tournament, _press: Press) -> Reply:
        """Take a sign-up back, or drop out."""
        await self._office.submit(interaction, record, inputs.Leave(**self._office.by(interaction, record)))
        if record.phase == "signup":
            return Reply(sentence="You are out. **Join** gets you in again while entry is open.")
        return Reply(sentence="You have dropped out; your points stay. An organiser can let you in again.")

    async def leave_ask(self, _interaction: Interaction, record: Tournament, _press: Press) -> Reply:
        """Ask before somebody drops out."""
        return Reply(pages.leave_page(record))

    async def check(self, interaction: Interaction, record: Tournament, _press: Press) -> Reply:
        """Confirm that somebody is there for the next round."""
        update = await self._office.submit(interaction, record, inputs.CheckIn(**self._office.by(interaction, record)))
        return self._office.mine(update.record, interaction.user.id, "✅ You are checked in.")

    async def here(self, interaction: Interaction, record: Tournament, press: Press) -> Reply:
        """Note that somebody is at their table, or there for the next round."""
        if record.check == "open":
            return await self.check(interaction, record, press)
        _entered(interaction, record)
        update = await self._office.submit(interaction, record, inputs.Here(**self._office.by(interaction, record)))
        return self._office.mine(update.record, interaction.user.id)

    async def pick_seat(self, interaction: Interaction, record: Tournament, press: Press) -> Reply:
        """Choose a seat in the final."""
        act = inputs.PickSeat(**self._office.by(interaction, record), seat=to_number(press.arg))
        after = (await self._office.submit(interaction, record, act)).record
        return self._office.mine(after, interaction.user.id, f"✅ You took seat {act.seat + 1}.")

    # --- people: looking -----------------------------------------------------------------------------

    async def who(self, _interaction: Interaction, record: Tournament, _press: Press) -> Reply:
        """Tell who is in."""
        return Reply(pages.who_page(record))

    async def rules(self, _interaction: Interaction, record: Tournament, _press: Press) -> Reply:
        """Tell the rules."""
        return Reply(pages.rules_page(record, self._office.titles))

    async def mine(self, interaction: Interaction, record: Tournament, _press: Press) -> Reply:
        """Tell somebody where they play."""
        return self._office.mine(record, interaction.user.id)

    async def tables(self, _interaction: Interaction, record: Tournament, press: Press) -> Reply:
        """Show another page of a round's tables."""
        number, first = forms.numbers(press.arg, 2)
        if not 1 <= number <= len(record.rounds):
            raise Refusal("old_button")
        return Reply(pages.round_page(record, record.rounds[number - 1], self._office.titles, first))

    async def standings(self, _interaction: Interaction, record: Tournament, press: Press) -> Reply:
        """Show a page of the standings."""
        return Reply(standing_pages.standings_page(record, to_number(press.arg or "0")))

    async def find(self, interaction: Interaction, record: Tournament, _press: Press) -> Reply:
        """Show somebody their line of the standings."""
        return Reply(standing_pages.found(record, _entered(interaction, record).number))

    async def ties(self, _interaction: Interaction, record: Tournament, press: Press) -> Reply:
        """Show what placed whom."""
        return Reply(standing_pages.ties_page(record, to_number(press.arg or "0")))

    async def log(self, interaction: Interaction, record: Tournament, press: Press) -> Reply:
        """Show a page of the log; what is for the staff alone is left out for others."""
        events = await self._office.door.history(record.tournament_id)
        staff = self._office.staff(interaction, record)
        told = [event for event in events if staff or not event.staff]
        return Reply(pages.log_page(record, told, to_number(press.arg or "0")))

    # --- organisers ----------------------------------------------------------------------------------

    async def status(self, interaction: Interaction, record: Tournament, press: Press) -> Reply:
        """Show the staff what is awaited, and anybody else where they play."""
        if not self._office.staff(interaction, record):
            return self._office.mine(record, interaction.user.id)
        return self._office.status(record, first=to_number(press.arg or "0"))

    async def post(self, interaction: Interaction, record: Tournament, _press: Press) -> Reply:
        """Post the public message anew, at the end of its channel."""
        self._office.staff_by(interaction, record)
        self._office.steward.show(record.tournament_id)
        return self._office.status(record, "✅ It is posted anew in a moment.")

    async def settings(self, interaction: Interaction, record: Tournament, press: Press) -> Reply:
        """Show the rules to choose from; to others than the staff, and after the start, in words."""
        if record.phase != "signup" or not self._office.staff(interaction, record):
            return Reply(pages.rules_page(record, self._office.titles))
        return Reply(rulebook.settings_page(record, self._office.titles, self._office.bot.games, press.arg))

    async def set_rule(self, interaction: Interaction, record: Tournament, press: Press) -> Reply:
        """Change one rule."""
        key, _, to = press.arg.partition("=")
        rule, setup = rulebook.changed(record.setup, self._office.bot.games, key, to)
        return await self._office.configure(interaction, record, setup, rule.page, rulebook.chosen(rule, to))

    async def plan(self, interaction: Interaction, record: Tournament, _press: Press) -> Reply:
        """Show the plan."""
        self._office.staff_by(interaction, record)
        if record.phase != "signup":
            return self._office.status(record)
        return Reply(staff_pages.plan_page(record, plan(record)))

    async def start(self, interaction: Interaction, record: Tournament, press: Press) -> Reply:
        """Start as the plan showed it; should people have come or gone since, show the new plan."""
        act = inputs.Start(**self._office.staff_by(interaction, record), players=to_number(press.arg))
        try:
            return await self._office.staff_act(interaction, record, act, "Started. Tables open in a moment.")
        except Refusal as refusal:
            if refusal.code != "plan_changed":
                raise
            now = await self._office.door.look(record.tournament_id)
            note = said(refusals.REFUSALS["plan_changed"](refusal.facts))
            return Reply(staff_pages.plan_page(now, plan(now), note))

    async def next(self, interaction: Interaction, record: Tournament, number: int) -> Reply:
        """Confirm round *number* and go on, or name each table that blocks, with a link and the ways out."""
        act = inputs.Next(**self._office.staff_by(interaction, record), round=number)
        try:
            return await self._office.staff_act(interaction, record, act, "Confirmed.")
        except Refusal as refusal:
            if refusal.code != "tables_open":
                raise
            return self._office.status(record, said(refusals.tables_open(refusal.facts)))

    async def step(self, interaction: Interaction, record: Tournament, press: Press) -> Reply:
        """Take the next step that the status page named."""
        step, _, number = press.arg.partition(".")
        by = self._office.staff_by(interaction, record)
        match step:
            case "open_check_in":
                act: inputs.Happening = inputs.OpenCheckIn(**by)
                return await self._office.staff_act(interaction, record, act, "The check-in is open.")
            case "start":
                return await self.plan(interaction, record, press)
            case "check_in":
                act = inputs.CloseCheckIn(**by)
                return await self._office.staff_act(interaction, record, act, "The check-in is closed.")
            case "next":
                return await self.next(interaction, record, to_number(number))
            case "recheck":
                act = inputs.Next(**by, round=to_number(number))
                return await self._office.staff_act(interaction, record, act, "The check-in is open again.")
            case "finish":
                if to_number(number) != len(record.rounds):
                    raise Refusal("old_button")
                return await self._office.staff_act(interaction, record, inputs.Finish(**by), "Finished.")
            case _:
                raise Refusal("old_button")

    async def check_other(self, interaction: Interaction, record: Tournament, press: Press) -> Reply:
        """Confirm for somebody that they are there."""
        act = inputs.CheckOthers(**self._office.staff_by(interaction, record), entrant=to_number(press.arg))
        return await self._office.staff_act(interaction, record, act, "Checked in.")

    async def way(self, interaction: Interaction, record: Tournament, press: Press) -> Reply:
        """Take one of the ways out of a table that is awaited, or tell the command for it."""
        way, _, rest = press.arg.partition(".")
        number, pod = forms.numbers(rest, 2)
        if way in forms.COMMANDS:
            self._office.staff_by(interaction, record)
            return self._office.status(record, forms.COMMANDS[way].format(round=number, pod=pod))
        by = self._office.staff_by(interaction, record, forms.REASONS.get(way)) | {"round": number, "pod": pod}
        match way:
            case "Wait":
                act: inputs.Happening = inputs.Wait(**by, wait_ms=WAIT_MS)
                done = f"Table {pod} has ten more minutes."
            case "GoOn" | "GoOnFilled":
                act = inputs.GoOn(**by, fill=way == "GoOnFilled")
                done = f"Table {pod} goes on."
            case "Restart":
                return Reply(staff_pages.restart_page(record, number, pod))
            case "Replay" | "TakeBack":
                act = inputs.Replay(**by)
                done = f"Table {pod} is played again."
            case _:
                raise Refusal("old_button")
        return await self._office.staff_act(interaction, record, act, done)
