/* Runs a command COUNT times, AT_ONCE of them at any moment, and writes to RESULT: first "wall cpu peak", the
   microseconds that all took and that their processes used, and the kilobytes that the largest of them held; then the
   microseconds of each.

   A small program: what the kernel reports for a child begins with the size of the process that it was started from.

   usage: crowd RESULT AT_ONCE COUNT COMMAND... */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char** environ;

enum { LIMIT = 1024 };

static struct {
  pid_t pid;
  double since;
} running[LIMIT];

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static int start(int slot, char** command) {
  running[slot].since = now();
  return posix_spawnp(&running[slot].pid, command[0], NULL, NULL, command, environ) == 0;
}

static int await(int at_once, double* took) {
  int status = 0;
  const pid_t ended = wait(&status);
  for (int slot = 0; slot < at_once; ++slot) {
    if (running[slot].pid != ended) continue;
    *took = now() - running[slot].since;
    running[slot].pid = 0;
    return status == 0 ? slot : -1;
  }
  return -1;
}

static double seconds_of(struct timeval time) { return (double)time.tv_sec * 1e6 + (double)time.tv_usec; }

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const int at_once = atoi(argv[2]);
  const int count = atoi(argv[3]);
  double* took = calloc((size_t)count, sizeof *took);
  if (took == NULL || at_once < 1 || at_once > LIMIT || count < at_once) return 2;
  const double begin = now();
  int started = 0;
  while (started < at_once) {
    if (!start(started++, argv + 4)) return 1;
  }
  for (int ended = 0; ended < count; ++ended) {
    const int slot = await(at_once, &took[ended]);
    if (slot < 0 || (started < count && !start(slot, argv + 4))) return 1;
    if (started < count) ++started;
  }
  const double wall = now() - begin;
  struct rusage usage;
  FILE* result = fopen(argv[1], "w");
  if (result == NULL || getrusage(RUSAGE_CHILDREN, &usage) != 0) return 1;
  fprintf(result, "%.0f %.0f %ld\n", wall, seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime), usage.ru_maxrss);
  for (int index = 0; index < count; ++index) fprintf(result, "%.0f\n", took[index]);
  return fclose(result) == 0 ? 0 : 1;
}
