"""Settings for all tests."""

import os

# Small matrices: threads of the BLAS that wait for one another make them up to 50 times slower on a busy machine.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
