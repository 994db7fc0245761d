"""The report in a real browser: it renders without a complaint, asks for nothing, and its table sorts and filters."""

from __future__ import annotations

from pathlib import Path

import pytest

from acic.campaign.session import Session
from acic.report.contents import Contents
from acic.store.measurement import Outcome
from tests.report.browser import Browser, check_rendering
from tests.report.conftest import reported
from tests.report.journals import Made, make

Usual = tuple[Session, Contents, str]

COLUMN = "Array.from(document.querySelectorAll('#all-points tbody tr:not([hidden])'), r => r.cells[{}].textContent)"


@pytest.fixture(scope="module")
def file(usual: Usual, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(usual[2], encoding="utf-8")
    return path


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_it_renders_without_a_complaint(browser: Browser, file: Path, width: int, dark: bool) -> None:
    check_rendering(browser, file, width=width, dark=dark)
    assert browser.run("getComputedStyle(document.body).backgroundColor") != (
        "rgb(255, 255, 255)" if dark else "rgb(18, 24, 31)"
    )


def test_clicking_a_heading_sorts_by_it_and_again_the_other_way(browser: Browser, file: Path, usual: Usual) -> None:
    browser.open(file)
    for column, name in ((5, "MiB/s"), (8, "runs"), (6, "improvement")):
        header = f"document.querySelectorAll('#all-points thead button')[{column}]"
        assert browser.run(f"{header}.textContent") in (name, "cost improvement") or column == 8
        for direction in ("ascending", "descending"):
            browser.click(header)
            assert browser.run(f"{header}.parentElement.getAttribute('aria-sort')") == direction
            texts = browser.run(COLUMN.format(column))
            numbers = [_number(t) for t in texts]
            known = [n for n in numbers if n is not None]
            assert known == sorted(known, reverse=direction == "descending")
            assert numbers[len(known) :] == [None] * (len(numbers) - len(known))  # what is not known comes last
            assert len(numbers) == len(usual[1].listing.points)
    browser.click("document.querySelectorAll('#all-points thead button')[2]")
    outcomes = browser.run(COLUMN.format(2))
    assert outcomes == sorted(outcomes)
    assert browser.complaints() == []


def test_filters_leave_what_was_asked_for_and_links_still_lead_to_their_row(
    browser: Browser, file: Path, usual: Usual
) -> None:
    browser.open(file)
    points = usual[1].listing.points
    browser.click("document.querySelector('#filter input')")
    browser.type("ephemeral write")
    wanted = [r for r in points if r.configuration["device"] == "ephemeral" and r.workload.operation == "write"]
    assert browser.run(COLUMN.format(0)) == [str(r.number) for r in wanted]
    assert (
        browser.run("document.querySelector('#filter output').textContent") == f"{len(wanted)} of {len(points)} points"
    )
    browser.run(
        "(e => { e.value = 'timeout'; e.dispatchEvent(new Event('change')); })(document.querySelector('select'))"
    )
    assert browser.run(COLUMN.format(0)) == [str(r.number) for r in wanted if r.outcome == Outcome.TIMEOUT]
    hidden = next(r for r in usual[1].best if r not in wanted)
    browser.click(f"document.querySelector('#best a[href=\"#p{hidden.number}\"]')")
    browser.run("new Promise(done => setTimeout(done, 100))")
    assert browser.run(f"document.getElementById('p{hidden.number}').hidden") is False
    assert browser.complaints() == []


def test_it_is_whole_without_scripts_and_prints(browser: Browser, file: Path, usual: Usual) -> None:
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(file)
    browser.call("Emulation.setScriptExecutionDisabled", value=False)
    assert len(browser.run(COLUMN.format(0))) == len(usual[1].listing.points)
    assert browser.run("document.querySelectorAll('#filter *').length") == 0
    paper = browser.pdf()
    assert paper.startswith(b"%PDF")
    assert 3 <= paper.count(b"/Type /Page\n") <= 20


def test_hostile_notes_run_nothing(browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    note = "</td></script><script>window.owned=1</script><img src=http://127.0.0.1:1/x onerror='window.owned=1'>"
    session = make("hostile", Made(sampled=8, trouble={Outcome.FAILED: 0.3}, notes={Outcome.FAILED: note}, ended=note))
    path = tmp_path / "hostile.html"
    path.write_text(reported(session)[1], encoding="utf-8")
    browser.open(path)
    assert browser.run("typeof window.owned") == "undefined"
    assert browser.requests() == [path.as_uri()]
    assert browser.complaints() == []
    # were anything not escaped, the page's policy would still stop it
    path.write_text(reported(session)[1].replace("</footer>", f"</footer>{note}"), encoding="utf-8")
    browser.open(path)
    assert browser.run("typeof window.owned") == "undefined"
    assert any("Content Security Policy" in c for c in browser.complaints())


def test_a_campaign_of_ten_thousand_points_opens_fast(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    path = tmp_path / "big.html"
    path.write_text(reported(make("big", Made(sampled=9400, most=1)))[1], encoding="utf-8")
    assert browser.open(path) < 10  # s, on a busy machine; usually below one
    browser.click("document.querySelectorAll('#all-points thead button')[5]")
    assert len(browser.run(COLUMN.format(0))) == 2000
    assert browser.complaints() == []


def _number(text: str) -> float | None:
    try:
        return float(text.partition(" ")[0].rstrip("\u00d7"))
    except ValueError:
        return None
