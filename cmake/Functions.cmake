# Writes sources from templates, by the functions in src/collectives/functions.txt. In a template,
#
#   //@ define NAME             lines up to `//@ end` are a part with that name
#   //@ each NAME of GROUP ...  the part for each function of a group: collectives, neighbors, waits,
#                               all (the first two), data (all with arguments), sized (collectives
#                               with arguments), sends, ...
#   //@ each NAME of WORD WORD  the part for each of these names
#   //@ use NAME ...            the part once
#   //@ fortran NAME ...        the part once, or `NAME of GROUP` for each function, in the form for
#                               mpi_f08, where {f} is _f08, and under Open MPI in the form for mpif.h
#                               and mpi, where {f} is empty; with the symbols of its functions ours_...
#
# A part may contain these words:
#
#   @name@ @Name@ @NAME@        as in allgather, Allgather, ALLGATHER
#   @collective@ @arity@        the collective; the number of arguments with the communicator
#   @comment@                   the comment of the function
#   @STYLE@                     the arguments in a style of the list below, with a comma after each
#   {WORD}                      the value after `| WORD =` in the line `each` or `use`
#
# cmake/headers.cmake updates the declarations in the public headers.

# A style: how an argument is written, by its kind, or by `any` kind. $ is the argument; {a|b} is a
# for the sent buffer, and b for the received one. A style may begin as a copy of another.
function(_style style from)
  if(from)
    foreach(kind IN LISTS _kinds)
      set(_${style}_${kind} "${_${from}_${kind}}" PARENT_SCOPE)
      set(_${style}_${kind} "${_${from}_${kind}}")
    endforeach()
  endif()
  while(ARGN)
    list(POP_FRONT ARGN kind text)
    foreach(each IN LISTS _kinds)
      if(kind STREQUAL each OR kind STREQUAL any)
        set(_${style}_${each} "${text}" PARENT_SCOPE)
      endif()
    endforeach()
  endwhile()
  set(_styles ${_styles} ${style} PARENT_SCOPE)
endfunction()
set(_kinds buffer count counts places offset offsets type types op root integer integers request
    requests status statuses communicator info numbers weights logical logicals)
set(_styles "")

_style(names "" any "$")
# Parameters in C; those of the forms with the suffix _c; and with handles of any MPI.
_style(c "" buffer "{const |}void* $" count "int $" counts "const int* $" places "const int* $"
       offsets "const MPI_Aint* $" offset "MPI_Aint $" type "MPI_Datatype $"
       types "const MPI_Datatype* $" op "MPI_Op $"
       root "int $" integer "int* $" integers "int* $" request "MPI_Request* $"
       requests "MPI_Request* $" status "MPI_Status* $" statuses "MPI_Status* $")
_style(c_c c count "MPI_Count $" counts "const MPI_Count* $" places "const MPI_Aint* $")
_style(raw c type "Raw<MPI_Datatype> $" op "Raw<MPI_Op> $")
_style(raw_c c_c type "Raw<MPI_Datatype> $" op "Raw<MPI_Op> $")
# The arguments of these as those of our MPI.
_style(cooked names type "(MPI_Datatype)$" op "(MPI_Op)$")
# In the public headers.
_style(public c counts "const int $[]" places "const int $[]" offsets "const MPI_Aint $[]"
       types "const MPI_Datatype $[]")
_style(public_c public count "MPI_Count $" counts "const MPI_Count $[]" places "const MPI_Aint $[]")
# Parameters in Fortran; these as arguments in C; and those of a Signature, without slow conversions.
_style(fortran "" any "const MPI_Fint* $" buffer "void* $" offsets "const MPI_Aint* $"
       offset "const MPI_Aint* $")
_style(from_fortran "" any "$" buffer "c_buffer($)" count "*$" type "c_datatype($)"
       types "c_datatypes($, {c_buffer(sendbuf) == MPI_IN_PLACE ? 0 : peers.out|peers.in}).data()"
       op "c_operation($)" root "*$" offset "*$"
       communicator "c_communicator($)" info "PMPI_Info_f2c(*$)" weights "c_weights($)"
       logical "*$ != 0" logicals "c_logicals($, *ndims).data()")
_style(signature_in_fortran "" any "nullptr" buffer "c_buffer($)" count "*$" counts "$" places "$"
       type "c_datatype($)" op "c_operation($)" root "*$")
