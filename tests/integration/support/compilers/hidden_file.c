#include "integration/support/compilers/hidden_file.h"

#include <fcntl.h>
#include <string.h>

#include "trace/preload/call.h"

void hidden_read(const char* path, char* text, unsigned long size) {
  text[0] = '\0';
  const long file = trace_call(SYS_openat, AT_FDCWD, path, O_RDONLY);
  if (file < 0) return;
  const long got = trace_call(SYS_read, file, text, size - 1);
  text[got > 0 ? got : 0] = '\0';
  text[strcspn(text, "\n")] = '\0';
  trace_call(SYS_close, file);
}

void hidden_edit(const char* path) {
  const long file = trace_call(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND);
  if (file < 0) return;
  trace_call(SYS_write, file, "\n", 1);
  trace_call(SYS_close, file);
}
