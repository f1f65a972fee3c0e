"""The Conga Line: LD-36 to LD-50."""

from __future__ import annotations

import pytest

from rules.lets_dance import (
    GAME,
    Dance,
    Danced,
    Drew,
    Follow,
    Followed,
    LineEnded,
    PartyOver,
    Pass,
    Replenish,
    SatOut,
    SitOut,
)
from rules.lets_dance.scoring import final_sheets
from tests.rules.lets_dance.build import act, after, cards, events, final, hand, refused, table, text, worth

CONGA = Dance(("conga",))


def test_ld_36_one_conga_line_card_a_turn() -> None:
    """Neither two nor three at once."""
    state = table("Conga Conga Conga", "Y")

    assert "one_conga" == refused(state, Dance(cards("Conga Conga")))
    assert [CONGA] == [action for action in GAME.legal(state, 0) if isinstance(action, Dance)]


@pytest.mark.parametrize("group", ["Conga Fever", "Fever Conga", "Conga Euphoria", "Euphoria Conga"])
def test_ld_37_the_starter_may_add_an_extra(group: str) -> None:
    """A line may start with one Euphoria or Dance Fever before or after it."""
    end = after(table(group, "Y"), Dance(cards(group)))

    assert group == text(end.floors[0])
    assert (0,) == end.conga


def test_ld_37_followers_add_nothing() -> None:
    """Whoever follows lays the Conga Line card alone."""
    state = table("Y", "Conga Fever", floors=["Conga"], conga=(0,), turn=1)

    end = after(state, Follow())

    assert "line_is_open" == refused(state, Dance(cards("Conga Fever")))
    assert ("Conga2", "Fever") == (text(end.floors[1]), hand(end, 1))


def test_ld_38_cards_lie_at_once_and_get_their_value_at_the_end() -> None:
    """While the line is open its cards have no value of their own; the order danced stays."""
    start = table("Fever Conga", "Conga", "Y", "Y", floors=["Conga2"], deck="Y Y")
    opened = after(start, Dance(cards("Fever Conga")), Follow())

    closed = after(opened, SitOut("y"))

    assert ["Conga2 Fever Conga", "Conga"] == [text(each) for each in opened.floors[:2]]
    assert ["Conga2 Fever Conga2", "Conga2"] == [text(each) for each in closed.floors[:2]]


@pytest.mark.parametrize("followers", [0, 1, 2, 3])
def test_ld_39_value_is_the_number_of_players(followers: int) -> None:
    """Each card of the line is worth as much as players joined; the board shows it as it grows."""
    hands = ["Conga"] * (followers + 1) + ["Y", "Y"]
    opened = after(table(*hands), CONGA, *[Follow()] * followers)

    step = act(opened, SitOut("y"))

    so_far = [GAME.view(opened, None).public.floors[seat].sheet.conga for seat in range(followers + 1)]
    assert [(followers + 1,)] * (followers + 1) == so_far
    assert [followers + 1] * (followers + 1) == [each[0].worth for each in step.state.floors[: followers + 1]]
    assert [followers + 1] == [event.closes for event in events(step, SatOut)]


def test_ld_40_nobody_has_to_follow() -> None:
    """A holder of a Conga Line card may sit out, with that very card too."""
    state = table("Y", "Conga Y", floors=["Conga"], conga=(0,), turn=1)

    assert {Follow(), SitOut("y"), SitOut("conga")} == set(GAME.legal(state, 1))


def test_ld_41_the_sitter_draws_nothing_and_takes_a_turn() -> None:
    """One card face-down, the line ends, and a full turn follows at once, perhaps a new line."""
    state = table("Y", "Conga Y", floors=["Conga"], conga=(0,), turn=1, deck="Down Down")
    step = act(state, SitOut("y"))

    again = after(step.state, CONGA)

    assert (1, "turn", "Conga") == (step.state.turn, step.state.awaits, hand(step.state, 1))
    assert [] == events(step, Drew)
    assert ((1,), 0) == (again.conga, again.turn)


def test_ld_42_an_empty_hand_ends_the_line() -> None:
    """Nothing is laid, and the player takes a normal turn."""
    step = act(table("Conga Y", "", deck="Down " * 9), CONGA)

    assert [((0,), 1)] == [(event.seats, event.worth) for event in events(step, LineEnded)]
    assert ["Conga1", ""] == [text(each) for each in step.state.floors]
    assert [Replenish()] == GAME.legal(step.state, 1)


