"""
Run the benchmarks and print what they found beside what was aimed at.

    python -m benchmarks [pairing] [rules] [store] [strength]

Without a name all of them run, in four to seven minutes. A goal that is not met is said and no more: the exit
status is 0, for a busy machine proves nothing. What each line means stands at the top of its module.
"""

from __future__ import annotations

import argparse
import os
import platform
import sqlite3
import sys
from collections.abc import Callable, Mapping

from benchmarks import pairing, rules, store, strength
from benchmarks.report import Result, table

BENCHMARKS: Mapping[str, Callable[[], Result]] = {
    "pairing": pairing.measure,
    "rules": rules.measure,
    "store": store.measure,
    "strength": strength.measure,
}


def machine() -> str:
    """Return one line on where the figures come from."""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{python}, SQLite {sqlite3.sqlite_version}, {os.cpu_count()} cores, {platform.platform()}"


def main() -> None:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure speed and strength.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHMARKS)}; all when none is given")
    names = parser.parse_args().names or list(BENCHMARKS)
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"there is no {unknown[0]}, only {', '.join(BENCHMARKS)}")
    results = []
    for name in names:
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        results.append(BENCHMARKS[name]())
    print(table([line for result in results for line in result.lines]))
    print()
    for remark in (remark for result in results for remark in result.remarks):
        print(remark)
    print(machine())


if __name__ == "__main__":
    main()
