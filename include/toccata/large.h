/* The functions of toccata.h for counts of more than 2^31 - 1 elements. They have the suffix _c, as
 * in MPI 4: counts are MPI_Count, displacements MPI_Aint. Otherwise each is like the function
 * without _c. toccata.h includes this file if the MPI library supports MPI 4. [MPI 4.0,
 * section 2.5.8] */
#ifndef TOCCATA_LARGE_H
#define TOCCATA_LARGE_H

#ifndef TOCCATA_H
#error "include toccata/toccata.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Blocking. */
TOCCATA_PUBLIC int toccata_allgather_c(const void* sendbuf, MPI_Count sendcount,
                                       MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                                       MPI_Datatype recvtype, MPI_Comm comm, const char* algorithm);
TOCCATA_PUBLIC int toccata_allgatherv_c(const void* sendbuf, MPI_Count sendcount,
                                        MPI_Datatype sendtype, void* recvbuf,
                                        const MPI_Count recvcounts[], const MPI_Aint displs[],
                                        MPI_Datatype recvtype, MPI_Comm comm,
                                        const char* algorithm);
TOCCATA_PUBLIC int toccata_alltoall_c(const void* sendbuf, MPI_Count sendcount,
                                      MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                                      MPI_Datatype recvtype, MPI_Comm comm, const char* algorithm);
TOCCATA_PUBLIC int toccata_alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[],
                                       const MPI_Aint sdispls[], MPI_Datatype sendtype,
                                       void* recvbuf, const MPI_Count recvcounts[],
                                       const MPI_Aint rdispls[], MPI_Datatype recvtype,
                                       MPI_Comm comm, const char* algorithm);
TOCCATA_PUBLIC int toccata_alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[],
                                       const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                       void* recvbuf, const MPI_Count recvcounts[],
                                       const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                       MPI_Comm comm, const char* algorithm);
TOCCATA_PUBLIC int toccata_bcast_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root,
                                   MPI_Comm comm, const char* algorithm);
TOCCATA_PUBLIC int toccata_gather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                    void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                    int root, MPI_Comm comm, const char* algorithm);
TOCCATA_PUBLIC int toccata_gatherv_c(const void* sendbuf, MPI_Count sendcount,
                                     MPI_Datatype sendtype, void* recvbuf,
                                     const MPI_Count recvcounts[], const MPI_Aint displs[],
                                     MPI_Datatype recvtype, int root, MPI_Comm comm,
                                     const char* algorithm);
TOCCATA_PUBLIC int toccata_scatter_c(const void* sendbuf, MPI_Count sendcount,
                                     MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                                     MPI_Datatype recvtype, int root, MPI_Comm comm,
                                     const char* algorithm);
TOCCATA_PUBLIC int toccata_scatterv_c(const void* sendbuf, const MPI_Count sendcounts[],
                                      const MPI_Aint displs[], MPI_Datatype sendtype, void* recvbuf,
                                      MPI_Count recvcount, MPI_Datatype recvtype, int root,
                                      MPI_Comm comm, const char* algorithm);
TOCCATA_PUBLIC int toccata_reduce_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                    MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm,
                                    const char* algorithm);
TOCCATA_PUBLIC int toccata_allreduce_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                       MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                       const char* algorithm);
TOCCATA_PUBLIC int toccata_reduce_scatter_block_c(const void* sendbuf, void* recvbuf,
                                                  MPI_Count recvcount, MPI_Datatype datatype,
                                                  MPI_Op op, MPI_Comm comm, const char* algorithm);
TOCCATA_PUBLIC int toccata_reduce_scatter_c(const void* sendbuf, void* recvbuf,
                                            const MPI_Count recvcounts[], MPI_Datatype datatype,
                                            MPI_Op op, MPI_Comm comm, const char* algorithm);
TOCCATA_PUBLIC int toccata_scan_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                  const char* algorithm);
TOCCATA_PUBLIC int toccata_exscan_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                    const char* algorithm);
TOCCATA_PUBLIC int toccata_neighbor_allgather_c(const void* sendbuf, MPI_Count sendcount,
                                                MPI_Datatype sendtype, void* recvbuf,
                                                MPI_Count recvcount, MPI_Datatype recvtype,
                                                MPI_Comm comm, const char* algorithm);
