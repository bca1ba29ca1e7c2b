#include <algorithm>
#include <string_view>

#include "hipcache/compiler/hip/plan.h"

namespace hipcache::hip {
std::vector<std::string> probe_words(const compiler::Invocation& invocation, const std::string& cuid, IdFor id_for) {
  std::vector<std::string> added;
  if (!invocation.driver.user_cuid && !invocation.driver.links && id_for != IdFor::nobody) {
    if (id_for == IdFor::frontends) added.emplace_back("-Xclang");
    added.push_back("-cuid=" + cuid);
  }
  if (invocation.driver.links) added.emplace_back("-fhip-dump-offload-linker-script");
  added.emplace_back("-###");
  return added;
}

std::vector<std::string> probe_arguments(const compiler::Invocation& invocation, const std::string& cuid,
                                         IdFor id_for) {
  const std::vector<std::string> added = probe_words(invocation, cuid, id_for);
  std::vector<std::string> arguments = invocation.argv;
  // Everything after "--" is a file, so the words go before it. A "--" inside a response file is not found: then the
  // probe fails, and the request has no plan.
  const auto place = std::find(arguments.begin(), arguments.end(), "--");
  arguments.insert(place, added.begin(), added.end());
  return arguments;
}

std::vector<std::string> in_directory(const std::vector<std::string>& argv, const std::string& directory) {
  const std::string_view token = kDirectory;
  std::vector<std::string> result;
  result.reserve(argv.size());
  for (const std::string& argument : argv) {
    std::string replaced;
    std::size_t from = 0;
    for (auto at = argument.find(token); at != std::string::npos; at = argument.find(token, from)) {
      replaced.append(argument, from, at - from).append(directory);
      from = at + token.size();
    }
    result.push_back(replaced.append(argument, from, std::string::npos));
  }
  return result;
}

}  // namespace hipcache::hip
