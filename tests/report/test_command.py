"""`acic campaign report`, as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acic.cli.main import run
from tests.cli.documented import check_fields
from tests.report.conftest import Open
from tests.report.journals import Made


def test_the_file_is_named_for_the_campaign_and_printed(
    campaign: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    campaign(Made(screen=False, sampled=4))
    monkeypatch.chdir(tmp_path)
    assert run(["campaign", "report"]) == 0
    assert capsys.readouterr().out == "made.html\n"
    assert (tmp_path / "made.html").read_text().startswith("<!DOCTYPE html>")


def test_json_gives_the_figures_and_writes_only_what_was_asked_for(
    campaign: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    campaign(Made(screen=False, sampled=4))
    monkeypatch.chdir(tmp_path)
    assert run(["campaign", "report", "made", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    check_fields("campaign report", printed)
    told = printed["report"]
    assert told["headline"]["summary"]["name"] == "made"
    assert not list(tmp_path.glob("*.html"))
    assert run(["campaign", "report", "made", "--json", "-o", "r.html"]) == 0
    assert json.loads(capsys.readouterr().out)["report"]["headline"] == told["headline"]
    assert (tmp_path / "r.html").exists()


def test_what_cannot_be_done_is_said(campaign: Open, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    campaign(Made(screen=False, sampled=0))
    assert run(["campaign", "report", "other"]) == 2
    assert run(["campaign", "report", "-o", str(tmp_path / "no" / "r.html")]) == 2
    assert "hint:" in capsys.readouterr().err
