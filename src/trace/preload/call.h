/* The library's own system calls. They must not use `syscall`, because the library hooks it. They set errno and return
 * as libc's function does. */
#ifndef HIPCACHE_SRC_TRACE_PRELOAD_CALL_H
#define HIPCACHE_SRC_TRACE_PRELOAD_CALL_H

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline long trace_call_raw(long number, long a, long b, long c, long d, long e, long f) {
#if defined __x86_64__
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
#elif defined __aarch64__
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  const long result = x0;
#else
#error "the trace library knows the system calls of x86-64 and arm64 alone"
#endif
  enum { LARGEST_ERROR = 4095 };
  if (result < 0 && result >= -LARGEST_ERROR) {
    errno = (int)-result;
    return -1;
  }
  return result;
}

/* Takes up to six arguments. */
#define trace_call(...) TRACE_CALL_SIX(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)
#define TRACE_CALL_SIX(number, a, b, c, d, e, f, ...) \
  trace_call_raw((long)(number), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

#endif
