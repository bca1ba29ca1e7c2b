// A client that the test plays: it asks for a compile, and leaves for each step that the daemon asks for what a real
// compiler would have left. A test edits what a step leaves, and then checks the steps, the reply and the counters.
#ifndef HIPCACHE_TESTS_DAEMON_ROUTES_SCRIPTED_CLIENT_H
#define HIPCACHE_TESTS_DAEMON_ROUTES_SCRIPTED_CLIENT_H

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "daemon/services_in_memory.h"
#include "hipcache/protocol/messages.h"
#include "hipcache/trace/record.h"
#include "support/scratch.h"

namespace hipcache::daemon {

// One run of a step, before the client reports it.
struct Ran {
  // "neutral probe", "probe", "wrapper probe", "fatbin proof", "split proof gfx906", "device gfx906", "both gfx906",
  // "front gfx906", "back gfx906", "back end gfx906" (that a linker wrapper starts), "bundle", "host", "probe through
  // wrapper"; of an opaque compile the program's name.
  std::string name;
  protocol::RunStep step;
  protocol::StepDone report;
  std::map<std::string, std::string> files;                  // what it leaves: bytes by path
  std::map<std::string, std::vector<trace::Record>> traces;  // by ending: ".trace", ".trace.then"
  bool hangs_up = false;                                     // the client goes away instead of reporting
  bool waits_for_stop = false;                               // it runs until the daemon has it killed

  std::string in_directory(const std::string& file) const { return step.directory + "/" + file; }
  // It fails, and leaves no files.
  void fail(std::string message, int exit_code = 1);
  // Adds to its own trace.
  void saw(trace::Kind kind, std::string text, bool found = true, std::uint64_t seen = 0);
  // Adds to its trace that it opened the file for writing.
  void wrote(const std::string& path);
  // The file whose name ends so has these bytes instead.
  void replace(const std::string& ending, const std::string& bytes);
};

// What the daemon did about one request.
struct Reply {
  std::vector<std::string> asked;  // the names of the steps, in the order in which they were asked for
  std::variant<std::monostate, protocol::Finish, protocol::PassThrough> last;
  std::map<std::string, std::string> outputs;  // of a Finish: bytes by path
  std::optional<protocol::PlanReport> plan;    // if it was asked for

  // Of a PassThrough; "finished" for a Finish, "nothing" if the daemon sent neither.
  std::string reason() const;
  // A failed expectation and an empty message if there is none.
  protocol::Finish finish() const;
};

class RouteTest : public testing::Test {
 protected:
  using Edit = std::function<void(Ran&)>;

  // Programs, and the source a.hip in the working directory.
  explicit RouteTest(const ServicesOptions& options = {});

  // The client asks for `argv_`.
  Reply compile();
  // The client asks what would be done with `argv_`.
  protocol::PlanReport plan();
  // What the step of this name leaves is edited, in each compile from now on.
  void on(const std::string& name, Edit edit) { edits_[name] = std::move(edit); }
  void on_all_as_usual() { edits_.clear(); }

  std::string in_work(const std::string& name) const { return work_ + "/" + name; }
  // Writes a file of the user's.
  void write(const std::string& name, const std::string& bytes) { scratch_.write("work/" + name, bytes); }
  // Sets the variable of the request's environment.
  void set(const std::string& variable, const std::string& value);
  stats::Snapshot counted() const { return services_.counters.snapshot(); }
  std::string logged() const { return support::read_bytes(scratch_ / "log"); }

  support::Scratch scratch_;
  std::string work_, bin_;
  std::string plan_;             // what the driver prints: a text of fixtures/plans
  std::string jobs_of_wrapper_;  // what clang-linker-wrapper prints, likewise
  std::vector<std::string> argv_;
  std::vector<std::string> environment_;
  std::uint32_t umask_;
  ServicesInMemory<> made_;
  const Services& services_ = made_.services;

 private:
  Ran usual_run(const protocol::RunStep& step) const;
  bool answer(const protocol::RunStep& step, protocol::Channel& client, Reply& reply);

  std::map<std::string, Edit> edits_;
  protocol::StepDone stopped_;  // of the step that waits for its end
  bool asks_for_plan_ = false;
};

// The text of that name in fixtures/plans.
std::string plan_of(const std::string& name);
// `text` with each `from` replaced.
std::string replaced(std::string text, const std::string& from, const std::string& to);

}  // namespace hipcache::daemon

#endif
