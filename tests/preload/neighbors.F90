! neighbors.c in Fortran, with mpif.h (MPIF_H), the module mpi (MPI) or mpi_f08 (MPI_F08), like
! allgather.F90.
#ifdef MPI_F08
#define DATATYPE type(MPI_Datatype)
#define COMMUNICATOR type(MPI_Comm)
#define CODE
#else
#define DATATYPE integer
#define COMMUNICATOR integer
#define CODE , code
#endif

program neighbors
#ifdef MPI_F08
  use mpi_f08
#endif
#ifdef MPI
  use mpi
#endif
  implicit none
#ifdef MPIF_H
  include 'mpif.h'
#endif
  integer, parameter :: n = 3
  integer :: code, rank, p, i, faults, all_faults
  integer :: mine(2 * n), got(2 * n), sources(2), destinations(2), ones(2), counts(2), places(2)
  integer(kind=MPI_ADDRESS_KIND) :: byte_places(2)
  DATATYPE :: types(2)
  COMMUNICATOR :: graph

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, p, code)
  faults = 0
  mine = [(1000 * rank + i, i = 0, 2 * n - 1)]
  ones = 1
  counts = n
  places = [0, n]
  byte_places = 4 * places
  types = MPI_INTEGER
  sources = [modulo(rank - 1, p), modulo(rank - 2, p)]
  destinations = [modulo(rank + 1, p), modulo(rank + 2, p)]
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, ones, 2, destinations, ones, &
                                      MPI_INFO_NULL, .false., graph, code)

  got = -1
  call MPI_Neighbor_allgather(mine, n, MPI_INTEGER, got, n, MPI_INTEGER, graph CODE)
  call check(0)
  got = -1
  call MPI_Neighbor_allgatherv(mine, n, MPI_INTEGER, got, counts, places, MPI_INTEGER, graph CODE)
  call check(0)
  got = -1
  call MPI_Neighbor_alltoall(mine, n, MPI_INTEGER, got, n, MPI_INTEGER, graph CODE)
  call check(n)
  got = -1
  call MPI_Neighbor_alltoallv(mine, counts, places, MPI_INTEGER, got, counts, places, &
                              MPI_INTEGER, graph CODE)
  call check(n)
  got = -1
  call MPI_Neighbor_alltoallw(mine, counts, byte_places, types, got, counts, byte_places, types, &
                              graph CODE)
  call check(n)

  call MPI_Comm_free(graph, code)
  call MPI_Reduce(faults, all_faults, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, code)
  if (rank == 0) print '(A)', merge('right', 'wrong', all_faults == 0)
  call MPI_Finalize(code)

contains

  ! This rank is the s-th destination of its source s. `apart` is the distance between blocks.
  subroutine check(apart)
    integer, intent(in) :: apart
    integer :: s
    do s = 0, 1
      faults = faults + count(got(n * s + 1:n * s + n) /= &
                              [(1000 * sources(s + 1) + apart * s + i, i = 0, n - 1)])
    end do
  end subroutine check
end program neighbors
