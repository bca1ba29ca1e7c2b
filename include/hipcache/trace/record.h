// The records of a traced process's actions, which libhipcache-trace.so appends to the step's trace
// file.
//
// The file is a sequence of records, each written by one write(2) with O_APPEND:
//   u8 kind, u8 found, u16 zero, u32 length of the text, u64 seen, text. Little-endian.
// docs/internals/trace.md says which call makes which record. A program begins with `program` and ends with
// `end`; without both the trace is incomplete and proves nothing. Each process writes a record
// once, so the number of equal records has no meaning. Only `execute` is written each time. Relative
// paths are relative to the step's initial directory: a process that changes its directory leaves
// `unknown`.
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
  // exec or posix_spawn of another program, the shell of system or popen; searches on PATH are
  // `look`.
  execute = 11,
  // Any connect; the path of a local socket, or "a network address".
  network = 12,
  // Something that the tracer cannot resolve (openat of a directory descriptor, chdir); text names
  // it.
  unknown = 13,
  end = 14,      // the process ended in order (exit, _exit or return from main)
  machine = 15,  // uname, gethostname; text is "uname"
  // dlopen of a name without a directory, which the loader searches for; found or not.
  library_name = 17,
  // A program was not started, because an answer was prepared; text: the prepared file.
  answer = 18,
  // gmtime: a date was made of a number, which may come from the environment.
  date = 16,
  // isatty and the like of a standard stream. Text: its number, or that and " size". Found: it is a terminal.
  terminal = 19,
  // Only of a run elsewhere (kContents): `seen` is the digest of a file's bytes. Found: of an opened file, all of them;
  // the text is its path without links. Not found: of a program or library (content_of_program).
  content = 20,
};

// How a path was written to.
enum class Change : std::uint64_t {
  // Removed, moved away, made as something else than a file, given another mode, ...
  other = 0,
  opened = 1,      // opened, and perhaps created
  moved_here = 2,  // another file was renamed to it
  // Opened, and perhaps created, in a way that keeps old contents: appended to, or partly
  // overwritten.
  added_to = 3,
};

// The variable by which a run on another machine records contents as well. No file there has a stamp that means
// something here, so contents are what the two machines can compare. Then `seen` of a look holds what kind of entry it
// found, too (hipcache/trace/seen.h: EntryKind). A trace of such a run is made one of this machine before it proves
// something (src/daemon/execute/local_trace.h).
inline constexpr std::string_view kContents = "HIPCACHE_TRACE_CONTENTS";

// The text of a `clock` record by Python, which asks for the time zone's names whenever it starts.
inline constexpr std::string_view kPythonsClock = "localtime in python";

struct Record {
  Kind kind = Kind::unknown;
  bool found = false;  // the call succeeded (open, stat, ...); for variable: it was set
  // The path as given to the call (relative ones stay relative), or a name.
  std::string text;
  // For open_write: a Change. Else the digest of what the call returned (hipcache/trace/seen.h); 0
  // if unknown. Opened, mapped and executed files: which file, and its state. Files looked at and
  // listed: which file. Links and real paths: the resulting text.
  std::uint64_t seen = 0;
  // For a file opened for reading: a later change may leave `seen` as it is. The cause is another
  // change of the file in the same clock tick before.
  bool may_change_unseen = false;
  auto operator<=>(const Record&) const = default;
};

struct Trace {
  std::vector<Record> records;        // sorted, unique, without end
  std::vector<std::string> programs;  // one per exec, in order
  unsigned ends = 0;                  // number of processes that ended in order
  unsigned starts = 0;                // of `execute` records for programs that were found
};

// The bytes that read_records() reads as these records.
std::string encode(const std::vector<Record>& records);

// Sorts the records and drops repetitions.
Trace trace_of(std::vector<Record> records);

// All records in file order, with repetitions: the order of each process's actions.
Result<std::vector<Record>> read_records(std::string_view bytes);

// An error for bytes that are not a trace, or a trace that ends in the middle of a record. Never
// reads past the end.
Result<Trace> read_trace(std::string_view bytes);

}  // namespace hipcache::trace

#endif
