"""The MPI that the programs are built with."""

from tests.native.conftest import mpi as mpi
