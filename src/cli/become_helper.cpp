#include "cli/become_helper.h"

#include <unistd.h>

#include <climits>

#include "hipcache/base/files.h"
#include "hipcache/launcher/compiler.h"

namespace hipcache::cli {

Error become_helper(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  char path[PATH_MAX];
  if (!launch_from_here(words.front().c_str(), path)) return system_error("cannot find", "this program");
  execv(path, argv.data());
  return system_error("cannot start", path);
}

}  // namespace hipcache::cli
