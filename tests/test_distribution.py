"""How tests are shared out among processes."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from typing import cast

import pytest
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

from tests.distribution import LAB, LONG, WANTING, Files, unit

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("file", [*WANTING, *LONG])
def test_files_that_are_named_are_there(file: str) -> None:
    """A file that got another name would be shared out like any other, and nobody would notice but by the time."""
    assert (ROOT / file).is_file()


def test_all_that_wants_the_lab_goes_to_one_process_and_the_rest_by_files() -> None:
    assert {unit(f"{file}::test_x[a::b]") for file in WANTING} == {LAB}
    runners = "tests/cluster/test_contract.py"
    assert unit(f"{runners}::test_x[lab]") == unit(f"{runners}::test_x[lab-exit 3-0]") == LAB
    assert unit(f"{runners}::test_x[local]") == unit(f"{runners}::test_x[slurm-lab]") == runners
    assert unit("tests/store/test_trust.py::test_x[lab]") == "tests/store/test_trust.py"


def test_what_takes_long_begins_first(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = list[str]()
    monkeypatch.setattr(
        LoadFileScheduling, "_assign_work_unit", lambda self, _: begun.append(self.workqueue.popitem(last=False)[0])
    )
    files = Files.__new__(Files)
    files.workqueue = OrderedDict((name, {}) for name in ("tests/many.py", "tests/fewer.py", *reversed(LONG), LAB))
    while files.workqueue:
        files._assign_work_unit(cast(WorkerController, None))
    assert begun == [LAB, *LONG, "tests/many.py", "tests/fewer.py"]
