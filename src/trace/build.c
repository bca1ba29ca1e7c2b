/* The version of libhipcache-trace.so. hipcache --doctor looks for this text in the file, because a static program
 * cannot load the library. */
__attribute__((used)) static const char trace_build[] = "hipcache-trace " HIPCACHE_VERSION;
