/* What libc opens by itself, and ways around its functions. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <iconv.h>
#include <libintl.h>
#include <locale.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "hooks.h"

/* The catalogue is named before and after the locale is known. */
static int catalogues(void) {
  return bindtextdomain("early", "catalogues") == NULL || setlocale(LC_ALL, "") == NULL ||
         bindtextdomain("late", "catalogues") == NULL || textdomain("late") == NULL ||
         strcmp(gettext("a message"), "a message") != 0;
}

static int character_sets(void) {
  iconv_t conversion = iconv_open("UTF-8", "ISO-8859-1");
  return conversion == (iconv_t)-1 || iconv_close(conversion) != 0;
}

static int users(void) { return getpwuid(0) == NULL; }

static int machine(void) {
  struct utsname name;
  char host[256];
  return uname(&name) | gethostname(host, sizeof host);
}

static int system_calls(void) {
  struct stat status;
  struct statx extended;
  char target[64];
  return close((int)syscall(SYS_openat, AT_FDCWD, "there", O_RDONLY)) |
         (syscall(SYS_openat, AT_FDCWD, "absent", O_RDONLY) != -1) |
         (int)syscall(SYS_newfstatat, AT_FDCWD, "folder/inside", &status, 0) |
         (int)syscall(SYS_statx, AT_FDCWD, "folder", 0, STATX_INO, &extended) |
         (syscall(SYS_faccessat, AT_FDCWD, "missing", R_OK) != -1) |
         (syscall(SYS_readlinkat, AT_FDCWD, "link", target, sizeof target) < 0) |
         (syscall(SYS_readlinkat, AT_FDCWD, "no-link", target, sizeof target) != -1);
}
static int system_call_that_writes(void) { return syscall(SYS_unlinkat, AT_FDCWD, "absent", 0) != -1; }
static int harmless_system_call(void) { return syscall(SYS_getpid) != getpid(); }
static int watch(void) { return inotify_add_watch(inotify_init(), "there", IN_MODIFY) < 0; }

const struct group other_groups[] = {{"catalogues", catalogues},
                                     {"character-sets", character_sets},
                                     {"users", users},
                                     {"machine", machine},
                                     {"system-calls", system_calls},
                                     {"system-call-that-writes", system_call_that_writes},
                                     {"harmless-system-call", harmless_system_call},
                                     {"watch", watch},
                                     {NULL, NULL}};
