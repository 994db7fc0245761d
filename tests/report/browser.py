"""A real Chromium, driven through its own pipe: no driver, no port, no network."""

from __future__ import annotations

import base64
import itertools
import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from select import select
from typing import Any, Self

import pytest

from tests.needs import skip_or_fail

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--remote-debugging-pipe",
)
_PATIENCE = 60.0  # s; the machine may be busy
_OUTSIDE = """Array.from(document.querySelectorAll('h1, h2, p, .tiles > div, figure, .scroll, dl, nav')).filter(e => {
  const r = e.getBoundingClientRect(); return r.width > 0 && (r.left < 0 || r.right > innerWidth + 1) }).length"""
_OVERLAPS = """Array.from(document.querySelectorAll('svg.picture')).map(s => {
  const boxes = Array.from(s.querySelectorAll('text'), t => t.getBoundingClientRect()).filter(b => b.width > 0);
  let hit = 0;
  boxes.forEach((a, i) => boxes.slice(i + 1).forEach(b => {
    if (a.left < b.right && b.left < a.right && a.top + 2 < b.bottom && b.top + 2 < a.bottom) hit += 1; }));
  return hit; }).reduce((a, b) => a + b, 0)"""
_CONTRAST = """(() => {
  const light = c => { const v = c.match(/[\\d.]+/g).slice(0, 3).map(x => x / 255)
    .map(x => x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
    return .2126 * v[0] + .7152 * v[1] + .0722 * v[2]; };
  const behind = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
    if (!/, 0\\)|transparent/.test(c)) return c; } return 'rgb(255, 255, 255)'; };
  return Array.from(document.querySelectorAll('h1, h2, p, th, td, dt, dd, a, span, caption, figcaption')).map(e => {
    const a = light(getComputedStyle(e).color), b = light(behind(e));
    return [(Math.max(a, b) + .05) / (Math.min(a, b) + .05), e.className + ' ' + e.tagName]; })
    .filter(x => x[0] < 4.5).map(x => x.join(' ')); })()"""

Reply = dict[str, Any]


def chromium() -> str:
    """The browser."""
    found = next((path for name in PROGRAMS if (path := shutil.which(name))), None)
    if found is None:
        skip_or_fail("no Chromium here: apt-get install chromium")
    return found


class Browser:
    """One page of a headless Chromium."""

    def __init__(self, profile: Path) -> None:
        read_here, self._write_there = os.pipe()
        self._read_there, write_here = os.pipe()
        command = [chromium(), *_FLAGS, f"--user-data-dir={profile}", "about:blank"]
        script = f'exec "$@" 3<&{read_here} 4>&{write_here}'  # Chromium speaks on 3 and 4
        with (profile.parent / "chromium.log").open("wb") as log:
            self._process = subprocess.Popen(
                ["bash", "-c", script, "bash", *command],
                pass_fds=(read_here, write_here),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        os.close(read_here)
        os.close(write_here)
        self._numbers = itertools.count(1)
        self._rest = b""
        self._session = ""
        self.events: list[Reply] = []

    def __enter__(self) -> Self:
        self._wait_for_page()
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._write_there)
        os.close(self._read_there)

    def call(self, method: str, **parameters: Any) -> Reply:
        """One command of the DevTools protocol, and its result."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write_there, json.dumps(message).encode() + b"\0")
        while True:
            reply = self._read()
            if reply.get("id") == number:
                assert "error" not in reply, f"{method}: {reply['error']}"
                result: Reply = reply["result"]
                return result
            self.events.append(reply)

    def open(self, path: Path, *, width: int = 1280, dark: bool = False) -> float:
        """Open a file; returns how long it took to load, s."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media="screen", features=[scheme])
        self.events.clear()
        start = time.monotonic()
        self.call("Page.navigate", url=path.as_uri())
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self._read())
        return time.monotonic() - start

    def run(self, script: str) -> Any:
        """What an expression gives in the page."""
        done = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def click(self, script: str) -> None:
        """Click, as a user does, in the middle of the element that an expression gives."""
        place = self.run(
            f"(() => {{ const e = {script}; e.scrollIntoView({{block: 'center'}}); const r = e.getBoundingClientRect();"
            " return [r.x + Math.min(r.width / 2, 12), r.y + r.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)

    def type(self, text: str) -> None:
        """Type into what has the focus."""
        self.call("Input.insertText", text=text)

    def screenshot(self, to: Path, *, whole: bool = True) -> None:
        """Take a picture of the page."""
        shot = self.call(
            "Page.captureScreenshot", captureBeyondViewport=whole, **({"clip": self._all()} if whole else {})
        )
        to.write_bytes(base64.b64decode(shot["data"]))

    def pdf(self) -> bytes:
        """The page as it is printed."""
        return base64.b64decode(self.call("Page.printToPDF", printBackground=False)["data"])

    def complaints(self) -> list[str]:
        """Errors and warnings of the console, and exceptions of scripts, since the page was opened."""
        told = []
        for event in self.events:
            method, what = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                told.append(str(what["exceptionDetails"]))
            elif method == "Log.entryAdded" and what["entry"]["level"] in ("error", "warning"):
                told.append(what["entry"]["text"])
            elif method == "Runtime.consoleAPICalled":
                told.append(str(what["args"]))
        return told

    def requests(self) -> list[str]:
        """Every address that the page asked for since it was opened."""
        asked = (e["params"] for e in self.events if e.get("method") == "Network.requestWillBeSent")
        return [str(p["request"]["url"]) for p in asked]

    def _all(self) -> Reply:
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        return {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 16000), "scale": 1}

    def _wait_for_page(self) -> None:
        deadline = time.monotonic() + _PATIENCE
        while time.monotonic() < deadline:
            pages = [t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page"]
            if pages:
                attached = self.call("Target.attachToTarget", targetId=pages[0]["targetId"], flatten=True)
                self._session = attached["sessionId"]
                return
            time.sleep(0.05)
        pytest.fail("Chromium opened no page")

    def _read(self) -> Reply:
        while b"\0" not in self._rest:
            ready, _, _ = select([self._read_there], [], [], _PATIENCE)
            assert ready, "Chromium does not answer"
            more = os.read(self._read_there, 2**20)
            assert more, "Chromium is gone"
            self._rest += more
        line, _, self._rest = self._rest.partition(b"\0")
        reply: Reply = json.loads(line)
        return reply


def check_rendering(browser: Browser, file: Path, *, width: int, dark: bool) -> None:
    """Open a page, which has to ask for nothing, to fit, to be legible, and to give no cause for complaint."""
    browser.open(file, width=width, dark=dark)
    assert browser.requests() == [file.as_uri()]
    assert browser.run("document.documentElement.scrollWidth") <= width
    assert browser.run(_OUTSIDE) == 0
    assert browser.run(_OVERLAPS) == 0
    assert browser.run(_CONTRAST) == []
    assert browser.complaints() == []
