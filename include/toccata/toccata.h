/* Toccata: topology-aware MPI collectives. The C interface.
 *
 * Each function is its MPI namesake with one argument more: the algorithm, by name, with parameters
 * where it has some, as in "sparbit", "sparbit:messages=per_block" or "native" (the MPI library's
 * own). NULL means what the environment asks for; where that is unset, blocking calls are the
 * library's own choice, and others native. TOCCATA_ALLGATHER speaks for toccata_allgather and
 * toccata_allgatherv, TOCCATA_ALLTOALL for toccata_alltoall alone, and TOCCATA_ALLTOALLV for
 * toccata_alltoallv and toccata_alltoallw; TOCCATA_REDUCE_SCATTER for toccata_reduce_scatter and
 * toccata_reduce_scatter_block; and TOCCATA_BCAST, _GATHER, _GATHERV, _SCATTER, _SCATTERV, _REDUCE,
 * _ALLREDUCE, _SCAN, _EXSCAN and _BARRIER each for its own;
 * TOCCATA_NEIGHBOR_ALLGATHER, _NEIGHBOR_ALLGATHERV and _NEIGHBOR_ALLTOALL as well, and
 * TOCCATA_NEIGHBOR_ALLTOALLV for toccata_neighbor_alltoallv and toccata_neighbor_alltoallw.
 * `toccata list` shows all algorithms.
 *
 * All ranks of the communicator must ask for the same algorithm. Arguments have the meaning, the
 * limits and the lifetimes that MPI gives them; MPI_IN_PLACE is understood.
 *
 * Reductions: where an operation does not commute and the algorithm does not keep the order of the
 * ranks, or MPI does not define a predefined operation for the datatype, the MPI library's own
 * runs. All ranks get the same bits. With TOCCATA_REPRODUCIBLE=1 for all ranks, reductions run by
 * an algorithm whose result does not depend on placement, root or length, whatever is asked for;
 * such algorithms all give the same bits. An MPI_Op of one's own must not be freed before its
 * request. Datatypes whose elements interleave go to the MPI library's own.
 *
 * Messages of ours go on a private communicator, one for the whole process, made of MPI_COMM_WORLD
 * at MPI_Init where this library stands before MPI in the link order or is preloaded; else each
 * communicator gets one of its own at its first collective, unless it has all ranks. No attribute
 * is copied. The first collective on a communicator is one collective of MPI's more.
 *
 * Errors are MPI's: the communicator's error handler is called, then the code is returned. An
 * unknown or impossible algorithm or parameter is of class MPI_ERR_ARG, and MPI_Error_string says
 * what would be accepted.
 *
 * Neighbours: where an edge is there several times, its k-th block sent is its k-th block received,
 * but on a Cartesian topology what goes down comes from above, as MPI has it; some forms of some
 * MPI libraries have it otherwise.
 *
 * Threads: as MPI's collectives. Calls on one communicator must be ordered by the program; calls on
 * different communicators may overlap where MPI was started with MPI_THREAD_MULTIPLE.
 */
#ifndef TOCCATA_H
#define TOCCATA_H

#include <mpi.h>

#define TOCCATA_VERSION "0.3.0"
/* The same as numbers; TOCCATA_VERSION_NUMBER compares, as in
 * #if TOCCATA_VERSION_NUMBER >= 300, which is version 0.3.0. */
#define TOCCATA_VERSION_MAJOR 0
#define TOCCATA_VERSION_MINOR 3
#define TOCCATA_VERSION_PATCH 0
#define TOCCATA_VERSION_NUMBER \
  (TOCCATA_VERSION_MAJOR * 10000 + TOCCATA_VERSION_MINOR * 100 + TOCCATA_VERSION_PATCH)

#if defined(__GNUC__)
#define TOCCATA_PUBLIC __attribute__((visibility("default")))
#else
#define TOCCATA_PUBLIC
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that runs, as in TOCCATA_VERSION. */
TOCCATA_PUBLIC const char* toccata_version(void);

