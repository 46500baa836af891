# Compiler flags for every target of ours.
add_library(toccata_flags INTERFACE)
target_compile_options(toccata_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Werror=return-type)
if(TOCCATA_SANITIZE)
  target_compile_options(toccata_flags INTERFACE -fsanitize=address,undefined
                                                 -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(toccata_flags INTERFACE -fsanitize=address,undefined)
endif()
if(TOCCATA_FUZZ)
  target_compile_options(toccata_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
