/* Whether a recorder of compile commands watches this process: Bear's preloaded library, which reports each program
 * that a process starts. See src/client/request/interposers.h. */
#ifndef HIPCACHE_LAUNCHER_RECORDER_H
#define HIPCACHE_LAUNCHER_RECORDER_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

bool launch_is_recorded(void);

#ifdef __cplusplus
}
#endif

#endif
