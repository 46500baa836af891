/* Toccata: topology-aware MPI collectives. The C interface.
 *
 * Each collective has the arguments of the MPI function of the same name, and one more: the name of
 * an algorithm, such as "sparbit", "sparbit:messages=per_block" (with a parameter) or "native" (the
 * MPI library's own algorithm). NULL means the algorithm that the environment or toccata.conf sets,
 * such as TOCCATA_ALLGATHER=bruck. If neither sets one, the library chooses for blocking calls.
 * toccata_i... and toccata_..._init use its current choice for blocking calls of the same
 * collective and similar size on the communicator. Before that choice exists, they use native. The
 * setting has the name of the function, such as TOCCATA_BCAST for toccata_bcast. Some settings
 * serve two functions:
 *
 * - TOCCATA_ALLGATHER: toccata_allgather, toccata_allgatherv
 * - TOCCATA_ALLTOALLV: toccata_alltoallv, toccata_alltoallw
 * - TOCCATA_REDUCE_SCATTER: toccata_reduce_scatter, toccata_reduce_scatter_block
 * - TOCCATA_NEIGHBOR_ALLTOALLV: toccata_neighbor_alltoallv, toccata_neighbor_alltoallw
 *
 * `toccata list` prints all algorithms.
 *
 * All ranks of the communicator must request the same algorithm. Arguments have the same meaning,
 * limits and lifetimes as in MPI. MPI_IN_PLACE is supported.
 *
 * Reductions: in Toccata's algorithms, all ranks of an allreduce get the same bits. In three
 * cases, the native algorithm replaces the requested one:
 *
 * - the operation does not commute, and the algorithm would change the order of the ranks
 * - MPI does not define the predefined operation for the datatype
 * - elements of the datatype interleave: one begins before the previous one ends.
 *
 * With TOCCATA_SUMS=reproducible on all ranks, reductions within MPI_COMM_WORLD use an algorithm
 * whose result does not depend on placement, root or length, even if you request another one. The
 * three exceptions above remain. If you create an MPI_Op, do not free it before the requests that
 * use it have completed.
 *
 * Messages use a private communicator. MPI_Init creates it from MPI_COMM_WORLD if this library is
 * preloaded or comes before MPI in the link order. Otherwise the first collective on a communicator
 * with all ranks creates it. Until then, and always with MPI_THREAD_MULTIPLE, each communicator
 * gets a private one of its own. Toccata then serves nonblocking collectives on it only after the
 * first blocking or persistent one, because they would have to wait for other ranks before. A
 * private communicator does not inherit attributes. The first collective on a communicator calls a
 * few additional MPI collectives.
 *
 * Errors: as in MPI, the library calls the communicator's error handler, then returns the error
 * code. If an algorithm or a parameter is unknown or cannot run here, the class is MPI_ERR_ARG, and
 * MPI_Error_string has the reason (MPICH 4.0: stderr).
 *
 * Neighbours: if an edge occurs several times, the k-th block that is sent along this edge is the
 * k-th block that arrives along it. On a Cartesian topology, a block that a rank sends in negative
 * direction arrives as the block from the positive neighbour, as MPI specifies. Some functions of
 * some MPI libraries differ.
 *
 * Threads: as for MPI's collectives. The program must order calls on one communicator. Calls on
 * different communicators may overlap if MPI was started with MPI_THREAD_MULTIPLE.
 */
#ifndef TOCCATA_H
#define TOCCATA_H

#include <mpi.h>

#define TOCCATA_VERSION "0.4.0"
/* The version as numbers. TOCCATA_VERSION_NUMBER is for comparisons:
 * #if TOCCATA_VERSION_NUMBER >= 400 (0.4.0). */
#define TOCCATA_VERSION_MAJOR 0
#define TOCCATA_VERSION_MINOR 4
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

/* Returns the version of the running library, in the format of TOCCATA_VERSION. */
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

/* Blocking, among the neighbours of a Cartesian, graph or distributed graph topology.
 * [MPI 4.0, section 8.6] */
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

/* A message of a sparse exchange: `count` elements of the receive datatype from rank `source`,
 * contiguous, beginning at `data`. */
typedef struct toccata_message {
  int source;
  int count;
  void* data;
} toccata_message;

/* The messages that a rank received, in the order of their sources: list[0] to list[count - 1].
 * The library owns them and their data. They are valid until toccata_messages_free, or until the
 * next exchange with the same variable, which reuses the memory. */
