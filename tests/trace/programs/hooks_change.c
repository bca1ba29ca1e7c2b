#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#include "hooks.h"

static int fresh(const char* path) {
  const int fd = creat(path, 0600);
  return fd < 0 ? 1 : close(fd);
}

/* Files are made in a group of their own, so that their making is not what the test sees. */
static int prepare(void) {
  static const char* const names[] = {"w-unlink",        "w-unlinkat",       "w-remove",   "w-rename-from",
                                      "w-renameat-from", "w-renameat2-from", "w-truncate", "w-chmod",
                                      "w-fchmodat",      "w-utime",          "w-utimensat"};
  int bad = mkdir("w-rmdir", 0700);
  for (unsigned i = 0; i < sizeof names / sizeof *names; ++i) bad |= fresh(names[i]);
  return bad;
}

static int change(void) {
  return unlink("w-unlink") | unlinkat(AT_FDCWD, "w-unlinkat", 0) | remove("w-remove") | rmdir("w-rmdir") |
         rename("w-rename-from", "w-rename-to") | renameat(AT_FDCWD, "w-renameat-from", AT_FDCWD, "w-renameat-to") |
         renameat2(AT_FDCWD, "w-renameat2-from", AT_FDCWD, "w-renameat2-to", 0) | mkdir("w-mkdir", 0700) |
         mkdirat(AT_FDCWD, "w-mkdirat", 0700) | symlink("there", "w-symlink") |
         symlinkat("there", AT_FDCWD, "w-symlinkat") | link("there", "w-link") |
         linkat(AT_FDCWD, "there", AT_FDCWD, "w-linkat", 0) | truncate("w-truncate", 1) | chmod("w-chmod", 0640) |
         fchmodat(AT_FDCWD, "w-fchmodat", 0640, 0) | utime("w-utime", NULL) |
         utimensat(AT_FDCWD, "w-utimensat", NULL, 0) | mkfifo("w-mkfifo", 0600);
}

static int made(int fd, const char* path, const char* prefix) {
  return fd < 0 || close(fd) != 0 || strncmp(path, prefix, strlen(prefix)) != 0 || strstr(path, "XXXXXX") != NULL;
}

static int make_temporary(void) {
  char plain[] = "w-mkstemp-XXXXXX";
  char flags[] = "w-mkostemp-XXXXXX";
  char suffix[] = "w-mkstemps-XXXXXX.o";
  char both[] = "w-mkostemps-XXXXXX.o";
  char directory[] = "w-mkdtemp-XXXXXX";
  return made(mkstemp(plain), plain, "w-mkstemp-") | made(mkostemp(flags, O_CLOEXEC), flags, "w-mkostemp-") |
         made(mkstemps(suffix, 2), suffix, "w-mkstemps-") | made(mkostemps(both, 2, O_CLOEXEC), both, "w-mkostemps-") |
         (mkdtemp(directory) == NULL);
}

const struct group change_groups[] = {
    {"prepare", prepare}, {"change", change}, {"make-temporary", make_temporary}, {NULL, NULL}};
