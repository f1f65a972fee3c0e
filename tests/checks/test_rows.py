"""The list of promises and the tests say the same."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.checks.rows import ROWS

TESTS = Path(__file__).parents[1]
CLAIM = re.compile(r"test_check_([a-z]\d+)_")


def claims() -> Iterator[tuple[str, str]]:
    """Yield the row and the place of every test that claims one."""
    for path in sorted(TESTS.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_check_"):
                found = CLAIM.match(node.name)
                yield found[1].upper() if found else "", f"{path.relative_to(TESTS)}: {node.name}"


CLAIMS = list(claims())


@pytest.mark.parametrize("row", ROWS)
def test_a_row_waits_or_has_tests(row: str) -> None:
    """One or the other, so that nobody takes what waits for proven."""
    tests = [place for claimed, place in CLAIMS if claimed == row]

    assert bool(ROWS[row].waits) != bool(tests), tests
    assert not (ROWS[row].waits and ROWS[row].later)


def test_no_test_claims_what_is_no_row() -> None:
    """A name that begins like a proof is one."""
    assert [] == [place for claimed, place in CLAIMS if claimed not in ROWS]


def test_promises_are_one_line_each_and_different() -> None:
    """They are read as a list."""
    promises = [row.promise for row in ROWS.values()]

    assert len(promises) == len(set(promises))
    assert all(0 < len(promise) <= 110 and not promise.endswith(".") for promise in promises)
