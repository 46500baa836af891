# Compares the declarations in the public headers with src/collectives/functions.txt:
#
#   cmake -P cmake/headers.cmake                  fails if they differ; spaces do not count
#   cmake -DUPDATE=ON -P cmake/headers.cmake      writes them (`make headers`, which also formats)
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/Functions.cmake)
set(headers ${CMAKE_CURRENT_LIST_DIR}/../include/toccata)

# The text between `begin` and `end` in a header is `text` for each function of a group.
function(declare header begin end group text)
  set(new "")
  foreach(name IN LISTS functions_${group})
    expand_function(one "${text}" ${name})
    string(APPEND new "${one}\n")
  endforeach()
  string(REGEX REPLACE "\n$" "" new "${new}")
  wrap_lines(new "${new}")
  file(READ ${headers}/${header} all)
  string(FIND "${all}" "${begin}" at)
  if(at LESS 0)
    message(FATAL_ERROR "include/toccata/${header} does not contain: ${begin}")
  endif()
  string(LENGTH "${begin}" length)
  math(EXPR at "${at} + ${length}")
  string(SUBSTRING "${all}" 0 ${at} before)
  string(SUBSTRING "${all}" ${at} -1 rest)
  string(FIND "${rest}" "${end}" at)
  string(SUBSTRING "${rest}" 0 ${at} old)
  string(SUBSTRING "${rest}" ${at} -1 after)
  foreach(each IN ITEMS old new)
    string(REGEX REPLACE "[ \n]" "" plain_${each} "${${each}}")
  endforeach()
  if(plain_old STREQUAL plain_new)
    return()
  elseif(UPDATE)
    file(WRITE ${headers}/${header} "${before}${new}${after}")
  else()
    message(SEND_ERROR "include/toccata/${header} differs from src/collectives/functions.txt: "
                       "run `make headers`")
  endif()
endfunction()

set(tail "const char* algorithm")
set(request "${tail}, toccata_request* request")
set(blocking "TOCCATA_PUBLIC int toccata_@name@(@public@MPI_Comm comm, ${tail});")
set(nonblocking "TOCCATA_PUBLIC int toccata_i@name@(@public@MPI_Comm comm, ${request});")
set(persistent
    "TOCCATA_PUBLIC int toccata_@name@_init(@public@MPI_Comm comm, MPI_Info info, ${request});")
declare(toccata.h "/* Blocking. [MPI 4.0, section 6.7] */\n" "\n\n" collectives "${blocking}")
declare(toccata.h "[MPI 4.0, section 8.6] */\n" "\n\n" neighbors "${blocking}")
declare(toccata.h "[MPI 4.0, section 6.12] */\n" "\n\n" all "${nonblocking}")
declare(toccata.h "[MPI 4.0, section 6.13] */\n" "\n\n" all "${persistent}")
foreach(form IN ITEMS blocking nonblocking persistent)
  string(REGEX REPLACE "([a-z@])[(]@public@" "\\1_c(@public_c@" large "${${form}}")
  string(SUBSTRING ${form} 0 1 first)
  string(SUBSTRING ${form} 1 -1 rest)
  string(TOUPPER ${first} first)
  declare(large.h "/* ${first}${rest}. */\n" "\n\n" data "${large}")
endforeach()

# In C++, counts and datatypes follow from the buffers, and the parameters are templates, except
# where each block has its own datatype.
_style(template "" buffer "typename {Send|Recv}" counts "typename {SendCounts|RecvCounts}"
       places "typename {SendPlaces|RecvPlaces}" op "typename Operation")
_style(parameters "" buffer "{Send|Recv}&& {send|recv}" counts "{SendCounts|RecvCounts}&& $"
       places "{SendPlaces|RecvPlaces}&& $" op "const Operation& op" root "int root")
_style(passed "" buffer "std::forward<{Send|Recv}>({send|recv})"
       counts "std::forward<{SendCounts|RecvCounts}>($)"
       places "std::forward<{SendPlaces|RecvPlaces}>($)" op "op" root "root")
_style(typed_template "")
_style(typed_parameters "" buffer "{const |}void* {send|recv}" counts "std::span<const int> $"
       places "std::span<const int> $" offsets "std::span<const MPI_Aint> $"
       types "std::span<const MPI_Datatype> $")
_style(typed_passed "" buffer "{send|recv}" counts "$" places "$" offsets "$" types "$")
set(forms "")
foreach(form IN ITEMS @name@=blocking i@name@=nonblocking @name@_init=persistent)
  string(REPLACE "=" ";" form ${form})
  list(GET form 0 function)
  list(GET form 1 form)
  string(APPEND forms "@template@inline auto ${function}(@parameters@const Communicator& comm, "
         "Algorithm<names::@name@> algorithm = {}) {\n"
         "  return detail::@name@<detail::Form::${form}>(algorithm.text(), comm@passed@);\n}\n")
endforeach()
foreach(name IN LISTS functions_all)
  _add_row(${name} "${${name}_arguments}")
  if(${name}_arguments MATCHES "types")
    foreach(style IN ITEMS template parameters passed)
      set(${name}_${style} "${${name}_typed_${style}}")
    endforeach()
  endif()
  if(${name}_template)
    string(REGEX REPLACE "^(.*), $" "template <\\1>\n" ${name}_template "${${name}_template}")
  endif()
  string(REGEX REPLACE "^(.*), $" ", \\1" ${name}_passed "${${name}_passed}")
endforeach()
declare(toccata.hpp "// and name_init() returns a persistent Request.\n" "\n}  // namespace toccata\n\n#endif"
        all "\n@comment@${forms}")
