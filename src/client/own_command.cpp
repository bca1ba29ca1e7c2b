#include "hipcache/client/own_command.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <utility>

#include "hipcache/base/files.h"
#include "hipcache/base/process.h"

namespace hipcache::client {
namespace {

std::string path_variable() {
  const char* path = std::getenv("PATH");
  return path != nullptr ? path : "/bin:/usr/bin";  // what execvp takes
}

bool is_this_program(const std::string& path) {
  struct stat ours{};
  struct stat theirs{};
  return stat("/proc/self/exe", &ours) == 0 && stat(path.c_str(), &theirs) == 0 && ours.st_dev == theirs.st_dev &&
         ours.st_ino == theirs.st_ino;
}

Error not_found(const std::string& name) {
  const bool searched = name.find('/') == std::string::npos;
  return Error{"could not find compiler \"" + name + "\"" + (searched ? " in PATH" : "")};
}

// The first program of that name in PATH that is not this one.
Result<std::string> find_other(const std::string& name) {
  const std::string path = path_variable();
  std::size_t start = 0;
  while (start <= path.size()) {
    const std::size_t end = std::min(path.find(':', start), path.size());
    Result<std::string> found = find_program(name, path.substr(start, end - start), ".");
    if (found && !is_this_program(*found)) return found;
    start = end + 1;
  }
  return not_found(name);
}

// umask can only be read by setting it. REQUIRES: no other thread yet.
std::uint32_t current_umask() {
  const mode_t mask = umask(0);
  umask(mask);
  return mask;
}

protocol::Namespace own_view() {
  struct stat mounts{};
  struct stat root{};
  if (stat("/proc/self/ns/mnt", &mounts) != 0 || stat("/", &root) != 0) return {};
  return {mounts.st_ino, root.st_dev, root.st_ino};
}

}  // namespace

Result<OwnCommand> own_command(std::vector<std::string> argv) {
  char directory[PATH_MAX];
  if (getcwd(directory, sizeof directory) == nullptr) return system_error("cannot find", "the current directory");
  std::vector<std::string> environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) environment.emplace_back(*entry);
  return OwnCommand{std::move(argv), std::move(environment), directory};
}

Result<std::vector<std::string>> with_real_compiler(std::vector<std::string> argv) {
  while (!argv.empty()) {
    const Result<std::string> found = find_program(argv[0], path_variable(), ".");
    if (!found) return not_found(argv[0]);
    if (!is_this_program(*found)) return argv;
    const std::string name(base_name(argv[0]));
    if (name != "hipcache") {
      Result<std::string> other = find_other(name);
      if (!other) return other.error();
      argv[0] = std::move(*other);
      return argv;
    }
    argv.erase(argv.begin());
  }
  return Error{"no compiler given"};
}

protocol::CompileRequest compile_request(const OwnCommand& command) {
  protocol::CompileRequest request;
  request.build = protocol::build_id();
  request.argv = command.argv;
  request.environment = command.environment;
  request.working_directory = command.directory;
  request.name_space = own_view();
  request.umask = current_umask();
  request.stderr_is_terminal = isatty(STDERR_FILENO) == 1;
  return request;
}

}  // namespace hipcache::client
