// hipcache-client: launches a compiler, or handles an option of hipcache. The launcher (src/launcher)
// passes everything to it that the launcher does not do itself; a user may also call it directly.
// Called by a compiler's name, it acts as that compiler; by the name of ccache or sccache, as hipcache in its place.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <vector>

#include "cli/run.h"
#include "hipcache/client/launcher.h"
#include "hipcache/client/launcher_handoff.h"
#include "hipcache/launcher/compiler.h"

namespace {

using hipcache::client::Timeouts;

// Whoever gives hipcache an option waits for the daemon itself, not a compile: on a busy machine it comes up late.
Timeouts for_options() {
  Timeouts timeouts;
  timeouts.start = std::chrono::seconds(30);
  return timeouts;
}

// If stdin, stdout or stderr is closed, opens /dev/null there, so that no socket or file of ours
// gets that number. Close-on-exec: the compiler still finds the stream closed.
void occupy_standard_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
    if (fcntl(stream, F_GETFD) == -1 && open("/dev/null", O_RDWR | O_CLOEXEC) != stream) return;
}

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_streams();
  std::vector<std::string> words(argv, argv + argc);
  if (words.empty()) return hipcache::cli::run({}, for_options());
  if (auto begun = hipcache::client::take_launcher_handoff(words))
    return hipcache::client::launch(std::move(words), Timeouts(), std::move(*begun));
  if (!launch_is_our_name(argv[0])) return hipcache::client::launch(std::move(words), Timeouts());
  words.erase(words.begin());
  if (words.empty() || words.front().starts_with('-'))
    return hipcache::cli::run(words, for_options(), hipcache::cli::tool_named(argv[0]));
  return hipcache::client::launch(std::move(words), Timeouts());
}
