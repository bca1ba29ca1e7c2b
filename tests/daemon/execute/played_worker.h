// An engine with one worker that the test plays: its files are those of this machine, and it makes what the scripted
// client (routes/scripted_client.h) would make.
#ifndef HIPCACHE_TESTS_DAEMON_EXECUTE_PLAYED_WORKER_H
#define HIPCACHE_TESTS_DAEMON_EXECUTE_PLAYED_WORKER_H

#include <gtest/gtest.h>

#include <functional>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "daemon/execute/engine.h"
#include "hipcache/base/files.h"
#include "hipcache/compiler/hip/plan.h"
#include "hipcache/config/execute_url.h"
#include "hipcache/trace/record.h"
#include "hipcache/trace/seen.h"

namespace hipcache::daemon {

inline const std::string kCode = "made by lld for all";

inline config::ExecuteUrl url_of(const std::string& options) {
  const Result<config::ExecuteUrl> url =
      config::parse_execute_url("grpc://engine.example:8980/?audit=0&min_cost=1ms" + options);
  EXPECT_TRUE(url) << (url ? "" : url.error().message);
  return *url;
}

// A worker whose files are those of this machine, and that makes what the client would make.
class Worker {
 public:
  explicit Worker(const std::string& options = "")
      : engine_(url_of(options), [this](const protocol::RemoteMessage& message) { return take(message); }, log_) {}

  // What the worker leaves of an action, before it is answered.
  std::function<void(std::vector<trace::Record>&, protocol::RemoteExecuted&)> edit_;
  std::string said_;                              // what the step's commands print on standard error
  bool is_silent_ = false;                        // it answers nothing
  std::vector<protocol::RemoteExecute> actions_;  // see sent()
  std::size_t cancelled_ = 0;

  // The actions so far, while the daemon may send more.
  std::vector<protocol::RemoteExecute> sent() {
    const std::lock_guard lock(mutex_);
    return actions_;
  }

  void answer(const protocol::RemoteExecute& action) {
    protocol::RemoteExecuted executed{.id = action.id, .outcome = protocol::ExecuteOutcome::done, .execution_us = 7};
    std::vector<trace::Record> records = trace_of(action);
    if (edit_) edit_(records, executed);
    for (const std::string& path : action.outputs) {
      const std::string file = action.output_directory + "/" + std::string(base_name(path));
      std::string bytes = path.ends_with(".bc") ? "bitcode for " + processor_of(action) : kCode;
      if (path.ends_with(".trace")) bytes = trace::encode(records);
      if (path.ends_with(".then")) bytes = trace::encode(trace_of_back(action));
      if (path.ends_with(".first")) bytes = "1000";
      if (path.ends_with(".said")) bytes.clear();
      if (path.ends_with(".trace.stdout")) bytes.clear();
      if (path.ends_with(".trace.stderr")) bytes = said_;
      EXPECT_TRUE(replace_file(file, bytes));
      executed.outputs.push_back({.path = path, .file = file});
    }
    engine_.receive(std::move(executed));
  }

 protected:
  Log log_{"", Log::Level::info};
  Engine engine_;

 public:
  static bool runs_back_end_alone(const protocol::RemoteExecute& action) {
    return action.argv.back().find("'ir'") != std::string::npos &&
           action.argv.back().find(hip::kThen) == std::string::npos;
  }

 private:
  std::mutex mutex_;  // guards actions_ while a request runs

  bool take(const protocol::RemoteMessage& message) {
    if (std::holds_alternative<protocol::RemoteCancel>(message)) ++cancelled_;
    const auto* action = std::get_if<protocol::RemoteExecute>(&message);
    if (action == nullptr) return true;
    {
      const std::lock_guard lock(mutex_);
      actions_.push_back(*action);
    }
    if (!is_silent_) answer(*action);
    return true;
  }

  static std::string processor_of(const protocol::RemoteExecute& action) {
    const std::string option = "'-target-cpu' '";
    const std::string rest = action.argv.back().substr(action.argv.back().find(option) + option.size());
    return rest.substr(0, rest.find('\''));
  }

  static std::vector<trace::Record> trace_of_back(const protocol::RemoteExecute& action) {
    return programs_of(action, {"/bin/clang'", "/bin/lld'"});
  }

  static std::vector<trace::Record> programs_of(const protocol::RemoteExecute& action,
                                                const std::vector<const char*>& names) {
    std::vector<trace::Record> records;
    const std::string& script = action.argv.back();
    for (const char* name : names) {
      const std::size_t end = script.find(name) + std::string(name).size() - 1;
      const std::size_t start = script.rfind('\'', end - 1) + 1;
      const std::string program = script.substr(start, end - start);
      records.push_back({trace::Kind::program, true, program, 1});
      records.push_back({trace::Kind::content, false, program, trace::content_of_program(program).value_or(0)});
      records.push_back({trace::Kind::end, true, ""});
    }
    return records;
  }

  // Of a frontend that reads the source, and a linker unless another trace has it.
  static std::vector<trace::Record> trace_of(const protocol::RemoteExecute& action) {
    if (runs_back_end_alone(action)) return trace_of_back(action);
    const std::string& script = action.argv.back();
    const bool goes_on = script.find(hip::kThen) != std::string::npos;
    std::vector<trace::Record> records = goes_on ? programs_of(action, {"/bin/clang'"}) : trace_of_back(action);
    const std::string enters = "cd '";
    const std::string work = script.substr(script.find(enters) + enters.size());
    records.push_back({trace::Kind::open_read, true, "a.hip", 77 << 1});
    const std::string source = work.substr(0, work.find('\'')) + "/a.hip";
    records.push_back({trace::Kind::content, true, source, trace::content_of(source).value_or(0)});
    return records;
  }
};

}  // namespace hipcache::daemon

#endif
