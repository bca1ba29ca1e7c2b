// A hipcc that says so if the compiler failed, as that of ROCm 7 does. It starts clang++ of HIP_CLANG_PATH.
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
extern char** environ;

int main(int argc, char** argv) {
  char compiler[4096];
  int status = 0;
  pid_t child;
  (void)argc;
  snprintf(compiler, sizeof compiler, "%s/clang++", getenv("HIP_CLANG_PATH"));
  argv[0] = compiler;
  if (posix_spawn(&child, compiler, 0, 0, argv, environ) != 0 || waitpid(child, &status, 0) < 0) return 1;
  if (status != 0) fprintf(stderr, "failed to execute:%s\n", compiler);
  return status != 0;
}
