# Unity builds (HIPCACHE_UNITY): sources that can share a unit are compiled together, which takes a third of the time from
# nothing. cmake/unity_groups.py says which can, anew each time that CMake runs; the code itself is free to name its
# helpers. Off by default: only a build of single sources shows a missing include, and recompiles one file for one edit.
# TESTS: the product's sources are compiled one by one, those of the tests in units.

# hipcache_unity(<target>): groups the C++ sources of the target.
function(hipcache_unity target)
  get_target_property(listed ${target} SOURCES)
  get_target_property(directory ${target} SOURCE_DIR)
  set(sources)
  foreach(source IN LISTS listed)
    if(source MATCHES "\\.cpp$")
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${directory} NORMALIZE)
      list(APPEND sources ${source})
    endif()
  endforeach()
  list(LENGTH sources count)
  if(count LESS 2)
    return()
  endif()
  execute_process(COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/cmake/unity_groups.py ${sources}
    OUTPUT_VARIABLE grouped OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" grouped "${grouped}")
  foreach(line IN LISTS grouped)
    string(REGEX MATCH "^([0-9]+) (.*)$" line "${line}")
    set_source_files_properties(${CMAKE_MATCH_2} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${CMAKE_MATCH_1})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# hipcache_unity_below(<directory>): groups those of every library and program of the directory and below.
function(hipcache_unity_below directory)
  get_property(targets DIRECTORY ${directory} PROPERTY BUILDSYSTEM_TARGETS)
  cmake_path(IS_PREFIX HIPCACHE_TESTS_DIR ${directory} of_tests)
  if(HIPCACHE_UNITY STREQUAL "TESTS" AND NOT of_tests)
    set(targets)
  endif()
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(type MATCHES "STATIC_LIBRARY|EXECUTABLE" AND NOT target MATCHES "_pch$")
      hipcache_unity(${target})
    endif()
  endforeach()
  get_property(below DIRECTORY ${directory} PROPERTY SUBDIRECTORIES)
  foreach(each IN LISTS below)
    hipcache_unity_below(${each})
  endforeach()
endfunction()

if(HIPCACHE_UNITY)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(HIPCACHE_TESTS_DIR ${CMAKE_SOURCE_DIR}/tests)
  hipcache_unity_below(${CMAKE_SOURCE_DIR})
endif()
