# Sets HIPCACHE_VERSION. On a tagged commit it is the tag without its "v", after it what `git describe` says
# ("0.1.0-12-g1a2b3c4"). Without a tag, git or a repository (an unpacked archive) it is the project's version.
#
# Git is asked when CMake configures. Client and daemon are built together, so both say the same.
set(HIPCACHE_VERSION ${PROJECT_VERSION})
find_package(Git QUIET)
if(GIT_FOUND AND EXISTS ${PROJECT_SOURCE_DIR}/.git)
  execute_process(
    COMMAND ${GIT_EXECUTABLE} -C ${PROJECT_SOURCE_DIR} describe --tags --match "v[0-9]*" --dirty
    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed AND described MATCHES "^v([0-9].*)$")
    set(HIPCACHE_VERSION ${CMAKE_MATCH_1})
  endif()
endif()
