/* See preload/driver.c. */
#ifndef HIPCACHE_SRC_TRACE_PRELOAD_DRIVER_H
#define HIPCACHE_SRC_TRACE_PRELOAD_DRIVER_H

enum { TRACE_DRIVER_WORDS = 16 };

/* Sets `words` to those that this program must add to its own, and returns their number; words that do not fit are left
 * out. Also records how the program was started, if the trace asks for it. */
int trace_driver_words(int argc, char** argv, char* words[TRACE_DRIVER_WORDS]);

/* The program's words plus `count` more, before a "--". REQUIRES: `result` has room for all of them and the final
 * null. */
void trace_add_words(int argc, char** argv, int count, char* const* words, char** result);

#endif
