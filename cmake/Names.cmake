# Writes include/toccata/algorithms.hpp in the build folder. For each function of toccata.h, it
# contains the names of the algorithms that serve it, from the list `algorithm_files`.
set(_text "// The names of the algorithms, for toccata.hpp; written by cmake/Names.cmake.
#ifndef TOCCATA_ALGORITHMS_HPP
#define TOCCATA_ALGORITHMS_HPP

#include <string_view>

namespace toccata::names {

")
set(_collectives "")
foreach(_file IN LISTS algorithm_files)
  get_filename_component(_collective ${_file} DIRECTORY)
  get_filename_component(_collective ${_collective} NAME)
  get_filename_component(_name ${_file} NAME_WE)
  list(APPEND _collectives ${_collective})
  string(APPEND _names_${_collective} "      \"${_name}\",\n")
endforeach()
list(REMOVE_DUPLICATES _collectives)
foreach(_collective IN LISTS _collectives)
  string(APPEND _text "struct ${_collective} {\n  static constexpr std::string_view all[]{\n${_names_${_collective}}  };\n};\n")
endforeach()
# Some functions have the algorithms of another collective: allgatherv those of allgather.
foreach(_function IN LISTS functions_all)
  if(NOT _function IN_LIST _collectives)
    string(REGEX REPLACE "[vw]$" "" _collective ${${_function}_collective})
    string(APPEND _text "using ${_function} = ${_collective};\n")
  endif()
endforeach()
string(APPEND _text "\n}  // namespace toccata::names\n\n#endif  // TOCCATA_ALGORITHMS_HPP\n")
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/include/toccata/algorithms.hpp CONTENT "${_text}" @ONLY)
