/* Builds only with a parallel HDF5; the Makefile asks it. */
#include <hdf5.h>
#include <mpi.h>

#ifndef H5_HAVE_PARALLEL
#error "this HDF5 is not parallel"
#endif

int main(void) {
    return H5Pset_fapl_mpio(H5P_DEFAULT, MPI_COMM_SELF, MPI_INFO_NULL) < 0;
}