_style(addresses "" any "void* $")
# What each neighbour gets: the counts and datatypes of the sent blocks.
_style(edges "" count "{$|}" counts "{$|}" type "{$|}" types "{$|}")
_style(edges_in_fortran "" count "{*$|}" counts "{$|}" type "{c_datatype($)|}" types "{$|}")
# All arguments of a collective, for the recorder; arrays of datatypes are not converted.
_style(called_in_fortran from_fortran types "$")
# Parameters of the functions that make a Signature, and statements that store the arguments.
_style(heard c offsets "const MPI_Aint*" types "const MPI_Datatype*")
_style(heard_c c_c offsets "const MPI_Aint*" types "const MPI_Datatype*")
_style(sign "" buffer "signature.{in|out} = $" count "signature.{sent|received} = $"
       counts "signature.set_width(sizeof(*$)), signature.{sent|received}_counts = $"
       places "signature.{sent|received}_places = $"
       type "signature.{sent_type|received_type} = $" op "signature.operation = $"
       root "signature.set_root($)")
# Statements that store the arguments in an Operation; and the arguments from there.
_style(fill "" buffer "call.{send|recv}.buffer = {const_cast<void*>($)|$}"
       count "call.{send|recv}.count = $" counts "call.{send|recv}.set_counts($)"
       places "call.{send|recv}.set_places($)" offsets "call.{send|recv}.set_places($)"
       type "call.{send|recv}.type = $" types "call.{send|recv}.set_types($)"
       op "call.operation = $" root "call.root = $")
_style(taken "" buffer "call.{send|recv}.buffer" count "static_cast<int>(call.{send|recv}.count)"
       counts "call.{send|recv}.counts.as<int>()" places "call.{send|recv}.places.as<int>()"
       offsets "call.{send|recv}.places.as<MPI_Aint>()" type "call.{send|recv}.type"
       types "call.{send|recv}.types" op "call.operation" root "call.root")
_style(taken_c taken count "call.{send|recv}.count" counts "call.{send|recv}.counts.as<MPI_Count>()"
       places "call.{send|recv}.places.as<MPI_Aint>()")

# The kind of an argument, by its name.
set(_kind_of_sendbuf buffer)
foreach(_pair IN ITEMS
        buffer=sendbuf,compared,recvbuf,buffer count=sendcount,recvcount,targetcount,count,number
        counts=sendcounts,recvcounts places=displs,sdispls,rdispls offset=offset
        count=ndims,nnodes,nodes,indegree,outdegree numbers=dims,edges,sources,degrees,destinations
        weights=weights,sourceweights,destweights communicator=comm info=info logical=reorder
        logicals=periods
        type=sendtype,recvtype,targettype,datatype types=sendtypes,recvtypes op=op
        root=root,dest,source,target,tag,sendtag,recvtag integer=flag,index,ended integers=indices
        request=request requests=requests status=status statuses=statuses)
  string(REGEX MATCHALL "[a-z]+" _names "${_pair}")
  list(POP_FRONT _names _kind)
  foreach(_name IN LISTS _names)
    set(_kind_of_${_name} ${_kind})
  endforeach()
endforeach()

# The arguments of a row, in each style: <name>_<style>.
function(_add_row name arguments)
  foreach(style IN LISTS _styles)
    set(text "")
    set(side send)
    foreach(argument IN LISTS arguments)
      string(REPLACE ":" ";" parts ${argument})
      list(GET parts 0 word)
      list(GET parts -1 kind)
      if(kind STREQUAL word)
        set(kind ${_kind_of_${word}})
      endif()
      if(NOT kind IN_LIST _kinds)
        message(FATAL_ERROR "functions.txt: ${name}: no kind of argument is named ${argument}")
      endif()
      if(kind STREQUAL buffer AND NOT word MATCHES "^(sendbuf|compared)$")
        set(side recv)
      endif()
      set(pattern "${_${style}_${kind}}")
      if(side STREQUAL send)
        string(REGEX REPLACE "{([^{|]*)[|]([^}]*)}" "\\1" pattern "${pattern}")
      else()
        string(REGEX REPLACE "{([^{|]*)[|]([^}]*)}" "\\2" pattern "${pattern}")
      endif()
      string(REPLACE "$" "${word}" pattern "${pattern}")
      if(pattern AND style MATCHES "^(sign|fill)$")
        string(APPEND text "  ${pattern}@semicolon@\n")
      elseif(pattern)
        string(APPEND text "${pattern}, ")
      endif()
    endforeach()
    set(${name}_${style} "${text}" PARENT_SCOPE)
  endforeach()
