#include "compiler/command_line/descriptors.h"

#include <algorithm>

#include "hipcache/base/files.h"

namespace hipcache::compiler {
namespace {

constexpr std::string_view kSeparators = "=,:;@ \t'\"";

}  // namespace

// A path inside an argument begins at the first slash after the option's name or after a separator.
// The check for "fd" and "stdin" comes first, because every hit calls this for every argument and
// hardly any has either.
bool names_descriptor(std::string_view argument, std::string_view working_directory) {
  if (argument.find("fd") == std::string_view::npos && argument.find("stdin") == std::string_view::npos &&
      working_directory.find("fd") == std::string_view::npos)
    return false;
  if (!argument.starts_with('-') && is_descriptor_path(join_path(working_directory, argument))) return true;
  while (!argument.empty()) {
    const std::size_t end = std::min(argument.find_first_of(kSeparators), argument.size());
    const std::string_view part = argument.substr(0, end);
    const std::size_t slash = part.find('/');
    if (slash != std::string_view::npos && is_descriptor_path(part.substr(slash))) return true;
    argument.remove_prefix(std::min(end + 1, argument.size()));
  }
  return false;
}

bool names_device(std::string_view argument) {
  for (auto at = argument.find("/dev/"); at != std::string_view::npos; at = argument.find("/dev/", at + 1)) {
    const bool begins = at == 0 || argument[at - 1] == '=' || argument[at - 1] == ',' || argument[at - 1] == 'o';
    if (begins && argument.substr(at) != "/dev/null" && !argument.substr(at).starts_with("/dev/shm/")) return true;
  }
  return false;
}

std::string descriptor_among(const std::vector<std::string>& arguments, const std::string& working_directory) {
  for (std::size_t i = 1; i < arguments.size(); ++i)
    if (names_descriptor(arguments[i], working_directory)) return arguments[i];
  return "";
}

}  // namespace hipcache::compiler
