#include "hipcache/config/remote_url.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "config/remote_options.h"
#include "config/url_parts.h"
#include "hipcache/config/shown.h"

namespace hipcache::config {
namespace {

constexpr std::size_t kShortestBucket = 3;
constexpr std::size_t kLongestContainer = 63;
constexpr std::string_view kHostLetters = "abcdefghijklmnopqrstuvwxyz0123456789._-[]:";
constexpr std::string_view kBucketLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

Error wrong(const RemoteUrl& url, const std::string& what) { return Error{url.shown + ": " + what}; }

Status set_credentials(RemoteUrl& url, const UrlParts& parts) {
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
  const std::optional<std::uint16_t> port = parse_port(text);
  if (!port)
    return wrong(url, "the port is no number from 1 to 65535; a password's / is written %2F, its ? %3F, its @ %40");
  url.port = *port;
  return done();
}

// An option behind a & before any ? would become part of the path.
Status check_query_begins(std::string_view text) {
  text = text.substr(0, text.find('?'));
  for (auto at = text.find('&'); at != std::string_view::npos; at = text.find('&', at + 1)) {
    const std::string option(text.substr(at + 1, text.find_first_of("=&", at + 1) - at - 1));
    if (!is_remote_option(option)) continue;
    return Error{shown_url(text) + ": the option " + option + " stands behind a &, and none behind a ? before it; " +
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

Status check_objects(const RemoteUrl& url, const UrlParts& parts) {
  const ObjectPlace& place = *std::find_if(kObjectPlaces.begin(), kObjectPlaces.end(),
                                           [&](const ObjectPlace& one) { return one.kind == url.kind; });
  const std::string what = place.what;
  const std::string host(parts.host);
  if (host.empty()) return wrong(url, "no " + what + " is named, as in " + place.example);
  if (parts.has_credentials) return wrong(url, std::string("this URL holds no keys; ") + place.keys);
  if (!parts.port.empty()) return wrong(url, "no " + what + " has a port; endpoint=https://host:port names the server");
  if (!is_name(host, place.longest))
    return wrong(url,
                 "the " + what + " is no name of 3 to " + std::to_string(place.longest) + " letters, digits and ._-");
  if (url.kind != RemoteKind::azure) return done();
  const std::string_view path = parts.path.substr(std::min<std::size_t>(1, parts.path.size()));
  if (is_name(path.substr(0, path.find('/')), kLongestContainer)) return done();
  return wrong(url, std::string("the container is no name of 3 to 63 letters, digits and -, as in ") + place.example);
}

Status set_place(RemoteUrl& url, const Scheme& scheme, const UrlParts& parts) {
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
  if (Status set = set_remote_option(url, "database", number, 0); !set) return set;
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

Error unknown_scheme(const std::string& shown) {
  std::string names;
  for (const Scheme& scheme : kSchemes) names.append(names.empty() ? "" : ", ").append(scheme.name);
  return Error{shown + ": unknown scheme; the schemes are " + names};
}

}  // namespace

Result<RemoteUrl> parse_remote_url(std::string_view text) {
  const std::optional<UrlParts> parts = split_url(text);
  const std::string shown = shown_url(text);
  if (!parts) return Error{shown + " is not a URL such as http://cache.example:8080/"};
  const Scheme* scheme = find_scheme(parts->scheme);
  if (scheme == nullptr) return unknown_scheme(shown);
  if (Status good = check_query_begins(text); !good) return good.error();
  RemoteUrl url{.kind = scheme->kind, .shown = shown, .tls = scheme->tls};
  if (Status set = set_credentials(url, *parts); !set) return set.error();
  if (Status set = set_place(url, *scheme, *parts); !set) return set.error();
  unsigned number = 0;
  const auto set_option = [&](std::string_view name, std::string_view value) {
    return set_remote_option(url, name, value, ++number);
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

}  // namespace hipcache::config
