#include "config/url_parts.h"

#include <algorithm>
#include <charconv>

namespace hipcache::config {

const Scheme* find_scheme(std::string_view name) {
  const auto* found =
      std::find_if(kSchemes.begin(), kSchemes.end(), [&](const Scheme& known) { return known.name == name; });
  return found == kSchemes.end() ? nullptr : found;
}

std::optional<UrlParts> split_url(std::string_view text) {
  const auto end = text.find("://");
  if (end == std::string_view::npos) return std::nullopt;
  UrlParts parts{.scheme = text.substr(0, end)};
  std::string_view rest = text.substr(end + 3);
  if (const auto mark = rest.find('?'); mark != std::string_view::npos) {
    parts.query = rest.substr(mark + 1);
    rest = rest.substr(0, mark);
  }
  std::string_view authority = rest.substr(0, rest.find('/'));
  parts.path = rest.substr(authority.size());
  if (const auto at = authority.rfind('@'); at != std::string_view::npos) {
    parts.has_credentials = true;
    parts.credentials = authority.substr(0, at);
    authority = authority.substr(at + 1);
  }
  const auto colon = authority.rfind(':');
  const auto bracket = authority.rfind(']');
  const bool has_port = colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
  parts.host = has_port ? authority.substr(0, colon) : authority;
  if (has_port) parts.port = authority.substr(colon + 1);
  return parts;
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), port);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || port == 0) return std::nullopt;
  return port;
}

}  // namespace hipcache::config
