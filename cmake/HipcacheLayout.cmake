# Where the programs and the trace library go. They find each other by their places relative to each other, so the build tree
# has the layout of an installed tree, and an installed tree may be moved.
#
#   <bindir>/hipcache                           what users call
#   <sbindir>/update-hipcache-symlinks          makes links named like compilers (cmake/HipcacheInstall.cmake)
#   <libexecdir>/hipcache/hipcached, ...        the helpers, which only hipcache starts
#   <libdir>/hipcache/libhipcache-trace.so      a library of an architecture, so in the multiarch directory
#   <prefix>/lib/hipcache                       links named like compilers, for PATH
#
# Rejected: looking in several places, as for the build tree beside the program. A helper of another version could then be found.

# hipcache_below_prefix(<variable> <name of a directory of GNUInstallDirs>): its path relative to the prefix.
function(hipcache_below_prefix variable name)
  file(RELATIVE_PATH below "${CMAKE_INSTALL_PREFIX}" "${CMAKE_INSTALL_FULL_${name}}")
  if(below STREQUAL "" OR below MATCHES "^\\.\\.(/|$)")
    message(FATAL_ERROR "CMAKE_INSTALL_${name} is ${CMAKE_INSTALL_FULL_${name}}, which is not a directory below "
      "CMAKE_INSTALL_PREFIX, ${CMAKE_INSTALL_PREFIX}")
  endif()
  set(${variable} ${below} PARENT_SCOPE)
endfunction()

hipcache_below_prefix(HIPCACHE_BIN BINDIR)
hipcache_below_prefix(HIPCACHE_SBIN SBINDIR)
hipcache_below_prefix(HIPCACHE_LIBEXEC LIBEXECDIR)
hipcache_below_prefix(HIPCACHE_LIB LIBDIR)
hipcache_below_prefix(HIPCACHE_DATA DATADIR)
hipcache_below_prefix(HIPCACHE_DOC DOCDIR)
hipcache_below_prefix(HIPCACHE_MAN MANDIR)
set(HIPCACHE_HELPERS ${HIPCACHE_LIBEXEC}/hipcache)
set(HIPCACHE_TRACE ${HIPCACHE_LIB}/hipcache)
set(HIPCACHE_LINKS lib/hipcache)

# hipcache_way(<variable> <from> <to>): the relative path from one directory of the tree to another.
function(hipcache_way variable from to)
  file(RELATIVE_PATH way "/${from}" "/${to}")
  set(${variable} ${way} PARENT_SCOPE)
endfunction()

hipcache_way(HIPCACHE_HELPERS_FROM_BIN ${HIPCACHE_BIN} ${HIPCACHE_HELPERS})
hipcache_way(HIPCACHE_BIN_FROM_HELPERS ${HIPCACHE_HELPERS} ${HIPCACHE_BIN})
hipcache_way(HIPCACHE_TRACE_FROM_HELPERS ${HIPCACHE_HELPERS} ${HIPCACHE_TRACE})

# hipcache_installed(<target> <directory>): the target lies there in the build tree and in an installed tree.
function(hipcache_installed target directory)
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${directory} LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${directory})
  install(TARGETS ${target} RUNTIME DESTINATION ${directory} LIBRARY DESTINATION ${directory})
endfunction()
