// hipcache: a compiler to launch, or an option of its own. Called by another name, it is a compiler of that name.
#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "cli/run.h"
#include "hipcache/base/files.h"
#include "hipcache/client/launcher.h"

namespace {

using hipcache::client::Patience;

// A closed stdin, stdout or stderr must not become the number of a socket or file of ours. Close-on-exec: the compiler
// still finds it closed.
void occupy_standard_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
    if (fcntl(stream, F_GETFD) == -1 && open("/dev/null", O_RDWR | O_CLOEXEC) != stream) return;
}

bool is_our_name(const std::string& name) { return hipcache::base_name(name).starts_with("hipcache"); }

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_streams();
  std::vector<std::string> words(argv, argv + argc);
  if (words.empty()) return hipcache::cli::run({}, Patience());
  if (!is_our_name(words.front())) return hipcache::client::launch(std::move(words), Patience());
  words.erase(words.begin());
  if (words.empty() || words.front().starts_with('-')) return hipcache::cli::run(words, Patience());
  return hipcache::client::launch(std::move(words), Patience());
}
