! Four ranks send known messages in Fortran, by the interface of the macro; see recording_test.py.
program traffic
#ifdef MPI_F08
  use mpi_f08
#endif
  implicit none
#ifdef MPIF_H
  include 'mpif.h'
  integer :: half, win, request, kept(1)
#else
  type(MPI_Comm) :: half
  type(MPI_Win) :: win
  type(MPI_Request) :: request, kept(1)
#endif
  integer :: rank, above, below, ierror, i
  integer :: out(100), in(100), memory(100)
  integer(kind=MPI_ADDRESS_KIND) :: bytes, offset

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  above = mod(rank + 1, 4)
  below = mod(rank + 3, 4)
  out = rank

  ! 10, 20, and two times 30 integers to the next rank.
  call MPI_Irecv(in, 10, MPI_INTEGER, below, 0, MPI_COMM_WORLD, request, ierror)
  call MPI_Send(out, 10, MPI_INTEGER, above, 0, MPI_COMM_WORLD, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Isend(out, 20, MPI_INTEGER, above, 1, MPI_COMM_WORLD, request, ierror)
  call MPI_Recv(in, 20, MPI_INTEGER, below, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Send_init(out, 30, MPI_INTEGER, above, 2, MPI_COMM_WORLD, kept(1), ierror)
  do i = 1, 2
    if (i == 1) call MPI_Start(kept(1), ierror)
    if (i == 2) call MPI_Startall(1, kept, ierror)
    call MPI_Recv(in, 30, MPI_INTEGER, below, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call MPI_Wait(kept(1), MPI_STATUS_IGNORE, ierror)
  end do
  call MPI_Request_free(kept(1), ierror)

  ! A message of another phase, and one that does not count.
  call MPI_Pcontrol(3)
  call MPI_Sendrecv(out, 9, MPI_INTEGER, above, 3, in, 9, MPI_INTEGER, below, 3, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, ierror)
  call MPI_Pcontrol(0)
  call MPI_Sendrecv(out, 7, MPI_INTEGER, above, 3, in, 7, MPI_INTEGER, below, 3, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, ierror)
  call MPI_Pcontrol(1)

  ! One integer to rank 0 of halves that are freed: in the reverse order, 1 and 3, then 2 and 3.
  do i = 0, 5
    call MPI_Comm_split(MPI_COMM_WORLD, merge(rank / 2, mod(rank, 2), mod(i, 2) == 0), -rank, &
                        half, ierror)
    call MPI_Comm_rank(half, below, ierror)
    if (below == 0) call MPI_Irecv(in, 1, MPI_INTEGER, 1, 0, half, request, ierror)
    if (below == 1) call MPI_Send(out, 1, MPI_INTEGER, 0, 0, half, ierror)
    if (below == 0) call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    call MPI_Comm_free(half, ierror)
  end do

  bytes = 400
  offset = 0
  call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierror)
  call MPI_Win_fence(0, win, ierror)
  call MPI_Put(out, 5, MPI_INTEGER, above, offset, 5, MPI_INTEGER, win, ierror)
  call MPI_Win_fence(0, win, ierror)
  call MPI_Get(in, 6, MPI_INTEGER, above, offset, 6, MPI_INTEGER, win, ierror)
  call MPI_Win_fence(0, win, ierror)
  call MPI_Win_free(win, ierror)
  call MPI_Finalize(ierror)
end program
