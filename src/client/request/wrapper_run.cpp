#include "hipcache/client/wrapper_run.h"

#include <climits>
#include <utility>

#include "hipcache/launcher/compiler.h"
#include "hipcache/launcher/exec_compiler.h"
#include "hipcache/launcher/wrapper.h"

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

}  // namespace hipcache::client
