# What an installed tree has beside the programs and the trace library (cmake/HipcacheLayout.cmake). Like these it lies in the
# build tree as it will be installed. install/manifest.txt lists every file.
include(CMakePackageConfigHelpers)

# find_package(hipcache). Of no architecture, so below share: CMake finds it there before a project has a language, too.
set(package ${HIPCACHE_DATA}/cmake/hipcache)
configure_package_config_file(install/hipcache-config.cmake.in ${CMAKE_BINARY_DIR}/${package}/hipcache-config.cmake
  INSTALL_DESTINATION ${package} PATH_VARS HIPCACHE_BIN NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
string(REGEX MATCH "^[0-9.]+" number ${HIPCACHE_VERSION})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/${package}/hipcache-config-version.cmake
  VERSION ${number} COMPATIBILITY SameMajorVersion ARCH_INDEPENDENT)
install(FILES ${CMAKE_BINARY_DIR}/${package}/hipcache-config.cmake ${CMAKE_BINARY_DIR}/${package}/hipcache-config-version.cmake
  DESTINATION ${package})

# A ROCm root for CMake's language HIP on Debian, which keeps its files where CMake does not look.
install(PROGRAMS fixtures/hip-root/make DESTINATION ${package}/hip-root)
install(FILES fixtures/hip-root/hip-lang-config.cmake.in fixtures/hip-root/toolchain.cmake.in DESTINATION ${package}/hip-root)

# Makes the links named like compilers: which ones, the machine decides where hipcache is used.
hipcache_way(HIPCACHE_BIN_FROM_SBIN ${HIPCACHE_SBIN} ${HIPCACHE_BIN})
hipcache_way(HIPCACHE_LINKS_FROM_SBIN ${HIPCACHE_SBIN} ${HIPCACHE_LINKS})
set(script ${CMAKE_BINARY_DIR}/${HIPCACHE_SBIN}/update-hipcache-symlinks)
configure_file(install/update-hipcache-symlinks.in ${script} @ONLY
  FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
install(PROGRAMS ${script} DESTINATION ${HIPCACHE_SBIN})
set(page ${CMAKE_BINARY_DIR}/${HIPCACHE_MAN}/man8/update-hipcache-symlinks.8)
configure_file(install/update-hipcache-symlinks.8.in ${page} @ONLY)
install(FILES ${page} DESTINATION ${HIPCACHE_MAN}/man8)

# The man page and the completions of shells are the program's own words (src/cli/options/generate.cpp). The build of another system's
# programs cannot run them, and goes without.
if(NOT CMAKE_CROSSCOMPILING)
  set(texts)
  foreach(text IN ITEMS man:${HIPCACHE_MAN}/man1/hipcache.1 bash:${HIPCACHE_DATA}/bash-completion/completions/hipcache
      zsh:${HIPCACHE_DATA}/zsh/site-functions/_hipcache fish:${HIPCACHE_DATA}/fish/vendor_completions.d/hipcache.fish)
    string(REGEX MATCH "^(.*):(.*)/([^/]*)$" text ${text})
    set(kind ${CMAKE_MATCH_1})
    set(directory ${CMAKE_MATCH_2})
    set(file ${CMAKE_BINARY_DIR}/${directory}/${CMAKE_MATCH_3})
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/${directory})
    add_custom_command(OUTPUT ${file} COMMAND hipcache-client --generate ${kind} > ${file} DEPENDS hipcache-client VERBATIM)
    install(FILES ${file} DESTINATION ${directory})
    list(APPEND texts ${file})
  endforeach()
  add_custom_target(hipcache_texts ALL DEPENDS ${texts})
  add_dependencies(hipcache hipcache_texts)  # to be installed, whichever targets were built
endif()

# The programs contain libraries whose licences ask for this.
install(FILES LICENSE THIRD-PARTY.md DESTINATION ${HIPCACHE_DOC})
