# find_package(Perdure): tests of a CMake project that perdure judges.
#
#   perdure_add_test(NAME name CHECK|LINT|LOCKSET|LINEAR|EXPLORE
#                    PM pattern... [OPTIONS option...] [BASELINE file] [SUPPRESS file...]
#                    [WORKING_DIRECTORY dir] [SKIP_INCOMPLETE]
#                    COMMAND program|target [argument...])
#
# A ctest of this name that runs `perdure VERB ... program argument...` and fails where perdure's exit status is
# not 0: findings (1), wrong usage (2), incomplete (3), perdure's own failure (4). With SKIP_INCOMPLETE an
# incomplete run counts as skipped. The result is kept in perdure/NAME of the binary directory, with
# result.json in it. The label is `perdure`: ctest -L perdure.
#
#   perdure_instrument(target...)
#
# Compiles and links these targets with perdure cc or perdure c++, whatever the project's compiler is: CHECK,
# LINEAR and EXPLORE need that. (Or build everything with it: cmake -DCMAKE_C_COMPILER=perdure-cc.) EXPLORE also needs
# the option --symbolic: target_compile_options(t PRIVATE --symbolic), target_link_options likewise.

get_filename_component(_perdure_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_program(PERDURE_EXECUTABLE perdure HINTS "${_perdure_prefix}/bin" NO_DEFAULT_PATH)
find_program(PERDURE_EXECUTABLE perdure)
set(PERDURE_LAUNCH "${CMAKE_CURRENT_LIST_DIR}/perdure-launch")

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Perdure REQUIRED_VARS PERDURE_EXECUTABLE)
mark_as_advanced(PERDURE_EXECUTABLE)

if(NOT TARGET Perdure::headers)
  add_library(Perdure::headers INTERFACE IMPORTED)
  set_target_properties(Perdure::headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${_perdure_prefix}/include")
endif()

function(perdure_instrument)
  foreach(target IN LISTS ARGN)
    set_target_properties(${target} PROPERTIES
      C_COMPILER_LAUNCHER "${PERDURE_LAUNCH};${PERDURE_EXECUTABLE};cc"
      CXX_COMPILER_LAUNCHER "${PERDURE_LAUNCH};${PERDURE_EXECUTABLE};c++"
      RULE_LAUNCH_LINK "'${PERDURE_LAUNCH}' '${PERDURE_EXECUTABLE}' link")
  endforeach()
endfunction()

function(perdure_add_test)
  set(verbs CHECK LINT LOCKSET LINEAR EXPLORE)
  cmake_parse_arguments(PARSE_ARGV 0 arg "${verbs};SKIP_INCOMPLETE" "NAME;BASELINE;WORKING_DIRECTORY" "PM;OPTIONS;SUPPRESS;COMMAND")
  set(verb)
  foreach(v IN LISTS verbs)
    if(arg_${v})
      string(TOLOWER ${v} v)
      list(APPEND verb ${v})
    endif()
  endforeach()
  list(LENGTH verb n)
  if(NOT n EQUAL 1 OR NOT arg_NAME OR NOT arg_COMMAND OR NOT arg_PM OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "perdure_add_test(NAME name CHECK|LINT|LOCKSET|LINEAR|EXPLORE PM pattern... COMMAND program...): "
      "one of each is needed; '${arg_UNPARSED_ARGUMENTS}' is not known")
  endif()

  set(out "${CMAKE_CURRENT_BINARY_DIR}/perdure/${arg_NAME}")
  file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/perdure")
  set(line "${PERDURE_EXECUTABLE}" ${verb} --out "${out}")
  foreach(glob IN LISTS arg_PM)
    string(REGEX REPLACE "^'(.*)'$" "\\1" glob "${glob}") # quoted as for a shell: CMake would keep that
    list(APPEND line --pm "${glob}")
  endforeach()
  foreach(file IN LISTS arg_SUPPRESS)
    get_filename_component(file "${file}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    list(APPEND line --suppress "${file}")
  endforeach()
  if(arg_BASELINE)
    get_filename_component(file "${arg_BASELINE}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    list(APPEND line --baseline "${file}")
  endif()
  list(POP_FRONT arg_COMMAND program)
  if(TARGET ${program})
    set(program "$<TARGET_FILE:${program}>")
  endif()
  set(where)
  if(arg_WORKING_DIRECTORY)
    set(where WORKING_DIRECTORY "${arg_WORKING_DIRECTORY}")
  endif()
  add_test(NAME ${arg_NAME} COMMAND ${line} ${arg_OPTIONS} -- ${program} ${arg_COMMAND} ${where})
  set_property(TEST ${arg_NAME} APPEND PROPERTY LABELS perdure)
  if(arg_SKIP_INCOMPLETE)
    set_property(TEST ${arg_NAME} PROPERTY SKIP_RETURN_CODE 3)
  endif()
endfunction()
