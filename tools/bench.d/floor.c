/* The least that serving a hit can cost: a static program starts, copies a file's bytes to a new file, and ends.

   usage: floor SOURCE TARGET */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char** argv) {
  static char buffer[1 << 20];
  if (argc != 3) return 2;
  const int from = open(argv[1], O_RDONLY | O_CLOEXEC);
  const int to = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (from < 0 || to < 0) return 1;
  for (;;) {
    const ssize_t got = read(from, buffer, sizeof buffer);
    if (got <= 0) return got < 0;
    if (write(to, buffer, (size_t)got) != got) return 1;
  }
}
