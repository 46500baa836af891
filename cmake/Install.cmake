# The files of `make install`: for each MPI lib/toccata/<family>/libtoccata.so, which loads
# libtoccata_mpi.so in the same folder, and libtoccata_record.so; and the same library by pkg-config
# (toccata-<family>) and in CMake (toccata::<family>).
include(CMakePackageConfigHelpers)

install(FILES include/toccata/toccata.h include/toccata/large.h include/toccata/toccata.hpp
              ${PROJECT_BINARY_DIR}/include/toccata/algorithms.hpp
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/toccata)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

file(RELATIVE_PATH prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" prefix_from_pc ${prefix_from_pc})
set(_package ${CMAKE_INSTALL_LIBDIR}/cmake/toccata)
foreach(family IN LISTS mpi_families)
  set_target_properties(toccata_${family} PROPERTIES EXPORT_NAME ${family})
  install(TARGETS toccata_${family} EXPORT toccata
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/toccata/${family})
  if(NOT toccata_whole STREQUAL "toccata_")
    install(TARGETS ${toccata_whole}${family}
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/toccata/${family})
  endif()
  install(TARGETS toccata_record_${family}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/toccata/${family})
  configure_file(cmake/toccata.pc.in toccata-${family}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/toccata-${family}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
if(mpi_families)
  install(EXPORT toccata FILE toccataTargets.cmake NAMESPACE toccata:: DESTINATION ${_package})
  configure_package_config_file(cmake/toccataConfig.cmake.in toccataConfig.cmake
                                INSTALL_DESTINATION ${_package})
  write_basic_package_version_file(toccataConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/toccataConfig.cmake
                ${CMAKE_CURRENT_BINARY_DIR}/toccataConfigVersion.cmake DESTINATION ${_package})
endif()