/* Blocking. [MPI 4.0, section 6.7] */
TOCCATA_PUBLIC int toccata_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                     void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                     MPI_Comm comm, const char* algorithm);
TOCCATA_PUBLIC int toccata_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                      void* recvbuf, const int recvcounts[], const int displs[],
                                      MPI_Datatype recvtype, MPI_Comm comm, const char* algorithm);
TOCCATA_PUBLIC int toccata_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                    void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                    MPI_Comm comm, const char* algorithm);
TOCCATA_PUBLIC int toccata_alltoallv(const void* sendbuf, const int sendcounts[],
                                     const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                     const int recvcounts[], const int rdispls[],
                                     MPI_Datatype recvtype, MPI_Comm comm, const char* algorithm);
TOCCATA_PUBLIC int toccata_alltoallw(const void* sendbuf, const int sendcounts[],
                                     const int sdispls[], const MPI_Datatype sendtypes[],
                                     void* recvbuf, const int recvcounts[], const int rdispls[],
                                     const MPI_Datatype recvtypes[], MPI_Comm comm,
                                     const char* algorithm);
TOCCATA_PUBLIC int toccata_bcast(void* buffer, int count, MPI_Datatype datatype, int root,
                                 MPI_Comm comm, const char* algorithm);
TOCCATA_PUBLIC int toccata_gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                  void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                                  MPI_Comm comm, const char* algorithm);
TOCCATA_PUBLIC int toccata_gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                   void* recvbuf, const int recvcounts[], const int displs[],
                                   MPI_Datatype recvtype, int root, MPI_Comm comm,
                                   const char* algorithm);
TOCCATA_PUBLIC int toccata_scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                   void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                                   MPI_Comm comm, const char* algorithm);
TOCCATA_PUBLIC int toccata_scatterv(const void* sendbuf, const int sendcounts[], const int displs[],
                                    MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                    MPI_Datatype recvtype, int root, MPI_Comm comm,
                                    const char* algorithm);
TOCCATA_PUBLIC int toccata_reduce(const void* sendbuf, void* recvbuf, int count,
                                  MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm,
                                  const char* algorithm);
TOCCATA_PUBLIC int toccata_allreduce(const void* sendbuf, void* recvbuf, int count,
                                     MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                     const char* algorithm);
TOCCATA_PUBLIC int toccata_reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                                                MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                                const char* algorithm);
TOCCATA_PUBLIC int toccata_reduce_scatter(const void* sendbuf, void* recvbuf,
                                          const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
                                          MPI_Comm comm, const char* algorithm);
TOCCATA_PUBLIC int toccata_scan(const void* sendbuf, void* recvbuf, int count,
                                MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                const char* algorithm);
TOCCATA_PUBLIC int toccata_exscan(const void* sendbuf, void* recvbuf, int count,
                                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                  const char* algorithm);
TOCCATA_PUBLIC int toccata_barrier(MPI_Comm comm, const char* algorithm);

/* Among the neighbours of a Cartesian, graph or distributed graph topology. [MPI 4.0, section 8.6]
 */
TOCCATA_PUBLIC int toccata_neighbor_allgather(const void* sendbuf, int sendcount,
                                              MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                              MPI_Datatype recvtype, MPI_Comm comm,
                                              const char* algorithm);
TOCCATA_PUBLIC int toccata_neighbor_allgatherv(const void* sendbuf, int sendcount,
                                               MPI_Datatype sendtype, void* recvbuf,
                                               const int recvcounts[], const int displs[],
                                               MPI_Datatype recvtype, MPI_Comm comm,
                                               const char* algorithm);
TOCCATA_PUBLIC int toccata_neighbor_alltoall(const void* sendbuf, int sendcount,
                                             MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                             MPI_Datatype recvtype, MPI_Comm comm,
                                             const char* algorithm);
TOCCATA_PUBLIC int toccata_neighbor_alltoallv(const void* sendbuf, const int sendcounts[],
                                              const int sdispls[], MPI_Datatype sendtype,
                                              void* recvbuf, const int recvcounts[],
                                              const int rdispls[], MPI_Datatype recvtype,
                                              MPI_Comm comm, const char* algorithm);
