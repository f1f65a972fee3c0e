"""What all tests share."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import discord
import pytest
import simcord

from tests.discord_fake import TOKEN, Answer, Discord

_settle = simcord.Env._settle_internal  # noqa: SLF001 - there is no public setting


async def _settled(env: simcord.Env, *, timeout: float | None = None, idle: float = 0.001, **how: Any) -> None:  # noqa: ASYNC109
    """
    Wait until the bot has come to rest.

    simcord looks for it every 50 ms, and it is there within one or two; and simcord gives a start five seconds,
    whatever the world has been given.
    """
    await _settle(env, timeout=timeout and max(timeout, env.settle_timeout), idle=idle, **how)


simcord.Env._settle_internal = _settled  # type: ignore[method-assign]  # noqa: SLF001


@pytest.fixture
def discord_says(monkeypatch: pytest.MonkeyPatch) -> Iterator[Discord]:
    """Give a function that sets the answers of a Discord on this machine; what it is asked is in the list returned."""
    answers: dict[str, Answer] = {}
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """Answer what was set for this path."""
            asked.append(self.path)
            status, body = answers[self.path]
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    def says(these: dict[str, Answer]) -> list[str]:
        answers.update(these)
        return asked

    monkeypatch.setenv("PYTHON_DOTENV_DISABLED", "1")
    monkeypatch.setenv("DISCORD_TOKEN", TOKEN)
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        monkeypatch.setattr(discord.http.Route, "BASE", f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield says
        server.shutdown()
        thread.join()
