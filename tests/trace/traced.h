// Running a program with the preload library, in a scratch directory, and reading what it left.
#ifndef HIPCACHE_TESTS_TRACE_TRACED_H
#define HIPCACHE_TESTS_TRACE_TRACED_H

#include <map>
#include <string>
#include <vector>

#include "hipcache/base/process.h"
#include "hipcache/trace/record.h"
#include "support/scratch.h"

namespace hipcache::trace {

// A program of these tests, by its target's name.
std::string test_program(const std::string& name);
std::string preload_library();

class Traced {
 public:
  support::Scratch scratch;                    // where the program runs
  std::map<std::string, std::string> changes;  // to the environment, before `run`

  // Runs argv[0], looked for on PATH, with the library; the trace is then in `trace`.
  ExitStatus run(const std::vector<std::string>& argv);
  // The same without the library.
  ExitStatus run_untraced(const std::vector<std::string>& argv);

  Trace trace;
  std::string raw;     // the bytes of the trace; empty if the program wrote none
  std::string output;  // what it printed to stdout and stderr

  bool has(Kind kind, bool found, const std::string& text) const;
  std::vector<std::string> texts(Kind kind) const;                            // sorted
  std::vector<std::uint64_t> seen(Kind kind, const std::string& text) const;  // what the records of it saw, sorted
  bool has_any(Kind kind, bool found, const std::string& ending) const;       // some text that ends so
  std::string dump() const;                                                   // for messages of failed tests

 private:
  ExitStatus run_with(const std::vector<std::string>& argv, std::map<std::string, std::string> environment);
};

}  // namespace hipcache::trace

#endif
