// What a traced process was seen to do: the records that libhipcache-trace.so appends to the step's trace file.
//
// The file is a sequence of records, each written by one write(2) with O_APPEND:
//   u8 kind, u8 found, u16 zero, u32 length of the text, u64 seen, text. Little-endian. docs/trace.md says which call
//   makes which record.
// A program begins with `program` and ends with `end`; without them the trace is incomplete and proves nothing. A
// record comes once per process, so their number says nothing. Relative paths count from where the step was started: a
// process that goes elsewhere leaves `unknown`.
#ifndef HIPCACHE_TRACE_RECORD_H
#define HIPCACHE_TRACE_RECORD_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/result.h"

namespace hipcache::trace {

enum class Kind : std::uint8_t {
  program = 1,     // text: /proc/self/exe resolved; one per exec
  library = 2,     // a shared library mapped, at start or at end
  open_read = 3,   // opened for reading
  open_write = 4,  // opened or created for writing, renamed to, removed, made
  look = 5,        // stat, lstat, access: is it there?
  list = 6,        // opendir
  link = 7,        // readlink; not found: absent, or no link
  real_path = 8,   // realpath; "." for getcwd
  variable = 9,    // getenv; text is the name, never the value
  clock = 10,      // localtime: __DATE__, __TIME__, __TIMESTAMP__
  execute = 11,    // exec or posix_spawn of another program, a shell of system or popen; searches on PATH are `look`
  network = 12,    // any connect; the path of a local socket, or "a network address"
  unknown = 13,    // something that cannot be told from here (openat of a directory descriptor, chdir); text says what
  end = 14,        // the process ended in order (exit, _exit or return from main)
  machine = 15,    // uname, gethostname; text is "uname"
  library_name = 17,  // dlopen of a name without a directory, which the loader looks for; found or not
  answer = 18,        // a program was not started, for an answer was prepared; text: what was made of it
  date = 16,          // gmtime: a date was made of a number, which the environment may have given
};

// How a path came to be written to.
enum class Change : std::uint64_t {
  other = 0,       // removed, moved away, made as something else than a file, given another mode, ...
  opened = 1,      // opened, and perhaps made
  moved_here = 2,  // another file took its name
  added_to = 3,    // opened, and perhaps made, in a way that keeps what was there: appended to, or written over in part
};

struct Record {
  Kind kind = Kind::unknown;
  bool found = false;  // the call succeeded (open, stat, ...); for variable: it was set
  std::string text;    // path as given to the call (relative ones stay relative), or name
  // For open_write: a Change. Else the digest of what the call gave (hipcache/trace/seen.h), 0 where that is not known:
  // which file was opened, mapped or run, and in which state; which one was looked at or listed; a link's target, a
  // real path.
  std::uint64_t seen = 0;
  // Of a file that was opened for reading: a change after that may have left no mark in `seen`, as the file was changed
  // within the same tick of the clock before.
  bool may_change_unseen = false;
  auto operator<=>(const Record&) const = default;
};

struct Trace {
  std::vector<Record> records;        // sorted, unique, without end
  std::vector<std::string> programs;  // one per exec, in order
  unsigned ends = 0;                  // processes that ended in order
};

// The records without their order.
Trace trace_of(std::vector<Record> records);

// All records as they came, with repetitions: what one process did, in its order.
Result<std::vector<Record>> read_records(std::string_view bytes);

// An error for bytes that are not a trace; never reads past the end. A trace cut short in the middle of a record is an
// error.
Result<Trace> read_trace(std::string_view bytes);

}  // namespace hipcache::trace

#endif
