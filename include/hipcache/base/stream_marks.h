/* What client, daemon and the preload library agree on for a traced step. For C and C++. */
#ifndef HIPCACHE_BASE_STREAM_MARKS_H
#define HIPCACHE_BASE_STREAM_MARKS_H

/* How a traced program tells the step's standard streams from other pipes and devices, and what it is told of the
 * terminals behind the user's (src/trace/preload/terminal.c).
 *
 * The mark is a flag of the open file, so that copies of the descriptor have it too. On /dev/null and on pipes these
 * flags do nothing. */
/* REQUIRES: _GNU_SOURCE and <fcntl.h> */
#define HIPCACHE_MARK_INPUT O_APPEND
#define HIPCACHE_MARK_ERROR O_NOATIME
#define HIPCACHE_MARK_OUTPUT (O_NOATIME | O_APPEND)
#define HIPCACHE_STREAM_MARKS (O_NOATIME | O_APPEND)

/* The file in a step's directory with the text of launch_describe_streams (hipcache/launcher/request.h). Without the
 * file there is no terminal. */
#define HIPCACHE_TERMINALS "terminals"

/* The variable by which a compiler of a miss gets its memory in huge pages: "NAME=value", as in an
 * environment. docs/benchmarks.md, "Where a miss's time goes", has the measurement.
 *
 * The client sets it. The preload library removes it from the environment of the linker that it
 * starts after a compiler. The daemon leaves it out where it compares environments. So all three need
 * one text.
 * For C and C++. */
#define HIPCACHE_HUGE_PAGES "GLIBC_TUNABLES=glibc.malloc.hugetlb=1"

#endif
