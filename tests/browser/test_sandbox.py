"""One whole game through the sandbox's page in headless Chromium."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from playwright.async_api import Locator, Page, async_playwright
from playwright.async_api import TimeoutError as BrowserTimeout

ROOT = Path(__file__).parents[2]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
PATIENCE_S = 240
SOON_MS = 2_000

pytestmark = pytest.mark.skipif(
    CHROMIUM is None and not os.environ.get("CI"), reason="no Chromium on this machine (CI installs it)"
)


@asynccontextmanager
async def sandbox() -> AsyncIterator[tuple[asyncio.subprocess.Process, str]]:
    """Start `python bot.py --sandbox` and yield the process and the page's address."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "bot.py", "--sandbox", "--no-open"),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
        # A shell without job control has its children ignore Ctrl-C; a terminal does not.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler) and None,
    )
    try:
        assert process.stdout
        async for row in process.stdout:
            if found := re.search(rb"http://\S+", row):
                yield process, found[0].decode()
                break
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def command(page: Page, words: str) -> None:
    """Type a slash command and send it."""
    await page.locator("textarea:visible").first.click()
    await page.keyboard.type(words, delay=10)
    await page.locator(".command-entry").first.wait_for()
    await page.keyboard.press("Enter")
    await page.locator("#send-message:not([disabled])").wait_for()
    for key in ("Escape", "Enter"):  # as the welcome tells it
        await page.keyboard.press(key)


async def press(page: Page, label: str) -> None:
    """Press the newest button with this label."""
    await page.get_by_role("button", name=label, exact=True).last.click()


def panel(page: Page) -> Locator:
    """Find the newest message that only the viewer can see."""
    return page.locator("article.channel-message:has-text('Only you can see this')").last


async def play(page: Page, turn: int) -> bool:
    """Make the next press of a move, as far as there is one; tell whether something was pressed."""
    mine = panel(page)
    greens = mine.locator("button.button-style-3:not([disabled])")
    menus = mine.locator(".select-trigger")
    cards = mine.locator("button.button-style-2")
    renewing = turn % 2 == 0 and await mine.get_by_text("…or renew and drop…").count()
    if await greens.count() and not renewing:
        await greens.first.click(timeout=SOON_MS)
    elif await menus.count():
        await menus.last.click(timeout=SOON_MS)
        await mine.locator(".select-option:visible").last.click(timeout=SOON_MS)
    elif await mine.get_by_text("Which card goes first?").count():
        await cards.nth(turn % await cards.count()).click(timeout=SOON_MS)
    else:
        return False
    return True


