#include "client/exec_compiler.h"

#include <unistd.h>

#include <cerrno>

#include "hipcache/base/files.h"

namespace hipcache::client {
namespace {

constexpr int kNotExecutable = 126;
constexpr int kNotFound = 127;

}  // namespace

int run_real_compiler(const std::vector<std::string>& argv) {
  std::vector<char*> pointers;
  pointers.reserve(argv.size() + 1);
  for (const std::string& argument : argv) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  const int code = errno == ENOENT ? kNotFound : kNotExecutable;
  const Error problem = system_error("cannot run", argv[0]);
  // If stderr is gone as well, the message is lost.
  [[maybe_unused]] const Status told = write_all(STDERR_FILENO, "hipcache: error: " + problem.message + "\n", "stderr");
  return code;
}

}  // namespace hipcache::client
