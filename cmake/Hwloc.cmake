# hwloc, which describes the inside of a node, as the target hwloc.
find_path(HWLOC_INCLUDE_DIR hwloc.h)
find_library(HWLOC_LIBRARY hwloc)
mark_as_advanced(HWLOC_INCLUDE_DIR HWLOC_LIBRARY)
if(NOT HWLOC_INCLUDE_DIR OR NOT HWLOC_LIBRARY)
  message(FATAL_ERROR "hwloc is missing: install libhwloc-dev (hwloc-devel), or run scripts/setup.sh; "
                      "where it is elsewhere, -DCMAKE_PREFIX_PATH=DIR names it.")
endif()
add_library(hwloc INTERFACE)
target_include_directories(hwloc SYSTEM INTERFACE ${HWLOC_INCLUDE_DIR})
target_link_libraries(hwloc INTERFACE ${HWLOC_LIBRARY})
if(HWLOC_LIBRARY MATCHES "\\.a$")  # its symbols are hidden: the MPI may have loaded another version
  target_link_libraries(hwloc INTERFACE m)
  target_link_options(hwloc INTERFACE LINKER:--exclude-libs,libhwloc.a)
endif()
