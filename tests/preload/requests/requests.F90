! Nonblocking and persistent collectives in Fortran, with mpif.h (MPIF_H), the module mpi (MPI) or
! mpi_f08 (MPI_F08). PERSISTENT is the function that creates a persistent allreduce. Rank 0 prints
! "right".
#ifdef MPI_F08
#define CODE
#define REQUEST type(MPI_Request)
#define DATATYPE type(MPI_Datatype)
#else
#define CODE , code
#define REQUEST integer
#define DATATYPE integer
#endif

program requests
#ifdef MPI_F08
  use mpi_f08
#ifdef EXTENSIONS
  use mpi_f08_ext
#endif
#endif
#ifdef MPI
  use mpi
#endif
  implicit none
#ifdef MPIF_H
  include 'mpif.h'
#endif
  integer, parameter :: n = 5
  integer :: code, rank, p, i, round, faults, all_faults
  REQUEST :: request, both(2)
  integer, allocatable, asynchronous :: mine(:), all(:), sums(:), others(:), counts(:), places(:)
  DATATYPE, allocatable :: types(:)

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, p, code)
  allocate (mine(n * p), all(n * p), sums(n * p), others(n * p), counts(p), places(p), types(p))
  faults = 0
  counts = n
  places = [(4 * n * i, i = 0, p - 1)]
  types = MPI_INTEGER
  mine = [(1000 * rank + i, i = 0, n * p - 1)]

  call MPI_Iallreduce(mine, sums, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request CODE)
  call MPI_Wait(request, MPI_STATUS_IGNORE CODE)
  call check(sums, [(500 * p * (p - 1) + p * i, i = 0, n - 1)])

  sums = mine
  call MPI_Iallreduce(MPI_IN_PLACE, sums, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request CODE)
  call MPI_Wait(request, MPI_STATUS_IGNORE CODE)
  call check(sums, [(500 * p * (p - 1) + p * i, i = 0, n - 1)])

  call MPI_Ialltoallw(mine, counts, places, types, all, counts, places, types, MPI_COMM_WORLD, &
                      both(1) CODE)
  call MPI_Ialltoall(mine, n, MPI_INTEGER, others, n, MPI_INTEGER, MPI_COMM_WORLD, both(2) CODE)
  call MPI_Waitall(2, both, MPI_STATUSES_IGNORE CODE)
  do i = 0, p - 1
    call check(all(n * i + 1:), [(1000 * i + n * rank + round, round = 0, n - 1)])
    call check(others(n * i + 1:), [(1000 * i + n * rank + round, round = 0, n - 1)])
  end do
  call MPI_Ibarrier(MPI_COMM_WORLD, request CODE)
  call MPI_Wait(request, MPI_STATUS_IGNORE CODE)

  call PERSISTENT(mine, sums, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, both(1) CODE)
  call PERSISTENT(mine, all, n, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL, both(2) CODE)
  do round = 1, 3
    mine = mine + 1
    if (round == 2) then
      call MPI_Start(both(2) CODE)
      call MPI_Start(both(1) CODE)
    else
      call MPI_Startall(2, both CODE)
    end if
    call MPI_Waitall(2, both, MPI_STATUSES_IGNORE CODE)
    call check(sums, [(500 * p * (p - 1) + p * (i + round), i = 0, n - 1)])
    call check(all, [(1000 * (p - 1) + i + round, i = 0, n - 1)])
  end do
  call MPI_Request_free(both(1) CODE)
  call MPI_Request_free(both(2) CODE)
  if (both(1) /= MPI_REQUEST_NULL) faults = faults + 1

  call MPI_Reduce(faults, all_faults, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, code)
  if (rank == 0) then
    if (all_faults == 0) then
      print '(a)', 'right'
    else
      print '(a)', 'wrong'
    end if
  end if
  call MPI_Finalize(code)

contains

  subroutine check(found, expected)
    integer, intent(in) :: found(:), expected(:)
    if (any(found(1:size(expected)) /= expected)) faults = faults + 1
  end subroutine check
end program requests
