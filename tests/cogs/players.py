"""People who play by pressing what they see, at random."""

from __future__ import annotations

import random
from typing import Any

from tests.cogs.world import World, knobs, labels, selects, words

ACTS = (3, 4)
"""Button styles that act at once: green and red."""
MOST_PRESSES = 3


async def random_turn(world: World, who: int, dice: random.Random, table_id: int = 1, panel: Any = None) -> list[str]:
    """
    Make one move of *who* from an open hand and return the presses it took.

    Raises:
        AssertionError: the panel offered no way on, or more presses than a phone player forgives.
    """
    panel = panel or await world.hand(who, table_id)
    trail: list[str] = []
    while True:
        acting = [knob for knob in knobs(panel) if knob["style"] in ACTS]
        choosing = [knob for knob in knobs(panel) if ":first:" in knob["custom_id"]]
        menus = selects(panel)
        if acting and (not menus or dice.random() < 0.5):
            knob = dice.choice(acting)
            trail.append(knob["label"])
            answer = await world.people[who].click(panel.message, custom_id=knob["custom_id"])
            assert len(trail) <= MOST_PRESSES, trail
            assert answer.response is not None
            assert "✋" not in words(answer.response), (trail, words(answer.response))
            return trail
        if (menus and trail) or (menus and not choosing):
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
