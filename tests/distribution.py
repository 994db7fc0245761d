"""What goes to which test process: a file stays whole, and all that wants the machine's one lab goes to one process.

That begins at once: it waits more than it works, and is the longest of all. By the number of their tests, which is how
xdist sorts files, it came last: processes that wanted the lab then waited for one another, with nothing else to do.
"""

from __future__ import annotations

import re

from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

LAB = "the lab"
WANTING = (
    "tests/cli/test_lab.py",
    "tests/cluster/lab/test_audit.py",
    "tests/cluster/lab/test_lab.py",
    "tests/cluster/lab/test_leftovers.py",
    "tests/evaluation/test_running.py",
    "tests/filesystems/test_cycles.py",
    "tests/filesystems/test_full.py",
    "tests/filesystems/test_orangefs_lab.py",
    "tests/filesystems/test_real.py",
    "tests/lab/test_command.py",
    "tests/lab/test_staging.py",
)
LONG = (  # few tests, of more than a quarter of a minute together: one process would be left with them at the end
    "tests/native/test_checks.py",
    "tests/test_docs.py",
    "tests/campaign/test_kills.py",
    "tests/cluster/test_campaigns.py",
    "tests/evaluation/test_crowd.py",
    "tests/evaluation/test_learning_curves.py",
    "tests/evaluation/test_logs.py",
    "tests/evaluation/test_parallel.py",
    "tests/store/test_concurrency.py",
)
_OF_RUNNERS = re.compile(r"tests/cluster/test_contract\.py::\w+\[lab[-\]]")  # the lab's is one of those tested there


class Files(LoadFileScheduling):
    """First what wants the lab, then what is long, then the files with most tests."""

    def _split_scope(self, nodeid: str) -> str:
        return unit(nodeid)

    def _assign_work_unit(self, node: WorkerController) -> None:
        first = next((one for one in (LAB, *LONG) if one in self.workqueue), None)
        if first is not None:
            self.workqueue.move_to_end(first, last=False)
        super()._assign_work_unit(node)


def unit(test: str) -> str:
    """Return what stays together with a test, which pytest calls `test`."""
    file = test.split("::", 1)[0]
    return LAB if file in WANTING or _OF_RUNNERS.match(test) else file
