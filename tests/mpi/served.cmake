# intercepted_<family>: yes where the library intercepts nonblocking and persistent collectives.
# served_<family>: --served where it can also serve them. MPICH has the functions for that from 4.3 on.
# sessions_<family>: yes where the MPI has sessions.
# begins_<family>: --begins where the library can serve them. MPICH 4.0 and Intel MPI give all sessions several threads.
foreach(family IN LISTS mpi_families hosts_families)
  get_target_property(mpicc mpi_${family} toccata_mpicc)
  execute_process(COMMAND ${mpicc} -dM -E -include mpi.h -x c /dev/null OUTPUT_VARIABLE macros
                  ERROR_QUIET)
  set(intercepted_${family} "")
  set(served_${family} "")
  set(sessions_${family} "")
  set(begins_${family} "")
  if(macros MATCHES "define (MPI_VERSION [4-9]|OMPI_MAJOR_VERSION [5-9])")
    set(sessions_${family} yes)
    if(NOT macros MATCHES "MPICH_NUMVERSION [34]")
      set(begins_${family} --begins)
    endif()
  endif()
  if(NOT macros MATCHES "define (MPI_ABI|I_MPI_VERSION)")
    set(intercepted_${family} yes)
    if(NOT macros MATCHES "MPICH_NUMVERSION ([0-9]+)" OR NOT CMAKE_MATCH_1 LESS 40300000)
      set(served_${family} --served)
    endif()
  endif()
endforeach()
