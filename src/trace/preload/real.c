/* The real functions. They are looked up on first use, because a hook may be called before any constructor has run. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "trace/preload/internal.h"

/* One library serves every glibc (cmake/HipcachePortable.cmake). */
__asm__(".symver dlsym, dlsym@" TRACE_OLDEST_GLIBC);
__asm__(".symver dlvsym, dlvsym@" TRACE_OLDEST_GLIBC);

/* The hooked names of which glibc has two versions. */
static const struct {
  const char* name;
  const char* oldest;
  const char* newest;
} versions[] = {
    {"glob", TRACE_OLDEST_GLIBC, "GLIBC_2.27"},        {"glob64", TRACE_OLDEST_GLIBC, "GLIBC_2.27"},
#ifdef __x86_64__
    {"nftw", TRACE_OLDEST_GLIBC, "GLIBC_2.3.3"},       {"nftw64", TRACE_OLDEST_GLIBC, "GLIBC_2.3.3"},
    {"posix_spawn", TRACE_OLDEST_GLIBC, "GLIBC_2.15"}, {"posix_spawnp", TRACE_OLDEST_GLIBC, "GLIBC_2.15"},
    {"quick_exit", "GLIBC_2.10", "GLIBC_2.24"},        {"realpath", TRACE_OLDEST_GLIBC, "GLIBC_2.3"},
#else
    {"quick_exit", TRACE_OLDEST_GLIBC, "GLIBC_2.24"},
#endif
};

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

/* The next definition. Before glibc 2.36, dlsym gives the oldest version with RTLD_NEXT (glibc's bug 14932), and
 * programs want the newest: the oldest realpath, for one, fails for a null pointer. Another preloaded library's
 * definition stays: dlvsym passes over it, so it is neither. */
static void* next_definition(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  for (size_t i = 0; i < sizeof versions / sizeof *versions; ++i) {
    if (strcmp(versions[i].name, name) != 0) continue;
    void* newest =
        found == dlvsym(RTLD_NEXT, name, versions[i].oldest) ? dlvsym(RTLD_NEXT, name, versions[i].newest) : NULL;
    return newest != NULL ? newest : found;
  }
  return found;
}

trace_function trace_real(struct trace_hook* hook) {
  trace_function real = atomic_load_explicit(&hook->real, memory_order_acquire);
  if (real != NULL) return real;
  const int saved = errno;
  ++resolving;
  void* found = next_definition(hook->name);
  --resolving;
  errno = saved;
  if (found == NULL) die_without(hook->name);
  /* ISO C has no cast from an object pointer to a function pointer. */
  memcpy(&real, &found, sizeof real);
  atomic_store_explicit(&hook->real, real, memory_order_release);
  return real;
}
