! rooted.c in Fortran, with mpif.h (MPIF_H), the module mpi (MPI) or mpi_f08 (MPI_F08), like
! allgather.F90.
#ifdef MPI_F08
#define CODE
#else
#define CODE , code
#endif

program rooted
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
  integer :: code, rank, p, i, root, faults, all_faults
  integer, allocatable :: mine(:), got(:), all(:), counts(:), places(:)

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, p, code)
  allocate (mine(n * p), got(n * p), all(n * p), counts(p), places(p))
  faults = 0
  root = p - 1
  mine = [(1000 * rank + i, i = 0, n * p - 1)]
  counts = n
  places = [(n * i, i = 0, p - 1)]

  got = merge(mine, -1, rank == root)
  call MPI_Bcast(got, n, MPI_INTEGER, root, MPI_COMM_WORLD CODE)
  call check(got, [(1000 * root + i, i = 0, n - 1)])

  got = -1
  call MPI_Gather(mine, n, MPI_INTEGER, got, n, MPI_INTEGER, root, MPI_COMM_WORLD CODE)
  if (rank == root) call check(got, gathered())
  got = -1
  call MPI_Gatherv(mine, n, MPI_INTEGER, got, counts, places, MPI_INTEGER, root, &
                   MPI_COMM_WORLD CODE)
  if (rank == root) call check(got, gathered())
  got = -1
  if (rank == root) then
    got(n * rank + 1:n * rank + n) = mine(1:n)
    call MPI_Gather(MPI_IN_PLACE, 0, MPI_INTEGER, got, n, MPI_INTEGER, root, MPI_COMM_WORLD CODE)
    call check(got, gathered())
  else
    call MPI_Gather(mine, n, MPI_INTEGER, got, n, MPI_INTEGER, root, MPI_COMM_WORLD CODE)
  end if

  all = gathered()
  got = -1
  call MPI_Scatter(all, n, MPI_INTEGER, got, n, MPI_INTEGER, root, MPI_COMM_WORLD CODE)
  call check(got, mine(1:n))
  got = -1
  call MPI_Scatterv(all, counts, places, MPI_INTEGER, got, n, MPI_INTEGER, root, &
                    MPI_COMM_WORLD CODE)
  call check(got, mine(1:n))

  got = -1
  call MPI_Reduce(mine, got, n, MPI_INTEGER, MPI_SUM, root, MPI_COMM_WORLD CODE)
  if (rank == root) call check(got, sums(0))
  got = -1
  call MPI_Allreduce(mine, got, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD CODE)
  call check(got, sums(0))
  got = mine
  call MPI_Allreduce(MPI_IN_PLACE, got, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD CODE)
  call check(got, sums(0))
  got = -1
  call MPI_Reduce_scatter_block(mine, got, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD CODE)
  call check(got, sums(n * rank))
  got = mine
  call MPI_Reduce_scatter(MPI_IN_PLACE, got, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD CODE)
  call check(got, sums(n * rank))
  got = -1
  call MPI_Scan(mine, got, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD CODE)
  call check(got, sums_below() + mine(1:n))
  got = mine
  call MPI_Exscan(MPI_IN_PLACE, got, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD CODE)
  if (rank > 0) call check(got, sums_below())
  call MPI_Barrier(MPI_COMM_WORLD CODE)

  all_faults = 0
  call MPI_Allreduce(faults, all_faults, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD CODE)
  if (rank == 0) then
    if (all_faults == 0) then
      print '(a)', 'right'
    else
      print '(a)', 'wrong'
    end if
  end if
  call MPI_Finalize(code)

contains

  function gathered() result(values)
    integer :: values(n * p), r, k
    values = [((1000 * r + k, k = 0, n - 1), r = 0, p - 1)]
  end function gathered

  function sums(first) result(values)
    integer, intent(in) :: first
    integer :: values(n), k
    values = [(1000 * p * (p - 1) / 2 + p * (first + k), k = 0, n - 1)]
  end function sums

  function sums_below() result(values)
    integer :: values(n), k
    values = [(1000 * rank * (rank - 1) / 2 + rank * k, k = 0, n - 1)]
  end function sums_below

  subroutine check(found, expected)
    integer, intent(in) :: found(:), expected(:)
    if (any(found(1:size(expected)) /= expected)) faults = faults + 1
  end subroutine check

end program rooted
