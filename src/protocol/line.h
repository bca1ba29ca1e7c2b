// Fills the pattern of a line for users.
#ifndef HIPCACHE_SRC_PROTOCOL_LINE_H
#define HIPCACHE_SRC_PROTOCOL_LINE_H

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hipcache::protocol {

// A placeholder, such as "$name", and its value.
using Placeholders = std::vector<std::pair<std::string_view, std::string_view>>;

// The pattern with each placeholder replaced wherever it stands. What is inserted is not searched again. Control
// characters become '?'.
std::string line_of(std::string_view pattern, const Placeholders& placeholders);

}  // namespace hipcache::protocol

#endif
