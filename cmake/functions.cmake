# Writes the assembly of the first stage (src/preload/first_stage.S): a line per function that a
# library exports.
execute_process(COMMAND ${NM} -D --defined-only -P ${LIBRARY} OUTPUT_VARIABLE symbols
                COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" symbols "${symbols}")
set(lines "#include \"preload/first_stage.S\"\n")
foreach(each IN LISTS symbols)
  if(NOT each MATCHES "^([A-Za-z0-9_]+) [TW] ")
    message(FATAL_ERROR "${LIBRARY} exports more than functions: ${each}")
  endif()
  set(name ${CMAKE_MATCH_1})
  if(NOT name MATCHES "^toccata_stage_")
    string(APPEND lines "function ${name}\n")
  endif()
endforeach()
string(APPEND lines ".section .note.GNU-stack, \"\", %progbits\n")
file(WRITE ${OUTPUT} "${lines}")
