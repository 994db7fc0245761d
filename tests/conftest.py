"""Settings for all tests."""

import os
import signal

from hypothesis import settings

from tests.laboratory import lab as lab

# Small matrices: threads of the BLAS that wait for one another make them up to 50 times slower on a busy machine.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# What runs in the background of a script, or under nohup, ignores these, and what tests start would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

settings.register_profile("acic", deadline=None)  # a busy machine is no failure
settings.load_profile("acic")
