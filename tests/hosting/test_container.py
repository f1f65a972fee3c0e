"""
What a container or a service is made of, held against the project: no engine runs here.

The steps of the Dockerfile are followed with copies in a folder, the packages being those of this environment.
"""

from __future__ import annotations

import ast
import os
import re
import shlex
import shutil
import subprocess
import sys
from fnmatch import fnmatch
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from hosting.settings import VARIABLES

ROOT = Path(__file__).parents[2]
FILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


def instructions() -> list[tuple[str, str]]:
    """Return the instructions of the Dockerfile, continued lines joined, comments left out."""
    lines = "\n".join(line for line in FILE.splitlines() if not line.lstrip().startswith("#"))
    joined = re.sub(r"\\\n\s*", "", lines)
    return [(name, rest) for name, _, rest in (line.partition(" ") for line in joined.splitlines()) if name]


def of(name: str) -> list[str]:
    """Return what stands behind every instruction of that name."""
    return [rest for each, rest in instructions() if each == name]


def sent() -> set[str]:
    """Return the names at the top of the project that reach the engine past .dockerignore."""
    rules = (ROOT / ".dockerignore").read_text(encoding="utf-8").split("\n")
    names = set()
    for name in (path.name for path in ROOT.iterdir()):
        kept = True
        for rule in filter(None, (line.partition("#")[0].strip() for line in rules)):
            if fnmatch(name, rule.removeprefix("!").removeprefix("**/")):
                kept = rule.startswith("!")
        names |= {name} if kept else set()
    return names


def copied(image: Path) -> None:
    """Do what COPY does, from what the engine gets to see."""
    for rest in of("COPY"):
        if rest.startswith("--from="):
            continue
        *sources, target = shlex.split(rest)
        for source in sources:
            assert source in sent(), f"{source} is kept from the engine by .dockerignore"
            place = image / target.lstrip("/")
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, place, ignore=shutil.ignore_patterns("__pycache__", "*.service"))
            else:
                place.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / source, place)


def test_what_is_copied_is_enough_to_start(tmp_path: Path) -> None:
    """`bot.py check` runs on it and lacks a token alone; the health check finds no heartbeat."""
    copied(tmp_path)
    (entry,) = of("ENTRYPOINT")
    (health,) = (rest.partition("CMD ")[2] for rest in of("HEALTHCHECK"))
    env = {"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
    data = tmp_path / "data"
    data.mkdir()
    env["DANCEFLOOR_DATABASE"] = str(data / "dancefloor.sqlite3")

    def run(words: str, *more: str) -> subprocess.CompletedProcess[str]:
        program, script = ast.literal_eval(words)
        assert "python" == program
        place = tmp_path / script.lstrip("/")
        return subprocess.run(
            [sys.executable, place, *more], cwd=data, env=env, capture_output=True, text=True, check=False, timeout=60
        )

    check, ill = run(entry, "check"), run(health)

    assert 2 == check.returncode, check.stderr
    assert ["MEND token"] == re.findall(r"^MEND [a-z]+", check.stdout, re.MULTILINE)
    assert 1 == ill.returncode
    assert "no heartbeat" in ill.stdout
    assert [] == list(data.iterdir())


def test_the_packages_are_those_that_are_imported() -> None:
    """Every package that the copied code imports is in the requirements that RUN installs."""
    (install,) = (rest for rest in of("RUN") if "pip install" in rest)
    named = re.findall(r"-r /(\S+)", install)
    lines = [line for name in named for line in (ROOT / name).read_text(encoding="utf-8").splitlines()]
    wanted = {match[0].lower() for line in lines if (match := re.match(r"[\w.-]+", line))}
    wanted |= {"aiohttp"}  # discord.py brings it
    tops = {name for name in sent() if (ROOT / name).is_dir() or name.endswith(".py")}
    files = [path for top in tops for path in ([ROOT / top] if top.endswith(".py") else (ROOT / top).rglob("*.py"))]
    used = set()
    for file in files:
        text = file.read_text(encoding="utf-8")
        used |= set(re.findall(r'import_module\("(\w+)"\)', text))
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                used |= {name.name.partition(".")[0] for name in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                used.add(node.module.partition(".")[0])
    foreign = used - set(sys.stdlib_module_names) - {top.removesuffix(".py") for top in tops} - {"sandbox"}
    known = packages_distributions()

    assert {"requirements.txt", "requirements-speed.txt"} == set(named) <= sent()
    assert len(files) > 20
    assert foreign
    assert set() == {name for name in foreign if not {dist.lower() for dist in known.get(name, [name])} & wanted}


def test_nothing_secret_reaches_an_image() -> None:
    """Only what runs is sent to the engine: no settings, database, repository or test."""
    assert {"bot.py", "cogs", "db", "hosting", "rules", "requirements.txt", "requirements-speed.txt"} == sent()
    assert not {name for rest in of("ENV") for name in re.findall(r"(\w+)=", rest)} & {"DISCORD_TOKEN"}


def test_the_image_is_small_and_not_root() -> None:
    """An exact base for both stages, a user of its own by number, data in one volume, signals reach Python itself."""
    (base,) = of("ARG")

    assert re.fullmatch(r"PYTHON=3\.\d+\.\d+-slim-\w+", base)
    assert ["python:${PYTHON} AS packages", "python:${PYTHON}"] == of("FROM")
    assert ["/data"] == of("VOLUME") == of("WORKDIR")
    (user,) = of("USER")
    assert user.isdecimal()
    assert f"--uid {user} " in FILE
    assert all(rest.startswith("[") for rest in of("ENTRYPOINT"))
    assert instructions().index(("USER", user)) < [name for name, _ in instructions()].index("ENTRYPOINT")
    assert "DANCEFLOOR_DATABASE=/data/" in " ".join(of("ENV"))


def test_compose_gives_the_stop_its_time_and_the_data_its_place() -> None:
    """As plain text: no YAML reader is among the packages."""
    compose = (ROOT / "compose.yaml").read_text(encoding="utf-8")

    assert "DANCEFLOOR_DATABASE: /data/dancefloor.sqlite3\n" in compose
    assert "- data:/data\n" in compose
    assert int(re.findall(r"stop_grace_period: (\d+)s", compose)[0]) > 10
    assert "DISCORD_TOKEN" not in compose


@pytest.mark.parametrize("name", ["hosting/dancefloor.service"])
def test_the_unit_does_not_try_for_ever(name: str) -> None:
    """A setting to be mended ends it; a crash does not; the stop has its time."""
    unit = (ROOT / name).read_text(encoding="utf-8")

    assert "\nRestart=on-failure\n" in unit
    assert "\nRestartPreventExitStatus=2\n" in unit
    assert int(re.findall(r"TimeoutStopSec=(\d+)", unit)[0]) > 10
    assert "DISCORD_TOKEN" not in unit


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd here")
def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    """Every line of it, with a Python that exists in place of the one in /opt."""
    unit = tmp_path / "dancefloor.service"
    text = (ROOT / "hosting" / "dancefloor.service").read_text(encoding="utf-8")
    unit.write_text(text.replace("/opt/dancefloor/.venv/bin/python", sys.executable), encoding="utf-8")
    ran = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", unit],  # noqa: S607 - wherever it is installed
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert (0, "") == (ran.returncode, ran.stderr)


def test_every_variable_is_in_the_documents() -> None:
    """docs/hosting.md has a table of all settings."""
    table = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")

    assert [] == [name for name in (*VARIABLES, "<GAME>_DECK") if f"| `{name}` |" not in table]
