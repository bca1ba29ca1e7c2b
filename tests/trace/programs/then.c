/* A program that does what its arguments say, one after the other: what `preload/then.c` starts twice.
 *
 *   append FILE TEXT   a line at the end of the file       read FILE        opens it
 *   say TEXT           a line to stdout                    complain TEXT    a line to stderr
 *   set NAME VALUE     in its environment                  tell NAME FILE   appends the variable, or "unset"
 *   limit FILE         appends the limits of stack, processor time and file size
 *   raise NUMBER       a signal to itself                  wait FILE        appends its process id, and sleeps
 *   exit NUMBER */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void append(const char* path, const char* text) {
  FILE* file = fopen(path, "a");
  if (file == NULL) exit(100);
  fprintf(file, "%s\n", text);
  fclose(file);
}

static void append_number(const char* path, long long number) {
  char text[32];
  snprintf(text, sizeof text, "%lld", number);
  append(path, text);
}

static long long limit_of(__rlimit_resource_t resource) {
  struct rlimit limit = {0, 0};
  getrlimit(resource, &limit);
  return (long long)limit.rlim_cur;
}

static void read_file(const char* path) {
  const int fd = open(path, O_RDONLY);
  if (fd < 0) exit(101);
  close(fd);
}

static void limits_to(const char* path) {
  append_number(path, limit_of(RLIMIT_STACK));
  append_number(path, limit_of(RLIMIT_CPU));
  append_number(path, limit_of(RLIMIT_FSIZE));
}

static void wait_for_a_signal(const char* path) {
  append_number(path, getpid());
  for (;;) pause();
}

int main(int argc, char** argv) {
  int i = 1;
  while (i < argc) {
    const char* what = argv[i];
    const char* first = i + 1 < argc ? argv[i + 1] : "";
    const char* second = i + 2 < argc ? argv[i + 2] : "";
    const char* value = getenv(first);
    i += 2;
    if (strcmp(what, "append") == 0) append(first, second), ++i;
    if (strcmp(what, "read") == 0) read_file(first);
    if (strcmp(what, "say") == 0) puts(first);
    if (strcmp(what, "complain") == 0) fprintf(stderr, "%s\n", first);
    if (strcmp(what, "set") == 0) setenv(first, second, 1), ++i;
    if (strcmp(what, "tell") == 0) append(second, value == NULL ? "unset" : value), ++i;
    if (strcmp(what, "limit") == 0) limits_to(first);
    if (strcmp(what, "raise") == 0) raise(atoi(first));
    if (strcmp(what, "wait") == 0) wait_for_a_signal(first);
    if (strcmp(what, "exit") == 0) return atoi(first);
  }
  return 0;
}
