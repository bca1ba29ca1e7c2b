#include "trace/traced.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "hipcache/base/files.h"

namespace hipcache::trace {
namespace {

std::map<std::string, std::string> own_environment() {
  std::map<std::string, std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const auto equals = text.find('=');
    if (equals != std::string::npos) environment[text.substr(0, equals)] = text.substr(equals + 1);
  }
  // What a launcher around the tests may have set would be traced with the rest.
  for (const char* name : {"LD_PRELOAD", "HIPCACHE_TRACE", "SOURCE_DATE_EPOCH"}) environment.erase(name);
  return environment;
}

}  // namespace

std::string test_program(const std::string& name) { return std::string(PROGRAM_DIRECTORY) + "/" + name; }
std::string preload_library() { return PRELOAD_LIBRARY; }

ExitStatus Traced::run(const std::vector<std::string>& argv) {
  const std::string file = scratch / "trace";
  std::filesystem::remove(file);
  auto environment = own_environment();
  environment["LD_PRELOAD"] = preload_library();
  environment["HIPCACHE_TRACE"] = file;
  for (const auto& [name, value] : changes) environment[name] = value;
  const ExitStatus status = run_with(argv, std::move(environment));
  raw = support::exists(file) ? support::read_bytes(file) : "";
  Result<Trace> read = read_trace(raw);
  EXPECT_TRUE(read.ok()) << read.error().message;
  trace = read.ok() ? *read : Trace{};
  return status;
}

ExitStatus Traced::run_untraced(const std::vector<std::string>& argv) { return run_with(argv, own_environment()); }

ExitStatus Traced::run_with(const std::vector<std::string>& argv, std::map<std::string, std::string> environment) {
  environment["PWD"] = scratch.path();
  SpawnRequest request;
  Result<std::string> program = find_program(argv.front(), environment["PATH"], scratch.path());
  EXPECT_TRUE(program.ok()) << argv.front();
  if (!program) return ExitStatus{127, 0};
  const UniqueFd log(open((scratch / "output").c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  // env moves into the directory, so that these tests, which have threads, need not.
  request.program = "/usr/bin/env";
  request.argv = {"env", "-C", scratch.path()};
  for (const auto& [name, value] : environment) {
    if (name == "LD_PRELOAD" || name == "HIPCACHE_TRACE") {
      request.argv.push_back(name + "=" + value);
    } else {
      request.environment.push_back(name + "=" + value);
    }
  }
  request.argv.push_back(*program);
  request.argv.insert(request.argv.end(), argv.begin() + 1, argv.end());
  request.stdout_fd = log.get();
  request.stderr_fd = log.get();
  Result<pid_t> child = spawn(request);
  EXPECT_TRUE(child.ok()) << child.error().message;
  if (!child) return ExitStatus{127, 0};
  Result<ExitStatus> status = wait_for(*child);
  EXPECT_TRUE(status.ok());
  output = support::read_bytes(scratch / "output");
  return status.ok() ? *status : ExitStatus{127, 0};
}

bool Traced::has(Kind kind, bool found, const std::string& text) const {
  return std::any_of(trace.records.begin(), trace.records.end(), [&](const Record& record) {
    return record.kind == kind && record.found == found && record.text == text;
  });
}

bool Traced::has_any(Kind kind, bool found, const std::string& ending) const {
  return std::any_of(trace.records.begin(), trace.records.end(), [&](const Record& record) {
    return record.kind == kind && record.found == found && record.text.ends_with(ending);
  });
}

std::vector<std::string> Traced::texts(Kind kind) const {
  std::vector<std::string> texts;
  for (const Record& record : trace.records) {
    if (record.kind == kind) texts.push_back(record.text);
  }
  return texts;
}

std::vector<std::uint64_t> Traced::seen(Kind kind, const std::string& text) const {
  std::vector<std::uint64_t> seen;
  for (const Record& record : trace.records) {
    if (record.kind == kind && record.text == text) seen.push_back(record.seen);
  }
  return seen;
}

std::string Traced::dump() const {
  std::string text = output;
  for (const Record& record : trace.records) {
    if (record.kind == Kind::library) continue;
    text +=
        std::to_string(static_cast<int>(record.kind)) + (record.found ? " found " : " absent ") + record.text + "\n";
  }
  return text;
}

}  // namespace hipcache::trace
