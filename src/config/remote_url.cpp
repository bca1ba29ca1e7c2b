#include "hipcache/config/remote_url.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "config/remote_options.h"

namespace hipcache::config {
namespace {

constexpr std::string_view kHidden = "***";
constexpr std::size_t kShortestBucket = 3;
constexpr std::size_t kLongestContainer = 63;
constexpr std::string_view kHostLetters = "abcdefghijklmnopqrstuvwxyz0123456789._-[]:";
constexpr std::string_view kBucketLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
constexpr auto kSecretOptions = std::to_array<std::string_view>({"token", "password"});

struct Scheme {
  std::string_view name;
  RemoteKind kind;
  bool tls;
  bool is_local;  // a path and no host
};

constexpr auto kSchemes = std::to_array<Scheme>({{"file", RemoteKind::file, false, true},
                                                 {"http", RemoteKind::http, false, false},
                                                 {"https", RemoteKind::http, true, false},
                                                 {"grpc", RemoteKind::grpc, false, false},
                                                 {"grpcs", RemoteKind::grpc, true, false},
                                                 {"redis", RemoteKind::redis, false, false},
                                                 {"rediss", RemoteKind::redis, true, false},
                                                 {"valkey", RemoteKind::redis, false, false},
                                                 {"valkeys", RemoteKind::redis, true, false},
                                                 {"redis+unix", RemoteKind::redis, false, true},
                                                 {"s3", RemoteKind::s3, true, false},
                                                 {"gs", RemoteKind::google, true, false},
                                                 {"azblob", RemoteKind::azure, true, false}});

// The parts of a URL as written: scheme://user:password@host:port/path?query
struct Parts {
  std::string_view scheme, credentials, host, port, path, query;
  bool has_credentials = false;
};

std::optional<Parts> split(std::string_view text) {
  const auto end = text.find("://");
  if (end == std::string_view::npos) return std::nullopt;
  Parts parts{.scheme = text.substr(0, end)};
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

bool is_secret(std::string_view option) {
  return std::find(kSecretOptions.begin(), kSecretOptions.end(), option) != kSecretOptions.end();
}

Error wrong(const RemoteUrl& url, const std::string& what) { return Error{url.shown + ": " + what}; }

Status set_credentials(RemoteUrl& url, const Parts& parts) {
  if (!parts.has_credentials) return done();
  const auto colon = parts.credentials.find(':');
  const std::string_view password = colon == std::string_view::npos ? "" : parts.credentials.substr(colon + 1);
  const std::optional<std::string> user = percent_decoded(parts.credentials.substr(0, colon));
  const std::optional<std::string> secret = percent_decoded(password);
  if (!user || !secret) return wrong(url, "user or password holds a % without two hexadecimal digits; write %25 for %");
  url.user = *user;
  url.password = *secret;
  return done();
}

Status set_port(RemoteUrl& url, std::string_view text) {
  if (text.empty()) return done();
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), url.port);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || url.port == 0)
    return wrong(url, "port \"" + std::string(text) + "\" is no number from 1 to 65535");
  return done();
}

// An option behind a & before any ? would become part of the path. Its value, which may be a secret, is not shown.
Status check_query_begins(std::string_view text) {
  text = text.substr(0, text.find('?'));
  for (auto at = text.find('&'); at != std::string_view::npos; at = text.find('&', at + 1)) {
    const std::string option(text.substr(at + 1, text.find_first_of("=&", at + 1) - at - 1));
    if (!is_remote_option(option)) continue;
    const std::string before(text.substr(0, at));
    return Error{without_secrets(before) + ": the option " + option +
                 " stands behind a &, and none behind a ? before it; " +
                 "the first option follows a ?, as in s3://bucket/prefix?mode=ro&region=eu-west-1"};
  }
  return done();
}

// How the URL of an object service begins. Services' names have small letters, digits, dots and dashes; other servers
// take more.
struct ObjectPlace {
  RemoteKind kind;
  const char* what;
  std::size_t longest;
  const char* example;
  const char* keys;  // where they are instead
};

constexpr auto kObjectPlaces = std::to_array<ObjectPlace>(
    {{RemoteKind::s3, "bucket", 63, "s3://bucket/prefix", "AWS's variables, files or profile= name them"},
     {RemoteKind::google, "bucket", 222, "gs://bucket/prefix",
      "GOOGLE_APPLICATION_CREDENTIALS or credentials_file= does"},
     {RemoteKind::azure, "account", 24, "azblob://account/container/prefix",
      "AZURE_STORAGE_CONNECTION_STRING or credentials_file= does"}});

bool is_name(std::string_view text, std::size_t longest) {
  return text.size() >= kShortestBucket && text.size() <= longest &&
         text.find_first_not_of(kBucketLetters) == std::string_view::npos;
}

Status check_objects(const RemoteUrl& url, const Parts& parts) {
  const ObjectPlace& place = *std::find_if(kObjectPlaces.begin(), kObjectPlaces.end(),
                                           [&](const ObjectPlace& one) { return one.kind == url.kind; });
  const std::string what = place.what;
  const std::string host(parts.host);
  if (host.empty()) return wrong(url, "no " + what + " is named, as in " + place.example);
  if (parts.has_credentials) return wrong(url, std::string("this URL holds no keys; ") + place.keys);
  if (!parts.port.empty()) return wrong(url, "no " + what + " has a port; endpoint=https://host:port names the server");
  if (!is_name(host, place.longest))
    return wrong(url, "\"" + host + "\" is no " + what + " of 3 to " + std::to_string(place.longest) +
                          " letters, digits and ._-");
  if (url.kind != RemoteKind::azure) return done();
  const std::string_view path = parts.path.substr(std::min<std::size_t>(1, parts.path.size()));
  const std::string container(path.substr(0, path.find('/')));
  if (is_name(container, kLongestContainer)) return done();
  return wrong(url, "\"" + container + "\" is no container of 3 to 63 letters, digits and -, as in " + place.example);
}

