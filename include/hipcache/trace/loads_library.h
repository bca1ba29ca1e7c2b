/* Whether a program loads a preloaded library of glibc's.
 *
 * The problem: a loader of another word size prints an error about the library, and one of another C library loads it
 * and ends the program. The choice: a look at the file before it is executed. C, for the preload library and the
 * daemon. */
#ifndef HIPCACHE_TRACE_LOADS_LIBRARY_H
#define HIPCACHE_TRACE_LOADS_LIBRARY_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* True for a program of this machine's kind whose loader is glibc's, for a static one, which ignores libraries, and for
 * a script whose interpreter is such a program. False for everything else, and if the file cannot be read. */
bool hipcache_loads_library(const char* path);

#ifdef __cplusplus
}
#endif

#endif