typedef struct toccata_messages_object {
  int count;
  const toccata_message* list;
} toccata_messages_object;
typedef toccata_messages_object* toccata_messages;
#define TOCCATA_MESSAGES_NULL ((toccata_messages)0)

/* Sparse all-to-all: a rank sends to a few ranks, which do not expect its messages. It replaces an
 * MPI_Alltoall of counts followed by an MPI_Alltoallv, and its memory does not grow with the number
 * of ranks.
 *
 * For i from 0 to ndestinations - 1, the call sends sendcounts[i] elements, which begin at
 * sendbuf + sdispls[i] * extent(sendtype), to rank destinations[i]. It receives all messages that
 * any rank sends to this rank.
 *
 * Collective. A destination occurs at most once and may be the rank itself. Counts of 0 send
 * nothing. For each pair of ranks, `sendtype` and `recvtype` must have the same signature; both may
 * be derived. `sendbuf` must be in host memory. *messages is TOCCATA_MESSAGES_NULL or the result of
 * an earlier call. After an error, it contains the messages that were received.
 *
 * Algorithms (`toccata list` does not print them, and settings do not select them):
 *
 * - nbx: synchronous sends and a nonblocking barrier [hoefler2010]; the default (NULL)
 * - locality_nbx: nbx between nodes, at most one message from a rank to a node, then delivery
 *   inside each node [geyko2023]; discovers where ranks run at the first call
 * - native: MPI_Alltoall of counts, then MPI_Alltoallv
 *
 * Errors:
 *
 * - MPI_ERR_COMM: `comm` is an intercommunicator
 * - MPI_ERR_RANK: a destination does not exist or occurs twice
 * - MPI_ERR_COUNT: a count is negative, or too large for `recvtype` (the message is lost)
 * - MPI_ERR_BUFFER: `sendbuf` is in GPU memory
 * - MPI_ERR_TYPE: a message is not a whole number of elements of `recvtype`; it is lost
 * - MPI_ERR_NO_MEM: there is no memory for a message; it is lost */
TOCCATA_PUBLIC int toccata_sparse_alltoallv(const void* sendbuf, int ndestinations,
                                            const int destinations[], const int sendcounts[],
                                            const int sdispls[], MPI_Datatype sendtype,
                                            MPI_Datatype recvtype, MPI_Comm comm,
                                            const char* algorithm, toccata_messages* messages);

/* Frees received messages and sets *messages to TOCCATA_MESSAGES_NULL. */
TOCCATA_PUBLIC int toccata_messages_free(toccata_messages* messages);

/* A nonblocking or persistent collective of Toccata. It is not an MPI_Request.
 *
 * It makes progress while a toccata function waits for or tests any request, and while a blocking
 * toccata call waits (except with the algorithm "native"). With Open MPI, and with MPICH from 4.3
 * on, it usually also makes progress while the rank waits in an MPI function; with other MPIs, it
 * does not. So a portable program must avoid this: rank 0 waits in MPI_Recv before it waits for the
 * request, and rank 1 sends that message only after its own toccata_wait. Both would wait forever.
 *
 * The first call with a topology-aware algorithm, such as "hierarchical", waits for all ranks of
 * the communicator, because they discover together where they run. To avoid that, make a blocking
 * call beforehand.
 */
typedef struct toccata_request_object* toccata_request;
#define TOCCATA_REQUEST_NULL ((toccata_request)0)

/* Nonblocking: starts at once. The wait or test that completes the request frees it and sets it to
 * TOCCATA_REQUEST_NULL. [MPI 4.0, section 6.12] */
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

/* Persistent: toccata_start starts a request, any number of times. Complete each start with a wait
 * or test, and free the request with toccata_request_free. `info` may be MPI_INFO_NULL; no keys are
 * defined yet. [MPI 4.0, section 6.13] */
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

/* Starts an inactive persistent request; returns MPI_ERR_REQUEST for any other request. */
TOCCATA_PUBLIC int toccata_start(toccata_request* request);

/* Starts an inactive persistent request and waits for it. This is the fastest call for short
 * messages, because its _init has already processed the arguments. */
TOCCATA_PUBLIC int toccata_run(toccata_request* request);

