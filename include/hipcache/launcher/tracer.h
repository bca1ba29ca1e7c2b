/* Which process traces this one (ptrace).
 *
 * A tracer may give its processes other files than their names lead to: proot stands in for mounts that way. The
 * daemon does not see those files, so the launcher leaves a traced compile to the full client
 * (src/client/connection/tracer.h). */
#ifndef HIPCACHE_LAUNCHER_TRACER_H
#define HIPCACHE_LAUNCHER_TRACER_H

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 0 if there is none, or none that this process can see. Async-signal-safe. */
pid_t launch_tracer(void);

#ifdef __cplusplus
}
#endif

#endif
