"""The evaluation in a real browser: nothing overlaps or overflows, and marks say what they are to mouse and keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from acic.report.evaluation import page
from tests.report.browser import Browser, check_rendering
from tests.report.evaluated import Imagined, imagine

TIP = "document.getElementById('tip')"
ROW = "document.querySelectorAll('#fig5 .told')"
SETTLED = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))"
KEYS = {"Tab": 9, "ArrowRight": 39, "ArrowDown": 40, "End": 35, "Escape": 27}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "evaluation.html"
    path.write_text(page(imagine(Imagined(again=True))), encoding="utf-8")
    return path


def press(browser: Browser, key: str) -> None:
    for kind in ("keyDown", "keyUp"):
        browser.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=KEYS[key])


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_it_renders_without_a_complaint(browser: Browser, file: Path, width: int, dark: bool) -> None:
    check_rendering(browser, file, width=width, dark=dark)


def test_dots_are_drawn_where_the_marks_are_said_to_be(browser: Browser, file: Path) -> None:
    browser.open(file)
    seen = browser.run(
        f"""(() => {{ const place = {ROW}[3], box = place.querySelector('svg').getBoundingClientRect();
        const found = place.dataset.told.split(';').map(t => t.split('|'));
        const marks = Array.from(place.querySelectorAll('use'), u => u.getBoundingClientRect())
          .map(r => [100 * (r.x + r.width / 2 - box.x) / box.width, 100 * (r.y + r.height / 2 - box.y) / box.height]);
        return [found.filter(t => t[3].includes(':')).map(t => [+t[0], +t[1]]), marks]; }})()"""
    )
    assert len(seen[0]) == 4
    for x, y in seen[0]:
        assert any(abs(x - a) < 0.5 and abs(y - b) < 4 for a, b in seen[1]), (x, y)


def test_pointing_at_a_mark_says_what_it_is(browser: Browser, file: Path) -> None:
    browser.open(file)
    assert browser.run(f"{TIP}.hidden") is True
    place = browser.run(
        f"""(() => {{ const e = {ROW}[2]; e.scrollIntoView({{block: 'center'}});
        const box = e.querySelector('svg').getBoundingClientRect();
        const t = e.dataset.told.split(';').map(t => t.split('|')).filter(t => t[3].startsWith('acic: '))[0];
        return [box.x + box.width * t[0] / 100, box.y + box.height * t[1] / 100, t[3],
          document.querySelectorAll('#names li')[t[2]].textContent]; }})()"""
    )
    browser.run(SETTLED)
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=place[0], y=place[1])
    assert browser.run(f"{TIP}.hidden") is False
    assert browser.run(f"{TIP}.textContent") == place[2] + place[3]
    edges = browser.run(f"(r => [r.left, r.right, innerWidth])({TIP}.getBoundingClientRect())")
    assert 0 <= edges[0] < edges[1] <= edges[2]
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=2, y=2)
    assert browser.run(f"{TIP}.hidden") is True


def test_arrow_keys_go_from_mark_to_mark_and_from_row_to_row(browser: Browser, file: Path) -> None:
    browser.open(file)
    browser.run(f"{ROW}[0].focus()")
    browser.run(SETTLED)
    press(browser, "ArrowRight")
    first = browser.run(f"{TIP}.textContent")
    seen = {first}
    for _ in range(20):
        press(browser, "ArrowRight")
        seen.add(browser.run(f"{TIP}.textContent"))
    assert len(seen) > 15
    press(browser, "End")
    assert browser.run(f"{TIP}.hidden") is False
    press(browser, "ArrowDown")
    browser.run(SETTLED)
    assert browser.run(f"{TIP}.hidden") is False
    assert browser.run(f"document.activeElement === {ROW}[1]")
    assert browser.run(f"[{ROW}[0].tabIndex, {ROW}[1].tabIndex]") == [-1, 0]
    press(browser, "ArrowRight")
    press(browser, "Escape")
    assert browser.run(f"{TIP}.hidden") is True
    for _ in range(22):  # to a row that is not on the screen yet: what is said of it goes along
        press(browser, "ArrowDown")
    browser.run(SETTLED)
    assert browser.run(f"document.activeElement === {ROW}[23]")
    places = browser.run(f"[{TIP}, {ROW}[23]].map(e => e.getBoundingClientRect().y)")
    assert 0 < places[1] - places[0] < 150
    press(browser, "Tab")
    assert browser.run("document.activeElement.closest('#fig5')") is None  # one stop for each table
    assert browser.complaints() == []


def test_each_row_that_keys_reach_has_a_name_of_its_own(browser: Browser, file: Path) -> None:
    """All were "Marks": who hears the page did not know which application it was."""
    browser.open(file)
    names = browser.run(f"Array.from({ROW}, e => e.getAttribute('aria-label'))")
    heads = browser.run("Array.from(document.querySelectorAll('#fig5 tbody th'), e => e.textContent)")
    assert len(names) == len(heads) == 24
    assert all(name.startswith(f"{head}: ") for name, head in zip(names, heads, strict=True))


def test_without_scripts_it_still_tells_all_numbers(browser: Browser, file: Path) -> None:
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(file)
    browser.call("Emulation.setScriptExecutionDisabled", value=False)
    assert browser.run("document.querySelectorAll('#fig5 tbody tr').length") == 24
    assert browser.run("document.querySelectorAll('[tabindex]').length") == 0
    paper = browser.pdf()
    assert 8 <= paper.count(b"/Type /Page\n") <= 40
