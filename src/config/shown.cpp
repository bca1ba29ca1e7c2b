#include "hipcache/config/shown.h"

#include <optional>
#include <utility>

#include "config/remote_options.h"
#include "config/url_parts.h"
#include "hipcache/base/digest.h"

namespace hipcache::config {
namespace {

constexpr std::string_view kHostLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-[]:";
constexpr std::size_t kMarkSize = 4;

bool has_at(std::string_view text) {
  return text.find('@') != std::string_view::npos || text.find("%40") != std::string_view::npos;
}

// An @ behind the host may end a password that holds a / or a ?: then what looks like the host is part of it.
std::string shown_host(const UrlParts& parts) {
  const bool is_host = !parts.host.empty() && parts.host.find_first_not_of(kHostLetters) == std::string_view::npos;
  const bool is_port = parts.port.empty() || parse_port(parts.port).has_value();
  if (!is_host || !is_port || has_at(parts.path) || has_at(parts.query)) return std::string(kHidden);
  return std::string(parts.host) + (parts.port.empty() ? "" : ":" + std::string(parts.port));
}

// The path of a file may have an @: no password stands before it.
std::string shown_path(const Scheme& scheme, const UrlParts& parts) {
  const bool is_plain = scheme.kind == RemoteKind::file ? !parts.has_credentials : !has_at(parts.path);
  return parts.host.empty() && parts.port.empty() && is_plain ? std::string(parts.path) : std::string(kHidden);
}

}  // namespace

std::string shown_url(std::string_view text) {
  const std::optional<UrlParts> parts = split_url(text);
  const Scheme* scheme = parts ? find_scheme(parts->scheme) : nullptr;
  if (scheme == nullptr) return std::string(kHidden);
  std::string shown =
      std::string(scheme->name) + "://" + (scheme->is_local ? shown_path(*scheme, *parts) : shown_host(*parts));
  char before = '?';
  [[maybe_unused]] const Status always = for_each_option(parts->query, [&](std::string_view name, auto) {
    if (is_remote_option(name) || is_engine_option(name)) (shown += std::exchange(before, '&')) += name;
    return done();
  });
  return shown;
}

std::string file_of(std::string_view setting) { return "the file of " + std::string(setting); }

std::string shown_secret(std::string_view text) { return text.empty() ? "" : std::string(kHidden); }

std::string change_mark(std::string_view text) {
  return Hasher("hipcache.change.1").field(text).finish().hex().substr(0, kMarkSize);
}

}  // namespace hipcache::config
