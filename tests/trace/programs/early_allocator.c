/* An allocator that asks the environment at each call, as jemalloc and others do at the first. */
#define _GNU_SOURCE
#include <stdlib.h>

void* __libc_calloc(size_t count, size_t size);

static int asked;

int allocations_asked(void) { return asked; }

void* calloc(size_t count, size_t size) {
  if (getenv("TRACE_TEST_ALLOCATOR") == NULL) ++asked;
  return __libc_calloc(count, size);
}
