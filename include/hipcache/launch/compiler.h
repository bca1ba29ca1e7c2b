/* Which compiler a command means, where the command may begin with hipcache itself, or with a link to it that is named
 * like a compiler.
 *
 * By the identity of files, not by names: a program is ours if it is the one that runs, or lies beside it as
 * "hipcache" or "hipcache-client". Without it a link would launch itself for ever. One thread at a time. */
#ifndef HIPCACHE_LAUNCH_COMPILER_H
#define HIPCACHE_LAUNCH_COMPILER_H

#include <limits.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The directory of the running program, links resolved, with `name` after it. False if that cannot be told. */
bool launch_beside_us(const char* name, char path[PATH_MAX]);

/* Whether a program of that path's last part is called hipcache: what follows it is an option or a compiler. */
bool launch_is_our_name(const char* path);

struct launch_command {
  char** words;        /* NULL-terminated: the compiler and its arguments; NULL: there is no such compiler */
  const char* missing; /* that compiler's name, or NULL if none was given */
  char path[PATH_MAX]; /* where words[0] points if the compiler is not the one that was named */
};

/* Skips words that are hipcache, and sets the first of the rest to the path of the compiler behind it if it is a link
 * to hipcache: the first other program of that name in PATH. */
void launch_find_compiler(char** words, struct launch_command* command);

#ifdef __cplusplus
}
#endif

#endif