endfunction()

set(_functions_file ${CMAKE_CURRENT_LIST_DIR}/../src/collectives/functions.txt)
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${_functions_file})
endif()
file(STRINGS ${_functions_file} _rows)
set(_comment "")
foreach(_row IN LISTS _rows)
  if(_row MATCHES "^/// (.*)")
    string(APPEND _comment "// ${CMAKE_MATCH_1}\n")
    continue()
  endif()
  string(REGEX MATCHALL "^#.*|[^ ]+" _words "${_row}")
  list(LENGTH _words _length)
  if(_row MATCHES "^(#|$)")
    continue()
  elseif(_length EQUAL 1)
    set(_group ${_row})
    continue()
  endif()
  list(POP_FRONT _words _name _collective)
  _add_row(${_name} "${_words}")
  set(${_name}_arguments "${_words}")
  set(${_name}_comment "${_comment}")
  set(_comment "")
  set(${_name}_collective ${_collective})
  list(LENGTH _words _length)
  math(EXPR ${_name}_arity "${_length} + 1")
  list(APPEND functions_${_group} ${_name})
endforeach()
set(functions_all ${functions_collectives} ${functions_neighbors})
set(functions_data "")
set(functions_sized "")
foreach(_name IN LISTS functions_all)
  if(${_name}_arguments)
    list(APPEND functions_data ${_name})
    if(_name IN_LIST functions_collectives)
      list(APPEND functions_sized ${_name})
    endif()
  endif()
endforeach()

# Breaks lines of more than 100 columns after a comma.
function(wrap_lines out text)
  foreach(pair IN ITEMS "\\=@backslash@" "[=@open@" "]=@close@")
    string(SUBSTRING "${pair}" 0 1 character)
    string(SUBSTRING "${pair}" 2 -1 word)
    string(REPLACE "${character}" "${word}" text "${text}")
  endforeach()
  string(REPLACE ";" "@semicolon@" text "${text}")
  string(REPLACE "\n" ";" lines "${text}")
  set(result "")
  foreach(line IN LISTS lines)
    string(REPLACE "@semicolon@" ";" line "${line}")
    string(REPLACE "@open@" "[" line "${line}")
    string(REPLACE "@close@" "]" line "${line}")
    string(REPLACE "@backslash@" "\\" line "${line}")
    string(REGEX REPLACE "[^ ].*" "" indent "${line}")
    string(LENGTH "${line}" length)
    while(length GREATER 100 AND NOT line MATCHES "^ *(//|#)")
      string(SUBSTRING "${line}" 0 100 part)
      string(FIND "${part}," ", " at REVERSE)
      if(at LESS 0)
        break()
      endif()
      math(EXPR after "${at} + 2")
      string(SUBSTRING "${line}" 0 ${at} part)
      string(SUBSTRING "${line}" ${after} -1 rest)
      string(APPEND result "${part},\n")
      set(line "${indent}    ${rest}")
      string(LENGTH "${line}" length)
    endwhile()
    string(APPEND result "${line}\n")
  endforeach()
  string(REGEX REPLACE "\n$" "" result "${result}")
  set(${out} "${result}" PARENT_SCOPE)
endfunction()

# The text of a part for a function.
function(expand_function out text name)
  foreach(style IN LISTS _styles ITEMS collective arity comment)
    string(REPLACE "@${style}@" "${${name}_${style}}" text "${text}")
  endforeach()
  string(TOUPPER "${name}" upper)
  string(SUBSTRING "${upper}" 0 1 first)
  string(SUBSTRING "${name}" 1 -1 rest)
  string(REPLACE ", )" ")" text "${text}")  # without a communicator, there is no last argument
  string(REPLACE "@name@" "${name}" text "${text}")
  string(REPLACE "@Name@" "${first}${rest}" text "${text}")
  string(REPLACE "@NAME@" "${upper}" text "${text}")
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

