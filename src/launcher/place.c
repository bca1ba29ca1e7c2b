#define _GNU_SOURCE
#include "hipcache/launcher/place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "launcher/text.h"

/* The modes that compilers and linkers ask for; the umask applies. */
enum { FILE_MODE = 0666, PROGRAM_MODE = 0777 };
enum { ATTEMPTS = 64, PIECE = 64 * 1024 };
enum { KNOWN = 16 }; /* outputs whose existence is remembered; a wrong guess is harmless */

static bool failed(struct launch_failure* failure, const char* what, const char* path) {
  *failure = (struct launch_failure){what, path, errno};
  return false;
}

/* Also sets `there`: whether the file exists. */
static bool is_replaceable(const char* path, bool* there) {
  struct stat status;
  *there = stat(path, &status) == 0;
  if (!*there) return errno == ENOENT;
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

/* copy_file_range shares extents where the file system can. sendfile copies between any two file systems (memory to
 * disk). */
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

static bool fill(int to, const struct launch_output* output) {
  return output->file < 0 ? launch_write(to, output->bytes, output->size) : copy_in_kernel(output->file, to);
}

/* Some file systems report a full disk only on close. */
static bool close_filled(int fd, bool filled) {
  const int error = errno;
  if (close(fd) != 0) return false;
  errno = error;
  return filled;
}

/* This file uses openat instead of open: musl's open sets O_CLOEXEC a second time, for kernels that did not know the
 * flag. */

/* Creates a new file beside `path`, for file systems without O_TMPFILE. O_EXCL and the process id make the name
 * unique; the umask applies to the mode. */
static int open_beside(const char* path, mode_t mode, char name[PATH_MAX]) {
  for (unsigned attempt = 0; attempt < ATTEMPTS; ++attempt) {
    struct launch_text text = launch_empty_text(name, PATH_MAX);
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

/* Replaces `path` by `name`. It prefers an exchange of the two names over rename: when a rename replaces a file,
 * ext4 writes the new one to disk at once, which takes up to a millisecond. It falls back to rename if the file
 * system has no exchange or one of the names is gone. */
static bool take_place(const char* name, const char* path) {
  enum { EXCHANGE = 2 };
  if (syscall(SYS_renameat2, AT_FDCWD, name, AT_FDCWD, path, EXCHANGE) != 0) return rename(name, path) == 0;
  unlink(name);
  return true;
}

static bool replace_by_named_file(const struct launch_output* output, mode_t mode) {
  char name[PATH_MAX];
  const int fd = open_beside(output->path, mode, name);
  if (fd < 0) return false;
  const bool filled = close_filled(fd, fill(fd, output));
  if (filled && take_place(name, output->path)) return true;
  const int error = errno;
  unlink(name);
  errno = error;
  return false;
}

static int open_without_name(const char* path, mode_t mode) {
  const char* slash = strrchr(path, '/');
  char directory[PATH_MAX];
  struct launch_text text = launch_empty_text(directory, sizeof directory);
  if (slash != NULL) launch_add_part(&text, path, slash == path ? 1 : (size_t)(slash - path));
  if (slash == NULL) launch_add(&text, ".");
  if (text.overflow) return -1;
  return openat(AT_FDCWD, directory, O_WRONLY | O_TMPFILE | O_CLOEXEC, mode);
}

static bool give_name(int fd, const char* name) {
  char path[64];
  struct launch_text text = launch_empty_text(path, sizeof path);
  launch_add(&text, "/proc/self/fd/");
  launch_add_number(&text, (unsigned long)fd);
  return linkat(AT_FDCWD, path, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
}

enum placed { PLACED, OVERTAKEN, NOT_PLACED };

/* linkat cannot replace a file, so the new file first gets the name `path`.hipcache-new. A file found under that
 * name is safe to remove. Another process that was killed, or that places the same output now, left it there; it is
 * a complete output or the file that was replaced. A process whose file was removed makes another. */
static enum placed move_over(int fd, const char* path) {
  char name[PATH_MAX];
  struct launch_text text = launch_empty_text(name, sizeof name);
  launch_add(&text, path);
  launch_add(&text, ".hipcache-new");
  if (text.overflow) return NOT_PLACED;
  if (!give_name(fd, name)) {
    if (errno != EEXIST) return NOT_PLACED;
    return unlink(name) == 0 || errno == ENOENT ? OVERTAKEN : NOT_PLACED;
  }
  if (take_place(name, path)) return PLACED;
  if (errno == ENOENT) return OVERTAKEN;
  unlink(name);
  return NOT_PLACED;
}

/* Fills an O_TMPFILE file and names it when it is complete, so a killed process leaves nothing behind. */
static enum placed replace_by_nameless_file(const struct launch_output* output, mode_t mode, bool there) {
  const int fd = open_without_name(output->path, mode);
  if (fd < 0) return NOT_PLACED;
  enum placed placed = NOT_PLACED;
  if (fill(fd, output)) {
    if (!there && give_name(fd, output->path)) {
      placed = PLACED;
    } else if (there || errno == EEXIST) {
      placed = move_over(fd, output->path);
    }
  }
  close(fd);
  return placed;
}

static bool replace(const struct launch_output* output, mode_t mode, bool there) {
  for (unsigned attempt = 0; attempt < ATTEMPTS; ++attempt) {
    switch (replace_by_nameless_file(output, mode, there)) {
      case PLACED:
        return true;
      case OVERTAKEN:
        continue;
      case NOT_PLACED:
        return replace_by_named_file(output, mode);
    }
  }
  return false;
}

static bool shorten(int fd, size_t size) {
  struct stat status;
  if (fstat(fd, &status) != 0) return false;
  return status.st_size <= (off_t)size || ftruncate(fd, (off_t)size) == 0;
}

/* Truncates only what is longer than the new content: ext4 writes a file that was truncated to zero to disk on
 * close, which takes milliseconds. It truncates before it writes, so a killed process leaves no old tail behind. */
static bool overwrite(const struct launch_output* output, mode_t mode) {
  const bool all_at_once = output->file < 0 && output->size > 0;
  const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (all_at_once ? 0 : O_TRUNC);
  const int fd = openat(AT_FDCWD, output->path, flags, mode);
  if (fd < 0) return false;
  return close_filled(fd, (!all_at_once || shorten(fd, output->size)) && fill(fd, output));
}

/* True for an empty file or a dangling link: binutils writes these in place and replaces all others. */
static bool is_opened_by_binutils(const char* path) {
  struct stat status;
  if (stat(path, &status) == 0) return status.st_size == 0;
  return errno == ENOENT && lstat(path, &status) == 0;
}

static bool place(const struct launch_output* output, bool there) {
  const mode_t mode = output->executable ? PROGRAM_MODE : FILE_MODE;
  if (output->in_place) return overwrite(output, mode);
  if (!output->in_place_if_empty || !is_opened_by_binutils(output->path)) return replace(output, mode, there);
  return overwrite(output, mode);
}

/* Blocks all signals until all outputs are placed. Otherwise a signal could leave temporary files, or only some
 * outputs. release_signals() drops a SIGXFSZ from a file size limit: the compiler will run into the limit itself. */
static sigset_t hold_signals(void) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  return before;
}

static void release_signals(const sigset_t* before, int error) {
  if (error == EFBIG) {
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction chosen;
    sigaction(SIGXFSZ, &ignore, &chosen);
    sigaction(SIGXFSZ, &chosen, NULL);
  }
  sigprocmask(SIG_SETMASK, before, NULL);
}

static bool place_all(const struct launch_output* outputs, size_t count, struct launch_failure* failure) {
  bool there[KNOWN];
  for (size_t index = 0; index < count; ++index) {
    bool is_there = false;
    if (!is_replaceable(outputs[index].path, &is_there)) return failed(failure, "cannot replace", outputs[index].path);
    if (index < KNOWN) there[index] = is_there;
  }
  for (size_t index = 0; index < count; ++index) {
    if (!place(&outputs[index], index < KNOWN && there[index]))
      return failed(failure, "cannot write", outputs[index].path);
  }
  return true;
}

static bool place_outputs(const struct launch_output* outputs, size_t count, struct launch_failure* failure) {
  const sigset_t before = hold_signals();
  const bool placed = place_all(outputs, count, failure);
  release_signals(&before, placed ? 0 : failure->error);
  return placed;
}

/* Follows clang's driver, which removes the output of a failed job only if it is a writable regular file. */
static bool remove_files(const char* const* paths, size_t count, struct launch_failure* failure) {
  for (size_t index = 0; index < count; ++index) {
    struct stat status;
    if (stat(paths[index], &status) != 0) continue;
    if (!S_ISREG(status.st_mode) || access(paths[index], W_OK) != 0) continue;
    if (unlink(paths[index]) != 0 && errno != ENOENT) return failed(failure, "cannot remove", paths[index]);
  }
  return true;
}

bool launch_deliver(const struct launch_delivery* delivery, struct launch_failure* failure) {
  if (!place_outputs(delivery->outputs, delivery->output_count, failure)) return false;
  if (!remove_files(delivery->removed, delivery->removed_count, failure)) return false;
  if (!launch_write(STDOUT_FILENO, delivery->out.bytes, delivery->out.size))
    return failed(failure, "cannot write", "standard output");
  launch_write(STDERR_FILENO, delivery->err.bytes, delivery->err.size);
  return true;
}
