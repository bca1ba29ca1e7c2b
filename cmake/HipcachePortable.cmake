# Programs for other distributions than the one that builds them (HIPCACHE_PORTABLE): a distribution's glibc marks its symbols
# with versions that older ones lack.
#
#   hipcache, hipcache-client           static in every build
#   hipcached                           static here. It asks no name service, which a static program could not load
#   libhipcache-trace.so                needs libc alone, in every build none of its newer versions
#   hipcache-remote, hipcache-archive   dynamic all the same. The former asks name services. Debian has no archives of all that
#                                       libcurl and libarchive link. Where they do not start, shared caches are not used, which the
#                                       log says, and --export and --import fail
#
# Off by default: the distribution's security updates of shared libraries reach a program that loads them.

# hipcache_portable(<target>): links a program statically.
function(hipcache_portable target)
  if(HIPCACHE_PORTABLE)
    target_link_options(${target} PRIVATE -static)
  endif()
endfunction()
