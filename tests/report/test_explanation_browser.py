"""The page of `acic explain` in a real browser: it renders at any width, asks for nothing, and can be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from acic.cli.main import run
from tests.report.browser import Browser, check_rendering

LOG = Path(__file__).parents[1] / "data" / "darshan" / "apps" / "s3d_io_blocking.darshan"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "why.html"
    asked = ["--platform", "lab", "--elsewhere", "--model", "prior", "--html", str(path)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ACIC_CACHE", str(path.parent / "cache"))
        patch.setenv("ACIC_STORE", str(path.parent / "store.sqlite"))
        assert run(["explain", str(LOG), *asked]) == 0
    return path


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_it_renders_without_a_complaint(browser: Browser, file: Path, width: int, dark: bool) -> None:
    check_rendering(browser, file, width=width, dark=dark)
