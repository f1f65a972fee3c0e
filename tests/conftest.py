"""What all tests share."""

from __future__ import annotations

import simcord

# simcord looks every 50 ms whether the bot has come to rest; it is at rest within one or two.
simcord.Env._settle_internal.__kwdefaults__["idle"] = 0.001  # noqa: SLF001 - there is no public setting
