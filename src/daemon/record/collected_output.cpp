#include "daemon/record/collected_output.h"

namespace hipcache::daemon {

bool holds_only_rules(std::string_view bytes) {
  if (bytes.empty() || bytes.starts_with('{') || bytes.find('\0') != bytes.npos) return false;
  while (!bytes.empty()) {
    std::size_t end = bytes.find('\n');
    while (end != bytes.npos && end > 0 && bytes[end - 1] == '\\') end = bytes.find('\n', end + 1);
    const std::string_view rule = bytes.substr(0, end);
    if (!rule.empty() && (rule.find(':') == rule.npos || rule.starts_with('#') || rule.starts_with('\t'))) return false;
    bytes.remove_prefix(end == bytes.npos ? bytes.size() : end + 1);
  }
  return true;
}

}  // namespace hipcache::daemon
