# launcher_<family>: the command that starts ranks, without their number and the program. It allows
# more ranks than cores. launcher_environment: the variables that this command requires.
foreach(family IN LISTS mpi_families)
  get_target_property(launcher_${family} mpi_${family} toccata_mpiexec)
  if(family MATCHES "^openmpi")
    list(APPEND launcher_${family} --oversubscribe --mca mpi_yield_when_idle 1)
  endif()
endforeach()
# On one host, Open MPI uses ob1 in any case. If that is set, it does not search for networks, so that a
# job takes 0.13 instead of 0.35 s. The examples run without this setting.
set(open_mpi_on_one_host OMPI_MCA_pml=ob1)
set(launcher_environment OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
                         ${open_mpi_on_one_host})
# Intel MPI searches for a network that does not exist here, and binds ranks to cores that are too
# few. Its default allgather and gather are wrong for different datatypes; other algorithms of Intel
# MPI are correct.
list(APPEND launcher_environment I_MPI_FABRICS=shm I_MPI_PIN=off I_MPI_ADJUST_ALLGATHER=1
            I_MPI_ADJUST_GATHER=1)

# The library that ranks of a family preload to share cores; see patience.c.
if(NOT TARGET patience)
  add_library(patience MODULE ${CMAKE_CURRENT_LIST_DIR}/patience.c)
  target_link_libraries(patience PRIVATE ${CMAKE_DL_LIBS})
  add_dependencies(tests patience)
endif()
foreach(family IN LISTS mpi_families hosts_families)
  if(NOT family MATCHES "^openmpi")
    set(preload_${family} $<TARGET_FILE:patience>)
  endif()
endforeach()
