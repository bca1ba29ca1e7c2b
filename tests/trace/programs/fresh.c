/* Writes files and opens each right after. Arguments: directory, "read" or "update", "once" or "until-fresh".
 *
 *   once         one file; succeeds if the clock that stamps files is past its ctime when it is open
 *   until-fresh  files 0, 1, ... until that is not so; prints the number of that file */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void write_file(const char* path) {
  const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (write(fd, "bytes", 5) != 5) perror(path);
  close(fd);
}

static bool is_past(const char* path, int flags) {
  const int fd = open(path, flags);
  struct timespec now;
  struct stat status;
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  fstat(fd, &status);
  close(fd);
  return now.tv_sec != status.st_ctim.tv_sec ? now.tv_sec > status.st_ctim.tv_sec
                                             : now.tv_nsec > status.st_ctim.tv_nsec;
}

int main(int argc, char** argv) {
  enum { MOST = 10000 };
  if (argc != 4) return 2;
  const int flags = strcmp(argv[2], "read") == 0 ? O_RDONLY : O_RDWR;
  const bool once = strcmp(argv[3], "once") == 0;
  for (int number = 0; number < MOST; ++number) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%d", argv[1], number);
    write_file(path);
    const bool past = is_past(path, flags);
    if (once) return past ? 0 : 1;
    if (!past) return printf("%d\n", number) > 0 ? 0 : 1;
  }
  return 1;
}