TOCCATA_PUBLIC int toccata_neighbor_alltoallw(const void* sendbuf, const int sendcounts[],
                                              const MPI_Aint sdispls[],
                                              const MPI_Datatype sendtypes[], void* recvbuf,
                                              const int recvcounts[], const MPI_Aint rdispls[],
                                              const MPI_Datatype recvtypes[], MPI_Comm comm,
                                              const char* algorithm);

/* A nonblocking or persistent collective of ours; not an MPI_Request.
 *
 * It goes on while a toccata function waits or tests, for this or any other request, or while a
 * blocking toccata call waits whose algorithm is not "native". Between start and wait, a rank must
 * therefore not block in MPI on something that another rank does only after its own wait.
 *
 * The first call by an algorithm that goes by where ranks run, as "hierarchical", waits for all
 * ranks of the communicator, which find that out together; a blocking call beforehand has it done.
 */
typedef struct toccata_request_object* toccata_request;
#define TOCCATA_REQUEST_NULL ((toccata_request)0)

/* Nonblocking: started at once. The request is freed, and set to TOCCATA_REQUEST_NULL, by the wait
 * or test that ends it. [MPI 4.0, section 6.12] */
TOCCATA_PUBLIC int toccata_iallgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                      void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                      MPI_Comm comm, const char* algorithm,
                                      toccata_request* request);
TOCCATA_PUBLIC int toccata_iallgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                       void* recvbuf, const int recvcounts[], const int displs[],
                                       MPI_Datatype recvtype, MPI_Comm comm, const char* algorithm,
                                       toccata_request* request);
TOCCATA_PUBLIC int toccata_ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                     void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                     MPI_Comm comm, const char* algorithm,
                                     toccata_request* request);
TOCCATA_PUBLIC int toccata_ialltoallv(const void* sendbuf, const int sendcounts[],
                                      const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                      const int recvcounts[], const int rdispls[],
                                      MPI_Datatype recvtype, MPI_Comm comm, const char* algorithm,
                                      toccata_request* request);
TOCCATA_PUBLIC int toccata_ialltoallw(const void* sendbuf, const int sendcounts[],
                                      const int sdispls[], const MPI_Datatype sendtypes[],
                                      void* recvbuf, const int recvcounts[], const int rdispls[],
                                      const MPI_Datatype recvtypes[], MPI_Comm comm,
                                      const char* algorithm, toccata_request* request);
TOCCATA_PUBLIC int toccata_ibcast(void* buffer, int count, MPI_Datatype datatype, int root,
                                  MPI_Comm comm, const char* algorithm, toccata_request* request);
TOCCATA_PUBLIC int toccata_igather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                   void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                                   MPI_Comm comm, const char* algorithm, toccata_request* request);
TOCCATA_PUBLIC int toccata_igatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                    void* recvbuf, const int recvcounts[], const int displs[],
                                    MPI_Datatype recvtype, int root, MPI_Comm comm,
                                    const char* algorithm, toccata_request* request);
TOCCATA_PUBLIC int toccata_iscatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                    void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                                    MPI_Comm comm, const char* algorithm, toccata_request* request);
TOCCATA_PUBLIC int toccata_iscatterv(const void* sendbuf, const int sendcounts[],
                                     const int displs[], MPI_Datatype sendtype, void* recvbuf,
                                     int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                                     const char* algorithm, toccata_request* request);
TOCCATA_PUBLIC int toccata_ireduce(const void* sendbuf, void* recvbuf, int count,
                                   MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm,
                                   const char* algorithm, toccata_request* request);
TOCCATA_PUBLIC int toccata_iallreduce(const void* sendbuf, void* recvbuf, int count,
                                      MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                      const char* algorithm, toccata_request* request);
TOCCATA_PUBLIC int toccata_ireduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                                                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                                 const char* algorithm, toccata_request* request);
TOCCATA_PUBLIC int toccata_ireduce_scatter(const void* sendbuf, void* recvbuf,
                                           const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
                                           MPI_Comm comm, const char* algorithm,
                                           toccata_request* request);
TOCCATA_PUBLIC int toccata_iscan(const void* sendbuf, void* recvbuf, int count,
                                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                 const char* algorithm, toccata_request* request);
