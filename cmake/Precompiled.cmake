# compile_together(TARGET GROUP FILE...): these files of the target are one translation unit. Most files
# are short and take less time than their headers. Names that only one file uses must differ in a group.
function(compile_together target group)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP ${group})
endfunction()

# compile_folders_together(TARGET FOLDER... [EXCEPT FILE...]): the same for the files of each folder.
function(compile_folders_together target)
  cmake_parse_arguments(PARSE_ARGV 1 named "" "" EXCEPT)
  get_target_property(sources ${target} SOURCES)
  list(REMOVE_ITEM sources ${named_EXCEPT})
  foreach(folder IN LISTS named_UNPARSED_ARGUMENTS)
    set(files ${sources})
    list(FILTER files INCLUDE REGEX "^${folder}/")
    string(MAKE_C_IDENTIFIER ${folder} group)
    compile_together(${target} ${group} ${files})
  endforeach()
endfunction()

# optimize_for_size(TARGET FILE-OR-GROUP...): for code that runs once per process, file or report: -Os
# makes it 30 to 50% smaller. The wheel has six copies of it.
function(optimize_for_size target)
  foreach(each IN LISTS ARGN)
    if(NOT each MATCHES "[.]cpp$")  # the translation unit of a group
      string(MAKE_C_IDENTIFIER ${each} group)
      set(each ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/Unity/unity_${group}_cxx.cxx)
    endif()
    # Precompiled headers are not for -Os, about which GCC would warn for each file.
    set_source_files_properties(${each} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-Os>
                                                   SKIP_PRECOMPILE_HEADERS ON)
  endforeach()
endfunction()

# precompile(TARGET HEADER...): headers that most sources of the target include are compiled once. This
# saves half of the processor time for algorithms, and a quarter for the library. Not with ccache, which
# cannot store such files.
function(precompile target)
  if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
    list(TRANSFORM ARGN REPLACE "^<(.+)>$" "<\\1$<ANGLE-R>")
    list(TRANSFORM ARGN REPLACE "^(.+)$" "$<$<COMPILE_LANGUAGE:CXX>:\\1>")
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()
