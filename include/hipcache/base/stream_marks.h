/* How a traced program tells the step's standard streams from other pipes and devices, and what it is told of the
 * terminals behind the user's (src/trace/preload/terminal.c).
 *
 * The mark is a flag of the open file, so that copies of the descriptor have it too. On /dev/null and on pipes these
 * flags do nothing. */
#ifndef HIPCACHE_BASE_STREAM_MARKS_H
#define HIPCACHE_BASE_STREAM_MARKS_H

/* REQUIRES: _GNU_SOURCE and <fcntl.h> */
#define HIPCACHE_MARK_INPUT O_APPEND
#define HIPCACHE_MARK_ERROR O_NOATIME
#define HIPCACHE_MARK_OUTPUT (O_NOATIME | O_APPEND)
#define HIPCACHE_STREAM_MARKS (O_NOATIME | O_APPEND)

/* The file in a step's directory with the text of launch_describe_streams (hipcache/launcher/request.h). Without the
 * file there is no terminal. */
#define HIPCACHE_TERMINALS "terminals"

#endif
