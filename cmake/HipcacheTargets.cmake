# How every target of the project is made: one set of warnings, one set of sanitizers.

add_library(hipcache_options INTERFACE)
target_include_directories(hipcache_options INTERFACE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
target_compile_options(hipcache_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual>
  # A designated initializer that leaves the rest to its default is what it is there for.
  $<$<COMPILE_LANGUAGE:CXX>:-Wno-missing-field-initializers>
  # g++-12 reports "text" + std::string in optimised builds (GCC bug 105651).
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-restrict>
  # libstdc++ 12's own std::stable_sort calls what C++17 deprecates, and clang does not see that it may.
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:Clang>>:-Wno-deprecated-declarations>
  # A unit includes its sources, so g++ takes their unnamed namespaces for a header's.
  $<$<AND:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>,$<COMPILE_LANG_AND_ID:CXX,GNU>>:-Wno-subobject-linkage>
  $<$<BOOL:${HIPCACHE_WERROR}>:-Werror>)
# What is packaged is the same, bit by bit, wherever it was built: debug information and assertions name files of the source
# tree. A Release build has neither. A Debug build keeps the names that debuggers find.
set(HIPCACHE_PREFIX_MAP)
if(NOT HIPCACHE_SANITIZE)
  foreach(map IN ITEMS ${CMAKE_SOURCE_DIR}=. ${CMAKE_BINARY_DIR}=./build)
    list(APPEND HIPCACHE_PREFIX_MAP "$<$<CONFIG:None,RelWithDebInfo,MinSizeRel>:-ffile-prefix-map=${map}>")
  endforeach()
endif()
target_compile_options(hipcache_options INTERFACE ${HIPCACHE_PREFIX_MAP})
if(HIPCACHE_SANITIZE)
  target_compile_options(hipcache_options INTERFACE -fsanitize=${HIPCACHE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all
    # g++ warns of its own instrumentation there (in <regex>, for one).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(hipcache_options INTERFACE -fsanitize=${HIPCACHE_SANITIZE})
endif()

# Tests run once per build, most of the time in other programs.
set(HIPCACHE_TEST_OPTIONS $<$<CONFIG:Release>:-O0>)

# Headers that nearly every file includes, compiled once for the tests, and by clang once for the product. g++ warns of
# libstdc++ where it is precompiled and optimised. A product of single sources goes without: it shows missing includes.
set(HIPCACHE_PRECOMPILED)
if(HIPCACHE_PCH)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/pch/empty.cpp CONTENT "")  # written once, or all is built again
  set(standard <algorithm> <array> <atomic> <chrono> <cstdint> <functional> <map> <memory> <mutex>
    <optional> <set> <string> <string_view> <thread> <unordered_map> <utility> <variant> <vector>)
  if(HIPCACHE_UNITY AND NOT HIPCACHE_UNITY STREQUAL "TESTS" AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    list(APPEND HIPCACHE_PRECOMPILED product)
  endif()
  if(HIPCACHE_TESTS)
    list(APPEND HIPCACHE_PRECOMPILED tests)
  endif()
  foreach(part IN LISTS HIPCACHE_PRECOMPILED)
    add_library(hipcache_${part}_pch STATIC ${CMAKE_BINARY_DIR}/pch/empty.cpp)
    target_link_libraries(hipcache_${part}_pch PRIVATE hipcache_options)
    target_precompile_headers(hipcache_${part}_pch PRIVATE ${standard})
  endforeach()
  if(HIPCACHE_TESTS)
    target_precompile_headers(hipcache_tests_pch PRIVATE <filesystem> <fstream> <gmock/gmock.h> <gtest/gtest.h>)
    target_link_libraries(hipcache_tests_pch PRIVATE GTest::gtest GTest::gmock)  # their definitions belong to them
    target_compile_options(hipcache_tests_pch PRIVATE ${HIPCACHE_TEST_OPTIONS})  # and so do the options of those who use it
  endif()
endif()

# hipcache_precompiled(<target> product|tests): a target of C++ sources takes those headers, where they are precompiled.
function(hipcache_precompiled target part)
  if(part IN_LIST HIPCACHE_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM hipcache_${part}_pch)
  endif()
endfunction()

# hipcache_library(<folder> SOURCES ... [LINK ...] [PRIVATE_LINK ...] [BY_HAND]): the static library hipcache_<folder>.
# BY_HAND: it runs when somebody asks, not for each compile, and is JSON and formatted text, so templates. -O1 takes two
# thirds of the time of -O2 there.
function(hipcache_library folder)
  cmake_parse_arguments(ARG "BY_HAND" "" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  add_library(hipcache_${folder} STATIC ${ARG_SOURCES})
  target_link_libraries(hipcache_${folder} PUBLIC hipcache_options ${ARG_LINK} PRIVATE ${ARG_PRIVATE_LINK})
  if(ARG_BY_HAND AND CMAKE_CXX_FLAGS_RELEASE MATCHES "-O[23]")
    target_compile_options(hipcache_${folder} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  if(NOT "${ARG_SOURCES}" MATCHES "\\.c(;|$)")
    hipcache_precompiled(hipcache_${folder} product)
  endif()
endfunction()

# What to build for each run of the tests (tools/test): under the sanitizers all that start no compiler through the cache,
# and those of what runs in threads; in the release build those that the sanitizers leave out.
add_custom_target(unit_tests)
add_custom_target(thread_tests)
add_custom_target(release_tests)
add_custom_target(quick_tests)

# The longest tests start first (COST), or a run's end waits for one of them beside idle processors. In a tree that has run
# its tests before, ctest knows how long the others take.
set(HIPCACHE_LONG_TEST COST 1000)

# When a test that hangs ends, in seconds: many times what the slowest takes, because a machine may be busy.
set(HIPCACHE_TEST_LIMIT 900)

# hipcache_test(<name> SOURCES ... LINK ... [LABELS label] [SHARDS n] [ISOLATED] [QUICK] [LONG]): a GoogleTest
# program. The label says where it runs: unit (the default) and threads under sanitizers, compiler, integration and release
# in the release build. The former are one ctest entry for each of n shards: a sanitized program takes longer to start than
# most cases. The latter, and what is ISOLATED, are one entry for each case, with processes and a cache of its own. So is
# everything under the thread sanitizer, which does not bear a fork beside the threads that RocksDB leaves behind a case.
# QUICK: tools/test --quick builds it. LONG: some of its cases are among the longest.
function(hipcache_test name)
  cmake_parse_arguments(ARG "ISOLATED;QUICK;LONG" "LABELS;SHARDS" "SOURCES;LINK" ${ARGN})
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_link_libraries(${name} PRIVATE hipcache_options ${ARG_LINK} GTest::gtest GTest::gmock GTest::gtest_main)
  hipcache_precompiled(${name} tests)
  if(ARG_QUICK)
    add_dependencies(quick_tests ${name})
  endif()
  if(ARG_LABELS MATCHES "unit|threads")
    add_dependencies(unit_tests ${name})
  else()
    add_dependencies(release_tests ${name})
  endif()
  if(ARG_LABELS MATCHES "unit|threads" AND NOT ARG_ISOLATED AND NOT HIPCACHE_SANITIZE MATCHES "thread")
    hipcache_sharded_test(${name} "${ARG_SHARDS}" LABELS ${ARG_LABELS})
  else()
    if(ARG_LONG)
      set(cost ${HIPCACHE_LONG_TEST})
    endif()
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60
      PROPERTIES TIMEOUT ${HIPCACHE_TEST_LIMIT} LABELS "${ARG_LABELS}" ${cost})
  endif()
  if(ARG_LABELS STREQUAL "threads")
    add_dependencies(thread_tests ${name})
  endif()
endfunction()

# hipcache_sharded_test(<name> <n> <property> <value> ...): ctest entries that share the program's cases.
function(hipcache_sharded_test name shards)
  if(NOT shards)
    set(shards 1)
  endif()
  math(EXPR last "${shards} - 1")
  foreach(shard RANGE ${last})
    set(entry ${name})
    if(shards GREATER 1)
      math(EXPR number "${shard} + 1")
      set(entry ${name}.${number}_of_${shards})
    endif()
    add_test(NAME ${entry} COMMAND ${name} --gtest_brief=1)
    set_tests_properties(${entry} PROPERTIES TIMEOUT ${HIPCACHE_TEST_LIMIT} ${ARGN}
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${shards};GTEST_SHARD_INDEX=${shard}")
  endforeach()
endfunction()
