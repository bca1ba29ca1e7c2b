#include "cli/transfer.h"

#include <fcntl.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "cli/become_helper.h"
#include "hipcache/base/files.h"

namespace hipcache::cli {
namespace {

constexpr const char* kProgram = "hipcache-archive";

std::uint64_t used_since(const Options& options) {
  if (!options.newer_than) return 0;
  const auto now = static_cast<std::int64_t>(std::time(nullptr));
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, now - options.newer_than->count()));
}

std::vector<std::string> words_for(const Options& options, int socket) {
  const bool is_export = options.action == Action::export_results;
  std::vector<std::string> words{kProgram, is_export ? "export" : "import", std::to_string(socket), options.value};
  if (!is_export) return words;
  words.push_back(std::to_string(options.max_size));
  words.push_back(std::to_string(used_since(options)));
  words.insert(words.end(), options.archs.begin(), options.archs.end());
  return words;
}

}  // namespace

Error transfer(const Control& control, const Options& options, const config::Settings& settings) {
  const bool is_export = options.action == Action::export_results;
  if (!is_export && settings.readonly) return Error{"HIPCACHE_READONLY is set, so nothing can be imported"};
  Result<protocol::Channel> channel =
      control.begin(is_export ? protocol::ControlKind::export_results : protocol::ControlKind::import_results);
  if (!channel) return channel.error();
  if (fcntl(channel->fd(), F_SETFD, 0) != 0) return system_error("cannot pass on", "the connection");
  return become_helper(words_for(options, channel->fd()));
}

}  // namespace hipcache::cli
