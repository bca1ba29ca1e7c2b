/* The environment of a program that is about to start.
 *
 * The problem: some programs start others with an environment of their own making. iree-compile gives its linker one
 * variable. Such a child is not traced, so the whole run proves nothing. The choice: give the preload library and the
 * trace's name again, to exec and posix_spawn alike. Rejected: passing the caller's whole environment on. The child
 * must read what its parent wants it to read.
 *
 * Everything lies on the caller's stack, because the caller may be a vfork's child. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "trace/preload/child_environment.h"
#include "trace/preload/internal.h"

__asm__(".symver dladdr, dladdr@" TRACE_OLDEST_GLIBC); /* as dlsym (real.c) */

#define PRELOAD "LD_PRELOAD="

static char library[TRACE_TEXT_LIMIT + 1];
static char wrapper[TRACE_TEXT_LIMIT + 1];
static _Atomic bool left;

static const char* value_of(char* const environment[], const char* begin) {
  const size_t length = strlen(begin);
  for (char* const* entry = environment; entry != NULL && *entry != NULL; ++entry) {
    if (strncmp(*entry, begin, length) == 0) return *entry + length;
  }
  return NULL;
}

/* The variables that a child needs, by the bit of their place. */
enum { TRACES = 1, RUNS_WRAPPER = 2 };

static const char* const begins[] = {"HIPCACHE_TRACE=", "HIPCACHE_WRAPPER="};

static const char* needed_value(unsigned place) { return place == 0 ? trace_file() : trace_wrapper(); }

static unsigned needed(void) {
  if (library[0] == '\0') return 0;
  return (trace_active() ? TRACES : 0u) | (trace_wrapper() != NULL ? RUNS_WRAPPER : 0u);
}

/* The variables that the child would lose, or whose library it would lose. An environment that names another trace is
 * another step's. */
static unsigned lost(char* const environment[]) {
  unsigned all = needed();
  const char* trace = value_of(environment, begins[0]);
  if ((all & TRACES) != 0 && trace != NULL && strcmp(trace, trace_file()) != 0) all &= ~(unsigned)TRACES;
  const char* preload = value_of(environment, PRELOAD);
  if (preload == NULL || strstr(preload, library) == NULL) return all;
  for (unsigned place = 0; place < 2; ++place) {
    if (value_of(environment, begins[place]) != NULL) all &= ~(1u << place);
  }
  return all;
}

struct trace_room trace_room_for(char* const environment[]) {
  struct trace_room room = {1, 1};
  const unsigned given = lost(environment);
  if (given == 0) return room;
  const char* preload = value_of(environment, PRELOAD);
  for (char* const* entry = environment; entry != NULL && *entry != NULL; ++entry) ++room.entries;
  room.entries += 3;
  room.bytes = sizeof PRELOAD + strlen(library) + 1 + (preload == NULL ? 0 : strlen(preload));
  for (unsigned place = 0; place < 2; ++place) {
    if ((given & (1u << place)) != 0) room.bytes += strlen(begins[place]) + strlen(needed_value(place)) + 1;
  }
  return room;
}

static char* put(char* at, const char* text) {
  const size_t length = strlen(text);
  memcpy(at, text, length + 1);
  return at + length;
}

/* Whether the entry is replaced. */
static bool is_given(const char* entry, unsigned given) {
  if (strncmp(entry, PRELOAD, strlen(PRELOAD)) == 0) return true;
  for (unsigned place = 0; place < 2; ++place) {
    if ((given & (1u << place)) != 0 && strncmp(entry, begins[place], strlen(begins[place])) == 0) return true;
  }
  return false;
}

char* const* trace_given_to_child(char* const environment[], char* entries[], char bytes[]) {
  const unsigned given = lost(environment);
  if (given == 0) return environment;
  const char* theirs = value_of(environment, PRELOAD);
  char* const* first = entries;
  for (char* const* entry = environment; entry != NULL && *entry != NULL; ++entry) {
    if (!is_given(*entry, given)) *entries++ = *entry;
  }
  for (unsigned place = 0; place < 2; ++place) {
    if ((given & (1u << place)) == 0) continue;
    *entries++ = bytes;
    bytes = put(put(bytes, begins[place]), needed_value(place)) + 1;
  }
  *entries++ = bytes;
  if (theirs != NULL && strstr(theirs, library) != NULL) {
    put(put(bytes, PRELOAD), theirs);
  } else {
    char* end = put(put(bytes, PRELOAD), library);
    if (theirs != NULL && *theirs != '\0') put(put(end, ":"), theirs);
  }
  *entries = NULL;
  return first;
}

const char* trace_library(void) { return library; }

const char* trace_wrapper(void) { return wrapper[0] != '\0' && !atomic_load(&left) ? wrapper : NULL; }

void trace_leave(void) { atomic_store(&left, true); }

__attribute__((constructor)) static void look_around(void) {
  const char* given = trace_environment("HIPCACHE_WRAPPER");
  if (given != NULL && strlen(given) <= TRACE_TEXT_LIMIT) strcpy(wrapper, given);
  Dl_info self;
  if (dladdr(library, &self) == 0 || self.dli_fname == NULL || self.dli_fname[0] != '/') return;
  if (strlen(self.dli_fname) <= TRACE_TEXT_LIMIT) strcpy(library, self.dli_fname);
}
