# Writes registry.cpp from a list of files below SOURCE/algorithms:
# cmake -DFILES=LIST -DSOURCE=src -DOUTPUT=registry.cpp -P registry.cmake
#
# A variable that is not named like its file would leave an undefined symbol in the library. Then
# registry.cpp is one #error instead, which the compiler prints as one line.
file(STRINGS ${FILES} files)
set(declarations "")
set(entries "")
foreach(file IN LISTS files)
  get_filename_component(collective ${file} DIRECTORY)
  get_filename_component(name ${file} NAME_WE)
  file(READ ${SOURCE}/algorithms/${file} text)
  string(REGEX MATCH "extern const Algorithm ${name}[ \n]*[={]" variable "${text}")
  string(REGEX MATCH "namespace (toccata::algorithms::)?${collective} {" namespace "${text}")
  if(NOT variable OR NOT namespace)
    file(WRITE ${OUTPUT} "#error src/algorithms/${file}: define \"extern const Algorithm ${name}\" in \
namespace toccata::algorithms::${collective}: the variable has the name of the file, the namespace that of the folder\n")
    return()
  endif()
  string(APPEND declarations
         "namespace toccata::algorithms::${collective} { extern const Algorithm ${name}; }\n")
  string(APPEND entries "      &algorithms::${collective}::${name},\n")
endforeach()
configure_file(${SOURCE}/writing/registry.cpp.in ${OUTPUT} @ONLY)
