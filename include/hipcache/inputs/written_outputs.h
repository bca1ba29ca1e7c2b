// Finds the files that a traced command wrote for its user: its outputs, if nobody named them
// beforehand.
//
// The order of the records tells whether a file was read before it was written. Such a file (a log,
// a database) is both input and output, and cannot be restored. A file that was made by appending
// cannot be restored either. The exception is a command that first looked for the file: it removes
// an old file before it begins.
#ifndef HIPCACHE_INPUTS_WRITTEN_OUTPUTS_H
#define HIPCACHE_INPUTS_WRITTEN_OUTPUTS_H

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "hipcache/inputs/run.h"
#include "hipcache/trace/record.h"

namespace hipcache::inputs {

// Absolute paths of files that the command may read as well as write; empty: none.
struct ReadAndWritten {
  // An archive: its old contents are part of the command's key.
  std::string updated;
  // A linker's output: lld opens the old one before it removes it, and reads nothing. mold opens it after it has moved
  // it away, so that the file's end takes no time.
  std::string replaced;
};

struct WrittenOutput {
  // As the process named it: relative to the working directory, or absolute.
  std::string name;
  std::string path;  // absolute, without "." and ".."
  // It was opened under that name: an existing file is overwritten, not replaced.
  bool opened = false;
  // Of `updated`: which file was read (trace/seen.h); 0 if none was.
  std::uint64_t read_as = 0;
  bool exists = false;  // now; else it was an intermediate file
};

// Sorted by path. Leaves out files in `directory` (the request's temporary one) and /dev/null.
// Refuses files that were read first ("reads-own-output"), and anything that is no regular file
// ("writes-elsewhere").
std::variant<std::vector<WrittenOutput>, Refusal> written_files(const std::vector<trace::Record>& records,
                                                                const std::string& directory,
                                                                const std::string& working_directory,
                                                                const ReadAndWritten& accepted = {});

}  // namespace hipcache::inputs

#endif
