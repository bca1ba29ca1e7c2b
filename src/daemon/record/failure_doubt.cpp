#include "daemon/record/failure_doubt.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "hipcache/base/files.h"
#include "hipcache/inputs/path_set_builder.h"
#include "hipcache/trace/record.h"

namespace hipcache::daemon {

namespace {

constexpr int kKilled = 128;  // exit codes from here on mean a signal, as in shells
constexpr std::uint64_t kTraceLimit = 256u << 20;

// True also if the state is unknown, unless the directory is missing.
bool is_full(const std::string& directory) {
  constexpr std::uint64_t kEnough = 1u << 20;
  struct statvfs status{};
  if (statvfs(directory.c_str(), &status) != 0) return errno != ENOENT && errno != ENOTDIR;
  return status.f_bavail * status.f_frsize < kEnough || (status.f_files > 0 && status.f_favail == 0);
}

// A failed write leaves the trace without the process's end record.
bool is_whole(const trace::Trace& trace) { return !trace.programs.empty() && trace.ends >= trace.programs.size(); }

std::string doubt_by_trace(const std::string& trace_path, const Request& request) {
  const Result<std::string> bytes = read_file(trace_path, kTraceLimit);
  const Result<trace::Trace> trace = bytes ? trace::read_trace(*bytes) : bytes.error();
  if (!trace || !is_whole(*trace)) return "its trace is not whole";
  const std::string descriptor = inputs::descriptor_read(trace->records, request.from.working_directory);
  return descriptor.empty() ? "" : "it reads " + descriptor;
}

// The disk may have room again by now, so the compiler's messages count, too. Translated messages go unnoticed; the
// other signs remain.
bool speaks_of_room(const std::string& text) {
  for (const int number : {ENOSPC, EDQUOT, EFBIG, EMFILE, ENFILE, ENOMEM})
    if (text.find(strerrordesc_np(number)) != std::string::npos) return true;
  return false;
}

std::string output_directory(const Request& request) {
  return std::string(directory_name(join_path(request.from.working_directory, request.invocation.object)));
}

}  // namespace

std::string doubt_of_failure(const StepResult& failed, const std::string& trace_path, const StepContext& context) {
  const std::string& directory = context.directory.path();
  if (failed.exit_code < 0 || failed.exit_code >= kKilled) return "a signal ended it";
  if (holds_crash_report(failed.stderr_text)) return "it printed a crash report";
  if (access(directory.c_str(), W_OK) != 0) return directory + " is gone";
  if (is_full(directory)) return "no room in " + directory;
  if (!context.request.invocation.object.empty() && is_full(output_directory(context.request)))
    return "no room for its outputs";
  if (speaks_of_room(failed.stderr_text) || speaks_of_room(failed.stdout_text)) return "it speaks of a lack of room";
  return doubt_by_trace(trace_path, context.request);
}

}  // namespace hipcache::daemon
