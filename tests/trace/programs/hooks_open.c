#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hooks.h"

int __open_2(const char* path, int flags);
int __open64_2(const char* path, int flags);
int __openat_2(int directory, const char* path, int flags);
int __openat64_2(int directory, const char* path, int flags);

static int closed(int fd) { return fd < 0 ? 1 : close(fd); }
static int closed_file(FILE* file) { return file == NULL ? 1 : fclose(file); }

/* Names tell the calls apart: the directory holds a link of each name to the file. */
static int read_every_way(void) {
  return closed(open("r-open", O_RDONLY)) | closed(open64("r-open64", O_RDONLY)) |
         closed(openat(AT_FDCWD, "r-openat", O_RDONLY)) | closed(openat64(AT_FDCWD, "r-openat64", O_RDONLY)) |
         closed(__open_2("r-open_2", O_RDONLY)) | closed(__open64_2("r-open64_2", O_RDONLY)) |
         closed(__openat_2(AT_FDCWD, "r-openat_2", O_RDONLY)) |
         closed(__openat64_2(AT_FDCWD, "r-openat64_2", O_RDONLY)) | closed_file(fopen("r-fopen", "r")) |
         closed_file(fopen64("r-fopen64", "re")) | closed_file(freopen("r-freopen", "r", fopen("there", "r"))) |
         closed_file(freopen64("r-freopen64", "r", fopen("there", "r")));
}

static int write_every_way(void) {
  return closed(open("w-open", O_WRONLY | O_CREAT, 0600)) | closed(open64("w-open64", O_WRONLY | O_CREAT, 0600)) |
         closed(openat(AT_FDCWD, "w-openat", O_WRONLY | O_CREAT, 0600)) |
         closed(openat64(AT_FDCWD, "w-openat64", O_WRONLY | O_CREAT, 0600)) | closed(creat("w-creat", 0600)) |
         closed(creat64("w-creat64", 0600)) | closed_file(fopen("w-fopen", "w")) |
         closed_file(fopen64("w-fopen64", "a"));
}

static int mode_is_kept(void) {
  struct stat status;
  umask(0);
  if (closed(open("w-mode", O_WRONLY | O_CREAT, 0741)) != 0 || stat("w-mode", &status) != 0) return 1;
  return (status.st_mode & 0777) != 0741;
}

static int absent(void) {
  const int opened = open("absent-open", O_RDONLY);
  const int error = errno;
  const FILE* file = fopen("absent-fopen", "r");
  return opened != -1 || error != ENOENT || file != NULL || errno != ENOENT;
}

static int both_ways(void) {
  return closed(open("there", O_RDWR)) | closed(open("fresh", O_RDWR | O_CREAT | O_EXCL, 0600)) |
         closed(open("w-old", O_RDWR | O_CREAT, 0600)) | closed(open("w-new", O_RDWR | O_CREAT, 0600)) |
         closed(open("w-cut", O_RDWR | O_TRUNC));
}

static int directories(void) {
  struct dirent** names = NULL;
  struct dirent64** names64 = NULL;
  DIR* opened = opendir("folder");
  DIR* by_descriptor = fdopendir(open("folder-fdopendir", O_RDONLY));
  const int bad = opened == NULL || by_descriptor == NULL || closedir(opened) || closedir(by_descriptor);
  return bad | closed(open("folder-open", O_RDONLY | O_DIRECTORY)) |
         (scandir("folder-scandir", &names, NULL, NULL) < 0) |
         (scandir64("folder-scandir64", &names64, NULL, NULL) < 0) | (opendir("absent") != NULL);
}

static int path_only(void) { return closed(open("there", O_PATH)); }

static int of_descriptor(void) {
  const int directory = open("folder", O_PATH);
  return closed(openat(directory, "inside", O_RDONLY)) | closed(directory);
}

static int of_the_kernel(void) {
  char target[64];
  (void)!readlink("/proc/self/fd/0", target, sizeof target);
  (void)!readlink("/proc/self/fd/0/x", target, sizeof target);
  return closed(open("/dev/null", O_WRONLY)) | closed(open("/proc/self/status", O_RDONLY)) |
         closed(open("/proc/self/cwd/there", O_RDONLY)) | closed(open("/dev/../etc/passwd", O_RDONLY));
}

static int again_and_again(void) {
  int bad = 0;
  for (int i = 0; i < 1000; ++i) bad |= closed(open("there", O_RDONLY));
  return bad;
}

/* The directory is another one by the second time. */
static int swapped(void) {
  return closed(open("folder/inside", O_RDONLY)) | rename("folder", "aside") | rename("other", "folder") |
         closed(open("folder/inside", O_RDONLY));
}

static int grows(void) {
  struct stat status;
  const int bad = stat("there", &status) | closed(open("there", O_RDONLY));
  FILE* file = fopen("there", "a");
  return bad | (file == NULL || fputs("more", file) < 0) | closed_file(file) | stat("there", &status) |
         closed(open("there", O_RDONLY));
}

static int long_path(void) {
  static char path[5001];
  for (unsigned i = 0; i < sizeof path - 1; ++i) path[i] = 'x';
  return open(path, O_RDONLY) != -1 || errno != ENAMETOOLONG;
}

static int null_path(void) {
  const char* volatile nowhere = NULL;
  return open(nowhere, O_RDONLY) != -1 || errno != EFAULT;
}

/* Descriptors that were left open are a careful program's to close, and a careless one's to write to. */
static int all_closed(void) {
  for (int fd = 3; fd < 1024; ++fd) close(fd);
  for (int fd = 3; fd < 1000; ++fd) {
    if (open("w-taken", O_WRONLY | O_CREAT, 0600) < 0) break;
  }
  for (int fd = 900; fd < 1000; ++fd) close(fd);
  return closed(open("there", O_RDONLY));
}

enum { THREADS = 8, FILES = 300 };

static void* open_numbered(void* bad) {
  for (int i = 0; i < FILES; ++i) {
    char name[32];
    snprintf(name, sizeof name, "absent-%d", i);
    if (open(name, O_RDONLY) != -1 || errno != ENOENT) *(int*)bad = 1;
  }
  return NULL;
}

static int threads(void) {
  pthread_t thread[THREADS];
  int bad[THREADS] = {0};
  int any = 0;
  for (int i = 0; i < THREADS; ++i) pthread_create(&thread[i], NULL, open_numbered, &bad[i]);
  for (int i = 0; i < THREADS; ++i) {
    pthread_join(thread[i], NULL);
    any |= bad[i];
  }
  return any;
}

const struct group open_groups[] = {{"read", read_every_way},
                                    {"write", write_every_way},
                                    {"mode", mode_is_kept},
                                    {"absent", absent},
                                    {"both", both_ways},
                                    {"directories", directories},
                                    {"path-only", path_only},
                                    {"of-descriptor", of_descriptor},
                                    {"of-the-kernel", of_the_kernel},
                                    {"again", again_and_again},
                                    {"swapped", swapped},
                                    {"grows", grows},
                                    {"long", long_path},
                                    {"null", null_path},
                                    {"all-closed", all_closed},
                                    {"threads", threads},
                                    {NULL, NULL}};