TOCCATA_PUBLIC int toccata_neighbor_allgatherv_c(const void* sendbuf, MPI_Count sendcount,
                                                 MPI_Datatype sendtype, void* recvbuf,
                                                 const MPI_Count recvcounts[],
                                                 const MPI_Aint displs[], MPI_Datatype recvtype,
                                                 MPI_Comm comm, const char* algorithm);
TOCCATA_PUBLIC int toccata_neighbor_alltoall_c(const void* sendbuf, MPI_Count sendcount,
                                               MPI_Datatype sendtype, void* recvbuf,
                                               MPI_Count recvcount, MPI_Datatype recvtype,
                                               MPI_Comm comm, const char* algorithm);
TOCCATA_PUBLIC int toccata_neighbor_alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[],
                                                const MPI_Aint sdispls[], MPI_Datatype sendtype,
                                                void* recvbuf, const MPI_Count recvcounts[],
                                                const MPI_Aint rdispls[], MPI_Datatype recvtype,
                                                MPI_Comm comm, const char* algorithm);
TOCCATA_PUBLIC int toccata_neighbor_alltoallw_c(
    const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
    const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
    const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, const char* algorithm);

/* Nonblocking. */
TOCCATA_PUBLIC int toccata_iallgather_c(const void* sendbuf, MPI_Count sendcount,
                                        MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                                        MPI_Datatype recvtype, MPI_Comm comm, const char* algorithm,
                                        toccata_request* request);
TOCCATA_PUBLIC int toccata_iallgatherv_c(const void* sendbuf, MPI_Count sendcount,
                                         MPI_Datatype sendtype, void* recvbuf,
                                         const MPI_Count recvcounts[], const MPI_Aint displs[],
                                         MPI_Datatype recvtype, MPI_Comm comm,
                                         const char* algorithm, toccata_request* request);
TOCCATA_PUBLIC int toccata_ialltoall_c(const void* sendbuf, MPI_Count sendcount,
                                       MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                                       MPI_Datatype recvtype, MPI_Comm comm, const char* algorithm,
                                       toccata_request* request);
TOCCATA_PUBLIC int toccata_ialltoallv_c(const void* sendbuf, const MPI_Count sendcounts[],
                                        const MPI_Aint sdispls[], MPI_Datatype sendtype,
                                        void* recvbuf, const MPI_Count recvcounts[],
                                        const MPI_Aint rdispls[], MPI_Datatype recvtype,
                                        MPI_Comm comm, const char* algorithm,
                                        toccata_request* request);
TOCCATA_PUBLIC int toccata_ialltoallw_c(const void* sendbuf, const MPI_Count sendcounts[],
                                        const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                        void* recvbuf, const MPI_Count recvcounts[],
                                        const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                        MPI_Comm comm, const char* algorithm,
                                        toccata_request* request);
TOCCATA_PUBLIC int toccata_ibcast_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root,
                                    MPI_Comm comm, const char* algorithm, toccata_request* request);
TOCCATA_PUBLIC int toccata_igather_c(const void* sendbuf, MPI_Count sendcount,
                                     MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                                     MPI_Datatype recvtype, int root, MPI_Comm comm,
                                     const char* algorithm, toccata_request* request);
TOCCATA_PUBLIC int toccata_igatherv_c(const void* sendbuf, MPI_Count sendcount,
                                      MPI_Datatype sendtype, void* recvbuf,
                                      const MPI_Count recvcounts[], const MPI_Aint displs[],
                                      MPI_Datatype recvtype, int root, MPI_Comm comm,
                                      const char* algorithm, toccata_request* request);
TOCCATA_PUBLIC int toccata_iscatter_c(const void* sendbuf, MPI_Count sendcount,
                                      MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                                      MPI_Datatype recvtype, int root, MPI_Comm comm,
                                      const char* algorithm, toccata_request* request);
TOCCATA_PUBLIC int toccata_iscatterv_c(const void* sendbuf, const MPI_Count sendcounts[],
                                       const MPI_Aint displs[], MPI_Datatype sendtype,
                                       void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                       int root, MPI_Comm comm, const char* algorithm,
                                       toccata_request* request);
TOCCATA_PUBLIC int toccata_ireduce_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                     MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm,
                                     const char* algorithm, toccata_request* request);
TOCCATA_PUBLIC int toccata_iallreduce_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                        MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                        const char* algorithm, toccata_request* request);
TOCCATA_PUBLIC int toccata_ireduce_scatter_block_c(const void* sendbuf, void* recvbuf,
                                                   MPI_Count recvcount, MPI_Datatype datatype,
                                                   MPI_Op op, MPI_Comm comm, const char* algorithm,
                                                   toccata_request* request);
