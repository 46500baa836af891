# libtoccata.so, which programs preload or link, is a first stage: it loads the library itself,
# libtoccata_mpi.so, when a program first calls MPI. So other programs start without an MPI library.
# The first stage contains assembly for these processors. On others, libtoccata.so is the library.
#
# toccata_whole        followed by a family, the target of the library
# toccata_whole_name   its file's name
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|aarch64|arm64)$")
  set(toccata_whole toccata_whole_)
  set(toccata_whole_name toccata_mpi)
  enable_language(ASM)
else()
  set(toccata_whole toccata_)
  set(toccata_whole_name toccata)
endif()
