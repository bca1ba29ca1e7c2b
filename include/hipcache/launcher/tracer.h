/* Which process traces this one (ptrace).
 *
 * A tracer may give its processes other files than their names lead to: proot stands in for mounts that way. The
 * daemon does not see those files, so the launcher leaves a traced compile to the full client
 * (src/client/connection/traced_view.h). */
#ifndef HIPCACHE_LAUNCHER_TRACER_H
#define HIPCACHE_LAUNCHER_TRACER_H

#include <stdbool.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 0 if there is none, or none that this process can see. Async-signal-safe. */
pid_t launch_tracer(void);

/* Whether the program of that process is known to look at system calls and to change none: a debugger, strace. */
bool launch_only_observes(pid_t tracer);

#ifdef __cplusplus
}
#endif

#endif
