# An installation has no algorithm that is wrong: before it copies anything, `cmake --install` asks
# whether the registry that was built has been proved, and proves it if not (about a minute on two
# cores). What was proved is known by the digest of the objects that schedules and proofs are made of,
# so a registry is proved once; TOCCATA_PROOFS is the folder of these digests. The test `proofs` puts
# them there as well.
#
# As a script: cmake -DOBJECTS=FILE -DPROVE=PROGRAM -DPROOFS=FOLDER -P Proofs.cmake
if(CMAKE_SCRIPT_MODE_FILE)
  file(STRINGS ${OBJECTS} objects)
  set(digests "")
  foreach(object IN LISTS objects)
    file(SHA256 ${object} digest)
    string(APPEND digests "${digest}\n")
  endforeach()
  string(SHA256 digest "${digests}")
  if(EXISTS ${PROOFS}/${digest})
    return()
  endif()
  message(STATUS "Proving all algorithms, once for what was built (about a minute)")
  execute_process(COMMAND ${PROVE} RESULT_VARIABLE code OUTPUT_VARIABLE told ERROR_VARIABLE wrong
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_STRIP_TRAILING_WHITESPACE)
  if(NOT code EQUAL 0)
    message("${wrong}")
    message(FATAL_ERROR "not installed: ${told}; mend them, or remove their files, and build again")
  endif()
  message(STATUS "${told}")
  file(WRITE ${PROOFS}/${digest} "${told}\n")
  return()
endif()

set(TOCCATA_PROOFS ${PROJECT_SOURCE_DIR}/build/proofs
    CACHE PATH "Folder of the digests of registries that were proved")
install(CODE "
  execute_process(
    COMMAND ${CMAKE_COMMAND} -DOBJECTS=${PROJECT_BINARY_DIR}/proved-objects.txt
            -DPROVE=$<TARGET_FILE:toccata_prove> -DPROOFS=${TOCCATA_PROOFS}
            -P ${CMAKE_CURRENT_LIST_FILE}
    RESULT_VARIABLE unproved)
  if(unproved)
    message(FATAL_ERROR \"Toccata installs only algorithms that are proved\")
  endif()")
