"""Settings for all tests."""

import os
import signal

from hypothesis import settings

from tests.laboratory import lab as lab

# Small matrices: threads of the BLAS that wait for one another make them up to 50 times slower on a busy machine.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A shell without job control starts what runs beside it with Ctrl-C ignored, which all that tests start would inherit.
signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("acic", deadline=None)  # a busy machine is no failure
settings.load_profile("acic")
