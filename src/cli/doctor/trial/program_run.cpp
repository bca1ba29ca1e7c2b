#include "cli/doctor/trial/program_run.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <climits>

#include "hipcache/base/files.h"
#include "hipcache/base/process.h"
#include "hipcache/launcher/compiler.h"

namespace hipcache::cli {
namespace {

constexpr std::uint64_t kTextLimit = 4u << 20;

Result<UniqueFd> memory_for(const char* name) {
  UniqueFd fd(memfd_create(name, MFD_CLOEXEC));
  return fd ? Result<UniqueFd>(std::move(fd)) : Result<UniqueFd>(system_error("cannot keep", name));
}

// A longer text is cut: only its beginning is shown.
std::string text_in(const UniqueFd& fd) {
  if (lseek(fd.get(), 0, SEEK_SET) != 0) return "";
  const Result<std::string> text = read_fd(fd.get(), kTextLimit, "output");
  return text ? *text : "";
}

}  // namespace

Result<Ran> run_program(const Words& argv, const Words& environment) {
  const UniqueFd in(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Result<UniqueFd> out = memory_for("standard output");
  const Result<UniqueFd> err = memory_for("standard error");
  if (!out) return out.error();
  if (!err) return err.error();
  const Result<pid_t> pid = spawn({.program = argv.front(),
                                   .argv = argv,
                                   .environment = environment,
                                   .stdin_fd = in.get(),
                                   .stdout_fd = out->get(),
                                   .stderr_fd = err->get()});
  if (!pid) return pid.error();
  const Result<ExitStatus> ended = wait_for(*pid);
  if (!ended) return ended.error();
  return Ran{ended->exit_code, text_in(*out), text_in(*err)};
}

Words own_environment() {
  Words environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) environment.emplace_back(*entry);
  return environment;
}

Result<std::string> installed_program(const char* way) {
  char path[PATH_MAX];
  if (!launch_from_here(way, path)) return system_error("cannot find", "this program");
  if (access(path, X_OK) != 0) return system_error("cannot run", path);
  return std::string(path);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string first_error(const std::string& text) {
  const std::size_t found = text.find("error");
  if (found == std::string::npos) return first_line(text);
  const std::size_t before = text.rfind('\n', found);
  return first_line(text.substr(before == std::string::npos ? 0 : before + 1));
}

}  // namespace hipcache::cli
