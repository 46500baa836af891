# launcher_<family>: the command line that starts ranks, except for their number and the program, where
# there may be fewer cores than ranks. launcher_environment: what else that needs.
foreach(family IN LISTS mpi_families)
  get_target_property(launcher_${family} mpi_${family} toccata_mpiexec)
  if(family MATCHES "^openmpi")
    list(APPEND launcher_${family} --oversubscribe --mca mpi_yield_when_idle 1)
  endif()
endforeach()
set(launcher_environment OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1)
# Intel's looks for a network that is not there, and binds ranks to cores of which there are too few.
# Its usual allgather and gather are wrong where datatypes differ; other algorithms of its own are not.
list(APPEND launcher_environment I_MPI_FABRICS=shm I_MPI_PIN=off I_MPI_ADJUST_ALLGATHER=1
            I_MPI_ADJUST_GATHER=1)

# What the ranks of a family preload to share cores; see patience.c.
if(NOT TARGET patience)
  add_library(patience MODULE ${CMAKE_CURRENT_LIST_DIR}/patience.c)
  target_link_libraries(patience PRIVATE ${CMAKE_DL_LIBS})
  add_dependencies(tests patience)
endif()
foreach(family IN LISTS mpi_families)
  if(NOT family MATCHES "^openmpi")
    set(preload_${family} $<TARGET_FILE:patience>)
  endif()
endforeach()
