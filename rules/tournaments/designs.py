"""
Fixed designs: everybody meets everybody exactly once.

For 9, 16 and 25 people at tables of 3, 4 and 5 these are the affine planes over the fields of that many
elements: a person is a point, a table a line, a round a class of parallel lines. A search that goes round by
round can paint itself into a corner here.
"""

from __future__ import annotations

from collections.abc import Callable

Line = tuple[int, ...]

_LOG4 = {1: 0, 2: 1, 3: 2}
_EXP4 = (1, 2, 3)


def _times4(one: int, other: int) -> int:
    """Multiply in the field of four elements, whose addition is that of bits."""
    return _EXP4[(_LOG4[one] + _LOG4[other]) % 3] if one and other else 0


def _plane(
    order: int, plus: Callable[[int, int], int], times: Callable[[int, int], int]
) -> tuple[tuple[Line, ...], ...]:
    """Return the classes of parallel lines: point (x, y) has the number x * order + y."""
    every = range(order)
    upright = tuple(tuple(x * order + y for y in every) for x in every)
    sloped = (
        tuple(tuple(x * order + plus(times(slope, x), start) for x in every) for start in every) for slope in every
    )
    return (upright, *sloped)


DESIGNS: dict[int, tuple[tuple[Line, ...], ...]] = {
    9: _plane(3, lambda a, b: (a + b) % 3, lambda a, b: a * b % 3),
    16: _plane(4, lambda a, b: a ^ b, _times4),
    25: _plane(5, lambda a, b: (a + b) % 5, lambda a, b: a * b % 5),
}
"""By number of people: a round each, of tables, of people from 0."""


def design_for(tables: tuple[int, ...]) -> tuple[tuple[Line, ...], ...]:
    """
    Return rounds without a rematch for a field split into *tables*, none when no design gives them.

    A plane whose line has lost k of its points still does, for q * q - k people: of each class but that of
    the line, k lines are short by one. So 20 people sit at five tables of four over five rounds, 12 at four
    tables of three over four, and 22 at two of five and three of four over five.

    Args:
        tables: sizes, the largest first.
    """
    order = len(tables)
    classes = DESIGNS.get(order * order, ())
    lost = order * order - sum(tables)
    if not classes or tables != tuple(sorted((order - (number < lost) for number in range(order)), reverse=True)):
        return ()
    if not lost:
        return classes
    line = classes[0][-1]
    gone = set(line[len(line) - lost :])
    number = {point: at for at, point in enumerate(sorted(set(range(order * order)) - gone))}
    return tuple(
        tuple(tuple(number[point] for point in table if point not in gone) for table in tables_)
        for tables_ in classes[1:]
    )
