"""Who may do what, and for what a reason is asked."""

from __future__ import annotations

from rules.core.contract import Refusal
from rules.tournaments.inputs import (
    Act,
    AddToTable,
    Cancel,
    CheckIn,
    Correct,
    Disqualify,
    GoOn,
    Happening,
    Here,
    Input,
    Join,
    Leave,
    OpenPod,
    PickSeat,
    Reopen,
    Repair,
    Replay,
    Substitute,
    SwapSeats,
)

ANYBODY: tuple[type[Act], ...] = (Join, Leave, CheckIn, Here, PickSeat, OpenPod)
"""What people do for themselves; all other acts are the staff's."""

REASONED: tuple[type[Input], ...] = (
    AddToTable,
    Cancel,
    Correct,
    Disqualify,
    GoOn,
    Reopen,
    Repair,
    Replay,
    Substitute,
    SwapSeats,
)
"""What changes results or who plays whom."""

MOST_REASON = 300
"""Characters of a reason."""


def check_rights(happening: Happening) -> None:
    """
    Make sure that whoever acts may do so.

    Raises:
        Refusal: `not_staff`, `reason_needed`, `reason_too_long`.
    """
    if not isinstance(happening, Act):
        return
    if not happening.staff and not isinstance(happening, ANYBODY):
        raise Refusal("not_staff")
    if isinstance(happening, REASONED) and not happening.reason.strip():
        raise Refusal("reason_needed")
    if len(happening.reason) > MOST_REASON:
        raise Refusal("reason_too_long", most=MOST_REASON)
