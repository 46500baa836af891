! allgather.c in Fortran, with mpif.h (MPIF_H), the module mpi (MPI) or mpi_f08 (MPI_F08). In
! mpi_f08, handles have their own types, and the error code is optional. The program also uses
! MPI_BOTTOM.
#ifdef MPI_F08
#define COMM type(MPI_Comm)
#define DATATYPE type(MPI_Datatype)
#define CODE
#else
#define COMM integer
#define DATATYPE integer
#define CODE , code
#endif

program allgather
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
  integer, parameter :: n = 5, gap = 2
  COMM :: part
  integer :: code, rank, color, faults, all_faults

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  faults = 0
  call run(MPI_COMM_WORLD)
  color = min(rank, 1)
  call MPI_Comm_split(MPI_COMM_WORLD, color, 0, part, code)
  call run(part)
  call MPI_Comm_free(part, code)
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

  subroutine run(comm_used)
    COMM, intent(in) :: comm_used
    integer :: me, p, i
    integer, target :: mine(n)
    integer, allocatable :: all(:), counts(:), places(:)
    integer(kind=MPI_ADDRESS_KIND) :: address(1)
    integer :: lengths(1)
    DATATYPE :: absolute

    call MPI_Comm_rank(comm_used, me, code)
    call MPI_Comm_size(comm_used, p, code)
    allocate (all((n + gap) * p), counts(p), places(p))
    mine = [(1000 * me + i, i = 1, n)]
    counts = n
    places = [((n + gap) * i, i = 0, p - 1)]

    call MPI_Allgather(mine, n, MPI_INTEGER, all, n, MPI_INTEGER, comm_used CODE)
    call check(all, p, n)

    all = -1
    all(n * me + 1:n * me + n) = mine
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_INTEGER, all, n, MPI_INTEGER, comm_used CODE)
    call check(all, p, n)

    all = -1
    call MPI_Allgatherv(mine, n, MPI_INTEGER, all, counts, places, MPI_INTEGER, comm_used CODE)
    call check(all, p, n + gap)

    all = -1
    all(places(me + 1) + 1:places(me + 1) + n) = mine
    call MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INTEGER, all, counts, places, MPI_INTEGER, comm_used CODE)
    call check(all, p, n + gap)

    all = -1
    lengths = n
    call MPI_Get_address(mine, address(1), code)
    call MPI_Type_create_hindexed(1, lengths, address, MPI_INTEGER, absolute, code)
    call MPI_Type_commit(absolute, code)
    call MPI_Allgather(MPI_BOTTOM, 1, absolute, all, n, MPI_INTEGER, comm_used CODE)
    call check(all, p, n)
    call MPI_Type_free(absolute, code)
  end subroutine run

  ! The integers of rank r begin after stride * r; the values between them remain -1.
  subroutine check(all, p, stride)
    integer, intent(in) :: all(:), p, stride
    integer :: r, i, expected
    do r = 0, p - 1
      do i = 1, stride
        expected = 1000 * r + i
        if (i > n) expected = -1
        if (all(stride * r + i) /= expected) faults = faults + 1
      end do
    end do
  end subroutine check

end program allgather
