#include "remote/transport/proxy.h"

#include <arpa/inet.h>
#include <strings.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <vector>

namespace hipcache::remote {
namespace {

// The bytes of an IPv4 or IPv6 address.
std::optional<std::vector<unsigned char>> bytes_of_address(const std::string& text) {
  for (const auto& [family, size] : {std::pair(AF_INET, 4), std::pair(AF_INET6, 16)}) {
    std::array<unsigned char, 16> bytes{};
    if (inet_pton(family, text.c_str(), bytes.data()) == 1)
      return std::vector<unsigned char>(bytes.begin(), bytes.begin() + size);
  }
  return std::nullopt;
}

bool have_equal_bits(const std::vector<unsigned char>& one, const std::vector<unsigned char>& other, unsigned bits) {
  if (one.size() != other.size() || bits > 8 * one.size()) return false;
  for (unsigned bit = 0; bit < bits; ++bit)
    if (((one[bit / 8] ^ other[bit / 8]) >> (7 - bit % 8) & 1U) != 0) return false;
  return true;
}

bool has_address(std::string entry, const std::vector<unsigned char>& address) {
  unsigned bits = static_cast<unsigned>(8 * address.size());
  if (const auto slash = entry.find('/'); slash != std::string::npos) {
    const std::string number = entry.substr(slash + 1);
    const auto parsed = std::from_chars(number.data(), number.data() + number.size(), bits);
    if (parsed.ec != std::errc() || parsed.ptr != number.data() + number.size()) return false;
    entry.resize(slash);
  }
  if (entry.starts_with('[') && entry.ends_with(']')) entry = entry.substr(1, entry.size() - 2);
  const auto known = bytes_of_address(entry);
  return known && have_equal_bits(*known, address, bits);
}

// "corp.example" and ".corp.example" are the host and all below it.
bool has_name(std::string entry, std::string host) {
  if (entry.starts_with('.')) entry.erase(0, 1);
  if (entry.ends_with('.')) entry.pop_back();
  if (host.ends_with('.')) host.pop_back();
  if (entry.empty() || host.size() < entry.size()) return false;
  const std::size_t before = host.size() - entry.size();
  return strcasecmp(host.c_str() + before, entry.c_str()) == 0 && (before == 0 || host[before - 1] == '.');
}

}  // namespace

VariableOf variables_of_process() {
  return [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
}

bool is_without_proxy(std::string_view list, const std::string& host) {
  const auto address = bytes_of_address(host);
  while (!list.empty()) {
    const std::size_t end = std::min(list.find_first_of(", \t"), list.size());
    const std::string entry(list.substr(0, end));
    list.remove_prefix(std::min(list.size(), end + 1));
    if (entry.empty()) continue;
    if (entry == "*" || (address ? has_address(entry, *address) : has_name(entry, host))) return true;
  }
  return false;
}

std::string proxy_for(bool is_tls, const std::string& host, const VariableOf& variable) {
  const auto first_of = [&](std::initializer_list<const char*> names) {
    for (const char* name : names)
      if (std::string value = variable(name); !value.empty()) return value;
    return std::string();
  };
  if (is_without_proxy(first_of({"no_proxy", "NO_PROXY"}), host)) return "";
  return is_tls ? first_of({"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"})
                : first_of({"http_proxy", "all_proxy", "ALL_PROXY"});
}

}  // namespace hipcache::remote
