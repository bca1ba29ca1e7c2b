/* What a process reads of its surroundings by name: environment variables, the clock, the machine. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "trace/preload/internal.h"

TRACE_HOOK(getenv);
TRACE_EXPORT char* getenv(const char* name) {
  /* The look-up of getenv may itself read a variable, such as an allocator's settings. */
  if (trace_is_resolving()) return trace_environment(name);
  char* value = TRACE_REAL(getenv)(name);
  trace_emit(TRACE_VARIABLE, value != NULL, name);
  return value;
}

TRACE_HOOK(secure_getenv);
TRACE_EXPORT char* secure_getenv(const char* name) {
  if (trace_is_resolving()) return NULL;
  char* value = TRACE_REAL(secure_getenv)(name);
  trace_emit(TRACE_VARIABLE, value != NULL, name);
  return value;
}

/* __DATE__, __TIME__ and __TIMESTAMP__ are made from local time. time() gets no record: programs also measure and seed
 * with it, so a call does not mean that the result depends on the time. Every Python calls localtime when it starts, so
 * the record says that it was Python. */
static const char* clock_asked(void) {
  return strncmp(program_invocation_short_name, "python", 6) == 0 ? TRACE_PYTHONS_CLOCK : "localtime";
}

TRACE_HOOK(localtime);
TRACE_EXPORT struct tm* localtime(const time_t* when) {
  trace_emit(TRACE_CLOCK, true, clock_asked());
  return TRACE_REAL(localtime)(when);
}

TRACE_HOOK(localtime_r);
TRACE_EXPORT struct tm* localtime_r(const time_t* when, struct tm* result) {
  trace_emit(TRACE_CLOCK, true, clock_asked());
  return TRACE_REAL(localtime_r)(when, result);
}

TRACE_HOOK(ctime);
TRACE_EXPORT char* ctime(const time_t* when) {
  trace_emit(TRACE_CLOCK, true, "ctime");
  return TRACE_REAL(ctime)(when);
}

TRACE_HOOK(ctime_r);
TRACE_EXPORT char* ctime_r(const time_t* when, char* buffer) {
  trace_emit(TRACE_CLOCK, true, "ctime");
  return TRACE_REAL(ctime_r)(when, buffer);
}

/* Compilers call it to format SOURCE_DATE_EPOCH if a source asks for the date. */
TRACE_HOOK(gmtime);
TRACE_EXPORT struct tm* gmtime(const time_t* when) {
  trace_emit(TRACE_DATE, true, "gmtime");
  return TRACE_REAL(gmtime)(when);
}

TRACE_HOOK(gmtime_r);
TRACE_EXPORT struct tm* gmtime_r(const time_t* when, struct tm* result) {
  trace_emit(TRACE_DATE, true, "gmtime");
  return TRACE_REAL(gmtime_r)(when, result);
}

/* mktime depends on the user's time zone. */
TRACE_HOOK(mktime);
TRACE_EXPORT time_t mktime(struct tm* when) {
  trace_emit(TRACE_CLOCK, true, "mktime");
  return TRACE_REAL(mktime)(when);
}

TRACE_HOOK(uname);
TRACE_EXPORT int uname(struct utsname* name) {
  trace_emit(TRACE_MACHINE, true, "uname");
  return TRACE_REAL(uname)(name);
}

TRACE_HOOK(gethostname);
TRACE_EXPORT int gethostname(char* name, size_t size) {
  trace_emit(TRACE_MACHINE, true, "uname");
  return TRACE_REAL(gethostname)(name, size);
}
