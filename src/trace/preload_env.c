/* What a process asks of its surroundings by name: environment variables, the locale, the clock. */
#define _GNU_SOURCE
#include <locale.h>
#include <stdlib.h>
#include <time.h>

#include "trace/preload_internal.h"

TRACE_HOOK(getenv);
TRACE_EXPORT char* getenv(const char* name) {
  /* Looking getenv up may ask for a variable itself: an allocator's settings, say. */
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

/* libc asks for these by itself, where no hook sees it. */
static void record_locale_variables(void) {
  static const char* const names[] = {"LC_ALL",     "LC_CTYPE",     "LC_NUMERIC",     "LC_TIME",
                                      "LC_COLLATE", "LC_MONETARY",  "LANG",           "LC_MESSAGES",
                                      "LANGUAGE",   "LOCPATH",      "LC_PAPER",       "LC_NAME",
                                      "LC_ADDRESS", "LC_TELEPHONE", "LC_MEASUREMENT", "LC_IDENTIFICATION"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    trace_emit(TRACE_VARIABLE, trace_environment(names[i]) != NULL, names[i]);
  }
}

TRACE_HOOK(setlocale);
TRACE_EXPORT char* setlocale(int category, const char* locale) {
  if (locale != NULL && locale[0] == '\0') record_locale_variables();
  return TRACE_REAL(setlocale)(category, locale);
}

TRACE_HOOK(newlocale);
TRACE_EXPORT locale_t newlocale(int mask, const char* locale, locale_t base) {
  if (locale != NULL && locale[0] == '\0') record_locale_variables();
  return TRACE_REAL(newlocale)(mask, locale, base);
}

/* Local time is what __DATE__, __TIME__ and __TIMESTAMP__ are made of. time() itself is also used to measure and to
 * seed, gmtime() to print SOURCE_DATE_EPOCH: both say nothing. */
TRACE_HOOK(localtime);
TRACE_EXPORT struct tm* localtime(const time_t* when) {
  trace_emit(TRACE_CLOCK, true, "localtime");
  return TRACE_REAL(localtime)(when);
}

TRACE_HOOK(localtime_r);
TRACE_EXPORT struct tm* localtime_r(const time_t* when, struct tm* result) {
  trace_emit(TRACE_CLOCK, true, "localtime");
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