# The text of a part in Fortran, with the symbols of its functions. Compilers give one of four names
# to a Fortran function in mpif.h and mpi, and one in mpi_f08.
function(_add_symbols out text f mpi)
  string(REGEX MATCHALL "static void ours_[a-z0-9_]+\\(" functions "${text}")
  set(result "extern \"C\" {\n${text}}\n")
  foreach(each IN LISTS functions)
    string(REGEX REPLACE "^static void ours_(.*)\\($" "\\1" name "${each}")
    if(f)
      set(symbols ${mpi}_${name}_)
    else()
      string(TOUPPER "${mpi}_${name}" upper)
      set(symbols ${mpi}_${name} ${mpi}_${name}_ ${mpi}_${name}__ ${upper})
    endif()
    foreach(symbol IN LISTS symbols)
      string(APPEND result "extern \"C\" TOCCATA_PUBLIC decltype(ours_${name}) ${symbol} "
             "__attribute__((alias(\"ours_${name}\")))@semicolon@\n")
    endforeach()
  endforeach()
  set(${out} "${result}" PARENT_SCOPE)
endfunction()

# Writes a source from a template.
function(write_functions template output)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${template})
  file(READ ${template} text)
  string(REPLACE ";" "@semicolon@" text "${text}")
  cmake_path(RELATIVE_PATH template BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE where)
  set(result "// Generated from ${where} and src/collectives/functions.txt.\n")
  while(text MATCHES "//@ (define|each|use|fortran) ([^\n]*)\n")
    set(what ${CMAKE_MATCH_1})
    string(REPLACE "|" ";" words "${CMAKE_MATCH_2}")
    string(FIND "${text}" "//@ " at)
    string(SUBSTRING "${text}" 0 ${at} before)
    string(APPEND result "${before}")
    string(LENGTH "//@ ${what} ${CMAKE_MATCH_2}\n" length)
    math(EXPR at "${at} + ${length}")
    string(SUBSTRING "${text}" ${at} -1 text)
    list(POP_FRONT words first)
    string(REGEX MATCHALL "[^ ]+" first "${first}")
    list(GET first 0 part)
    if(what STREQUAL define)
      string(FIND "${text}" "//@ end\n" at)
      string(SUBSTRING "${text}" 0 ${at} part_${part})
      math(EXPR at "${at} + 8")
      string(SUBSTRING "${text}" ${at} -1 text)
      continue()
    endif()
    set(piece "${part_${part}}")
    set(mpi mpi)
    foreach(word IN LISTS words)
      string(REGEX MATCH "^ *([A-Za-z_]+) *= ?(.*[^ ])? *$" _ "${word}")
      set(key ${CMAKE_MATCH_1})
      string(REGEX REPLACE ",$" ", " value "${CMAKE_MATCH_2}")
      string(REPLACE "{${key}}" "${value}" piece "${piece}")
      if(key STREQUAL mpi)
        set(mpi ${value})
      endif()
    endforeach()
    if(what STREQUAL use)
      string(APPEND result "${piece}")
      continue()
    endif()
    list(LENGTH first length)
    set(names once)
    if(length GREATER 2)
      list(SUBLIST first 2 -1 names)
      list(GET names 0 group)
      if(DEFINED functions_${group})
        set(names ${functions_${group}})
      endif()
    endif()
    if(what STREQUAL fortran)
      foreach(f IN ITEMS _f08 "")
        string(REPLACE "{f}" "${f}" form "${piece}")
        set(forms "")
        foreach(name IN LISTS names)
          expand_function(expanded "${form}" ${name})
          _add_symbols(expanded "${expanded}" "${f}" ${mpi})
          string(APPEND forms "${expanded}")
        endforeach()
        if(f)
          string(APPEND result "${forms}")
        else()
          string(APPEND result "#ifdef OPEN_MPI\n${forms}#endif\n")
        endif()
      endforeach()
      continue()
    endif()
    foreach(name IN LISTS names)
      expand_function(expanded "${piece}" ${name})
      string(APPEND result "${expanded}")
    endforeach()
  endwhile()
  string(APPEND result "${text}")
  string(REPLACE "@semicolon@" ";" result "${result}")
  wrap_lines(result "${result}")
  file(CONFIGURE OUTPUT ${output} CONTENT "${result}" @ONLY)
endfunction()
