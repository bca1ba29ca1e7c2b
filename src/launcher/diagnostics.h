/* Error messages on stderr. */
#ifndef HIPCACHE_SRC_LAUNCHER_DIAGNOSTICS_H
#define HIPCACHE_SRC_LAUNCHER_DIAGNOSTICS_H

/* Prints "hipcache: error: ", the three parts and a newline. */
void launch_complain(const char* before, const char* name, const char* after);

#endif
