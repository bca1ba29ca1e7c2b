#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "hooks.h"

ssize_t __readlink_chk(const char* path, char* buffer, size_t size, size_t room);
char* __realpath_chk(const char* path, char* resolved, size_t room);

static int look(void) {
  struct stat status;
  struct stat64 status64;
  struct statx extended;
  struct statfs system;
  struct statvfs posix_system;
  return stat("r-stat", &status) | stat64("r-stat64", &status64) | lstat("r-lstat", &status) |
         lstat64("r-lstat64", &status64) | fstatat(AT_FDCWD, "r-fstatat", &status, 0) |
         fstatat64(AT_FDCWD, "r-fstatat64", &status64, 0) | statx(AT_FDCWD, "r-statx", 0, STATX_SIZE, &extended) |
         access("r-access", R_OK) | faccessat(AT_FDCWD, "r-faccessat", R_OK, 0) | eaccess("r-eaccess", R_OK) |
         euidaccess("r-euidaccess", R_OK) | statfs("r-statfs", &system) | statvfs("r-statvfs", &posix_system);
}

static int look_in_vain(void) {
  struct stat status;
  const int result = stat("absent", &status);
  return result != -1 || errno != ENOENT;
}

/* A descriptor by itself is no path. */
static int look_at_descriptor(void) {
  struct stat status;
  const int fd = open("/dev/null", O_RDONLY);
  return fstatat(fd, "", &status, AT_EMPTY_PATH) | fstat(fd, &status) | close(fd);
}

/* How programs that were built before glibc 2.33 call stat. */
#if defined(__x86_64__)
__asm__(".symver old_xstat, __xstat@GLIBC_2.2.5");
__asm__(".symver old_lxstat, __lxstat@GLIBC_2.2.5");
__asm__(".symver old_xstat64, __xstat64@GLIBC_2.2.5");
__asm__(".symver old_lxstat64, __lxstat64@GLIBC_2.2.5");
__asm__(".symver old_fxstatat, __fxstatat@GLIBC_2.4");
__asm__(".symver old_fxstatat64, __fxstatat64@GLIBC_2.4");
int old_xstat(int version, const char* path, struct stat* status);
int old_lxstat(int version, const char* path, struct stat* status);
int old_xstat64(int version, const char* path, struct stat64* status);
int old_lxstat64(int version, const char* path, struct stat64* status);
int old_fxstatat(int version, int directory, const char* path, struct stat* status, int flags);
int old_fxstatat64(int version, int directory, const char* path, struct stat64* status, int flags);

static int look_as_of_old(void) {
  enum { VERSION = 1 };
  struct stat status;
  struct stat64 status64;
  return old_xstat(VERSION, "r-xstat", &status) | old_lxstat(VERSION, "r-lxstat", &status) |
         old_xstat64(VERSION, "r-xstat64", &status64) | old_lxstat64(VERSION, "r-lxstat64", &status64) |
         old_fxstatat(VERSION, AT_FDCWD, "r-fxstatat", &status, 0) |
         old_fxstatat64(VERSION, AT_FDCWD, "r-fxstatat64", &status64, 0);
}
#endif

static int links(void) {
  char buffer[4096];
  return readlink("r-readlink", buffer, sizeof buffer) < 0 ||
         readlinkat(AT_FDCWD, "r-readlinkat", buffer, sizeof buffer) < 0 ||
         __readlink_chk("r-readlink_chk", buffer, 100, sizeof buffer) < 0 ||
         readlink("there", buffer, sizeof buffer) != -1;
}

static int real_paths(void) {
  char buffer[4096];
  return realpath("r-realpath", buffer) == NULL || __realpath_chk("r-realpath_chk", buffer, sizeof buffer) == NULL ||
         canonicalize_file_name("r-canonicalize") == NULL || realpath("absent", buffer) != NULL;
}

static int working_directory(void) {
  char buffer[4096];
  return getcwd(buffer, sizeof buffer) == NULL;
}

static int variables(void) {
  const char* set = getenv("TRACE_TEST_SET");
  return set == NULL || strcmp(set, "a value") != 0 || getenv("TRACE_TEST_UNSET") != NULL ||
         secure_getenv("TRACE_TEST_SECURE") != NULL;
}

static int locale(void) { return setlocale(LC_ALL, "") == NULL && setlocale(LC_ALL, "C") == NULL; }
static int locale_asked(void) { return setlocale(LC_ALL, NULL) == NULL; }

static int local_time(void) {
  const time_t now = 0;
  return localtime(&now) == NULL;
}

static int local_time_reentrant(void) {
  const time_t now = 0;
  struct tm broken_down;
  return localtime_r(&now, &broken_down) == NULL;
}

static int universal_time(void) {
  const time_t now = time(NULL);
  return gmtime(&now) == NULL;
}

static int universal_time_reentrant(void) {
  const time_t now = time(NULL);
  struct tm broken_down;
  return gmtime_r(&now, &broken_down) == NULL;
}

static int patterns(void) {
  glob_t result;
  return glob("fold*", 0, NULL, &result) | glob("folder/none", GLOB_NOCHECK, NULL, &result) |
         glob("/usr/*.none", GLOB_NOCHECK, NULL, &result) | glob("absent/*", GLOB_NOCHECK, NULL, &result);
}
static int pattern_of_directories(void) {
  glob_t result;
  return glob("fold*/*", GLOB_NOCHECK, NULL, &result);
}
static int pattern_with_marks(void) {
  glob_t result;
  return glob("fold*", GLOB_MARK, NULL, &result);
}

static int visit(const char* path, const struct stat* status, int kind, struct FTW* where) {
  return path == NULL || status == NULL || kind < 0 || where == NULL;
}
static int walk(void) { return nftw("folder", visit, 4, 0); }

static int enter(void) { return chdir("folder"); }
static int enter_descriptor(void) { return fchdir(open("folder", O_PATH)); }
static int stay(void) { return chdir(".") + fchdir(open(".", O_PATH)); }
static int enter_in_vain(void) { return chdir("absent") != -1 || errno != ENOENT; }

const struct group look_groups[] = {{"look", look},
                                    {"look-in-vain", look_in_vain},
                                    {"look-at-descriptor", look_at_descriptor},
#if defined(__x86_64__)
                                    {"look-as-of-old", look_as_of_old},
#endif
                                    {"links", links},
                                    {"real-paths", real_paths},
                                    {"working-directory", working_directory},
                                    {"variables", variables},
                                    {"locale", locale},
                                    {"locale-asked", locale_asked},
                                    {"localtime", local_time},
                                    {"localtime_r", local_time_reentrant},
                                    {"gmtime", universal_time},
                                    {"gmtime_r", universal_time_reentrant},
                                    {"patterns", patterns},
                                    {"glob", pattern_of_directories},
                                    {"glob-with-marks", pattern_with_marks},
                                    {"nftw", walk},
                                    {"chdir", enter},
                                    {"fchdir", enter_descriptor},
                                    {"chdir-here", stay},
                                    {"chdir-in-vain", enter_in_vain},
                                    {NULL, NULL}};
