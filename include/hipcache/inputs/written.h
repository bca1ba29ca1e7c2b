// The files that a traced command wrote for its user: what its outputs are, where nobody has said so beforehand.
//
// The order of the records tells whether a file was read before it was written. Such a one (a file that is appended to,
// a database that is kept up) is input and output at once, and nothing that can be put back; neither is one that was
// made by appending, unless it had been looked for: who does that removes it to begin anew.
#ifndef HIPCACHE_INPUTS_WRITTEN_H
#define HIPCACHE_INPUTS_WRITTEN_H

#include <string>
#include <variant>
#include <vector>

#include "hipcache/inputs/observe.h"
#include "hipcache/trace/record.h"

namespace hipcache::inputs {

// Of the files that a command reads and writes, absolute paths of those for which that is all right; empty: none.
struct ReadAndWritten {
  std::string updated;   // an archive: what was in it is a part of the command's key
  std::string replaced;  // a linker's output: lld opens the old one before it removes it, and reads nothing
};

struct Written {
  std::string name;           // as the process named it: relative to the working directory, or absolute
  std::string path;           // absolute, without "." and ".."
  bool opened = false;        // under that name: what was there is written over, and not replaced
  std::uint64_t read_as = 0;  // of `updated`: which file was read (trace/seen.h), 0 if none was
  bool exists = false;        // now; else it was a file of passage
};

// Sorted by path. Left out: what lies in `directory` (the request's temporary one), and what leaves no trace
// (/dev/null). Refuses ("reads-own-output", "writes-elsewhere") files that were read first, and what is no regular
// file.
std::variant<std::vector<Written>, Refusal> written_files(const std::vector<trace::Record>& records,
                                                          const std::string& directory,
                                                          const std::string& working_directory,
                                                          const ReadAndWritten& accepted = {});

}  // namespace hipcache::inputs

#endif
