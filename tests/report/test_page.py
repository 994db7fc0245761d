"""The page as a document: well-formed, self-contained, safe to open whoever wrote what is in it, and small."""

from __future__ import annotations

import itertools
import json
import os
import re
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.campaign.budget import Budget
from acic.campaign.journal import Journal
from acic.campaign.session import Session
from acic.errors import CONTROL, AcicError, InvalidInput
from acic.report.choice import BEST, LISTED, best_of, safe_of
from acic.report.contents import Contents, contents_of
from acic.report.gain_sections import best_section
from acic.report.head_section import header, method_section
from acic.report.html import Markup, element, text
from acic.report.page import page_of, write_page
from acic.report.results import Results
from acic.store.measurement import Outcome
from tests.report.conftest import NOW, TROUBLE, Open, reported
from tests.report.journals import Made, make
from tests.report.reading import LOADS, Seen, by_id, table_rows, tree, words

Usual = tuple[Session, Contents, str]

HOSTILE = {
    "markup": "</script><script>document.title='owned'</script><img src=x onerror=a()>&lt;b&gt; ]]> <!-- <![CDATA[",
    "quotes": '" onmouseover="alert(1)" x=\' javascript:alert(1) {{7*7}} ${7*7} `id`',
    "characters": "\u202egnp.exe\u2066 \u0000\u0007\u001b[31m \ud800 \ufffe \u200e",
    "long": "x" * 5000,
}


