# Programs for other distributions than the one that builds them (HIPCACHE_PORTABLE): a distribution's glibc marks its symbols
# with versions that older ones lack.
#
#   hipcache, hipcache-client     static in every build
#   hipcached, hipcache-archive   static here. They ask no name service, which a static program could not load
#   libhipcache-trace.so          needs libc alone, and here none of its newer versions
#   hipcache-remote               dynamic all the same: it asks name services, and libcurl and OpenSSL get their distribution's
#                                 mends. Where it does not start, shared caches are not used, and the log says so
#
# Off by default: a distribution mends a library for all programs that load it.

# hipcache_portable(<target>): links a program statically.
function(hipcache_portable target)
  if(HIPCACHE_PORTABLE)
    target_link_options(${target} PRIVATE -static)
    set_target_properties(${target} PROPERTIES HIPCACHE_STATIC ON)
  endif()
endfunction()

# hipcache_archive(<variable> <name> <library>): what to link for a library that static and dynamic programs use: in static ones
# its archive.
function(hipcache_archive variable name library)
  set(${variable} ${library} PARENT_SCOPE)
  if(HIPCACHE_PORTABLE)
    find_library(HIPCACHE_ARCHIVE_${name} NAMES lib${name}.a REQUIRED)
    set(${variable} "$<IF:$<BOOL:$<TARGET_PROPERTY:HIPCACHE_STATIC>>,${HIPCACHE_ARCHIVE_${name}},${library}>" PARENT_SCOPE)
  endif()
endfunction()
