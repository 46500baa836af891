# The files of the wheel besides the package's Python files: the modules, and below toccata/home the
# library for each MPI, the headers, the models and the licences. It contains no MPI library: our library
# finds the MPI that the program has loaded, or the one in its environment.
set(_home home)
install(TARGETS _core _mpi LIBRARY DESTINATION . COMPONENT wheel)
install(FILES ${CMAKE_BINARY_DIR}/python/toccata/commit.txt
              ${CMAKE_BINARY_DIR}/python/toccata/_core.pyi
        DESTINATION . COMPONENT wheel)
install(FILES docs/references.bib DESTINATION ${_home} COMPONENT wheel)
install(DIRECTORY models platforms DESTINATION ${_home} COMPONENT wheel FILES_MATCHING PATTERN "*.json")
install(DIRECTORY include ${PROJECT_BINARY_DIR}/include DESTINATION ${_home} COMPONENT wheel)
# The hwloc of scripts/hwloc.sh, once for all that is linked with it.
set_target_properties(_core PROPERTIES INSTALL_RPATH "$ORIGIN/${_home}/lib")
if(HWLOC_LIBRARY MATCHES "libtoccata_hwloc[.]so$")
  install(FILES ${HWLOC_LIBRARY} DESTINATION ${_home}/lib COMPONENT wheel)
endif()
add_custom_target(wheel DEPENDS _core_stub _mpi)
foreach(family IN LISTS mpi_families)
  add_dependencies(wheel toccata_${family} toccata_record_${family})
  # hwloc is above; lib of the environment, above site-packages/toccata/home/lib/<family>, contains
  # PyPI's MPIs.
  set(_whole ${toccata_whole}${family})
  set_target_properties(${_whole} toccata_record_${family}
                        PROPERTIES INSTALL_RPATH "$ORIGIN/..:$ORIGIN/../../../../../..")
  # A wheel has no links, so each additional name would be a copy.
  set_property(TARGET toccata_${family} PROPERTY VERSION)
  set_property(TARGET toccata_${family} PROPERTY SOVERSION)
  target_link_options(${_whole} PRIVATE LINKER:--as-needed)
  set(_files toccata_${family} ${_whole} toccata_record_${family})
  list(REMOVE_DUPLICATES _files)
  install(TARGETS ${_files} LIBRARY DESTINATION ${_home}/lib/${family} COMPONENT wheel)
endforeach()
# The licences of linked and compiled libraries.
cmake_path(GET HWLOC_INCLUDE_DIR PARENT_PATH _hwloc)
file(GLOB _nanobind ${nanobind_DIR}/../../nanobind-*.dist-info/licenses/LICENSE)
foreach(_licence IN ITEMS "hwloc ${_hwloc}/COPYING" "nanobind ${_nanobind}"
                          "nlohmann-json /usr/share/doc/nlohmann-json3-dev/copyright")
  string(REGEX MATCH "^([^ ]+) (.*)$" _ "${_licence}")
  if(EXISTS ${CMAKE_MATCH_2})
    install(FILES ${CMAKE_MATCH_2} DESTINATION ${_home}/licences RENAME ${CMAKE_MATCH_1}.txt COMPONENT wheel)
  endif()
endforeach()
