#include "remote/execution/engine_server.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "hipcache/config/execute_url.h"
#include "remote/execution/engine.h"
#include "remote/server.h"
#include "support/comes_true.h"

namespace hipcache::remote {
namespace {

std::string beside(const std::string& link, const std::string& name) {
  return link.substr(0, link.rfind('/')) + "/" + name;
}

std::vector<std::string> command_of(EngineServer::Kind kind, std::uint16_t port, const std::string& directory) {
  const std::string run = beside(built_server("buildbox-casd"), "buildbox.d/buildbox-run");
  if (kind == EngineServer::Kind::casd)
    return {built_server("buildbox-casd"),
            "--bind=127.0.0.1:" + std::to_string(port),
            "--buildbox-run=" + run,
            "--jobs=4",
            "--runner-arg=--ro-bind-mount=/usr:/usr",
            directory};
  return {beside(built_server("buildgrid"), "buildgrid.d/bin/python"), HIPCACHE_BUILDGRID_ENGINE, directory,
          std::to_string(port), run};
}

constexpr std::chrono::seconds kPatience{400};    // BuildGrid takes 15 s of processor time to start
constexpr std::chrono::milliseconds kPause{100};  // between two looks, each of which is a connection

bool serves(const std::string& url) {
  std::this_thread::sleep_for(kPause);
  Engine engine(config::parse_execute_url(url).value());
  return engine.answer_to({}).ok;
}

}  // namespace

std::string EngineServer::mend(Kind kind) {
  if (access("/usr/bin/bwrap", X_OK) != 0) return "bwrap is not installed: tools/setup installs bubblewrap";
  for (const char* program : {"buildbox-casd", "buildgrid"})
    if ((kind == Kind::buildgrid || program == std::string("buildbox-casd")) && built_server(program).empty())
      return std::string(program) + " is not installed: tools/test-servers does that";
  return "";
}

EngineServer::EngineServer(Kind kind) : port_(free_port()) {
  const std::string log = files_ / "log";
  pid_ = spawn_server(command_of(kind, port_, files_.make_directory("engine")), log);
  EXPECT_TRUE(support::comes_true([this] { return serves(url()); }, kPatience)) << support::read_bytes(log);
}

void EngineServer::kill() {
  if (pid_ == 0) return;
  ::kill(-pid_, SIGKILL);  // with its workers
  waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

protocol::RemoteExecute request_in(const std::string& directory, const std::string& outputs) {
  static std::uint64_t number = 0;
  protocol::RemoteExecute request{.id = ++number,
                                  .environment = {"PATH=/usr/bin"},
                                  .working_directory = directory,
                                  .deadline_ms = 100'000,
                                  .queue_limit_ms = 100'000,
                                  .output_directory = outputs};
  for (const char* name : {"bin", "lib", "lib64"})
    request.inputs.push_back({.path = std::string("/") + name,
                              .kind = protocol::ExecuteInputKind::link,
                              .target = std::string("usr/") + name});
  return request;
}

}  // namespace hipcache::remote
