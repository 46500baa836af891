! Short calls that ranks of one node serve in their memory, with mpif.h (MPIF_H), the module mpi
! (MPI) or mpi_f08 (MPI_F08). Prints the number of allocations in 1000 of them, which is small if the
! library keeps their form (mpi/call/shortcuts.h), and "right" if all sums are right.
#ifdef MPI_F08
#define CODE
#else
#define CODE , code
#endif

program short
#ifdef MPI_F08
  use mpi_f08
#endif
#ifdef MPI
  use mpi
#endif
  use iso_c_binding, only: c_int
  implicit none
#ifdef MPIF_H
  include 'mpif.h'
#endif
  interface
    function allocations() bind(c)
      import c_int
      integer(c_int) :: allocations
    end function
  end interface
  integer :: code, rank, p, i, mine, got, before, faults

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, p, code)
  faults = 0
  before = 0
  do i = 1, 1200
    if (i == 201) before = allocations()
    mine = i + rank
    if (mod(i, 2) == 0) then
      call MPI_Allreduce(mine, got, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD CODE)
    else
      got = mine
      call MPI_Allreduce(MPI_IN_PLACE, got, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD CODE)
    end if
    if (got /= p * i + p * (p - 1) / 2) faults = faults + 1
  end do
  before = allocations() - before
  if (rank == 0) print '(i0,1x,a)', before, merge('right', 'wrong', faults == 0)
  call MPI_Finalize(code)
end program
