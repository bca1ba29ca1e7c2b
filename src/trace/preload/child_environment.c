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
#include <string.h>
#include <unistd.h>

#include "trace/preload/child_environment.h"
#include "trace/preload/internal.h"

#ifdef __x86_64__
__asm__(".symver dladdr, dladdr@GLIBC_2.2.5"); /* as dlsym (real.c) */
#endif

#define PRELOAD "LD_PRELOAD="
#define TRACE "HIPCACHE_TRACE="

static char library[TRACE_TEXT_LIMIT + 1];

static const char* value_of(char* const environment[], const char* begin) {
  const size_t length = strlen(begin);
  for (char* const* entry = environment; entry != NULL && *entry != NULL; ++entry) {
    if (strncmp(*entry, begin, length) == 0) return *entry + length;
  }
  return NULL;
}

/* Whether the child would lose the trace. An environment that names another trace is another step's. */
static bool is_lost(char* const environment[]) {
  if (!trace_active() || library[0] == '\0') return false;
  const char* trace = value_of(environment, TRACE);
  if (trace != NULL && strcmp(trace, trace_file()) != 0) return false;
  const char* preload = value_of(environment, PRELOAD);
  return trace == NULL || preload == NULL || strstr(preload, library) == NULL;
}

struct trace_room trace_room_for(char* const environment[]) {
  struct trace_room room = {1, 1};
  if (!is_lost(environment)) return room;
  const char* preload = value_of(environment, PRELOAD);
  for (char* const* entry = environment; entry != NULL && *entry != NULL; ++entry) ++room.entries;
  room.entries += 2;
  room.bytes = sizeof TRACE + strlen(trace_file()) + sizeof PRELOAD + strlen(library) + 1 +
               (preload == NULL ? 0 : strlen(preload));
  return room;
}

static char* put(char* at, const char* text) {
  const size_t length = strlen(text);
  memcpy(at, text, length + 1);
  return at + length;
}

char* const* trace_given_to_child(char* const environment[], char* entries[], char bytes[]) {
  if (!is_lost(environment)) return environment;
  const char* theirs = value_of(environment, PRELOAD);
  char* const* first = entries;
  for (char* const* entry = environment; entry != NULL && *entry != NULL; ++entry) {
    const bool is_given = strncmp(*entry, PRELOAD, strlen(PRELOAD)) == 0 || strncmp(*entry, TRACE, strlen(TRACE)) == 0;
    if (!is_given) *entries++ = *entry;
  }
  *entries++ = bytes;
  char* end = put(put(bytes, TRACE), trace_file()) + 1;
  *entries++ = end;
  end = put(put(end, PRELOAD), library);
  if (theirs != NULL && *theirs != '\0') put(put(end, ":"), theirs);
  *entries = NULL;
  return first;
}

/* The name by which the loader was told of this library. */
__attribute__((constructor)) static void find_library(void) {
  Dl_info self;
  if (dladdr(library, &self) == 0 || self.dli_fname == NULL || self.dli_fname[0] != '/') return;
  if (strlen(self.dli_fname) <= TRACE_TEXT_LIMIT) strcpy(library, self.dli_fname);
}
