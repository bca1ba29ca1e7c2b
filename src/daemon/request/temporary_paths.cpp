#include "daemon/request/temporary_paths.h"

#include <string_view>
#include <utility>

namespace hipcache::daemon {
namespace {

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// The temporary directory that LLVM would choose.
std::string temporary_directory(const Request& request) {
  for (const char* name : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"})
    if (const char* value = request.from.variable(name); value != nullptr && *value != '\0') return value;
  return "/tmp";
}

}  // namespace

std::string as_stored(std::string text, const RequestDirectory& directory) {
  return replace_all(std::move(text), directory.path(), kStoredDirectory);
}

std::string as_shown(std::string text, const Request& request) {
  return replace_all(std::move(text), kStoredDirectory, temporary_directory(request));
}

}  // namespace hipcache::daemon
