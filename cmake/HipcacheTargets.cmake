# How every target of the project is made: one set of warnings, one set of sanitizers.

add_library(hipcache_options INTERFACE)
target_include_directories(hipcache_options INTERFACE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
target_compile_options(hipcache_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual>
  # A designated initializer that leaves the rest to its default is what it is there for.
  $<$<COMPILE_LANGUAGE:CXX>:-Wno-missing-field-initializers>
  # g++-12 reports "text" + std::string in optimised builds (GCC bug 105651).
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-restrict>
  $<$<BOOL:${HIPCACHE_WERROR}>:-Werror>)
if(HIPCACHE_SANITIZE)
  target_compile_options(hipcache_options INTERFACE -fsanitize=${HIPCACHE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all
    # g++ warns of its own instrumentation there (in <regex>, for one).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(hipcache_options INTERFACE -fsanitize=${HIPCACHE_SANITIZE})
endif()

# hipcache_library(<folder> SOURCES ... [LINK ...] [PRIVATE_LINK ...]): the static library hipcache_<folder>.
function(hipcache_library folder)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  add_library(hipcache_${folder} STATIC ${ARG_SOURCES})
  target_link_libraries(hipcache_${folder} PUBLIC hipcache_options ${ARG_LINK} PRIVATE ${ARG_PRIVATE_LINK})
endfunction()

# What to build for the sanitizers: tests that need no program of ours but themselves, and those of what runs in threads.
add_custom_target(unit_tests)
add_custom_target(thread_tests)

# hipcache_test(<name> SOURCES ... LINK ... [LABELS ...] [TIMEOUT seconds]): a GoogleTest program, one ctest entry per case.
function(hipcache_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LINK;LABELS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_link_libraries(${name} PRIVATE hipcache_options ${ARG_LINK} GTest::gtest GTest::gmock GTest::gtest_main)
  if(NOT ARG_LABELS STREQUAL "integration")
    add_dependencies(unit_tests ${name})
  endif()
  if(ARG_LABELS STREQUAL "threads")
    add_dependencies(thread_tests ${name})
  endif()
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}")
endfunction()
