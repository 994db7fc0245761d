// file per process serial HDF5: many attributes, 6 checkpoints each own file, one 2MiB dataset
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int c,char**v){MPI_Init(&c,&v);int r;MPI_Comm_rank(MPI_COMM_WORLD,&r);int steps=6;
 hsize_t m=262144;double*b=malloc(m*8);for(hsize_t i=0;i<m;i++)b[i]=i;
 for(int t=0;t<steps;t++){char fn[400];sprintf(fn,"%s/out.%03d.%04d.h5",v[1],t,r);hid_t f=H5Fcreate(fn,H5F_ACC_TRUNC,H5P_DEFAULT,H5P_DEFAULT);
  hid_t s0=H5Screate(H5S_SCALAR);
  for(int g=0;g<20;g++){char q[64];sprintf(q,"g%d",g);hid_t G=H5Gcreate(f,q,H5P_DEFAULT,H5P_DEFAULT,H5P_DEFAULT);
   for(int a=0;a<20;a++){sprintf(q,"attr%d",a);hid_t A=H5Acreate(G,q,H5T_NATIVE_DOUBLE,s0,H5P_DEFAULT,H5P_DEFAULT);double x=a;H5Awrite(A,H5T_NATIVE_DOUBLE,&x);H5Aclose(A);}
   H5Gclose(G);H5Fflush(f,H5F_SCOPE_LOCAL);}
  hid_t s=H5Screate_simple(1,&m,0);hid_t d=H5Dcreate(f,"d",H5T_NATIVE_DOUBLE,s,H5P_DEFAULT,H5P_DEFAULT,H5P_DEFAULT);H5Dwrite(d,H5T_NATIVE_DOUBLE,H5S_ALL,H5S_ALL,H5P_DEFAULT,b);
  H5Dclose(d);H5Fclose(f);double z=MPI_Wtime();while(MPI_Wtime()-z<0.1);}
 MPI_Finalize();return 0;}