TOCCATA_PUBLIC int toccata_ireduce_scatter_c(const void* sendbuf, void* recvbuf,
                                             const MPI_Count recvcounts[], MPI_Datatype datatype,
                                             MPI_Op op, MPI_Comm comm, const char* algorithm,
                                             toccata_request* request);
TOCCATA_PUBLIC int toccata_iscan_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                   MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                   const char* algorithm, toccata_request* request);
TOCCATA_PUBLIC int toccata_iexscan_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                     MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                     const char* algorithm, toccata_request* request);
TOCCATA_PUBLIC int toccata_ineighbor_allgather_c(const void* sendbuf, MPI_Count sendcount,
                                                 MPI_Datatype sendtype, void* recvbuf,
                                                 MPI_Count recvcount, MPI_Datatype recvtype,
                                                 MPI_Comm comm, const char* algorithm,
                                                 toccata_request* request);
TOCCATA_PUBLIC int toccata_ineighbor_allgatherv_c(const void* sendbuf, MPI_Count sendcount,
                                                  MPI_Datatype sendtype, void* recvbuf,
                                                  const MPI_Count recvcounts[],
                                                  const MPI_Aint displs[], MPI_Datatype recvtype,
                                                  MPI_Comm comm, const char* algorithm,
                                                  toccata_request* request);
TOCCATA_PUBLIC int toccata_ineighbor_alltoall_c(const void* sendbuf, MPI_Count sendcount,
                                                MPI_Datatype sendtype, void* recvbuf,
                                                MPI_Count recvcount, MPI_Datatype recvtype,
                                                MPI_Comm comm, const char* algorithm,
                                                toccata_request* request);
TOCCATA_PUBLIC int toccata_ineighbor_alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[],
                                                 const MPI_Aint sdispls[], MPI_Datatype sendtype,
                                                 void* recvbuf, const MPI_Count recvcounts[],
                                                 const MPI_Aint rdispls[], MPI_Datatype recvtype,
                                                 MPI_Comm comm, const char* algorithm,
                                                 toccata_request* request);
TOCCATA_PUBLIC int toccata_ineighbor_alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[],
                                                 const MPI_Aint sdispls[],
                                                 const MPI_Datatype sendtypes[], void* recvbuf,
                                                 const MPI_Count recvcounts[],
                                                 const MPI_Aint rdispls[],
                                                 const MPI_Datatype recvtypes[], MPI_Comm comm,
                                                 const char* algorithm, toccata_request* request);

/* Persistent. */
TOCCATA_PUBLIC int toccata_allgather_init_c(const void* sendbuf, MPI_Count sendcount,
                                            MPI_Datatype sendtype, void* recvbuf,
                                            MPI_Count recvcount, MPI_Datatype recvtype,
                                            MPI_Comm comm, MPI_Info info, const char* algorithm,
                                            toccata_request* request);
TOCCATA_PUBLIC int toccata_allgatherv_init_c(const void* sendbuf, MPI_Count sendcount,
                                             MPI_Datatype sendtype, void* recvbuf,
                                             const MPI_Count recvcounts[], const MPI_Aint displs[],
                                             MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                             const char* algorithm, toccata_request* request);
TOCCATA_PUBLIC int toccata_alltoall_init_c(const void* sendbuf, MPI_Count sendcount,
                                           MPI_Datatype sendtype, void* recvbuf,
                                           MPI_Count recvcount, MPI_Datatype recvtype,
                                           MPI_Comm comm, MPI_Info info, const char* algorithm,
                                           toccata_request* request);
TOCCATA_PUBLIC int toccata_alltoallv_init_c(const void* sendbuf, const MPI_Count sendcounts[],
                                            const MPI_Aint sdispls[], MPI_Datatype sendtype,
                                            void* recvbuf, const MPI_Count recvcounts[],
                                            const MPI_Aint rdispls[], MPI_Datatype recvtype,
                                            MPI_Comm comm, MPI_Info info, const char* algorithm,
                                            toccata_request* request);
TOCCATA_PUBLIC int toccata_alltoallw_init_c(const void* sendbuf, const MPI_Count sendcounts[],
                                            const MPI_Aint sdispls[],
                                            const MPI_Datatype sendtypes[], void* recvbuf,
                                            const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                                            const MPI_Datatype recvtypes[], MPI_Comm comm,
                                            MPI_Info info, const char* algorithm,
                                            toccata_request* request);