TOCCATA_PUBLIC int toccata_iexscan(const void* sendbuf, void* recvbuf, int count,
                                   MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                   const char* algorithm, toccata_request* request);
TOCCATA_PUBLIC int toccata_ibarrier(MPI_Comm comm, const char* algorithm, toccata_request* request);
TOCCATA_PUBLIC int toccata_ineighbor_allgather(const void* sendbuf, int sendcount,
                                               MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                               MPI_Datatype recvtype, MPI_Comm comm,
                                               const char* algorithm, toccata_request* request);
TOCCATA_PUBLIC int toccata_ineighbor_allgatherv(const void* sendbuf, int sendcount,
                                                MPI_Datatype sendtype, void* recvbuf,
                                                const int recvcounts[], const int displs[],
                                                MPI_Datatype recvtype, MPI_Comm comm,
                                                const char* algorithm, toccata_request* request);
TOCCATA_PUBLIC int toccata_ineighbor_alltoall(const void* sendbuf, int sendcount,
                                              MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                              MPI_Datatype recvtype, MPI_Comm comm,
                                              const char* algorithm, toccata_request* request);
TOCCATA_PUBLIC int toccata_ineighbor_alltoallv(const void* sendbuf, const int sendcounts[],
                                               const int sdispls[], MPI_Datatype sendtype,
                                               void* recvbuf, const int recvcounts[],
                                               const int rdispls[], MPI_Datatype recvtype,
                                               MPI_Comm comm, const char* algorithm,
                                               toccata_request* request);
TOCCATA_PUBLIC int toccata_ineighbor_alltoallw(const void* sendbuf, const int sendcounts[],
                                               const MPI_Aint sdispls[],
                                               const MPI_Datatype sendtypes[], void* recvbuf,
                                               const int recvcounts[], const MPI_Aint rdispls[],
                                               const MPI_Datatype recvtypes[], MPI_Comm comm,
                                               const char* algorithm, toccata_request* request);

/* Persistent: started by toccata_start as often as wanted, each start ended by a wait or test, and
 * freed by toccata_request_free. `info` may be MPI_INFO_NULL; no key is known yet.
 * [MPI 4.0, section 6.13] */
TOCCATA_PUBLIC int toccata_allgather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                          void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                          MPI_Comm comm, MPI_Info info, const char* algorithm,
                                          toccata_request* request);
TOCCATA_PUBLIC int toccata_allgatherv_init(const void* sendbuf, int sendcount,
                                           MPI_Datatype sendtype, void* recvbuf,
                                           const int recvcounts[], const int displs[],
                                           MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                           const char* algorithm, toccata_request* request);
TOCCATA_PUBLIC int toccata_alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                         void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                         MPI_Comm comm, MPI_Info info, const char* algorithm,
                                         toccata_request* request);
TOCCATA_PUBLIC int toccata_alltoallv_init(const void* sendbuf, const int sendcounts[],
                                          const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                          const int recvcounts[], const int rdispls[],
                                          MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                          const char* algorithm, toccata_request* request);
TOCCATA_PUBLIC int toccata_alltoallw_init(const void* sendbuf, const int sendcounts[],
                                          const int sdispls[], const MPI_Datatype sendtypes[],
                                          void* recvbuf, const int recvcounts[],
                                          const int rdispls[], const MPI_Datatype recvtypes[],
                                          MPI_Comm comm, MPI_Info info, const char* algorithm,
                                          toccata_request* request);
TOCCATA_PUBLIC int toccata_bcast_init(void* buffer, int count, MPI_Datatype datatype, int root,
                                      MPI_Comm comm, MPI_Info info, const char* algorithm,
                                      toccata_request* request);
TOCCATA_PUBLIC int toccata_gather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                       void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                       int root, MPI_Comm comm, MPI_Info info,
                                       const char* algorithm, toccata_request* request);
TOCCATA_PUBLIC int toccata_gatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                        void* recvbuf, const int recvcounts[], const int displs[],
                                        MPI_Datatype recvtype, int root, MPI_Comm comm,
                                        MPI_Info info, const char* algorithm,
                                        toccata_request* request);
