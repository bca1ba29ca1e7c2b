#include "hipcache/client/wrapper_run.h"

#include <unistd.h>

#include <climits>

#include "hipcache/base/files.h"
#include "hipcache/launcher/compiler.h"
#include "hipcache/launcher/wrapper.h"

namespace hipcache::client {

Status prepare_wrapper(const std::string& library, const std::vector<std::string>& options) {
  char launcher[PATH_MAX];
  if (!launch_from_here(HIPCACHE_BIN_FROM_HELPERS "/hipcache", launcher))
    return Error{"hipcache's own path is unknown"};
  std::vector<const char*> words;
  for (const std::string& option : options) words.push_back(option.c_str());
  words.push_back(nullptr);
  if (!launch_prepare_wrapper(launcher, library.c_str(), words.data()))
    return system_error("cannot set", "HIPCACHE_WRAPPER");
  return done();
}

Error become_wrapper(const std::vector<std::string>& argv, const std::string& library, const std::string& question,
                     bool json) {
  std::vector<std::string> options{question};
  if (json) options.insert(options.end(), {"--format", "json"});
  options.emplace_back("--");
  if (const Status prepared = prepare_wrapper(library, options); !prepared) return prepared.error();
  std::vector<std::string> words = argv;
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  return system_error("cannot run", argv[0]);
}

}  // namespace hipcache::client
