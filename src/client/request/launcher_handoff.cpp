#include "hipcache/client/launcher_handoff.h"

#include <fcntl.h>

#include <charconv>

#include "hipcache/launcher/handoff.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::client {
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

}  // namespace hipcache::client
