/* Runs a command and writes the most memory that it held, in kilobytes, to a file.

   usage: peak RESULT COMMAND...

   A program of its own, and small: what the kernel reports for a child begins with the size of the process that it was
   started from, and an interpreter is larger than what is measured here. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const pid_t child = fork();
  if (child < 0) return 1;
  if (child == 0) {
    execvp(argv[2], argv + 2);
    _exit(127);
  }
  int status = 0;
  struct rusage usage;
  if (wait4(child, &status, 0, &usage) != child) return 1;
  FILE* result = fopen(argv[1], "w");
  if (result == NULL) return 1;
  fprintf(result, "%ld\n", usage.ru_maxrss);
  fclose(result);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
