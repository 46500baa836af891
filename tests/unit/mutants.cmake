# Mutants of the decisions: unit_tests' decisions_test with a wrong line in one source file, for each
# time of agreement. The simulated ranks must detect it. `make test-long` builds and runs them.

add_custom_target(mutants)
add_library(decisions_test OBJECT EXCLUDE_FROM_ALL deciding/decisions_test.cpp)
target_include_directories(decisions_test PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(decisions_test PRIVATE toccata_core GTest::gtest_main)
target_compile_options(decisions_test PRIVATE -O1)

# The folder again, with an object file per source. The library has one for all of them (src/CMakeLists.txt).
file(GLOB deciding CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/deciding/*.cpp)
add_library(deciding OBJECT EXCLUDE_FROM_ALL ${deciding})
target_link_libraries(deciding PRIVATE toccata_core)
target_compile_options(deciding PRIVATE -O1)

# In src/deciding/FILE, RIGHT is replaced by WRONG; RIGHT must occur exactly once. The object files
# come before the library, whose own is then not linked.
function(mutant name form file right wrong)
  set(source ${PROJECT_SOURCE_DIR}/src/deciding/${file})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(READ ${source} text)
  string(REPLACE "${right}" "${wrong}" mutated "${text}")
  string(REPLACE "${right}" "" without "${text}")
  string(LENGTH "${text}" all)
  string(LENGTH "${without}" rest)
  string(LENGTH "${right}" once)
  math(EXPR times "(${all} - ${rest}) / ${once}")
  if(NOT times EQUAL 1)
    message(FATAL_ERROR "mutants.cmake: ${file} contains '${right}' ${times} times; expected once")
  endif()
  set(program mutant_${name}_${form})
  file(CONFIGURE OUTPUT ${program}.cpp CONTENT "${mutated}" @ONLY)
  add_executable(
    ${program} EXCLUDE_FROM_ALL ${CMAKE_CURRENT_BINARY_DIR}/${program}.cpp $<TARGET_OBJECTS:decisions_test>
                                $<FILTER:$<TARGET_OBJECTS:deciding>,EXCLUDE,/${file}.o$>)
  target_link_libraries(${program} PRIVATE toccata_core GTest::gtest_main)
  target_compile_options(${program} PRIVATE -O1)
  add_dependencies(mutants ${program})
  add_test(NAME ${program} COMMAND ${program} --gtest_filter=*TimesOfAgreement.Follow*/${form}
           CONFIGURATIONS Long)
  set_tests_properties(${program} PROPERTIES LABELS long PASS_REGULAR_EXPRESSION "FAILED  . Decisions/TimesOfAgreement"
                                             TIMEOUT 60)
endfunction()

# No agreement: each rank believes its own times.
set(agrees "!ranks_.agree(ballot, least)")
set(believes "(std::ranges::copy(ballot, least.begin()), false)")
mutant(no_agreement Blocking decision.cpp "${agrees}" "is_open() ? ${agrees} : ${believes}")
mutant(no_agreement Nonblocking decision.cpp "${agrees}" "is_open() ? ${believes} : ${agrees}")
mutant(no_agreement Persistent open_trials.cpp "agreed_.assign(least.begin(), least.end());"
       "agreed_ = trials_->ballot(); agreed_.push_back(least.back());")

# The last call of a trial does not take part.
mutant(one_call_early Blocking trials.cpp "timed_.push_back(call);"
       "timed_.push_back(call); if (timed_.size() + 1 == trial_.size()) timed_.push_back(call);")
foreach(form IN ITEMS Nonblocking Persistent)
  mutant(one_call_early ${form} open_trials.cpp "times_[place] = -1;"
         "times_[place] = -1; if (started_ + 1 == trials_->trial().size()) times_[started_++] = 1;")
endforeach()

# An agreement counts one blocking call later, or one start earlier.
mutant(other_lag Blocking trials.cpp "if (apart_) trial_.push_back(candidate);\n  }"
       "if (apart_) trial_.push_back(candidate);\n  }\n  trial_.push_back(current_);")
mutant(other_lag Nonblocking decisions.cpp "void Decisions::agree() {\n"
       "void Decisions::agree() {\n  static thread_local int calls = 0;\n  if (++calls % 2 == 1) return;\n")
mutant(other_lag Persistent decision.cpp "OpenTrials::starts_while_agreeing :"
       "OpenTrials::starts_while_agreeing - 1 :")
