# The build proves all algorithms, and the library chooses only proved ones by itself
# (packaging/prove.cpp). An installation contains no unproved algorithm: if one is not proved,
# `cmake --install` stops before it copies any file.
#
# The file TOCCATA_PROVED contains digests of the proved sources. Builds share it. The digests of this
# version's algorithms are also in packaging/proved.txt (make proofs), so that a first build proves only
# what has changed. The test `proofs` does not read that file.
if(DEFINED ENV{XDG_CACHE_HOME})
  set(proofs $ENV{XDG_CACHE_HOME}/toccata/proofs)
elseif(DEFINED ENV{HOME})
  set(proofs $ENV{HOME}/.cache/toccata/proofs)
else()
  set(proofs ${PROJECT_SOURCE_DIR}/build/proofs)
endif()
set(TOCCATA_PROVED ${proofs} CACHE FILEPATH "File of the digests of algorithms that were proved")
set(known_proofs ${TOCCATA_PROVED}:${PROJECT_SOURCE_DIR}/packaging/proved.txt)
install(CODE "
  execute_process(
    COMMAND $<TARGET_FILE:toccata_prove> check ${known_proofs} ${PROJECT_SOURCE_DIR}/src
    RESULT_VARIABLE unproved OUTPUT_QUIET)
  if(unproved)
    message(FATAL_ERROR \"Toccata installs only algorithms that are proved: correct those, or remove their files\")
  endif()")
add_custom_target(
  proofs
  COMMAND toccata_prove check ${known_proofs} ${PROJECT_SOURCE_DIR}/src
  COMMAND toccata_prove digests ${PROJECT_SOURCE_DIR}/src >${PROJECT_SOURCE_DIR}/packaging/proved.txt
  USES_TERMINAL)
