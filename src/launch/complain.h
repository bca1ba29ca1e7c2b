/* A line on stderr. */
#ifndef HIPCACHE_SRC_LAUNCH_COMPLAIN_H
#define HIPCACHE_SRC_LAUNCH_COMPLAIN_H

/* "hipcache: error: ", the three parts, and the end of the line. */
void launch_complain(const char* before, const char* name, const char* after);

#endif
