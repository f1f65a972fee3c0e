"""Views, odds, previews and redrawing: what a seat knows and no more."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import msgspec
import pytest

from rules.core.contract import Ctx
from rules.core.rng import Rng
from rules.lets_dance import (
    GAME,
    Action,
    Dance,
    Follow,
    Keep,
    Laid,
    Pass,
    Renew,
    Replenish,
    SitOut,
    State,
    StepOnToes,
    preview,
)
from rules.lets_dance.cards import copies
from tests.rules.lets_dance.build import after, cards, deal, final, table


def walk(seats: int, seed: int) -> Iterator[State]:
    """Play a random game, kinds of actions equally likely, and yield every state."""
    pick = Rng(seed.to_bytes(16, "big"), "pick")
    state = deal(seats, seed)
    yield state
    step = 0
    while not state.over:
        legal = GAME.legal(state, state.turn)
        kind = pick.choice(sorted({type(action).__name__ for action in legal}))
        action = pick.choice([action for action in legal if type(action).__name__ == kind])
        state = GAME.apply(state, state.turn, action, Ctx(0, Rng(seed.to_bytes(16, "big"), f"step {step}"))).state
        step += 1
        yield state


@pytest.mark.parametrize("seats", [2, 3, 6])
def test_redrawing_changes_nothing_that_a_seat_sees(seats: int) -> None:
    """View and legal actions stay, cards are conserved, and something really moves."""
    moved = 0
    for number, state in enumerate(walk(seats, seed=seats)):
        for seat in (None, *range(seats)):
            other = GAME.resample(state, seat, Rng(bytes(16), f"redraw {number} {seat}"))

            assert GAME.view(state, seat) == GAME.view(other, seat)
            assert seat is None or GAME.legal(state, seat) == GAME.legal(other, seat)
            assert GAME.census(state) == GAME.census(other)
            assert "over" not in state.deck or other.deck.index("over") < 11
            moved += state != other
    assert moved > number * seats


@pytest.mark.parametrize("seats", [2, 4])
def test_the_public_part_is_the_same_for_all(seats: int) -> None:
    """Spectators and seats see the same table, without any hidden card."""
    for state in walk(seats, seed=9):
        public = GAME.view(state, None).public

        assert all(GAME.view(state, seat).public == public for seat in range(seats))
        assert GAME.view(state, None).own is None
        assert all(laid.card == "" for floor in public.floors for laid in floor.laid if not laid.public)


@pytest.mark.parametrize("seats", [2, 5])
def test_cards_are_conserved_and_hands_stay_small(seats: int) -> None:
    """Every state of a game has the cards of its deck, hands of five at most, and survives the codec."""
    for state in walk(seats, seed=4):
        size = (4 if state.grab and seat == state.turn else 5 for seat in range(seats))

        assert copies(small=state.small) == dict(GAME.census(state))
        assert all(len(hand) <= most for hand, most in zip(state.hands, size, strict=True))
        assert state == msgspec.msgpack.decode(msgspec.msgpack.encode(state), type=State)


def test_what_the_thief_kept_is_known_to_the_victim_alone() -> None:
    """The victim's redrawing leaves that card with the thief, a third seat's may move it."""
    state = table("Toes", "Y M", "C A Spin Knee Worm", floors=["", "Y"], deck="Down " * 9)
    kept = after(state, StepOnToes(1), Keep("y"))

    for seat, known in ((1, True), (2, False)):
        hands = {GAME.resample(kept, seat, Rng(bytes(16), f"{turn}")).hands[0] for turn in range(30)}

        assert known == ({("y",)} == hands)


def test_a_theft_under_way_is_known_to_two() -> None:
    """Thief and victim know the two cards; for others they may be any two different ones."""
    state = after(table("Toes", "Y M", "C A Spin Knee Worm", floors=["", "Y"], deck="Down " * 9), StepOnToes(1))

    for seat, known in ((0, True), (1, True), (2, False)):
        grabs = [GAME.resample(state, seat, Rng(bytes(16), f"{turn}")).grab for turn in range(30)]

        assert known == all(grab == state.grab for grab in grabs)
        assert all(grab and grab.cards[0] != grab.cards[1] for grab in grabs)
    assert [("y", "m"), (), ()] == [own.grabbed for seat in range(3) if (own := GAME.view(state, seat).own)]


def test_knowledge_ends_when_a_card_leaves_unseen() -> None:
    """Once the thief lays a card face-down nobody can say which one is left."""
    stolen = after(table("Toes M", "Y", floors=["", "Y"], deck="Down " * 9), StepOnToes(1))
    renewed = after(msgspec.structs.replace(stolen, turn=0), Renew("m", ()))

    assert 1 == len(stolen.known)
    assert () == renewed.known


def reference_permille(spins: int, deck: str) -> int:
    """Try every order of a deck and count the falls."""
    falls = total = 0
    for order in permutations(cards(deck)):
        shown: list[str] = []
        for card in order[:spins]:
            shown.append(card)
            if card == "toes" or spins + shown.count("spin") >= 4:
                falls += 1
                break
        total += 1
    return round(1000 * falls / total)


@pytest.mark.parametrize("seen", ["Toes Spin Spin Y Y Y", "Toes Toes Spin Y Y", "Spin Spin Spin Y", "Y Y Y Y"])
def test_odds_agree_with_trying_every_order(seen: str) -> None:
    """What is not in sight may come up with equal chance."""
    left = {card: cards(seen).count(card) for card in copies(small=True)}
    rest = [card for card, count in copies(small=True).items() for _ in range(count - left[card]) if card != "over"]
    state = msgspec.structs.replace(table("", "", deck=seen), floors=((), ()), discards=tuple(rest))

    hints = GAME.view(state, 0).hints

    assert tuple(reference_permille(spins, seen) for spins in (1, 2, 3)) == hints.fall_permille


@pytest.mark.parametrize(("seats", "odds"), [(4, (93, 184, 411)), (2, (97, 193, 406))])
def test_odds_of_a_fresh_deck(seats: int, odds: tuple[int, int, int]) -> None:
    """Knowing nothing but the Spins in hand, one reckons what the rulings page reckons for both decks."""
    held = (("spin",) * spins for spins in (1, 2, 3))
    others = ((),) * (seats - 1)
    hints = [GAME.view(msgspec.structs.replace(deal(seats), hands=(hand, *others)), 0).hints for hand in held]

    assert odds == tuple(hint.fall_permille[spins] for spins, hint in enumerate(hints))


def test_odds_of_a_short_deck_count_the_discards() -> None:
    """Of two cards shown the first is a harmless one; the second comes from the discards, half of them bad."""
    state = table("", "", deck="Y", discards="Toes Y")
    unseen = GAME.census(deal(2)) - GAME.census(state)
    state = msgspec.structs.replace(state, floors=(tuple(map(Laid, unseen.elements())), ()))

    hints = GAME.view(state, 0).hints

    assert (0, 500, 1000) == hints.fall_permille


def test_odds_ignore_what_is_hidden() -> None:
    """The same public table and hand give the same risk, whatever lies on top of the deck."""
    safe = table("Spin", "Y Y", deck="Y M C Toes Toes")
    risky = table("Spin", "Toes Toes", deck="Y M C Y Y")

    assert GAME.view(safe, 0) == GAME.view(risky, 0)


@pytest.mark.parametrize(
    ("hand", "floor", "action", "expected"),
    [
        ("Shuffle Fever", "Y", Dance(cards("Shuffle Fever")), (0, 6, 1)),
        ("Spin", "Spin", Dance(cards("Spin")), (2, 5, 1)),
        ("Conga", "Euphoria", Dance(cards("Conga")), (0, 2, 1)),
        ("Y M C", "Robot", Replenish(), (2, 2, 2)),
        ("Y M C A Spin", "Robot", Renew("y", cards("M C")), (2, 2, 3)),
        ("Toes", "Robot", StepOnToes(1), (2, 2, 0)),
    ],
)
def test_preview(hand: str, floor: str, action: Action, expected: tuple[int, int, int]) -> None:
    """A preview tells worth before and after, and the cards drawn at the end."""
    state = table(hand, "Y", floors=[floor, "Y"], deck="Down " * 9)

    seen = preview(GAME.view(state, 0), 0, action)

    assert expected == (seen.before, seen.after, seen.draws)


def test_preview_of_answers_to_a_line() -> None:
    """Following counts one player more, sitting out changes nothing and draws nothing."""
    view = GAME.view(table("Y", "Conga Y", floors=["Conga", "Robot"], conga=(0,), turn=1, deck="Down"), 1)

    follow, out = preview(view, 1, Follow()), preview(view, 1, SitOut("y"))

    assert ((2, 4, 1), (2, 2, 0)) == ((follow.before, follow.after, follow.draws), (out.before, out.after, out.draws))


def test_preview_in_the_final_round_draws_nothing() -> None:
    """Neither a Dance nor a Pass brings a card, and the risk of a Spin stays."""
    state = final("Spin", "Y", deck="Down Down")

    seen = [preview(GAME.view(state, 0), 0, action) for action in (Dance(("spin",)), Pass())]

    assert [0, 0] == [each.draws for each in seen]
    assert seen[0].fall_permille > 0 == seen[1].fall_permille


def test_preview_is_what_happens() -> None:
    """Along a game each danced group changes the floor as its preview said."""
    for state in walk(3, seed=11):
        if state.awaits == "turn":
            seat = state.turn
            for action in GAME.legal(state, seat):
                if isinstance(action, Dance) and not {"spin", "conga"} & {*action.cards}:
                    said = preview(GAME.view(state, seat), seat, action).after
                    done = after(state, action)

                    assert done.over or said == GAME.view(done, None).public.floors[seat].sheet.worth


def test_a_spectator_has_no_preview() -> None:
    """Without a hand there is nothing to preview."""
    with pytest.raises(ValueError, match="spectator"):
        preview(GAME.view(table("Y", "Y"), None), 0, Pass())
