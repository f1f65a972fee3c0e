"""
Run the benchmarks and print what they found beside what was aimed at.

    python -m benchmarks [--write] [pairing] [rules] [store] [press] [minute] [start] [memory] [strength]

Without a name all of them run, in ten to fifteen minutes. A goal that is not met is said and no more: the exit
status is 0, for a busy machine proves nothing. What each line means stands at the top of its module. With
`--write` the results of a whole run go into `benchmarks/RESULTS.md`, with the machine they come from.
"""

from __future__ import annotations

import argparse
import os
import platform
import sqlite3
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import simcord

from benchmarks import memory, minute, pairing, press, rules, start, store, strength
from benchmarks.report import Result, markdown, table

BENCHMARKS: Mapping[str, Callable[[], Result]] = {
    "pairing": pairing.measure,
    "rules": rules.measure,
    "store": store.measure,
    "press": press.measure,
    "minute": minute.measure,
    "start": start.measure,
    "memory": memory.measure,
    "strength": strength.measure,
}


RESULTS = Path(__file__).with_name("RESULTS.md")

# simcord looks every 50 ms whether the bot has come to rest; it is at rest within one or two.
simcord.Env._settle_internal.__kwdefaults__["idle"] = 0.001  # noqa: SLF001 - there is no public setting


def machine() -> str:
    """Return one line on where the figures come from."""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{python}, SQLite {sqlite3.sqlite_version}, {processor()}, {os.cpu_count()} cores, {platform.platform()}"


def processor() -> str:
    """Return the name of the processor as far as it can be known."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def write(results: Sequence[Result]) -> None:
    """Put the results of a whole run into their file."""
    remarks = [f"- {remark}" for result in results for remark in result.remarks]
    text = [
        "# Results",
        "",
        "Written by `python -m benchmarks --write`, in one run. What each line means stands at the top of its module.",
        "",
        f"{datetime.now(UTC):%Y-%m-%d}, {machine()}",
        "",
        markdown([line for result in results for line in result.lines]),
        "",
        *remarks,
        "",
    ]
    RESULTS.write_text("\n".join(text), encoding="utf-8")


def main() -> None:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure speed and strength.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHMARKS)}; all when none is given")
    parser.add_argument("--write", action="store_true", help=f"put a whole run into {RESULTS.name}")
    chosen = parser.parse_args()
    names = chosen.names or list(BENCHMARKS)
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"there is no {unknown[0]}, only {', '.join(BENCHMARKS)}")
    if chosen.write and chosen.names:
        parser.error("--write is for a whole run: name no benchmark")
    results = []
    for name in names:
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        results.append(BENCHMARKS[name]())
    print(table([line for result in results for line in result.lines]))
    print()
    for remark in (remark for result in results for remark in result.remarks):
        print(remark)
    print(machine())
    if chosen.write:
        write(results)


if __name__ == "__main__":
    main()
