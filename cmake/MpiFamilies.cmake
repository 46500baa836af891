# Makes a target mpi_<family> for each MPI that TOCCATA_MPI names, or that is found: openmpi, mpich,
# intelmpi, abi (the standard ABI of MPI 5). Several MPIs may be installed, which CMake's FindMPI
# does not support. The first of a family has the family's name; others append their version, as in
# openmpi-5.0.
#
# TOCCATA_MPI         ON: the first one in PATH, then those with usual names (such as Debian's
#                     mpicc.openmpi and mpicc.mpich); or compiler wrappers, separated by ; or blanks
# TOCCATA_HOSTS_MPI   more wrappers; only tests/hosts uses these MPIs, and `all` does not build for them
# mpi_families        set to the families found
# hosts_families      set to those of TOCCATA_HOSTS_MPI that are not among them
#
# The properties of mpi_<family>: toccata_mpicc, toccata_mpiexec, toccata_mpifort (may be empty).

# The options that a wrapper adds to a compiler's command line.
function(_read_wrapper wrapper out_compile out_links)
  execute_process(COMMAND ${wrapper} -show OUTPUT_VARIABLE shown RESULT_VARIABLE failed
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(failed)
    list(GET wrapper -1 name)
    message(WARNING "${name} -show fails; leaving that MPI out")
    return()
  endif()
  separate_arguments(words UNIX_COMMAND "${shown}")
  set(compile "")
  set(links "")
  set(before "")
  foreach(word IN LISTS words)
    if(before STREQUAL "-Xlinker" AND word MATCHES "^-")
      list(APPEND links "LINKER:${word}")
    elseif(before STREQUAL "-Xlinker")  # with its value: CMake removes a repeated -rpath
      list(POP_BACK links option)
      list(APPEND links "${option},${word}")
    elseif(before MATCHES "^-(I|isystem)$")
      list(APPEND compile "-I${word}")
    elseif(word MATCHES "^-[ID].")
      list(APPEND compile ${word})
    elseif(word MATCHES "^(-l|-L|-Wl,|-pthread)")
      list(APPEND links ${word})
    endif()
    set(before ${word})
  endforeach()
  set(${out_compile} ${compile} PARENT_SCOPE)
  set(${out_links} ${links} PARENT_SCOPE)
endfunction()

# Determines the family and version by mpi.h, such as "openmpi 5.0". Unnamed derivatives of MPICH
# count as mpich.
function(_family_of compile out_family out_version)
  file(WRITE ${CMAKE_BINARY_DIR}/mpi_family.c
"#include <mpi.h>
#if defined(MPI_ABI)
family abi version MPI_ABI_VERSION.MPI_ABI_SUBVERSION
#elif defined(OPEN_MPI)
family openmpi version OMPI_MAJOR_VERSION.OMPI_MINOR_VERSION
#elif defined(I_MPI_VERSION)
family intelmpi version I_MPI_VERSION
#elif defined(MPICH_VERSION)
family mpich version MPICH_VERSION
#elif defined(MPICH_NAME) || defined(MVAPICH2_VERSION)
family mpich version 0.0
#else
family other version 0.0
#endif
")
  execute_process(COMMAND ${CMAKE_C_COMPILER} -E -P ${compile} ${CMAKE_BINARY_DIR}/mpi_family.c
                  OUTPUT_VARIABLE text ERROR_QUIET)
  string(REGEX REPLACE "[ \"\n]" "" text "${text}")
  if(text MATCHES "family([a-z]+)version([0-9]+\\.?[0-9]*)")
    set(${out_family} "${CMAKE_MATCH_1}" PARENT_SCOPE)
    set(${out_version} "${CMAKE_MATCH_2}" PARENT_SCOPE)
  else()
    set(${out_family} "" PARENT_SCOPE)
  endif()
endfunction()

set(_wrappers "")
if(NOT TOCCATA_MPI MATCHES "^(ON|on|1|TRUE|true|YES|yes)$")
  string(REPLACE " " ";" _wrappers "${TOCCATA_MPI}")
  set(_named TRUE)
else()
  set(_named FALSE)
  foreach(_name mpicc mpicc.openmpi mpicc.mpich)
    find_program(_found_${_name} ${_name} NO_CACHE)
    if(_found_${_name})
      list(APPEND _wrappers ${_found_${_name}})
    endif()
  endforeach()
endif()

string(REPLACE " " ";" _hosts_wrappers "${TOCCATA_HOSTS_MPI}")
set(mpi_families "")
set(hosts_families "")
set(_seen "")
foreach(_path IN LISTS _wrappers _hosts_wrappers)
  set(_families mpi_families)
  if(_path IN_LIST _hosts_wrappers)
    set(_families hosts_families)
  endif()
  find_program(_wrapper ${_path} NO_CACHE)
  if(NOT _wrapper)
    message(FATAL_ERROR "there is no MPI compiler wrapper ${_path}; name one, as /opt/openmpi/bin/mpicc")
  endif()
  get_filename_component(_bin ${_wrapper} DIRECTORY)
  get_filename_component(_prefix ${_bin} DIRECTORY)
  set(_command ${_wrapper})
  if(EXISTS ${_bin}/impi_info AND NOT DEFINED ENV{I_MPI_ROOT})  # without Intel's own script
    set(_command ${CMAKE_COMMAND} -E env I_MPI_ROOT=${_prefix} ${_wrapper})
  endif()
  _read_wrapper("${_command}" _compile _links)
  _family_of("${_compile}" _family _version)
  if(NOT _family)
    if(_named)
      message(FATAL_ERROR "${_wrapper}: cannot compile mpi.h with what `${_wrapper} -show` says")
    endif()
    message(WARNING "${_wrapper}: cannot compile mpi.h; leaving that MPI out")
    unset(_wrapper)
    continue()
  endif()
  set(_key ${_family})
  if(_family IN_LIST mpi_families OR _family IN_LIST hosts_families)
    set(_key ${_family}-${_version})
  endif()
  if("${_family} ${_version}" IN_LIST _seen)  # the same MPI with another name
    if(_named AND _families STREQUAL "mpi_families")
      message(FATAL_ERROR "${_wrapper}: there is a ${_family} ${_version} before it; name one of them")
    endif()
    unset(_wrapper)
    continue()
  endif()
  list(APPEND _seen "${_family} ${_version}")
  list(APPEND ${_families} ${_key})
  set(_includes ${_compile})
  list(FILTER _includes INCLUDE REGEX "^-I")
  list(TRANSFORM _includes REPLACE "^-I" "")
  set(_definitions ${_compile})
  list(FILTER _definitions INCLUDE REGEX "^-D")
  add_library(mpi_${_key} INTERFACE)
  target_include_directories(mpi_${_key} SYSTEM INTERFACE ${_includes})
  target_compile_options(mpi_${_key} INTERFACE ${_definitions})
  set(_options ${_links})
  list(FILTER _options EXCLUDE REGEX "^-l")
  list(FILTER _links EXCLUDE REGEX "^LINKER:")
  if(SKBUILD)  # on other machines, the MPI is in another place
    list(FILTER _options EXCLUDE REGEX "rpath|^-Wl,/")
    list(FILTER _links EXCLUDE REGEX "rpath|^-Wl,/")
  endif()
  target_link_options(mpi_${_key} INTERFACE ${_options})
  target_link_libraries(mpi_${_key} INTERFACE ${_links})
  # Disables the old C++ interfaces of both MPIs, which need another library.
  target_compile_definitions(mpi_${_key} INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)

  # mpicc.openmpi is next to mpiexec.openmpi and mpifort.openmpi.
  foreach(_tool mpiexec mpifort)
    string(REGEX REPLACE "mpicc(_abi)?([^/]*)$" "${_tool}\\2" _path ${_wrapper})
    if(NOT EXISTS ${_path})
      set(_path "")
    endif()
    set_target_properties(mpi_${_key} PROPERTIES toccata_${_tool} "${_path}")
  endforeach()
  set_target_properties(mpi_${_key} PROPERTIES toccata_mpicc "${_command}" toccata_version ${_version})
  message(STATUS "MPI: ${_key}, version ${_version}, by ${_wrapper}")
  unset(_wrapper)
endforeach()
