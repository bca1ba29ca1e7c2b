/* The real functions. They are looked up on first use, because a hook may be called before any constructor has run. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "trace/preload/internal.h"

#ifdef HIPCACHE_PORTABLE
/* The version that every glibc has (cmake/HipcachePortable.cmake). */
__asm__(".symver dlsym, dlsym@GLIBC_2.2.5");
#endif

static __thread int resolving __attribute__((tls_model("initial-exec")));

bool trace_is_resolving(void) { return resolving > 0; }

/* The program calls a function that its libc lacks. Without the library it would not have started. */
static _Noreturn void die_without(const char* name) {
  static const char message[] = "libhipcache-trace.so: this libc has no function ";
  struct {
    const char* text;
    size_t length;
  } const parts[] = {{message, sizeof message - 1}, {name, strlen(name)}, {"\n", 1}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
    if (write(STDERR_FILENO, parts[i].text, parts[i].length) < 0) break;
  }
  __builtin_trap();
}

trace_function trace_real(struct trace_hook* hook) {
  trace_function real = atomic_load_explicit(&hook->real, memory_order_acquire);
  if (real != NULL) return real;
  const int saved = errno;
  ++resolving;
  void* found = dlsym(RTLD_NEXT, hook->name);
  --resolving;
  errno = saved;
  if (found == NULL) die_without(hook->name);
  /* ISO C has no cast from an object pointer to a function pointer. */
  memcpy(&real, &found, sizeof real);
  atomic_store_explicit(&hook->real, real, memory_order_release);
  return real;
}
