#include <algorithm>
#include <array>

#include "switching/remote_caches.h"

namespace hipcache::switching {
namespace {

// A URL of ours while its properties are read.
struct Cache {
  std::string url;
  std::string query;

  void add(const std::string& option, const std::string& value) {
    query += (query.empty() ? "?" : "&") + option + "=" + percent_encoded(value);
  }
};

// ccache: file:/a and file://host/a; redis://password@host; redis+unix:/a.
std::string own_url(std::string_view theirs) {
  for (const std::string_view scheme : {"file:", "redis+unix:"}) {
    if (!theirs.starts_with(scheme)) continue;
    std::string_view path = theirs.substr(scheme.size());
    while (path.starts_with("//")) path.remove_prefix(1);
    return std::string(scheme) + "//" + std::string(path);
  }
  constexpr std::string_view kRedis = "redis://";
  const std::size_t at = theirs.find('@');
  const bool password_alone = theirs.starts_with(kRedis) && at != std::string_view::npos &&
                              theirs.substr(kRedis.size(), at - kRedis.size()).find(':') == std::string_view::npos;
  if (password_alone) return std::string(kRedis) + ":" + std::string(theirs.substr(kRedis.size()));
  return std::string(theirs);
}

bool is_true(std::string_view value) { return value.empty() || value == "true" || value == "1"; }

// False if no option of ours is like it.
bool add_property(Cache& cache, const std::string& name, const std::string& value) {
  if (name == "read-only") {
    if (is_true(value)) cache.add("mode", "ro");
  } else if (name == "connect-timeout") {
    cache.add("connect_timeout", value + "ms");
  } else if (name == "operation-timeout" || name == "request-timeout") {
    cache.add("timeout", value + "ms");
  } else if (name == "bearer-token") {
    cache.add("token", value);
  } else {
    return false;
  }
  return true;
}

std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; (at = text.find_first_not_of(" \t|", at)) != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(" \t|", at), text.size());
    parts.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return parts;
}

// A property is a name, and perhaps a value; no name has a colon.
bool is_url(std::string_view part) {
  const std::size_t colon = part.find(':');
  return colon != std::string_view::npos && colon < part.find('=') && !part.starts_with('@');
}

}  // namespace

RemoteCaches of_ccache(std::string_view remote_storage) {
  RemoteCaches found;
  Cache cache;
  const auto finish = [&] {
    if (!cache.url.empty()) found.urls.push_back(cache.url + cache.query);
    cache = {};
  };
  for (const std::string& part : parts_of(remote_storage)) {
    if (is_url(part)) {
      finish();
      cache.url = own_url(part);
      continue;
    }
    const std::string property = part.substr(part.starts_with('@') ? 1 : 0);
    const std::size_t equals = std::min(property.find('='), property.size());
    const std::string value = equals < property.size() ? property.substr(equals + 1) : "";
    const std::string name = property.substr(0, equals);
    if (!add_property(cache, name, value)) found.left_out.push_back(name);
  }
  finish();
  return found;
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/:";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char letter : text) {
    const auto value = static_cast<unsigned char>(letter);
    if (kPlain.find(letter) != std::string_view::npos) {
      encoded += letter;
    } else {
      encoded += '%';
      encoded += kDigits[value / 16];
      encoded += kDigits[value % 16];
    }
  }
  return encoded;
}

}  // namespace hipcache::switching
