/* Gives a program that is about to start the trace again, if its environment lacks it (child_environment.c). */
#ifndef HIPCACHE_SRC_TRACE_PRELOAD_CHILD_ENVIRONMENT_H
#define HIPCACHE_SRC_TRACE_PRELOAD_CHILD_ENVIRONMENT_H

#include <stddef.h>

/* How much the caller must provide. */
struct trace_room {
  size_t entries;
  size_t bytes;
};

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

#endif
