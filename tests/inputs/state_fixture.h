// A file system state over a scratch directory, at a time of the test's choosing; and the questions of a test in a line
// each.
#ifndef HIPCACHE_TESTS_INPUTS_STATE_FIXTURE_H
#define HIPCACHE_TESTS_INPUTS_STATE_FIXTURE_H

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "hipcache/inputs/file_system_state.h"
#include "support/file_clock.h"
#include "support/scratch.h"

namespace hipcache::inputs {

class StateFixture : public testing::Test {
 protected:
  static constexpr std::uint64_t kSecond = 1'000'000'000;

  StateFixture() : file_system_([this] { return now_.load(); }) { let_stamps_settle(); }

  // As if the last change had been made long ago. The next change gets another stamp.
  void let_stamps_settle() {
    support::await_next_tick();
    now_ = file_clock()() + 10 * kSecond;
  }
  // As if it had been made just now.
  void make_stamps_fresh() { now_ = file_clock()(); }

  std::string write(const std::string& name, const std::string& bytes) { return scratch_.write(name, bytes); }
  std::string at(const std::string& name) const { return scratch_ / name; }
  std::string directory(const std::string& name) { return scratch_.make_directory(name); }
  std::string link(const std::string& name, const std::string& target) { return scratch_.link(name, target); }
  void remove(const std::string& name) { std::filesystem::remove_all(at(name)); }
  void rename(const std::string& from, const std::string& to) { std::filesystem::rename(at(from), at(to)); }
  void retarget(const std::string& name, const std::string& target) {
    remove(name);
    link(name, target);
  }

  RunContext here() const { return {scratch_.path(), environment_}; }
  Digest state(const PathSet& set, Effort* effort = nullptr) { return file_system_.state(set, here(), effort); }
  Digest state(Question question, const std::string& name) { return state(PathSet({{question, name}})); }
  Effort effort_of(const PathSet& set) {
    Effort effort;
    state(set, &effort);
    return effort;
  }

  support::Scratch scratch_;
  std::atomic<std::uint64_t> now_{0};
  std::vector<std::string> environment_;
  FileSystemState file_system_;
};

}  // namespace hipcache::inputs

#endif
