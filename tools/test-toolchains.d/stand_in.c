/* Stands in for ROCm's amdclang++: executes the clang++ of its own directory. Static, so it is not traced. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof "clang++");
  (void)argc;
  if (length <= 0) return 1;
  path[length] = 0;
  strcpy(strrchr(path, '/') + 1, "clang++");
  argv[0] = path;
  execv(path, argv);
  perror(path);
  return 1;
}
