! Four ranks call collectives in Fortran, by the interface of the macro; see recording_test.py.
program collectives
#ifdef MPI_F08
  use mpi_f08
#endif
  implicit none
#ifdef MPIF_H
  include 'mpif.h'
  integer :: reverse, request
#else
  type(MPI_Comm) :: reverse
  type(MPI_Request) :: request
#endif
  integer :: rank, ierror, i
  integer :: out(100), in(100), counts(4), places(4)
#ifdef MPIF_H
  integer :: types(4)
#else
  type(MPI_Datatype) :: types(4)
#endif

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  out = rank
  in = rank
  types = MPI_INTEGER
  do i = 1, 4
    counts(i) = rank + i - 1
    places(i) = 10 * (i - 1)
  end do

  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  call MPI_Ibarrier(MPI_COMM_WORLD, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Bcast(out, 5, MPI_INTEGER, 1, MPI_COMM_WORLD, ierror)
  do i = 1, 2
    call MPI_Allreduce(out, in, 6, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  end do
  call MPI_Allreduce(MPI_IN_PLACE, in, 6, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  call MPI_Iallreduce(out, in, 7, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Gather(out, 2, MPI_INTEGER, in, 2, MPI_INTEGER, 3, MPI_COMM_WORLD, ierror)
  if (rank == 0) then
    call MPI_Scatter(out, 3, MPI_INTEGER, MPI_IN_PLACE, 3, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
  else
    call MPI_Scatter(out, 3, MPI_INTEGER, in, 3, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
  end if
  call MPI_Alltoallv(MPI_IN_PLACE, counts, places, MPI_INTEGER, in, counts, places, MPI_INTEGER, &
                     MPI_COMM_WORLD, ierror)
  places = 4 * places
  call MPI_Alltoallw(out, counts, places, types, in, counts, places, types, MPI_COMM_WORLD, ierror)

  call MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, reverse, ierror)
  call MPI_Reduce(out, in, 8, MPI_INTEGER, MPI_SUM, 1, reverse, ierror)
  call MPI_Comm_free(reverse, ierror)
  call MPI_Finalize(ierror)
end program
