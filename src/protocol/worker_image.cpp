#include "hipcache/protocol/worker_image.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <utility>

#include "hipcache/base/files.h"
#include "hipcache/base/text.h"

namespace hipcache::protocol {
namespace {

// The script's own PATH is the user's, and may lead to none of them. Of one that is missing the shell says the name.
constexpr std::string_view kTool = R"sh(tool() { (PATH=/usr/sbin:/usr/bin:/sbin:/bin; command -v "$1" || echo "$1"); }
)sh";

// $1: what the shell in the namespace does (kMount), $2: the script. Root may need no user namespace.
constexpr std::string_view kEnter = R"sh([ "$(pwd -P)" = / ] && exec /bin/sh -c "$2"
own=--map-root-user
"$(tool unshare)" --mount "$(tool id)" >/dev/null 2>&1 && own=
exec "$(tool unshare)" $own --mount /bin/sh -c "$1" sh "$(pwd -P)" "$2"
)sh";

// $1: the input root, $2: the script. Where the input root has a link, the image has what the link leads to.
constexpr std::string_view kMount = R"sh("$(tool mkdir)" -p "$1/tmp" || exit
for directory in /proc /dev @; do
  [ -d "$directory" ] && ! [ -L "$1$directory" ] || continue
  "$(tool mkdir)" -p "$1$directory" && "$(tool mount)" --rbind "$directory" "$1$directory" || exit
done
exec "$(tool chroot)" "$1" /bin/sh -c "$2"
)sh";

}  // namespace

std::vector<ExecuteInput> links_of_system() {
  std::vector<ExecuteInput> links;
  for (const std::string_view directory : kSystemDirectories) {
    const std::string path(directory);
    std::array<char, PATH_MAX> target;
    const ssize_t length = readlink(path.c_str(), target.data(), target.size());
    if (length > 0)
      links.push_back({.path = path,
                       .kind = ExecuteInputKind::link,
                       .target = std::string(target.data(), static_cast<std::size_t>(length))});
  }
  return links;
}

std::vector<std::string> in_input_root(const std::string& script, const std::string& toolchain) {
  std::string directories;
  for (const std::string_view directory : kSystemDirectories) directories.append(directory).append(" ");
  const bool is_the_systems = std::any_of(kSystemDirectories.begin(), kSystemDirectories.end(),
                                          [&](std::string_view directory) { return is_within(toolchain, directory); });
  if (toolchain.size() > 1 && !is_the_systems) directories += shell_word(toolchain);
  std::string mount = std::string(kTool).append(kMount);
  mount.replace(mount.find('@'), 1, directories);
  return {"/bin/sh", "-c", std::string(kTool).append(kEnter), "sh", std::move(mount), script};
}

}  // namespace hipcache::protocol
