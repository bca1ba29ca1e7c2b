/* How a process becomes a wrapper, with hipcache in front of the compilers that the wrapper starts
 * (src/trace/preload/front.c). In C, because the launcher is. */
#ifndef HIPCACHE_LAUNCHER_WRAPPER_H
#define HIPCACHE_LAUNCHER_WRAPPER_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sets the variables for the wrapper in this process's own environment; what is executed next is the
 * wrapper. `hipcache`: the launcher's path. `options`, which end with a null pointer, stand between
 * hipcache and the compiler; null for none. False: there is no memory for it. REQUIRES: no other
 * thread. */
bool launch_prepare_wrapper(const char* hipcache, const char* library, const char* const* options);

#ifdef __cplusplus
}
#endif

#endif