@pytest.mark.parametrize(
    "made",
    [
        Made(sampled=60, trouble=TROUBLE, unsafe=True),
        Made(screen=False, sampled=0, ended=""),
        Made(sampled=0, baselines=False, ended=""),
        Made(sampled=0, trouble={Outcome.FAILED: 1.0}),
        Made(screen=False, sampled=3, most=1),
        Made(platform="tianhe-lustre", screen=False, sampled=30),
    ],
    ids=["usual", "empty", "only-screening", "all-failed", "few", "no-prices"],
)
def test_every_campaign_gives_a_whole_document(campaign: Open, made: Made) -> None:
    contents, page = reported(campaign(made))
    root, seen = tree(page), Seen(page)
    assert [e.tag for e in root] == ["head", "body"]
    ids = [e.get("id") for e in root.iter() if e.get("id")]
    assert len(ids) == len(set(ids))
    links = [a["href"] or "" for tag, a in seen.tags if tag == "a"]
    assert {link.lstrip("#") for link in links} <= set(ids)
    levels = [int(e.tag[1]) for e in root.iter() if re.fullmatch("h[1-6]", e.tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in itertools.pairwise(levels))
    assert contents.headline.summary.runs == sum(contents.headline.summary.outcomes.values())
    assert not re.search(r"\b(nan|inf|None|True|False)\b", words(by_id(page, "main")))


def test_pictures_say_what_they_show_and_tables_have_captions_and_heads(usual: Usual) -> None:
    root = tree(usual[2])
    pictures = [e for e in root.iter("svg") if "picture" in e.get("class", "")]
    assert pictures
    for picture in pictures:
        spoken = picture.get("role") == "img" and picture.get("aria-label")
        assert spoken or picture.get("aria-hidden") == "true"  # the rulers: the numbers are in the cells
    for table in root.iter("table"):
        caption, heads = table.find("caption"), table.findall("thead/tr/th")
        assert caption is not None
        assert words(caption)
        assert heads
        assert all(th.get("scope") == "col" for th in heads)
        assert all(row[0].tag == "th" and row[0].get("scope") == "row" for row in table.findall("tbody/tr"))
    assert root.get("lang") == "en"
    named = {e.get("id") for e in root.iter("h2")}
    assert all(e.get("aria-labelledby") in named for e in root.iter("section"))


def test_nothing_is_asked_of_the_network_or_of_other_files(usual: Usual) -> None:
    page = usual[2]
    for tag, attributes in Seen(page).tags:
        assert tag not in ("link", "iframe", "object", "embed", "base", "img", "audio", "video", "form")
        assert not set(attributes) & set(LOADS), (tag, attributes)
        assert not any(name.startswith("on") for name in attributes)
        assert (attributes.get("href") or "#").startswith("#")
    assert not re.search(r"https?:|//[a-z]|@import|url\(", page.replace("// ", ""))


def test_the_policy_lets_only_the_pages_own_script_run(usual: Usual) -> None:
    (policy,) = (a["content"] for _, a in Seen(usual[2]).tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert "http" not in policy


@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)
def test_what_users_wrote_stays_text(state_folder: Path, tmp_path: Path, hostile: str) -> None:
    plain = reported(make("plain", Made(sampled=12, trouble=TROUBLE)))[1]
    value = CONTROL.sub("", hostile).replace("\ud800", "").replace("\ufffe", "")[:200]  # else the file is refused
    session = make(
        "hostile",
        Made(
            sampled=12,
            platform=str(_platform(tmp_path / "hostile.toml", value)),
            trouble=TROUBLE,
            notes=dict.fromkeys(Outcome, hostile),
            ended=hostile,
            contributor=hostile,
        ),
    )
    contents = contents_of(_renamed(session, state_folder), now=NOW)
    page = page_of(contents)
    assert [tag for tag, _ in _bones(page)] == [tag for tag, _ in _bones(plain)]
    assert all(names == other for (_, names), (_, other) in zip(_bones(page), _bones(plain), strict=True))
    assert "a<b>&c" in words(tree(page))
    shown = " ".join(words(tree(page)).split())
    assert _told(value[:60]) in shown
    assert contents.headline.summary.name == "a<b>&c"
    assert not re.search("[\x00-\x08\x0e-\x1f\u202a-\u202e\u2066-\u2069]", page)
    page.encode()  # no halves of characters


def _told(value: str) -> str:
    return " ".join(re.sub("[\x00-\x08\x0e-\x1f\u200e\u202a-\u202e\u2066-\u2069]", "\ufffd", value).split())


def _bones(page: str) -> list[tuple[str, frozenset[str]]]:
    """Elements and the names of their attributes in the head of the page, where each campaign has the same."""
    seen = [(tag, frozenset(attributes)) for tag, attributes in Seen(page).tags]
    return seen[: next(i for i, (tag, _) in enumerate(seen) if tag == "nav")]


def _platform(path: Path, value: str) -> Path:
    """The priced platform, its title and one of its labels replaced."""
    from importlib.resources import files

    toml = (files("acic.platforms") / "data" / "ec2-2013.toml").read_text()
    quoted = json.dumps(value, ensure_ascii=False)
    toml = toml.replace('title = "Amazon EC2 cluster compute instances, 2013"', f"title = {quoted}")
    toml = toml.replace('"ephemeral"', quoted)
    path.write_text(re.sub("[\x00-\x08\x0b-\x1f\x7f]", "", toml))
    return path


def _renamed(session: Session, folder: Path) -> Session:
    """The campaign under a name that none can be opened by."""
    return Session(Journal(session.journal.folder.rename(folder / "a<b>&c")), session.request, session.platform)


@given(st.text())
def test_text_is_read_back_as_it_was_written(said: str) -> None:
    page = f"<!DOCTYPE html>\n{element('html', element('p', said, title=said))}"
    (paragraph,) = tree(page).iter("p")
    legal = re.sub(
        "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u200e\u200f\u202a-\u202e\u2066-\u2069]",
        "\ufffd",
        said,
    )
    assert (paragraph.text or "") == legal.replace("\r\n", "\n").replace("\r", "\n")  # as every parser reads lines
    assert Seen(page).tags[1][0] == "p"


def test_markup_is_escaped_once() -> None:
    assert text("<&>") == "&lt;&amp;&gt;"
    assert text(text("<&>")) == "&lt;&amp;&gt;"
    assert element("b", Markup("<i></i>"), None, "<", class_=None, hidden=True) == '<b hidden=""><i></i>&lt;</b>'


def test_a_page_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "r.html"
    write_page(path, "first")
    mask = os.umask(0o022)
    os.umask(mask)
    assert path.stat().st_mode & 0o777 == 0o666 & ~mask

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(AcicError, match="space"):
        write_page(path, "second")
    assert path.read_text() == "first"
    assert os.listdir(tmp_path) == ["r.html"]
    with pytest.raises(InvalidInput):
        write_page(tmp_path, "x")
    with pytest.raises(InvalidInput):
        write_page(tmp_path / "no" / "r.html", "x")


def test_ten_thousand_points_stay_small_and_quick(campaign: Open) -> None:
    session = campaign(Made(sampled=9400, most=2, trouble=TROUBLE, unsafe=True))
    spent = []
    for _ in range(3):  # the best of three, in CPU time: others work on this machine, too
        start = time.process_time()
        contents, page = reported(session)
        spent.append(time.process_time() - start)
        if spent[-1] < 5:
            break
    assert min(spent) < 5
    assert contents.listing.total >= 10_000
    assert len(page.encode()) < 2.5e6
    rows = table_rows(by_id(page, "points"))
    assert len(rows) == LISTED
    assert f"{contents.listing.total - LISTED:,} of {contents.listing.total:,} points are left out" in page
    assert len({row[0] for row in rows}) == LISTED
    assert contents.model.left_out > 0
    assert f"{contents.model.left_out:,} are left out" in words(by_id(page, "model"))
    assert len(list(by_id(page, "model").iter("circle"))) <= 400
    best_left_out = max((r.gain.value for r in contents.listing.points if r.gain), default=0.0)
    assert contents.best[0].gain
    assert best_left_out >= contents.best[0].gain.value


def test_of_more_workloads_than_the_table_has_rows_it_says_how_many(usual: Usual) -> None:
    """It said that the best of each workload are shown, and left those out that gain least."""
    _, contents, _ = usual
    one = contents.best[0]
    for count in (BEST, BEST + 1):
        loads = [replace(one.workload, data_size=one.workload.request_size * (1 + i)) for i in range(count)]
        points = tuple(replace(one, number=i, workload=load) for i, load in enumerate(loads))
        results = Results(points, points, {})
        best = best_of(results)
        assert (len(best), len(safe_of(results))) == (BEST, count)
        section = best_section(replace(contents, best=best, workloads=count))
        told = words(tree(f"<!DOCTYPE html>\n{section}"))
        assert ("Shown are the best of each workload." in told) == (count == BEST)
        assert (f"best of each of the {BEST} workloads that gain most, of {count} compared." in told) == (count > BEST)
    safe = {r.workload for r in contents.listing.points if r.gain and not r.unsafe}
    assert contents.workloads == len(safe)


def test_where_all_that_was_compared_is_unsafe_no_comparison_is_denied(usual: Usual) -> None:
    _, contents, _ = usual
    assert contents.compared
    told = header(replace(contents, best=()))
    assert "no safe point compared yet" in words(tree(f"<!DOCTYPE html>\n{told}"))


def test_how_it_was_measured_is_told_as_it_was_asked_for(campaign: Open) -> None:
    contents, page = reported(campaign(Made(screen=False, sampled=4, budget=Budget())))
    assert contents.headline.used is None
    assert "no limit" in page
    assert "of the budget" not in page
    assert "0% used" not in page
    asked = contents.request
    for request, said in (
        (asked, "by rank"),
        (replace(asked, spread=True), "all parameters at once"),
        (replace(asked, screen=True, active=True), "screening, then the model chooses"),
        (replace(asked, kind="tune"), "what acic tune asked for"),
        (replace(asked, where=replace(asked.where, runner="lab")), "the lab, 1 node each"),
    ):
        assert f"<dd>{said}</dd>" in method_section(replace(contents, request=request))
