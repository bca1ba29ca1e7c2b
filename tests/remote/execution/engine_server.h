// Real engines of the Remote Execution API, each with its worker in processes of the test. tools/test-servers installs
// them.
//
// A worker runs a command in a sandbox whose root is the action's input root, with this machine's /usr: so the paths of
// compilers are those of here, and nothing else is there.
#ifndef HIPCACHE_TESTS_REMOTE_EXECUTION_ENGINE_SERVER_H
#define HIPCACHE_TESTS_REMOTE_EXECUTION_ENGINE_SERVER_H

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "hipcache/protocol/remote_messages.h"
#include "support/scratch.h"

namespace hipcache::remote {

class EngineServer {
 public:
  enum class Kind { casd, buildgrid };

  // Empty if the kind is installed, else what to do.
  static std::string mend(Kind kind);

  // Serves when it is made.
  explicit EngineServer(Kind kind);
  ~EngineServer() { kill(); }
  EngineServer(const EngineServer&) = delete;
  EngineServer& operator=(const EngineServer&) = delete;

  // Ends all its processes, as a power cut does.
  void kill();

  std::string url() const { return "grpc://127.0.0.1:" + std::to_string(port_) + "/"; }

 private:
  support::Scratch files_;
  const std::uint16_t port_;
  pid_t pid_ = 0;
};

// A request for such a worker, with patience, an own directory as working directory, and the links that lead to /usr.
protocol::RemoteExecute request_in(const std::string& directory, const std::string& outputs);

}  // namespace hipcache::remote

#endif
