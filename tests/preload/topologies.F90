! Topologies in Fortran, all of them a ring, on a simulated machine with
! TOCCATA_TOPOLOGY=reorder:topologies. If a topology may be reordered, its ranks have another order;
! otherwise they keep their order.
program topologies
#ifdef MPI_F08
  use mpi_f08
#elif defined(MPI)
  use mpi
#endif
  implicit none
#ifdef MPIF_H
  include 'mpif.h'
#endif
#ifdef MPI_F08
  type(MPI_Comm) :: made
#else
  integer :: made
#endif
  integer :: ierror, rank, p, me, i, dims(1), failures, all_failures, try, from, to, beside(2)
  integer, allocatable :: ends(:), edges(:)
  logical :: periods(1), reorder

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, p, ierror)
  failures = 0
  dims(1) = p
  periods(1) = .true.
  beside = [mod(rank + p - 1, p), mod(rank + 1, p)]
  ends = [(2 * i, i = 1, p)]
  edges = [(mod(i + p - 1, p), mod(i + 1, p), i = 0, p - 1)]
  do try = 0, 1
    reorder = try == 1
    if (reorder) call set_weights
    call MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, reorder, made, ierror)
    call MPI_Comm_rank(made, me, ierror)
    call MPI_Cart_shift(made, 0, 1, from, to, ierror)
    if (to /= mod(me + 1, p)) failures = failures + 1
    call moves
    call MPI_Graph_create(MPI_COMM_WORLD, p, ends, edges, reorder, made, ierror)
    call moves
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, beside, MPI_UNWEIGHTED, 2, beside, &
                                        MPI_UNWEIGHTED, MPI_INFO_NULL, reorder, made, ierror)
    call moves
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, beside, beside, 2, beside, beside, &
                                        MPI_INFO_NULL, reorder, made, ierror)
    call moves
    call MPI_Dist_graph_create(MPI_COMM_WORLD, 1, [rank], [2], beside, MPI_UNWEIGHTED, &
                               MPI_INFO_NULL, reorder, made, ierror)
    call moves
  end do
  call MPI_Allreduce(failures, all_failures, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  if (rank == 0 .and. all_failures == 0) print '(a)', 'all right'
  call MPI_Finalize(ierror)

contains

  ! A wrong value, so that the library prints a line if it has it.
  subroutine set_weights
#ifdef MPI_F08
    type(MPI_Info) :: info
#else
    integer :: info
#endif
    call MPI_Info_create(info, ierror)
    call MPI_Info_set(info, 'toccata_cart_weights', '1,2', ierror)
    call MPI_Comm_set_info(MPI_COMM_WORLD, info, ierror)
    call MPI_Info_free(info, ierror)
  end subroutine

  ! Counts a failure if ranks of `made` moved without permission, or did not move with it.
  subroutine moves
    integer :: moved
    call MPI_Comm_rank(made, me, ierror)
    moved = 0
    if (me /= rank) moved = 1
    call MPI_Allreduce(MPI_IN_PLACE, moved, 1, MPI_INTEGER, MPI_SUM, made, ierror)
    if ((moved > 0) .neqv. reorder) failures = failures + 1
    call MPI_Comm_free(made, ierror)
  end subroutine
end program
