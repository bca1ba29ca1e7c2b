#include "hipcache/client/invocation.h"

#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <utility>

#include "hipcache/base/files.h"
#include "hipcache/launcher/compiler.h"
#include "hipcache/protocol/mount_view.h"

namespace hipcache::client {
namespace {

Error not_found(const char* name) {
  if (name == nullptr) return Error{"no compiler given"};
  const std::string text(name);
  const bool searched = text.find('/') == std::string::npos;
  return Error{"could not find compiler \"" + text + "\"" + (searched ? " in PATH" : "")};
}

// umask can only be read by setting it. REQUIRES: no other thread yet.
std::uint32_t current_umask() {
  const mode_t mask = umask(0);
  umask(mask);
  return mask;
}

}  // namespace

Result<Invocation> own_invocation(std::vector<std::string> argv) {
  char directory[PATH_MAX];
  if (getcwd(directory, sizeof directory) == nullptr) return system_error("cannot find", "the current directory");
  std::vector<std::string> environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) environment.emplace_back(*entry);
  return Invocation{std::move(argv), std::move(environment), directory};
}

Result<std::vector<std::string>> with_real_compiler(std::vector<std::string> argv) {
  std::vector<char*> words;
  for (std::string& word : argv) words.push_back(word.data());
  words.push_back(nullptr);
  launch_command command{};
  launch_find_compiler(words.data(), &command);
  if (command.words == nullptr) return not_found(command.missing);
  std::vector<std::string> real;
  for (char** word = command.words; *word != nullptr; ++word) real.emplace_back(*word);
  return real;
}

protocol::CompileRequest compile_request(const Invocation& command) {
  protocol::CompileRequest request;
  request.build = protocol::build_id();
  request.argv = command.argv;
  request.environment = command.environment;
  request.working_directory = command.directory;
  request.mount_view = protocol::own_mount_view();
  request.umask = current_umask();
  request.stderr_is_terminal = isatty(STDERR_FILENO) == 1;
  return request;
}

}  // namespace hipcache::client