TOCCATA_PUBLIC int toccata_bcast_init_c(void* buffer, MPI_Count count, MPI_Datatype datatype,
                                        int root, MPI_Comm comm, MPI_Info info,
                                        const char* algorithm, toccata_request* request);
TOCCATA_PUBLIC int toccata_gather_init_c(const void* sendbuf, MPI_Count sendcount,
                                         MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                                         MPI_Datatype recvtype, int root, MPI_Comm comm,
                                         MPI_Info info, const char* algorithm,
                                         toccata_request* request);
TOCCATA_PUBLIC int toccata_gatherv_init_c(const void* sendbuf, MPI_Count sendcount,
                                          MPI_Datatype sendtype, void* recvbuf,
                                          const MPI_Count recvcounts[], const MPI_Aint displs[],
                                          MPI_Datatype recvtype, int root, MPI_Comm comm,
                                          MPI_Info info, const char* algorithm,
                                          toccata_request* request);
TOCCATA_PUBLIC int toccata_scatter_init_c(const void* sendbuf, MPI_Count sendcount,
                                          MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                                          MPI_Datatype recvtype, int root, MPI_Comm comm,
                                          MPI_Info info, const char* algorithm,
                                          toccata_request* request);
TOCCATA_PUBLIC int toccata_scatterv_init_c(const void* sendbuf, const MPI_Count sendcounts[],
                                           const MPI_Aint displs[], MPI_Datatype sendtype,
                                           void* recvbuf, MPI_Count recvcount,
                                           MPI_Datatype recvtype, int root, MPI_Comm comm,
                                           MPI_Info info, const char* algorithm,
                                           toccata_request* request);
TOCCATA_PUBLIC int toccata_reduce_init_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                         MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm,
                                         MPI_Info info, const char* algorithm,
                                         toccata_request* request);
TOCCATA_PUBLIC int toccata_allreduce_init_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                            MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                            MPI_Info info, const char* algorithm,
                                            toccata_request* request);
TOCCATA_PUBLIC int toccata_reduce_scatter_block_init_c(const void* sendbuf, void* recvbuf,
                                                       MPI_Count recvcount, MPI_Datatype datatype,
                                                       MPI_Op op, MPI_Comm comm, MPI_Info info,
                                                       const char* algorithm,
                                                       toccata_request* request);
TOCCATA_PUBLIC int toccata_reduce_scatter_init_c(const void* sendbuf, void* recvbuf,
                                                 const MPI_Count recvcounts[],
                                                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                                 MPI_Info info, const char* algorithm,
                                                 toccata_request* request);
TOCCATA_PUBLIC int toccata_scan_init_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                       MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                       MPI_Info info, const char* algorithm,
                                       toccata_request* request);
TOCCATA_PUBLIC int toccata_exscan_init_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                         MPI_Info info, const char* algorithm,
                                         toccata_request* request);
TOCCATA_PUBLIC int toccata_neighbor_allgather_init_c(const void* sendbuf, MPI_Count sendcount,
                                                     MPI_Datatype sendtype, void* recvbuf,
                                                     MPI_Count recvcount, MPI_Datatype recvtype,
                                                     MPI_Comm comm, MPI_Info info,
                                                     const char* algorithm,
                                                     toccata_request* request);
TOCCATA_PUBLIC int toccata_neighbor_allgatherv_init_c(
    const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
    const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm,
    MPI_Info info, const char* algorithm, toccata_request* request);
TOCCATA_PUBLIC int toccata_neighbor_alltoall_init_c(const void* sendbuf, MPI_Count sendcount,
                                                    MPI_Datatype sendtype, void* recvbuf,
                                                    MPI_Count recvcount, MPI_Datatype recvtype,
                                                    MPI_Comm comm, MPI_Info info,
                                                    const char* algorithm,
                                                    toccata_request* request);
TOCCATA_PUBLIC int toccata_neighbor_alltoallv_init_c(
    const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
    MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
    MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, const char* algorithm,
    toccata_request* request);
TOCCATA_PUBLIC int toccata_neighbor_alltoallw_init_c(
    const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
    const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
    const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
    const char* algorithm, toccata_request* request);

#ifdef __cplusplus
}
#endif

#endif /* TOCCATA_LARGE_H */