def test_ld_42_an_empty_hand_passes_in_the_final_round() -> None:
    """Without a card and without drawing, passing is left."""
    end = after(final("Conga Y", ""), CONGA)

    assert [Pass()] == GAME.legal(end, 1)


def test_ld_43_without_a_conga_line_card_one_must_sit_out() -> None:
    """Following needs the card."""
    state = table("Y", "Y M", floors=["Conga"], conga=(0,), turn=1)

    assert [SitOut("y"), SitOut("m")] == GAME.legal(state, 1)
    assert "no_conga_card" == refused(state, Follow())


def test_ld_44_the_last_card_sat_out() -> None:
    """The turn that follows can only be a Replenish, in the final round a Pass."""
    usual = table("Y", "Y", floors=["Conga"], conga=(0,), turn=1)
    last = final("Y", "Y", floors=["Conga"], conga=(0,), turn=1)

    assert [Replenish()] == GAME.legal(after(usual, SitOut("y")), 1)
    assert [Pass()] == GAME.legal(after(last, SitOut("y")), 1)


def test_ld_45_back_at_the_starter() -> None:
    """The line ends with everyone in it, and the starter may begin anew."""
    opened = after(table("Conga Conga", "Conga", "Conga", deck="Y Y Y Y"), CONGA, Follow())

    step = act(opened, Follow())

    assert [((0, 1, 2), 3)] == [(event.seats, event.worth) for event in events(step, LineEnded)]
    assert ["Conga3", "Conga3", "Conga3"] == [text(each) for each in step.state.floors]
    assert (0, "turn") == (step.state.turn, step.state.awaits)
    assert CONGA in GAME.legal(step.state, 0)


def test_ld_46_two_players_and_nobody_follows() -> None:
    """The line is worth 1."""
    end = after(table("Conga Y", "Y"), CONGA, SitOut("y"))

    assert "Conga1" == text(end.floors[0])


def test_ld_47_party_over_does_not_end_the_line() -> None:
    """Drawn by a follower it starts the end of the game, and the line goes on."""
    state = table("Y", "Conga", "Conga", floors=["Conga"], conga=(0,), turn=1, deck="Over Y M")

    step = act(state, Follow())

    assert [1] == [event.seat for event in events(step, PartyOver)]
    assert ((0, 1), 2, 2) == (step.state.conga, step.state.turn, step.state.last_round)


def test_ld_48_a_line_open_at_the_end() -> None:
    """It counts those who are in it."""
    state = final("Y", "Conga", "Conga", turn=1)

    step = act(after(state, CONGA), Follow())

    assert step.state.over
    assert [((1, 2), 2)] == [(event.seats, event.worth) for event in events(step, LineEnded)]
    assert ["", "Conga2", "Conga2"] == [text(each) for each in step.state.floors]


def test_ld_49_fever_and_euphoria_beside_a_conga_line_card() -> None:
    """Fever doubles nothing there but may be a Big Finish; Euphoria adds 1."""
    fever = final_sheets([after(final("Conga Fever", ""), Dance(cards("Conga Fever"))).floors[0]])[0]

    assert ((0,), 5) == (fever.fever, fever.finish)
    assert 4 == worth("Euphoria Conga3")


def test_ld_50_a_line_runs_into_the_next_round() -> None:
    """Rounds are counted by seats, whatever line is open."""
    state = table("Conga", "Y", "Conga", turn=2, deck="Y " * 9)

    opened = after(state, CONGA)
    followed = after(opened, Follow())

    assert (2, 0, (2,)) == (opened.round, opened.turn, opened.conga)
    assert (2, 1, (2, 0)) == (followed.round, followed.turn, followed.conga)


def test_ld_38_events_of_a_line() -> None:
    """Starting gains one point, each follower is announced with the length of the line."""
    start = act(table("Conga Y", "Conga", "Y"), CONGA)

    followed = act(start.state, Follow())

    assert [1] == [event.gained for event in events(start, Danced)]
    assert [(1, 2)] == [(event.seat, event.line) for event in events(followed, Followed)]