TOCCATA_PUBLIC int toccata_scatter_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                        void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                        int root, MPI_Comm comm, MPI_Info info,
                                        const char* algorithm, toccata_request* request);
TOCCATA_PUBLIC int toccata_scatterv_init(const void* sendbuf, const int sendcounts[],
                                         const int displs[], MPI_Datatype sendtype, void* recvbuf,
                                         int recvcount, MPI_Datatype recvtype, int root,
                                         MPI_Comm comm, MPI_Info info, const char* algorithm,
                                         toccata_request* request);
TOCCATA_PUBLIC int toccata_reduce_init(const void* sendbuf, void* recvbuf, int count,
                                       MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm,
                                       MPI_Info info, const char* algorithm,
                                       toccata_request* request);
TOCCATA_PUBLIC int toccata_allreduce_init(const void* sendbuf, void* recvbuf, int count,
                                          MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                          MPI_Info info, const char* algorithm,
                                          toccata_request* request);
TOCCATA_PUBLIC int toccata_reduce_scatter_block_init(const void* sendbuf, void* recvbuf,
                                                     int recvcount, MPI_Datatype datatype,
                                                     MPI_Op op, MPI_Comm comm, MPI_Info info,
                                                     const char* algorithm,
                                                     toccata_request* request);
TOCCATA_PUBLIC int toccata_reduce_scatter_init(const void* sendbuf, void* recvbuf,
                                               const int recvcounts[], MPI_Datatype datatype,
                                               MPI_Op op, MPI_Comm comm, MPI_Info info,
                                               const char* algorithm, toccata_request* request);
TOCCATA_PUBLIC int toccata_scan_init(const void* sendbuf, void* recvbuf, int count,
                                     MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                                     const char* algorithm, toccata_request* request);
TOCCATA_PUBLIC int toccata_exscan_init(const void* sendbuf, void* recvbuf, int count,
                                       MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                       MPI_Info info, const char* algorithm,
                                       toccata_request* request);
TOCCATA_PUBLIC int toccata_barrier_init(MPI_Comm comm, MPI_Info info, const char* algorithm,
                                        toccata_request* request);
TOCCATA_PUBLIC int toccata_neighbor_allgather_init(const void* sendbuf, int sendcount,
                                                   MPI_Datatype sendtype, void* recvbuf,
                                                   int recvcount, MPI_Datatype recvtype,
                                                   MPI_Comm comm, MPI_Info info,
                                                   const char* algorithm, toccata_request* request);
TOCCATA_PUBLIC int toccata_neighbor_allgatherv_init(const void* sendbuf, int sendcount,
                                                    MPI_Datatype sendtype, void* recvbuf,
                                                    const int recvcounts[], const int displs[],
                                                    MPI_Datatype recvtype, MPI_Comm comm,
                                                    MPI_Info info, const char* algorithm,
                                                    toccata_request* request);
TOCCATA_PUBLIC int toccata_neighbor_alltoall_init(const void* sendbuf, int sendcount,
                                                  MPI_Datatype sendtype, void* recvbuf,
                                                  int recvcount, MPI_Datatype recvtype,
                                                  MPI_Comm comm, MPI_Info info,
                                                  const char* algorithm, toccata_request* request);
TOCCATA_PUBLIC int toccata_neighbor_alltoallv_init(const void* sendbuf, const int sendcounts[],
                                                   const int sdispls[], MPI_Datatype sendtype,
                                                   void* recvbuf, const int recvcounts[],
                                                   const int rdispls[], MPI_Datatype recvtype,
                                                   MPI_Comm comm, MPI_Info info,
                                                   const char* algorithm, toccata_request* request);
TOCCATA_PUBLIC int toccata_neighbor_alltoallw_init(const void* sendbuf, const int sendcounts[],
                                                   const MPI_Aint sdispls[],
                                                   const MPI_Datatype sendtypes[], void* recvbuf,
                                                   const int recvcounts[], const MPI_Aint rdispls[],
                                                   const MPI_Datatype recvtypes[], MPI_Comm comm,
                                                   MPI_Info info, const char* algorithm,
                                                   toccata_request* request);