/* Creates a communicator with the ranks of `comm` in another order. Ranks that communicate often in
 * the pattern are then near each other. The pattern is one of
 *
 * - "ring", "recursive_doubling", "binomial_bcast", "binomial_gather" or "bruck": the heuristics of
 *   [mirsadeghi2016] find the order
 * - an algorithm, such as "allgather/sparbit": its traffic determines the order.
 *
 * Rank 0 stays the same. `info` may be MPI_INFO_NULL. If it sets the key toccata_reorder to
 * off, the order stays the same. Collective. The first call discovers where ranks run. */
TOCCATA_PUBLIC int toccata_comm_reorder(MPI_Comm comm, const char* pattern, MPI_Info info,
                                        MPI_Comm* newcomm);

/* Sets keys of a communicator. All ranks must set the same keys and values, at the same place in
 * their sequence of collectives:
 *
 * - toccata_allgather and so on: the algorithm for calls that do not name one, such as
 *   "bruck<=4K, native". Overrides TOCCATA_ALLGATHER for this communicator.
 * - toccata_reorder: lets ranks exchange their roles in algorithms of Toccata, so that ranks that
 *   communicate often are near each other. Results do not change. The value is off (never), auto
 *   (if a model predicts a gain), or one of three values that always reorder: straight (blocks
 *   arrive in place), exchange (inputs move first) or shuffle (a copy at the end restores the
 *   order). The key applies to collectives that the program has not called yet, and overrides
 *   TOCCATA_TOPOLOGY.
 * - toccata_pattern: the pattern for reordering, as for toccata_comm_reorder.
 * - toccata_cart_weights: such as "1,4,1", the bytes per neighbour in each dimension of a grid, in
 *   any unit. If the library is preloaded with TOCCATA_TOPOLOGY=reorder:topologies, MPI_Cart_create
 *   with reorder = 1 keeps heavy dimensions inside nodes. The key overrides weights:1,4,1 in
 *   TOCCATA_TOPOLOGY. MPI_Cart_create checks its value: if it is invalid, the library prints one
 *   line and ignores it.
 *
 * If the value of another key is invalid, returns MPI_ERR_ARG and changes nothing. If the library
 * is preloaded, MPI_Comm_set_info accepts these keys, too. */
TOCCATA_PUBLIC int toccata_comm_set_info(MPI_Comm comm, MPI_Info info);

/* Waits for a request, or for `count` requests. A null or inactive request counts as completed. */
TOCCATA_PUBLIC int toccata_wait(toccata_request* request);
TOCCATA_PUBLIC int toccata_waitall(int count, toccata_request requests[]);

/* As toccata_waitall, and sets codes[i] to the error code of request i (MPI_SUCCESS for a null or
 * inactive one). `codes` may be NULL. If any request fails, both functions wait for all others and
 * return MPI_ERR_IN_STATUS. Each failing request calls its communicator's error handler. */
TOCCATA_PUBLIC int toccata_waitall_codes(int count, toccata_request requests[], int codes[]);

/* If all requests have completed, sets *flag to 1 and acts like toccata_waitall_codes. Otherwise
 * sets *flag to 0: no request is freed or becomes inactive, and `codes` is not written. */
TOCCATA_PUBLIC int toccata_testall(int count, toccata_request requests[], int* flag, int codes[]);

/* Waits until one active request has completed, sets *index to its position, and returns its error
 * code. If all are null or inactive, sets *index to MPI_UNDEFINED and returns at once. */
TOCCATA_PUBLIC int toccata_waitany(int count, toccata_request requests[], int* index);

/* As toccata_waitany, without waiting. If some requests are active but none has completed, sets
 * *flag to 0 and *index to MPI_UNDEFINED; otherwise sets *flag to 1. */
TOCCATA_PUBLIC int toccata_testany(int count, toccata_request requests[], int* index, int* flag);

/* If the request has completed, sets *flag to 1 and acts like toccata_wait. Otherwise sets *flag to
 * 0. */
TOCCATA_PUBLIC int toccata_test(toccata_request* request, int* flag);

/* Frees an inactive persistent request and sets it to TOCCATA_REQUEST_NULL; returns MPI_ERR_REQUEST
 * for an active one. */
TOCCATA_PUBLIC int toccata_request_free(toccata_request* request);

#ifdef __cplusplus
}
#endif

#if MPI_VERSION >= 4
#include "toccata/large.h"
#endif

#endif /* TOCCATA_H */
