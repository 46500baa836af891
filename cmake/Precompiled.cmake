# precompile(TARGET HEADER...): headers that most sources of the target include are compiled once, which
# saves a quarter of the library's processor time, and half for algorithms. Not with ccache: it cannot store files that use them.
function(precompile target)
  if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
    list(TRANSFORM ARGN REPLACE "^<(.+)>$" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>")
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()
