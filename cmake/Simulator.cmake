# SimGrid's MPI, which runs thousands of ranks in one process: the target mpi_simgrid, if
# scripts/simgrid.sh has built it.
#
# simulated_families   "simgrid", or nothing

set(simulated_families "")
option(TOCCATA_SIMULATOR "Build for the simulator, where there is one" ON)
if(NOT TOCCATA_SIMULATOR)
  return()
endif()
execute_process(COMMAND ${PROJECT_SOURCE_DIR}/scripts/simgrid.sh --where
                OUTPUT_VARIABLE _simgrid OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT EXISTS ${_simgrid}/complete)
  message(STATUS "MPI: no simulator (make simgrid builds it)")
  return()
endif()
set(simulated_families simgrid)
add_library(mpi_simgrid INTERFACE)
target_include_directories(mpi_simgrid INTERFACE ${PROJECT_SOURCE_DIR}/src/simulator)
target_include_directories(mpi_simgrid SYSTEM INTERFACE ${_simgrid}/include)
target_compile_definitions(mpi_simgrid INTERFACE TOCCATA_SIMULATED)
target_link_libraries(mpi_simgrid INTERFACE ${_simgrid}/lib/libsimgrid.so)
target_link_options(mpi_simgrid INTERFACE -Wl,-rpath,${_simgrid}/lib)

# Adds a program of ours for the simulator. smpimain loads it as a library and calls its main.
function(add_simulated_program target name)
  add_library(${target} MODULE ${ARGN})
  set_target_properties(
    ${target} PROPERTIES OUTPUT_NAME ${name} PREFIX "" SUFFIX "" CXX_VISIBILITY_PRESET default
                         LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench/simgrid)
endfunction()

message(STATUS "MPI: simgrid by ${_simgrid}")
