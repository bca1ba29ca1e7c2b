#include "protocol/line.h"

#include <algorithm>

namespace hipcache::protocol {
namespace {

bool is_control(char byte) { return static_cast<unsigned char>(byte) < ' ' || byte == '\x7f'; }

}  // namespace

std::string line_of(std::string_view pattern, const Placeholders& placeholders) {
  std::string line;
  while (!pattern.empty()) {
    const auto found = std::find_if(placeholders.begin(), placeholders.end(),
                                    [&](const auto& one) { return pattern.starts_with(one.first); });
    if (found != placeholders.end()) {
      line += found->second;
      pattern.remove_prefix(found->first.size());
    } else {
      line += pattern.front();
      pattern.remove_prefix(1);
    }
  }
  std::replace_if(line.begin(), line.end(), is_control, '?');
  return line;
}

}  // namespace hipcache::protocol