Status set_place(RemoteUrl& url, const Scheme& scheme, const Parts& parts) {
  const std::string name(scheme.name);
  if (scheme.is_local && (!parts.host.empty() || parts.path.size() < 2))
    return wrong(url, "an absolute path follows " + name + "://, as in " + name + ":///var/cache/hipcache");
  if (has_objects(url.kind))
    if (Status good = check_objects(url, parts); !good) return good;
  if (!scheme.is_local && parts.host.empty())
    return wrong(url, "a host is missing, as in " + name + "://cache.example/");
  const std::optional<std::string> path = percent_decoded(parts.path);
  if (!path || path->find('\0') != std::string::npos)
    return wrong(url, "the path holds a % without two hexadecimal digits; write %25 for %");
  url.host = parts.host;
  url.path = *path;
  while (url.path.ends_with('/')) url.path.pop_back();
  if (url.kind != RemoteKind::redis || scheme.is_local || url.path.empty()) return set_port(url, parts.port);
  const std::string number = std::exchange(url.path, "").substr(1);
  if (Status set = set_remote_option(url, "database", number); !set) return set;
  return set_port(url, parts.port);
}

Status check_together(const RemoteUrl& url) {
  if (!url.token.empty() && !url.token_file.empty()) return wrong(url, "token and token_file exclude each other");
  if (!url.user.empty() && !(url.token + url.token_file).empty())
    return wrong(url, "a user in the URL and a token exclude each other");
  if (url.client_key.empty() != url.client_certificate.empty())
    return wrong(url, "client_certificate and client_key go together; one file may be both");
  if (url.kind == RemoteKind::redis && !url.tls && !(url.ca_file + url.client_certificate).empty())
    return wrong(url, "ca_file, client_certificate and client_key need TLS, as in rediss://cache.example/");
  // A signature covers the name as written, and HTTP clients remove such parts from it.
  const std::string names = url.path + "/" + url.prefix + "/";
  if (has_objects(url.kind) && (names.find("/./") != std::string::npos || names.find("/../") != std::string::npos))
    return wrong(url, "a path in a bucket has no part . or ..");
  if (!url.is_signed && !(url.s3.profile + url.credentials_file).empty())
    return wrong(url, "credentials=none excludes profile and credentials_file");
  return done();
}

Error unknown_scheme(std::string_view name, const std::string& shown) {
  std::string names;
  for (const Scheme& scheme : kSchemes) names.append(names.empty() ? "" : ", ").append(scheme.name);
  return Error{shown + ": unknown scheme \"" + std::string(name) + "\"; the schemes are " + names};
}

}  // namespace

Result<RemoteUrl> parse_remote_url(std::string_view text) {
  const std::optional<Parts> parts = split(text);
  const std::string shown = without_secrets(text);
  if (!parts) return Error{"\"" + shown + "\" is not a URL such as http://cache.example:8080/"};
  const auto* scheme =
      std::find_if(kSchemes.begin(), kSchemes.end(), [&](const Scheme& known) { return known.name == parts->scheme; });
  if (scheme == kSchemes.end()) return unknown_scheme(parts->scheme, shown);
  if (Status good = check_query_begins(text); !good) return good.error();
  RemoteUrl url{.kind = scheme->kind, .shown = shown, .tls = scheme->tls};
  if (Status set = set_credentials(url, *parts); !set) return set.error();
  if (Status set = set_place(url, *scheme, *parts); !set) return set.error();
  const auto set_option = [&](std::string_view name, std::string_view value) {
    return set_remote_option(url, name, value);
  };
  if (Status set = for_each_option(parts->query, set_option); !set) return set.error();
  if (Status good = check_together(url); !good) return good.error();
  return url;
}

Result<std::string> parse_origin(std::string_view text) {
  std::string origin;
  for (const char letter : text)
    origin += letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  while (origin.ends_with('/')) origin.pop_back();
  const auto end = origin.find("://");
  const std::string scheme = origin.substr(0, end);
  const bool is_known = end != std::string::npos && (scheme == "http" || scheme == "https");
  const std::string host = is_known ? origin.substr(end + 3) : "";
  if (host.empty() || host.find_first_not_of(kHostLetters) != std::string::npos)
    return Error{"is no server such as https://host:9000"};
  // A signature covers the header Host, which HTTP clients send without the scheme's own port.
  const std::string own_port = scheme == "https" ? ":443" : ":80";
  if (host.ends_with(own_port)) origin.resize(origin.size() - own_port.size());
  return origin;
}

std::string without_secrets(std::string_view text) {
  const std::optional<Parts> parts = split(text);
  if (!parts) return text.find('@') == std::string_view::npos ? std::string(text) : std::string(kHidden);
  std::string shown = std::string(parts->scheme) + "://";
  if (parts->has_credentials) {
    const auto colon = parts->credentials.find(':');
    shown += parts->credentials.substr(0, colon);
    if (colon != std::string_view::npos) shown.append(":").append(kHidden);
    shown += '@';
  }
  shown += parts->host;
  if (!parts->port.empty()) shown.append(":").append(parts->port);
  shown += parts->path;
  char before = '?';
  [[maybe_unused]] const Status always = for_each_option(parts->query, [&](std::string_view name, auto value) {
    shown += std::exchange(before, '&');
    shown.append(name).append("=").append(is_secret(name) || may_hold_password(value) ? kHidden : value);
    return done();
  });
  return shown;
}

}  // namespace hipcache::config
