"""People who play by pressing what they see, at random."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from typing import Any

from tests.cogs.world import World, knobs, labels, selects, words

ACTS = (3, 4)
"""Button styles that act at once: green and red."""
MOST_PRESSES = 3


async def nothing() -> None:
    """Do nothing between two presses."""


async def random_turn(
    world: World,
    who: int,
    dice: random.Random,
    *,
    panel: Any = None,
    between: Callable[[], Awaitable[None]] = nothing,
) -> list[str]:
    """
    Make one move of *who* from an open hand and return the presses it took.

    Args:
        world: the server.
        who: index of the person.
        dice: chooses among what the panel offers.
        panel: the open hand, opened afresh when not given.
        between: done before every press.

    Raises:
        AssertionError: the panel offered no way on, refused, or took more presses than a phone player forgives.
    """
    panel = panel or await world.hand(who)
    trail: list[str] = []
    while True:
        acting = [knob for knob in knobs(panel) if knob["style"] in ACTS]
        choosing = [knob for knob in knobs(panel) if ":first:" in knob["custom_id"]]
        menus = selects(panel)
        await between()
        if acting and (not menus or dice.random() < 0.5):
            knob = dice.choice(acting)
            trail.append(knob["label"])
            answer = await world.people[who].click(panel.message, custom_id=knob["custom_id"])
            assert len(trail) <= MOST_PRESSES, trail
            assert answer.response is not None
            assert "✋" not in words(answer.response), (trail, words(answer.response))
            return trail
        if menus and (trail or not choosing):
            menu = dice.choice(menus)
            option = dice.choice(menu["options"])
            trail.append(option["label"])
            panel = (await world.choose(who, panel, menu, option["value"])).response
            continue
        assert choosing, (trail, labels(panel), words(panel))
        knob = dice.choice(choosing)
        trail.append(knob["label"])
        panel = (await world.people[who].click(panel.message, custom_id=knob["custom_id"])).response
        if not [knob for knob in knobs(panel) if knob["style"] in ACTS] and not selects(panel):
            trail.pop()  # a card that can do nothing now: another one then