/* Starts an inactive persistent request; MPI_ERR_REQUEST for any other. */
TOCCATA_PUBLIC int toccata_start(toccata_request* request);

/* Starts an inactive persistent request and waits for it: a blocking call whose arguments were
 * looked at once, in its _init. The quickest way for short messages. */
TOCCATA_PUBLIC int toccata_run(toccata_request* request);

/* A new communicator of all ranks of `comm`, mapped onto the machine for a pattern of
 * communication: "ring", "recursive_doubling", "binomial_bcast", "binomial_gather" or "bruck" by
 * the heuristics of [mirsadeghi2016], or an algorithm, as "allgather/sparbit", by what it sends.
 * Its rank 0 is that of `comm`. `info` may be MPI_INFO_NULL, or hold toccata_reorder = off, which
 * leaves the order as it is. Collective; where ranks run is found out, if that is not known yet. */
TOCCATA_PUBLIC int toccata_comm_reorder(MPI_Comm comm, const char* pattern, MPI_Info info,
                                        MPI_Comm* newcomm);

/* Hands keys to a communicator, the same on all ranks, at the same place among their collectives:
 *
 *   toccata_allgather and so on: who serves calls for which none is named, as TOCCATA_ALLGATHER
 *     says it for all communicators, and instead of that; such as "bruck<=4K, native".
 *   toccata_reorder = off, auto, straight, exchange or shuffle: whether algorithms of Toccata run
 *     with their ranks played by others, nearer ones, if that wins by a model or in any case, and
 *     how buffers keep their order; for collectives whose first call comes later. Results are those
 *     of any other call. Overrides TOCCATA_REORDER.
 *   toccata_pattern: by which of the patterns above.
 *
 * A value that cannot be is MPI_ERR_ARG, and then none is taken. Preloaded, MPI_Comm_set_info does
 * so too. */
TOCCATA_PUBLIC int toccata_comm_set_info(MPI_Comm comm, MPI_Info info);

/* Waits for a request, or for `count` of them in whatever order they end. A null or inactive one
 * has ended already. */
TOCCATA_PUBLIC int toccata_wait(toccata_request* request);
TOCCATA_PUBLIC int toccata_waitall(int count, toccata_request requests[]);

/* As toccata_waitall; codes[i] becomes the error code of request i, MPI_SUCCESS for a null or
 * inactive one. `codes` may be NULL. If any request fails, both functions wait for all others and
 * return MPI_ERR_IN_STATUS. Each failing request calls its communicator's error handler. */
TOCCATA_PUBLIC int toccata_waitall_codes(int count, toccata_request requests[], int codes[]);

/* Sets *flag to 1 if all requests have ended, which then are as after toccata_waitall_codes. Else
 * sets it to 0: no request is freed or becomes inactive, and `codes` is not written. */
TOCCATA_PUBLIC int toccata_testall(int count, toccata_request requests[], int* flag, int codes[]);

/* Waits until one active request has ended, and sets *index to its place; MPI_UNDEFINED, at once,
 * if all are null or inactive. Returns the code of that request. */
TOCCATA_PUBLIC int toccata_waitany(int count, toccata_request requests[], int* index);

/* As toccata_waitany, without waiting: *flag is 0, and *index MPI_UNDEFINED, if no request has
 * ended but some are active; *flag is 1 otherwise. */
TOCCATA_PUBLIC int toccata_testany(int count, toccata_request requests[], int* index, int* flag);

/* Sets *flag to 1 if the request has ended, which is then as after a wait, else to 0. */
TOCCATA_PUBLIC int toccata_test(toccata_request* request, int* flag);

/* Frees an inactive persistent request and sets it to TOCCATA_REQUEST_NULL; MPI_ERR_REQUEST for
 * one that is active. */
TOCCATA_PUBLIC int toccata_request_free(toccata_request* request);

#ifdef __cplusplus
}
#endif

#if MPI_VERSION >= 4
#include "toccata/large.h"
#endif

#endif /* TOCCATA_H */
