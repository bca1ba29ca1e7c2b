/* Which compiler a command means, if the command may begin with hipcache itself, or with a link
 * to it that is named like a compiler.
 *
 * Compares the identity of files, not names. A program is ours if it is the running one, or the
 * "hipcache" or "hipcache-client" of the same installed tree. Without this check a link would
 * launch itself for ever. One thread at a time. */
#ifndef HIPCACHE_LAUNCHER_COMPILER_H
#define HIPCACHE_LAUNCHER_COMPILER_H

#include <limits.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The path of a file of the installed tree. `way` leads there from the directory of the running
 * program, links resolved; it may begin with "../". False if that directory is unknown. */
bool launch_from_here(const char* way, char path[PATH_MAX]);

/* Whether the last part of the path is "hipcache", or the name of another cache in whose place a
 * link may put hipcache (ccache, sccache): the next word is then an option or a compiler. Ask only
 * of a program that is ours. */
bool launch_is_our_name(const char* path);

struct launch_command {
  /* NULL-terminated: the compiler and its arguments. NULL: there is no such compiler. */
  char** words;
  char problem[PATH_MAX + 64]; /* why there is none; long names are left out */
  /* words[0] points here if the compiler is not the one that was named. */
  char path[PATH_MAX];
};

/* Skips words that are hipcache. If the first other word is a link to hipcache, replaces it by
 * the path of the compiler behind it. That compiler is the first other program of that name in
 * PATH. */
void launch_find_compiler(char** words, struct launch_command* command);

#ifdef __cplusplus
}
#endif

#endif
