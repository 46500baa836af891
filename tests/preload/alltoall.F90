! alltoall.c in Fortran, with mpif.h (MPIF_H), the module mpi (MPI) or mpi_f08 (MPI_F08), like
! allgather.F90.
#ifdef MPI_F08
#define DATATYPE type(MPI_Datatype)
#define CODE
#else
#define DATATYPE integer
#define CODE , code
#endif

program alltoall
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
  integer, allocatable :: mine(:), got(:), counts(:), places(:), byte_places(:)
  DATATYPE, allocatable :: types(:)

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, p, code)
  allocate (mine(n * p), got(n * p), counts(p), places(p), byte_places(p), types(p))
  faults = 0
  mine = [(1000 * rank + i, i = 0, n * p - 1)]
  counts = n
  places = [(n * i, i = 0, p - 1)]
  byte_places = 4 * places
  types = MPI_INTEGER

  got = -1
  call MPI_Alltoall(mine, n, MPI_INTEGER, got, n, MPI_INTEGER, MPI_COMM_WORLD CODE)
  call check()
  got = mine
  call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INTEGER, got, n, MPI_INTEGER, MPI_COMM_WORLD CODE)
  call check()
  got = -1
  call MPI_Alltoallv(mine, counts, places, MPI_INTEGER, got, counts, places, MPI_INTEGER, &
                     MPI_COMM_WORLD CODE)
  call check()
  got = mine
  call MPI_Alltoallv(MPI_IN_PLACE, counts, places, MPI_INTEGER, got, counts, places, &
                     MPI_INTEGER, MPI_COMM_WORLD CODE)
  call check()
  got = -1
  call MPI_Alltoallw(mine, counts, byte_places, types, got, counts, byte_places, types, &
                     MPI_COMM_WORLD CODE)
  call check()
  got = mine
  call MPI_Alltoallw(MPI_IN_PLACE, counts, byte_places, types, got, counts, byte_places, types, &
                     MPI_COMM_WORLD CODE)
  call check()

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

  subroutine check()
    integer :: r, k
    do r = 0, p - 1
      do k = 0, n - 1
        if (got(n * r + k + 1) /= 1000 * r + n * rank + k) faults = faults + 1
      end do
    end do
  end subroutine check

end program alltoall
