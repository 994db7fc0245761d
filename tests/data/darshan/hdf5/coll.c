// parallel HDF5: 3D dataset time x ny x nx, chunked, nsteps; argv: file mode(c|i) steps
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int c,char**v){MPI_Init(&c,&v);int r,n;MPI_Comm_rank(MPI_COMM_WORLD,&r);MPI_Comm_size(MPI_COMM_WORLD,&n);
 int coll=v[2][0]=='c';int steps=c>3?atoi(v[3]):8;int ab=c>4?atoi(v[4]):-1;
 hid_t fa=H5Pcreate(H5P_FILE_ACCESS);H5Pset_fapl_mpio(fa,MPI_COMM_WORLD,MPI_INFO_NULL);
 hid_t f=H5Fcreate(v[1],H5F_ACC_TRUNC,H5P_DEFAULT,fa);
 MPI_File*fh;MPI_Info in;H5Fget_vfd_handle(f,fa,(void**)&fh);MPI_File_get_info(*fh,&in);
 if(!r){int k;MPI_Info_get_nkeys(in,&k);for(int i=0;i<k;i++){char key[256],val[1024];int fl;MPI_Info_get_nthkey(in,i,key);MPI_Info_get(in,key,1000,val,&fl);fprintf(stderr,"HINT %s=%s\n",key,val);}}
 hsize_t dim[3]={steps,512,1024*n/ n*1},ch[3]={1,128,256};dim[2]=1024; // 4 MiB doubles per step
 hid_t s=H5Screate_simple(3,dim,0);hid_t dc=H5Pcreate(H5P_DATASET_CREATE);H5Pset_chunk(dc,3,ch);
 hid_t d=H5Dcreate(f,"T",H5T_NATIVE_DOUBLE,s,H5P_DEFAULT,dc,H5P_DEFAULT);
 hid_t x=H5Pcreate(H5P_DATASET_XFER);H5Pset_dxpl_mpio(x,coll?H5FD_MPIO_COLLECTIVE:H5FD_MPIO_INDEPENDENT);
 hsize_t cnt[3]={1,512/n,1024},m=cnt[1]*cnt[2];double*b=malloc(m*8);for(hsize_t i=0;i<m;i++)b[i]=i+r;
 hid_t ms=H5Screate_simple(1,&m,0);
 for(int t=0;t<steps;t++){hsize_t st[3]={t,r*cnt[1],0};H5Sselect_hyperslab(s,H5S_SELECT_SET,st,0,cnt,0);H5Dwrite(d,H5T_NATIVE_DOUBLE,ms,s,x,b);
  if(t==ab){if(ab%2)MPI_Abort(MPI_COMM_WORLD,3); else abort();}
  double z=MPI_Wtime();while(MPI_Wtime()-z<0.1);}
 H5Dclose(d);H5Fclose(f);MPI_Finalize();return 0;}
