// The toolchain of device steps as one text, which stands in the engine's URL and in a worker's properties
// (docs/execution.md).
//
// The problem: a worker with another toolchain costs its time, because nothing that it makes is proved. The choice: the
// digest of the programs that a step runs, of the libraries that they load (hipcache/inputs/loaded_libraries.h), and of
// all device bitcode that lies beside the files that its frontend names. These are the image's: nothing of them is
// sent. All device steps of a compiler have one digest, whatever their processors and options. Rejected: the named
// bitcode files alone, because each processor has others; what a traced compile read, because a machine without one has
// no digest.
//
// Thread-safe. Memory: kMostPrograms lists of files. The file system state remembers the files' digests by their
// stamps.
#ifndef HIPCACHE_SRC_DAEMON_EXECUTE_TOOLCHAIN_H
#define HIPCACHE_SRC_DAEMON_EXECUTE_TOOLCHAIN_H

#include <array>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/request/step.h"
#include "hipcache/base/log.h"
#include "hipcache/base/result.h"
#include "hipcache/inputs/file_system_state.h"
#include "hipcache/inputs/run_context.h"

namespace hipcache::daemon {

// The toolchain's directory of a request, or empty.
std::string toolchain_directory(const inputs::RunContext& from);

// Whether the path is of every worker's image.
bool is_of_image(std::string_view path, std::string_view toolchain);

class Toolchains {
 public:
  static constexpr std::size_t kMostPrograms = 64;

  explicit Toolchains(Log& log) : log_(log) {}

  // "hipcache-toolchain=DIGEST". Each digest is logged once. `toolchain`: the directory that is on the image, or empty.
  // An error if a program cannot be read.
  Result<std::string> property(const StepSpec& device, const std::string& toolchain,
                               inputs::FileSystemState& file_system);

 private:
  using Files = std::vector<std::pair<std::string, Digest>>;  // the program and its libraries

  Result<Files> files_of(const std::string& program, inputs::FileSystemState& file_system);

  Log& log_;
  std::mutex mutex_;  // guards all below
  std::map<std::string, Files> files_;
  std::set<std::string> logged_;
};

inline constexpr std::string_view kToolchainProperty = "hipcache-toolchain=";

}  // namespace hipcache::daemon

#endif
