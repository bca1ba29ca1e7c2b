// A run of a compiler that never ran: its trace written by hand over a scratch directory, and what becomes of it.
#ifndef HIPCACHE_TESTS_INPUTS_TRACE_FIXTURE_H
#define HIPCACHE_TESTS_INPUTS_TRACE_FIXTURE_H

#include <algorithm>

#include "hipcache/base/files.h"
#include "hipcache/inputs/path_set_builder.h"
#include "hipcache/trace/seen.h"
#include "inputs/state_fixture.h"

namespace hipcache::inputs {

class TraceFixture : public StateFixture {
 protected:
  TraceFixture() {
    compiler_ = write("bin/compiler", "elf");
    run_.programs.commands = {compiler_};
    run_.directory = directory("request");
    work_ = directory("work");
    trace_.programs = {compiler_};
    trace_.ends = 1;
    begin_run();
  }

  // All that was written so far is older than the run.
  void begin_run() { run_.started_ns = file_clock()() + kSecond; }
  // What is written from now on is newer than the run's beginning.
  void begin_run_before_now() { run_.started_ns = file_clock()() - kSecond; }

  void saw(trace::Kind kind, const std::string& text, bool found = true) {
    trace_.records.push_back({kind, found, text, 0});
  }
  // With the digest of what is there now, as the preload library takes it: who makes changes afterwards makes them
  // while the process runs.
  void got(trace::Kind kind, const std::string& text) {
    trace_.records.push_back({kind, true, text, seen_now(kind, join_path(work_, text))});
  }

  RunContext from() const {
    RunContext from{work_, environment_};
    sort_environment(from.environment);
    return from;
  }

  std::variant<Witnessed, Refusal> outcome() {
    std::sort(trace_.records.begin(), trace_.records.end());
    return witness(trace_, run_, from(), file_system_);
  }

  // "" if it was not refused.
  std::string refusal() {
    const auto result = outcome();
    const auto* refused = std::get_if<Refusal>(&result);
    return refused == nullptr ? "" : text_of(refused->reason);
  }

  std::vector<Observation> questions() {
    const auto result = outcome();
    if (const auto* refused = std::get_if<Refusal>(&result)) {
      ADD_FAILURE() << text_of(refused->reason) << ": " << refused->detail;
      return {};
    }
    return std::get<Witnessed>(result).set->observations();
  }

  bool asks(Question question, const std::string& name) {
    const std::vector<Observation> all = questions();
    return std::find(all.begin(), all.end(), Observation{question, name}) != all.end();
  }

  bool asks_about(const std::string& name) {
    const std::vector<Observation> all = questions();
    return std::any_of(all.begin(), all.end(), [&](const Observation& one) { return one.name == name; });
  }

  static std::uint64_t seen_now(trace::Kind kind, const std::string& path) {
    if (kind == trace::Kind::link) return trace::seen_text(std::filesystem::read_symlink(path).string());
    if (kind == trace::Kind::real_path) return trace::seen_text(std::filesystem::canonical(path).string());
    struct stat status = {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
    return kind == trace::Kind::look ? trace::seen_entry(status) : trace::seen_file(status);
  }

  std::string compiler_;
  std::string work_;
  hipcache::inputs::Run run_;
  trace::Trace trace_;
};

}  // namespace hipcache::inputs

#endif
