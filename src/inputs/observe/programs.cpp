#include "inputs/observe/programs.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>

#include "hipcache/base/files.h"
#include "inputs/rules/environment.h"

namespace hipcache::inputs {
namespace {

// Whether the file begins with "#!".
bool is_script(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char begin[2] = {};
  return file && ::read(file.get(), begin, 2) == 2 && begin[0] == '#' && begin[1] == '!';
}

// Whether the typed program is neither traced nor a script. A static program is not traced, so it may have read
// anything. A script's interpreter reads the script, and is traced.
bool leaves_no_trace(const trace::Trace& trace, const Run& run) {
  if (run.programs.empty() || run.has_unseen_program) return false;
  const std::string typed = real_path(run.programs[0]);
  return !is_script(typed) && std::none_of(trace.programs.begin(), trace.programs.end(),
                                           [&](const std::string& program) { return real_path(program) == typed; });
}

// By their numbers, because a program may be traced once and untraced the next time: where a wrapper takes the trace
// library away, or the environment. One program is the one that hipcache started.
bool has_untraced_start(const trace::Trace& trace) { return trace.starts > 0 && trace.starts >= trace.programs.size(); }

std::optional<Refusal> check_ends(const trace::Trace& trace) {
  if (has_untraced_start(trace)) return Refusal{"compiler-is-a-wrapper", "a program that it started left no trace"};
  if (trace.ends < trace.programs.size()) return Refusal{"trace", "a process did not end in order"};
  return std::nullopt;
}

}  // namespace

std::string real_path(const std::string& path) {
  char resolved[PATH_MAX];
  return ::realpath(path.c_str(), resolved) != nullptr ? std::string(resolved) : path;
}

std::optional<Refusal> check_programs(const trace::Trace& trace, const Run& run) {
  if (run.is_opaque && trace.programs.empty())
    return Refusal{"untraceable-compiler", run.programs.empty() ? "" : run.programs[0]};
  if (run.is_opaque && leaves_no_trace(trace, run)) return Refusal{"compiler-is-a-wrapper", run.programs[0]};
  if (run.is_opaque) return check_ends(trace);
  std::size_t seen = 0;
  for (const std::string& program : trace.programs) {
    if (seen < run.programs.size() && real_path(run.programs[seen]) == real_path(program)) {
      ++seen;
    } else if (!run.may_start_others) {
      return Refusal{"compiler-is-a-wrapper", program};
    }
  }
  if (seen < run.programs.size()) return Refusal{"untraceable-compiler", run.programs[seen]};
  return check_ends(trace);
}

std::optional<Refusal> check_start(const trace::Record& record, const std::string& path, const trace::Trace& trace,
                                   const Run& run) {
  if (!run.may_start_others && !run.is_opaque) return Refusal{"compiler-is-a-wrapper", record.text};
  if (detects_hardware(record.text)) return Refusal{"native-target", record.text};
  const std::string started = real_path(path);
  const bool is_traced = std::any_of(trace.programs.begin(), trace.programs.end(),
                                     [&](const std::string& program) { return real_path(program) == started; });
  if (record.found && !is_traced && !(run.is_opaque && is_script(started)))
    return Refusal{"compiler-is-a-wrapper", record.text};
  return std::nullopt;
}

}  // namespace hipcache::inputs
