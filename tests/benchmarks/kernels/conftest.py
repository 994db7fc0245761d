"""acic-bench as its own tests have it."""

from tests.native.conftest import bench, built, mpi

__all__ = ["bench", "built", "mpi"]
