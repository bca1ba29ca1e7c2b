#define _GNU_SOURCE
#include "hipcache/launch/place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch/text.h"

/* Before the umask: what compilers and linkers make. */
enum { FILE_MODE = 0666, PROGRAM_MODE = 0777 };
enum { ATTEMPTS = 64, PIECE = 64 * 1024 };

static bool failed(struct launch_failure* failure, const char* what, const char* path) {
  *failure = (struct launch_failure){what, path, errno};
  return false;
}

static bool is_replaceable(const char* path) {
  struct stat status;
  if (stat(path, &status) != 0) return errno == ENOENT;
  errno = EINVAL;
  return S_ISREG(status.st_mode) && access(path, W_OK) == 0;
}

static bool copy_through_memory(int from, off_t offset, int to) {
  char piece[PIECE];
  for (;;) {
    const ssize_t got = pread(from, piece, sizeof piece, offset);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0;
    if (!launch_write(to, piece, (size_t)got)) return false;
    offset += got;
  }
}

/* copy_file_range shares extents on file systems that can; sendfile copies between any two (memory to disk). */
static bool copy_in_kernel(int from, int to) {
  struct stat status;
  if (fstat(from, &status) != 0) return false;
  off_t offset = 0;
  while (offset < status.st_size) {
    const size_t left = (size_t)(status.st_size - offset);
    ssize_t copied = copy_file_range(from, &offset, to, NULL, left, 0);
    if (copied < 0 && errno != ENOSPC && errno != EINTR) copied = sendfile(to, from, &offset, left);
    if (copied < 0 && errno == EINTR) continue;
    if (copied < 0 && errno == ENOSPC) return false;
    if (copied <= 0) return copy_through_memory(from, offset, to);
  }
  return true;
}

/* Closes the file, whatever becomes of it. */
static bool fill(int to, const struct launch_output* output) {
  const bool filled =
      output->file < 0 ? launch_write(to, output->bytes, output->size) : copy_in_kernel(output->file, to);
  const int error = errno;
  if (close(to) != 0) return false;
  errno = error;
  return filled;
}

/* openat, as musl's open sets O_CLOEXEC a second time, for kernels that did not know it. */

/* A new file beside `path`. O_EXCL and the process's number make the name ours; the mode is left to the umask. */
static int open_beside(const char* path, mode_t mode, char name[PATH_MAX]) {
  for (unsigned attempt = 0; attempt < ATTEMPTS; ++attempt) {
    struct launch_text text = launch_text(name, PATH_MAX);
    launch_add(&text, path);
    launch_add(&text, ".hipcache-");
    launch_add_number(&text, (unsigned long)getpid());
    launch_add(&text, "-");
    launch_add_number(&text, attempt);
    if (text.overflow) {
      errno = ENAMETOOLONG;
      return -1;
    }
    const int fd = openat(AT_FDCWD, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

static bool replace(const struct launch_output* output, mode_t mode) {
  char name[PATH_MAX];
  const int fd = open_beside(output->path, mode, name);
  if (fd < 0) return false;
  if (fill(fd, output) && rename(name, output->path) == 0) return true;
  const int error = errno;
  unlink(name);
  errno = error;
  return false;
}

static bool overwrite(const struct launch_output* output, mode_t mode) {
  const int fd = openat(AT_FDCWD, output->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  return fd >= 0 && fill(fd, output);
}

bool launch_place(const struct launch_output* outputs, size_t count, struct launch_failure* failure) {
  for (const struct launch_output* output = outputs; output != outputs + count; ++output) {
    if (!is_replaceable(output->path)) return failed(failure, "cannot replace", output->path);
  }
  for (const struct launch_output* output = outputs; output != outputs + count; ++output) {
    const mode_t mode = output->executable ? PROGRAM_MODE : FILE_MODE;
    const bool placed = output->in_place ? overwrite(output, mode) : replace(output, mode);
    if (!placed) return failed(failure, "cannot write", output->path);
  }
  return true;
}

/* As clang's driver does with the output of a job that failed. */
bool launch_remove(const char* const* paths, size_t count, struct launch_failure* failure) {
  for (size_t index = 0; index < count; ++index) {
    struct stat status;
    if (stat(paths[index], &status) != 0) continue;
    if (!S_ISREG(status.st_mode) || access(paths[index], W_OK) != 0) continue;
    if (unlink(paths[index]) != 0 && errno != ENOENT) return failed(failure, "cannot remove", paths[index]);
  }
  return true;
}