async def test_a_newcomer_plays_a_whole_game_in_the_browser() -> None:
    """Open a table, add a computer, start, and play by pressing what the page shows until there is a result."""
    async with sandbox() as (process, address), async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = await browser.new_page(viewport={"width": 1100, "height": 1400})
        await page.goto(address)
        await command(page, "/letsdance new")
        await page.get_by_text("free: step right in").wait_for()
        await press(page, "Add computer")
        await page.get_by_text("Disco Dot (computer)").first.wait_for()
        await press(page, "Start")
        await page.get_by_text("Just now").or_(page.get_by_text("round 1")).first.wait_for()
        await press(page, "My hand")
        await page.get_by_text("Your hand").first.wait_for()

        presses = 0
        async with asyncio.timeout(PATIENCE_S):
            while not await page.get_by_role("heading", name="Party's over!").count():
                with suppress(BrowserTimeout):  # the panel was drawn anew under the finger: look again
                    presses += await play(page, presses // 3)
                await page.wait_for_timeout(250)
        result = await page.locator('article.channel-message:has-text("Party\'s over!")').last.inner_text()
        troubles = await page.locator("text=/uncertain|✋/").count()
        await browser.close()
        process.send_signal(signal.SIGINT)
        status = await asyncio.wait_for(process.wait(), 20)

    assert "TOTAL" in result
    assert presses > 10
    assert 0 == troubles
    assert 0 == status


@pytest.mark.soak
async def test_a_round_of_lambada_in_the_browser() -> None:
    """Card, letter, card to pass: round and round with two computers until somebody shouts LAMBADA."""
    async with sandbox() as (process, address), async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = await browser.new_page(viewport={"width": 400, "height": 1400})
        await page.goto(address)
        await command(page, "/lambada new")
        await page.get_by_text("free: step right in").wait_for()
        await press(page, "Add computer")
        await page.get_by_text("Disco Dot (computer)").first.wait_for()
        await press(page, "Start")
        await page.get_by_text("Cards left").first.wait_for()
        await press(page, "My hand")
        await page.get_by_text("Your hand").first.wait_for()

        presses = 0
        async with asyncio.timeout(PATIENCE_S):
            while not await page.get_by_text("Hips, please").count():
                with suppress(BrowserTimeout):
                    presses += await play(page, 1)
                await page.wait_for_timeout(250)
        troubles = await page.locator("text=/uncertain|✋/").count()
        board = await page.locator("article.channel-message:has-text('Hips, please')").last.inner_text()
        await browser.close()
        process.send_signal(signal.SIGINT)
        status = await asyncio.wait_for(process.wait(), 20)

    assert "Tokens won" in board
    assert presses > 5
    assert 0 == troubles
    assert 0 == status


async def dance(page: Page, presses: int) -> dict[str, int]:
    """Press *Fill all* and *Roll* of the panel by turns, so often or until the bell; tell how often each."""
    made = {"Fill all": 0, "Roll free dancers": 0}
    for number in range(1_000_000):
        if sum(made.values()) >= presses or not await panel(page).get_by_text("Bell in").count():
            break
        for name in (("Fill all", "Roll free dancers"), ("Roll free dancers", "Fill all"))[number % 2]:
            knob = panel(page).locator(f"button:has-text('{name}'):not([disabled])")
            if await knob.count():
                with suppress(BrowserTimeout):
                    await knob.first.click(timeout=SOON_MS)
                    made[name] += 1
                break
        await page.wait_for_timeout(850)
    return made


@asynccontextmanager
async def dance_floor() -> AsyncIterator[Page]:
    """Open the page at the width of a phone, with a table of Breakdancing Meeples and three computers, all ready."""
    async with sandbox() as (process, address), async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = await browser.new_page(viewport={"width": 400, "height": 1000})
        await page.goto(address)
        await command(page, "/meeples new")
        await page.get_by_text("free: step right in").wait_for()
        for name in ("Disco Dot", "Robo Rita", "Salsa Sam"):
            await press(page, "Add computer")
            await page.get_by_text(f"{name} (computer)").first.wait_for()
        await press(page, "Start")
        await page.get_by_text("All crews begin with").wait_for()
        await press(page, "Ready")
        await panel(page).get_by_text("Crew").first.wait_for()
        await page.get_by_text("5, 6, 7, 8!").first.wait_for(timeout=10_000)
        await panel(page).get_by_text("Bell in").wait_for(timeout=10_000)
        yield page
        assert 0 == await page.locator("text=/uncertain|Something went wrong/").count()
        await browser.close()
        process.send_signal(signal.SIGINT)
        assert 0 == await asyncio.wait_for(process.wait(), 20)


async def test_the_first_seconds_of_a_dance_off_in_the_browser() -> None:
    """Ready, the count-in, rolls and placings on a phone: panel and buttons keep their places."""
    async with dance_floor() as page:
        messages = await page.locator("article.channel-message").count()
        box = await panel(page).get_by_role("button", name="Roll free dancers").bounding_box()
        made = await dance(page, 8)
        again = await panel(page).get_by_role("button", name="Roll free dancers").bounding_box()
        await page.wait_for_timeout(3_000)
        board = await page.locator("article.channel-message:has-text('Rolled so far')").last.inner_text()
        mine = await panel(page).inner_text()

        assert made["Roll free dancers"] >= 3
        assert messages == await page.locator("article.channel-message").count()
        assert box is not None
        assert again is not None
        assert box["x"] == again["x"]
        assert abs(box["y"] - again["y"]) <= 40
        assert box["x"] + box["width"] <= 400
        assert re.search(r"Rolled so far: (\d+ · ){3}\d+", board)
        assert re.search(r"Rolled \d|Placed|Too fast|!", mine)


@pytest.mark.soak
async def test_a_whole_dance_off_in_the_browser() -> None:
    """From Ready over the bell and the Remix to the next Ready, with what the panel offers."""
    async with dance_floor() as page:
        made = await dance(page, 1_000)
        async with asyncio.timeout(PATIENCE_S):
            while not await panel(page).locator("button:has-text('Ready'):not([disabled])").count():
                mine = panel(page)
                with suppress(BrowserTimeout):
                    for knob in ("Done", "Beneath", "Not "):
                        found = mine.locator(f"button:has-text('{knob}'):not([disabled])")
                        if await found.count():
                            await found.first.click(timeout=SOON_MS)
                            break
                    else:
                        if await mine.get_by_text("Your pick").count():
                            await mine.locator(".select-trigger").last.click(timeout=SOON_MS)
                            await mine.locator(".select-option:visible").first.click(timeout=SOON_MS)
                await page.wait_for_timeout(500)
        await page.get_by_role("heading", name="Ready for Dance Off 2?").wait_for(timeout=10_000)
        board = await page.locator("article.channel-message:has-text('Ready for Dance Off 2?')").last.inner_text()

        assert made["Roll free dancers"] > 15
        assert made["Fill all"] > 5
        assert "Dance Off 1" in board
