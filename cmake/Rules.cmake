# Copies the files rules/*.rules into shipped_rules.cpp, as texts. A new file is a new table.
file(GLOB rule_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/rules/*.rules)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${rule_files})
set(names "")
set(tables "")
foreach(file IN LISTS rule_files)
  get_filename_component(name ${file} NAME_WLE)
  file(READ ${file} text)
  string(APPEND names "\"${name}\", ")
  string(APPEND tables "{R\"rules(${text})rules\", \"rules/${name}.rules\"},\n")
endforeach()
configure_file(${CMAKE_CURRENT_SOURCE_DIR}/choices/shipped_rules.cpp.in
               ${CMAKE_CURRENT_BINARY_DIR}/shipped_rules.cpp @ONLY)
