/* How a process becomes a wrapper, with hipcache in front of the compilers that the wrapper starts
 * (src/trace/preload/front.c). In C, because the launcher is; and everything lies on the stack,
 * because an allocator would make the start of each hit slower. */
#ifndef HIPCACHE_LAUNCHER_WRAPPER_H
#define HIPCACHE_LAUNCHER_WRAPPER_H

#ifdef __cplusplus
extern "C" {
#endif

/* Replaces this process by the wrapper. `hipcache`: the launcher's path. `options`, which end with a
 * null pointer, stand between hipcache and the compiler; null for none. Returns only on failure, as
 * launch_exec_compiler(). REQUIRES: no other thread and no child is left. */
int launch_exec_wrapper(char* const* words, const char* hipcache, const char* library, const char* const* options);

#ifdef __cplusplus
}
#endif

#endif
