! Ends by STOP; an exit handler calls collectives and ends MPI.
module ending
  use mpi
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    integer(c_int) function atexit(handler) bind(C)
      import
      type(c_funptr), value :: handler
    end function
  end interface
contains
  subroutine calls(text)
    character(*), intent(in) :: text
    integer :: rank, ranks, one, total, request, copy, i, code
    logical :: right
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
    right = .true.
    one = 1
    do i = 1, 40
      call MPI_Allreduce(one, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
      right = right .and. total == ranks
      call MPI_Ibarrier(MPI_COMM_WORLD, request, code)
      call MPI_Wait(request, MPI_STATUS_IGNORE, code)
    end do
    call MPI_Comm_dup(MPI_COMM_WORLD, copy, code)
    call MPI_Barrier(copy, code)
    call MPI_Comm_free(copy, code)
    if (.not. right) print '(a)', 'wrong'
    if (rank == 0) print '(a)', text
    flush (6)
  end subroutine

  subroutine end_mpi() bind(C)
    integer :: code
    call calls('at exit')
    call MPI_Finalize(code)
  end subroutine
end module

program stop_early
  use ending
  implicit none
  integer :: code
  code = atexit(c_funloc(end_mpi))
  call MPI_Init(code)
  call calls('in main')
  stop
end program
