# Programs for other distributions than the one that builds them (HIPCACHE_PORTABLE): a distribution's glibc marks its symbols
# with versions that older ones lack.
#
#   hipcache, hipcache-client           static in every build
#   hipcached                           static here. It asks no name service, which a static program could not load
#   libhipcache-trace.so                needs libc alone, in every build none of its newer versions; here also libdl, which
#                                       glibc had dlsym in until 2.34
#   hipcache-remote                     needs glibc alone here, from 2.17 on: name services are its modules. It is linked with
#                                       stubs of the old glibc (portable/glibc_stubs.py), all other libraries are static.
#                                       libcurl is the project's own build of Debian's sources, which has HTTP, TLS and proxies:
#                                       the archive that Debian has needs Kerberos and LDAP, of which it has no archives
#
# Off by default: the distribution's security updates of shared libraries reach a program that loads them.

set(HIPCACHE_OLDEST_GLIBC 2.17)
if(HIPCACHE_PORTABLE)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(HIPCACHE_OLD_GLIBC ${CMAKE_BINARY_DIR}/glibc-${HIPCACHE_OLDEST_GLIBC})
  execute_process(COMMAND_ERROR_IS_FATAL ANY
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/cmake/portable/glibc_stubs.py ${CMAKE_C_COMPILER}
      ${HIPCACHE_OLDEST_GLIBC} ${HIPCACHE_OLD_GLIBC})
  add_library(hipcache_old_glibc OBJECT ${CMAKE_SOURCE_DIR}/cmake/portable/old_glibc.c)
  target_compile_options(hipcache_old_glibc PRIVATE -Wall -Wextra -U_FORTIFY_SOURCE ${HIPCACHE_PREFIX_MAP})
  set(OPENSSL_USE_STATIC_LIBS ON)
endif()

# hipcache_portable(<target>): links a program statically.
function(hipcache_portable target)
  if(HIPCACHE_PORTABLE)
    target_link_options(${target} PRIVATE -static-pie)
  endif()
endfunction()

# hipcache_portable_but_for_glibc(<target>): links a program with nothing but an old glibc.
function(hipcache_portable_but_for_glibc target)
  if(HIPCACHE_PORTABLE)
    target_link_libraries(${target} PRIVATE hipcache_old_glibc)
    target_link_options(${target} PRIVATE -pie -static-libstdc++ -static-libgcc -L${HIPCACHE_OLD_GLIBC} -Wl,--wrap=__libc_start_main -Wl,--gc-sections
      -Wl,--no-as-needed -lpthread -ldl -lrt)
  endif()
endfunction()

# hipcache_find_archive(<variable> <name>): a library's archive; its shared library has other names in other releases.
function(hipcache_find_archive variable name)
  find_library(${variable} NAMES lib${name}.a REQUIRED)
endfunction()
