"""Settings for all tests."""

import os
import signal

import pytest
from hypothesis import settings
from xdist.remote import Producer

from tests.distribution import LAB, Files, unit
from tests.laboratory import lab as lab

# Small matrices: threads of the BLAS that wait for one another make them up to 50 times slower on a busy machine.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# What runs in the background of a script, or under nohup, ignores these, and what tests start would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

NICE = 5

settings.register_profile("acic", deadline=None)  # a busy machine is no failure
settings.load_profile("acic")


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Files | None:
    return Files(config, log) if config.getoption("dist") == "loadfile" else None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Leave the processors to the lab first: in it there are rates to keep, and everybody waits for its process."""
    if "PYTEST_XDIST_WORKER" in os.environ and unit(item.nodeid) != LAB and os.getpriority(os.PRIO_PROCESS, 0) < NICE:
        os.setpriority(os.PRIO_PROCESS, 0, NICE)
