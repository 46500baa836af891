# Finds every MPI on the machine, and makes a target mpi_<family> for each: openmpi, mpich, ... Two
# MPIs can stand side by side (Debian names their wrappers mpicc.openmpi and mpicc.mpich), which
# CMake's FindMPI cannot see.
#
# TOCCATA_MPICC   wrappers to use, as a list; default: those found under their usual names
# mpi_families    set to the families found
#
# The properties of mpi_<family>: toccata_mpicc, toccata_mpiexec, toccata_mpifort (may be empty).

set(TOCCATA_MPICC "" CACHE STRING "MPI compiler wrappers to build for (list); empty: all found")

# What a wrapper adds to a compiler's command line.
function(_read_wrapper wrapper out_includes out_links)
  execute_process(COMMAND ${wrapper} -show OUTPUT_VARIABLE shown RESULT_VARIABLE failed
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(failed)
    message(WARNING "${wrapper} -show fails; leaving that MPI out")
    return()
  endif()
  separate_arguments(words UNIX_COMMAND "${shown}")
  set(includes "")
  set(links "")
  foreach(word IN LISTS words)
    if(word MATCHES "^-I(.+)")
      list(APPEND includes ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-L(.+)")
      list(APPEND links "-L${CMAKE_MATCH_1}")
    elseif(word MATCHES "^(-l|-Wl,)")
      list(APPEND links ${word})
    endif()
  endforeach()
  set(${out_includes} ${includes} PARENT_SCOPE)
  set(${out_links} ${links} PARENT_SCOPE)
endfunction()

function(_family_of includes out)
  set(out_family "")
  file(WRITE ${CMAKE_BINARY_DIR}/mpi_family.c
       "#include <mpi.h>\n#ifdef OPEN_MPI\nfamily=openmpi\n#elif defined(MPICH_VERSION) || "
       "defined(MPICH_NAME) || defined(I_MPI_VERSION) || defined(MVAPICH2_VERSION)\nfamily=mpich\n"
       "#else\nfamily=other\n#endif\n")
  list(TRANSFORM includes PREPEND -I)
  execute_process(COMMAND ${CMAKE_C_COMPILER} -E ${includes} ${CMAKE_BINARY_DIR}/mpi_family.c
                  OUTPUT_VARIABLE text ERROR_QUIET)
  if(text MATCHES "family=([a-z]+)")
    set(out_family ${CMAKE_MATCH_1})
  endif()
  set(${out} "${out_family}" PARENT_SCOPE)
endfunction()

set(_wrappers ${TOCCATA_MPICC})
if(NOT _wrappers)
  foreach(_name mpicc.openmpi mpicc.mpich mpicc)
    find_program(_found_${_name} ${_name})
    mark_as_advanced(_found_${_name})
    if(_found_${_name})
      list(APPEND _wrappers ${_found_${_name}})
    endif()
  endforeach()
endif()

set(mpi_families "")
foreach(_wrapper IN LISTS _wrappers)
  _read_wrapper(${_wrapper} _includes _links)
  _family_of("${_includes}" _family)
  if(NOT _family)
    message(WARNING "${_wrapper}: cannot compile mpi.h; leaving that MPI out")
    continue()
  elseif(_family IN_LIST mpi_families)
    continue()
  endif()
  list(APPEND mpi_families ${_family})
  add_library(mpi_${_family} INTERFACE)
  target_include_directories(mpi_${_family} SYSTEM INTERFACE ${_includes})
  target_link_options(mpi_${_family} INTERFACE ${_links})
  target_link_libraries(mpi_${_family} INTERFACE ${_links})
  # Neither MPI's retired C++ interface, which drags a library of its own along.
  target_compile_definitions(mpi_${_family} INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)

  # mpicc.openmpi stands beside mpiexec.openmpi and mpifort.openmpi.
  foreach(_tool mpiexec mpifort)
    string(REGEX REPLACE "mpicc([^/]*)$" "${_tool}\\1" _path ${_wrapper})
    if(NOT EXISTS ${_path})
      set(_path "")
    endif()
    set_target_properties(mpi_${_family} PROPERTIES toccata_${_tool} "${_path}")
  endforeach()
  set_target_properties(mpi_${_family} PROPERTIES toccata_mpicc ${_wrapper})
  message(STATUS "MPI: ${_family} by ${_wrapper}")
endforeach()
