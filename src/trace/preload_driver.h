/* See preload_driver.c. */
#ifndef HIPCACHE_TRACE_PRELOAD_DRIVER_H
#define HIPCACHE_TRACE_PRELOAD_DRIVER_H

enum { TRACE_DRIVER_WORDS = 16 };

/* The words that this program is to add to its own, as far as the array goes; 0: none. Notes what the program was
 * given, if that is wanted. */
int trace_driver_words(int argc, char** argv, char* words[TRACE_DRIVER_WORDS]);

/* The program's words with `count` more, before a "--". REQUIRES: `result` has room for all and the null at the end. */
void trace_add_words(int argc, char** argv, int count, char* const* words, char** result);

#endif
