/* What a program asks of a terminal behind its standard streams.
 *
 * The problem: compilers print in colour, make links and cut lines by what standard error and standard input are. A
 * step has pipes and /dev/null there, whatever the user has. The choice: the step's streams carry a mark
 * (hipcache/base/stream_marks.h), and a question about a marked one has the answer that the user's own would give. The
 * file `terminals` beside the trace says which of them are terminals, and how large. Each question is recorded.
 * Rejected: a pseudo-terminal for each stream. It changes what is printed (new lines), needs /dev/pts, and a read of
 * standard input would wait for somebody to type. An option for colours: the compiler decides by more than one
 * look, and objects may hold their options.
 *
 * A marked stream is no terminal for the kernel. So calls that this file does not answer fail, and what a program makes
 * of that is not known: they leave `unknown` if the user's stream is a terminal. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include "hipcache/base/stream_marks.h"
#include "trace/preload/call.h"
#include "trace/preload/internal.h"

enum { NO_STREAM = -1 };

struct terminal {
  bool is_there;
  struct winsize size;
};

static unsigned mode_of(int fd) {
  struct statx status;
  return trace_call(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_TYPE, &status) == 0 ? status.stx_mode : 0;
}

/* Which of the step's streams the descriptor is; a copy of one counts as well. */
static int stream_of(int fd) {
  const int saved = errno;
  int stream = NO_STREAM;
  const long flags = trace_active() ? trace_call(SYS_fcntl, fd, F_GETFL) : -1;
  if (flags >= 0) {
    const int mark = (int)flags & HIPCACHE_STREAM_MARKS;
    const bool writes = (flags & O_ACCMODE) == O_WRONLY;
    if (writes && mark == HIPCACHE_MARK_OUTPUT && S_ISFIFO(mode_of(fd))) stream = STDOUT_FILENO;
    if (writes && mark == HIPCACHE_MARK_ERROR && S_ISFIFO(mode_of(fd))) stream = STDERR_FILENO;
    if ((flags & O_ACCMODE) == O_RDONLY && mark == HIPCACHE_MARK_INPUT && S_ISCHR(mode_of(fd))) stream = STDIN_FILENO;
  }
  errno = saved;
  return stream;
}

/* Reads the file beside the trace into `text`; empty if there is none. */
static void read_terminals(char* text, size_t room) {
  char name[TRACE_TEXT_LIMIT + sizeof HIPCACHE_TERMINALS];
  text[0] = '\0';
  const char* slash = strrchr(trace_file(), '/');
  if (slash == NULL || slash - trace_file() > TRACE_TEXT_LIMIT) return;
  const size_t length = (size_t)(slash - trace_file()) + 1;
  memcpy(name, trace_file(), length);
  strcpy(name + length, HIPCACHE_TERMINALS);
  const long fd = trace_call(SYS_openat, AT_FDCWD, name, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return;
  const long got = trace_call(SYS_read, fd, text, room - 1);
  text[got > 0 ? got : 0] = '\0';
  trace_call(SYS_close, fd);
}

/* The text has a field for each stream, "COLUMNSxROWS" or empty, with commas between. */
static struct terminal terminal_of(int stream) {
  char text[64]; /* three sizes of five digits each, and commas */
  const int saved = errno;
  struct terminal found = {false, {0, 0, 0, 0}};
  read_terminals(text, sizeof text);
  const char* field = text;
  for (int i = 0; i < stream && field != NULL; ++i) {
    field = strchr(field, ',');
    if (field != NULL) ++field;
  }
  if (field != NULL && *field >= '0' && *field <= '9') {
    char* rest;
    found.is_there = true;
    found.size.ws_col = (unsigned short)strtoul(field, &rest, 10);
    if (*rest == 'x') found.size.ws_row = (unsigned short)strtoul(rest + 1, NULL, 10);
  }
  errno = saved;
  return found;
}

static bool asks_whether_terminal(int stream) {
  const char text[] = {(char)('0' + stream), '\0'};
  const bool is_one = terminal_of(stream).is_there;
  trace_emit(TRACE_TERMINAL, is_one, text);
  return is_one;
}

TRACE_HOOK(isatty);
TRACE_EXPORT int isatty(int fd) {
  const int stream = stream_of(fd);
  if (stream == NO_STREAM) return TRACE_REAL(isatty)(fd);
  if (asks_whether_terminal(stream)) return 1;
  errno = ENOTTY;
  return 0;
}

/* The settings of a terminal that nobody has changed. */
static void set_usual(struct termios* settings) {
  memset(settings, 0, sizeof *settings);
  settings->c_iflag = ICRNL | IXON;
  settings->c_oflag = OPOST | ONLCR;
  settings->c_cflag = CS8 | CREAD;
  settings->c_lflag = ISIG | ICANON | ECHO | ECHOE | ECHOK | ECHOCTL | ECHOKE | IEXTEN;
  cfsetispeed(settings, B38400);
  cfsetospeed(settings, B38400);
}

/* Curses asks for the settings before it says how many colours there are, and prints nothing by them. */
TRACE_HOOK(tcgetattr);
TRACE_EXPORT int tcgetattr(int fd, struct termios* settings) {
  const int stream = stream_of(fd);
  if (stream == NO_STREAM || !asks_whether_terminal(stream)) return TRACE_REAL(tcgetattr)(fd, settings);
  set_usual(settings);
  return 0;
}

static int window_size(int stream, struct winsize* size) {
  const char text[] = {(char)('0' + stream), ' ', 's', 'i', 'z', 'e', '\0'};
  const struct terminal terminal = terminal_of(stream);
  trace_emit(TRACE_TERMINAL, terminal.is_there, text);
  if (terminal.is_there && size != NULL) {
    *size = terminal.size;
    return 0;
  }
  errno = terminal.is_there ? EFAULT : ENOTTY;
  return -1;
}

TRACE_HOOK(ioctl);
TRACE_EXPORT int ioctl(int fd, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  const int stream = stream_of(fd);
  if (stream != NO_STREAM && request == TIOCGWINSZ) return window_size(stream, argument);
  if (stream != NO_STREAM && asks_whether_terminal(stream)) trace_unknown("ioctl", "of a terminal");
  return TRACE_REAL(ioctl)(fd, request, argument);
}

/* The terminal's name, its processes, its settings. */
#define REFUSE_OF_TERMINAL(type, name, parameters, arguments)                                        \
  TRACE_HOOK(name);                                                                                  \
  TRACE_EXPORT type name parameters {                                                                \
    const int stream = stream_of(fd);                                                                \
    if (stream != NO_STREAM && asks_whether_terminal(stream)) trace_unknown(#name, "of a terminal"); \
    return TRACE_REAL(name) arguments;                                                               \
  }
REFUSE_OF_TERMINAL(char*, ttyname, (int fd), (fd))
REFUSE_OF_TERMINAL(int, ttyname_r, (int fd, char* name, size_t size), (fd, name, size))
REFUSE_OF_TERMINAL(pid_t, tcgetpgrp, (int fd), (fd))
REFUSE_OF_TERMINAL(int, tcsetattr, (int fd, int when, const struct termios* settings), (fd, when, settings))
