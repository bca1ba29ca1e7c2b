/* Error messages on stderr. Any number of threads. */
#ifndef HIPCACHE_LAUNCHER_DIAGNOSTICS_H
#define HIPCACHE_LAUNCHER_DIAGNOSTICS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Prints "hipcache: error: ", the three parts and a newline by one system call. If stderr is
 * closed, the message is lost. */
void launch_print_error(const char* before, const char* name, const char* after);

#ifdef __cplusplus
}
#endif

#endif
