#include "client/steps/loader_errors.h"

namespace hipcache::client {

void remove_loader_errors(std::string& messages, const std::string& library) {
  if (library.empty()) return;
  const std::string beginning = "ERROR: ld.so: object '" + library + "' from LD_PRELOAD cannot be preloaded";
  for (std::size_t at = messages.find(beginning); at != std::string::npos; at = messages.find(beginning, at)) {
    const std::size_t end = messages.find('\n', at);
    messages.erase(at, end == std::string::npos ? end : end - at + 1);
  }
}

}  // namespace hipcache::client
