/* The groups of calls that the test program makes; each prints nothing and returns 0 if libc did as it should. */
#ifndef HIPCACHE_TESTS_TRACE_PROGRAMS_HOOKS_H
#define HIPCACHE_TESTS_TRACE_PROGRAMS_HOOKS_H

struct group {
  const char* name;
  int (*run)(void);
};

/* Each ends with a group without a name. */
extern const struct group open_groups[];
extern const struct group look_groups[];
extern const struct group change_groups[];
extern const struct group process_groups[];
extern const struct group other_groups[];

#endif
