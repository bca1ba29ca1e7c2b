/* Gives a program that is about to start this library and its variables again, if its environment lacks them
 * (child_environment.c), or starts hipcache in its place (front.c). */
#ifndef HIPCACHE_SRC_TRACE_PRELOAD_CHILD_ENVIRONMENT_H
#define HIPCACHE_SRC_TRACE_PRELOAD_CHILD_ENVIRONMENT_H

#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>

/* How much the caller must provide. */
struct trace_room {
  size_t entries;
  size_t bytes;
};

/* The name by which the loader was told of this library; empty if unknown. */
const char* trace_library(void);

/* The value of HIPCACHE_WRAPPER when this program started (front.c). NULL without it, and after trace_leave(). */
const char* trace_wrapper(void);

/* This process has another root or namespace now, where the library and hipcache may be missing. */
void trace_leave(void);

/* A null environment counts as empty. */
struct trace_room trace_room_for(char* const environment[]);

/* The environment itself if nothing is missing, else one made in the room. */
char* const* trace_given_to_child(char* const environment[], char* entries[], char bytes[]);

/* Declares `given`, valid until the function returns: what to pass on in the environment's place. */
#define TRACE_GIVE(given, environment)                                \
  const struct trace_room given##_room = trace_room_for(environment); \
  char* given##_entries[given##_room.entries];                        \
  char given##_bytes[given##_room.bytes];                             \
  char* const* const given = trace_given_to_child(environment, given##_entries, given##_bytes)

/* Becomes hipcache if the program is a compiler that compiles. Otherwise, or if hipcache cannot be executed, it
 * returns, and the caller executes the program. */
void trace_exec_in_front(const char* path, char* const argv[], char* const environment[]);

/* The same for posix_spawn. True: the child was started. */
bool trace_spawn_in_front(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
                          const posix_spawnattr_t* attributes, char* const argv[], char* const environment[]);

#endif
