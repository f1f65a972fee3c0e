"""The house deck and the times of Breakdancing Meeples, as the data file has them."""

from __future__ import annotations

from importlib.resources import files

from rules.breakdancing_meeples.deck import KEY, Deck, read_deck
from rules.core.discovery import load_data

HOUSE_DECK: Deck = read_deck(files("rules.data").joinpath(f"{KEY}.toml").read_text(encoding="utf-8"))
"""The cards that a game is played with unless the host brings others."""

_TIMES = load_data(KEY)["times"]

COUNT_IN_MS: int = _TIMES["count_in_ms"]["ms"]
GRACE_MS: int = _TIMES["grace_ms"]["ms"]
PLACING_MS: int = _TIMES["placing_ms"]["ms"]
PICK_MS: int = _TIMES["pick_ms"]["ms"]
FORCE_MS: int = _TIMES["force_ms"]["ms"]
LOST_MS: int = _TIMES["lost_ms"]["ms"]
