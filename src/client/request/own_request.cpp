#include "hipcache/client/own_request.h"

#include <fcntl.h>

#include <charconv>
#include <climits>
#include <utility>

#include "hipcache/base/files.h"
#include "hipcache/launcher/compiler.h"
#include "hipcache/launcher/exec_compiler.h"
#include "hipcache/launcher/handoff.h"
#include "hipcache/launcher/request.h"
#include "hipcache/launcher/wrapper.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::client {

int exec_wrapper(std::vector<std::string> argv, const std::string& library, const std::vector<std::string>& options) {
  std::vector<char*> words;
  for (std::string& word : argv) words.push_back(word.data());
  words.push_back(nullptr);
  std::vector<const char*> between;
  for (const std::string& option : options) between.push_back(option.c_str());
  between.push_back(nullptr);
  char launcher[PATH_MAX];
  if (!launch_from_here(HIPCACHE_BIN_FROM_HELPERS "/hipcache", launcher)) return launch_exec_compiler(words.data());
  return launch_exec_wrapper(words.data(), launcher, library.c_str(), between.data());
}

Error ask_wrapper(const std::vector<std::string>& argv, const std::string& library, const std::string& question,
                  bool json) {
  std::vector<std::string> options{question};
  if (json) options.insert(options.end(), {"--format", "json"});
  options.emplace_back("--");
  exec_wrapper(argv, library, options);
  return Error{"the wrapper did not run"};
}

namespace {

constexpr std::string_view kWord = LAUNCH_HANDOFF_WORD;

UniqueFd connection_of(std::string_view text) {
  int number = -1;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return UniqueFd();
  if (number < 0 || fcntl(number, F_SETFD, FD_CLOEXEC) != 0) return UniqueFd();
  return UniqueFd(number);
}

}  // namespace

std::optional<LauncherHandoff> take_launcher_handoff(std::vector<std::string>& argv) {
  if (argv.size() < 3 || argv[0] != LAUNCH_CLIENT_PROGRAM || !argv[1].starts_with(kWord)) return std::nullopt;
  const std::string word = argv[1].substr(kWord.size());
  argv.erase(argv.begin(), argv.begin() + 2);
  const std::size_t comma = word.find(',');
  LauncherHandoff handoff{.connection = connection_of(std::string_view(word).substr(0, comma))};
  if (comma == std::string::npos || word.substr(comma + 1) != protocol::build_id()) return LauncherHandoff();
  handoff.only_compiler = word.substr(0, comma) == LAUNCH_HANDOFF_COMPILER;
  return handoff;
}

Result<std::vector<std::string>> with_real_compiler(std::vector<std::string> argv) {
  std::vector<char*> words;
  for (std::string& word : argv) words.push_back(word.data());
  words.push_back(nullptr);
  launch_command command;
  launch_find_compiler(words.data(), &command);
  if (command.words == nullptr) return Error{command.problem};
  std::vector<std::string> real;
  for (char** word = command.words; *word != nullptr; ++word) real.emplace_back(*word);
  return real;
}

Result<protocol::CompileRequest> own_request(std::vector<std::string> argv) {
  char directory[PATH_MAX];
  launch_request own{};
  if (!launch_own_request(nullptr, directory, &own)) return system_error("cannot find", "the current directory");
  protocol::CompileRequest request;
  request.build = own.build;
  request.argv = std::move(argv);
  for (char* const* entry = own.environment; entry != nullptr && *entry != nullptr; ++entry)
    request.environment.emplace_back(*entry);
  request.working_directory = own.directory;
  request.mount_view = {own.view.mount_namespace, own.view.root_device, own.view.root_inode};
  request.umask = own.umask;
  request.streams = own.streams;
  request.pwd_leads_here = own.pwd_leads_here;
  return request;
}

}  // namespace hipcache::client
