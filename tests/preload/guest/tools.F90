! Only the functions that tool.c intercepts: allgathers and allreduces, in Fortran.
program tools
  implicit none
  include 'mpif.h'
  integer :: code, rank, p, i, total, faults
  integer, allocatable :: all(:)
  faults = 0
  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, p, code)
  allocate (all(p))
  do i = 1, 4
    call MPI_Allgather(rank + i, 1, MPI_INTEGER, all, 1, MPI_INTEGER, MPI_COMM_WORLD, code)
    if (any(all /= [(i + total, total = 0, p - 1)])) faults = faults + 1
  end do
  call MPI_Allreduce(faults, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
  if (rank == 0) then
    if (total == 0) then
      print '(a)', 'right'
    else
      print '(a)', 'wrong'
    end if
  end if
  call MPI_Finalize(code)
end program tools
