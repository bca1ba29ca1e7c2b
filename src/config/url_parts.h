// The parts of a URL as written, and the schemes that hipcache knows.
#ifndef HIPCACHE_SRC_CONFIG_URL_PARTS_H
#define HIPCACHE_SRC_CONFIG_URL_PARTS_H

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "hipcache/config/remote_url.h"

namespace hipcache::config {

struct Scheme {
  std::string_view name;
  RemoteKind kind;
  bool tls;
  bool is_local;  // a path and no host
};

inline constexpr auto kSchemes = std::to_array<Scheme>({{"file", RemoteKind::file, false, true},
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

// Null if there is none of that name.
const Scheme* find_scheme(std::string_view name);

// scheme://user:password@host:port/path?query
struct UrlParts {
  std::string_view scheme, credentials, host, port, path, query;
  bool has_credentials = false;
};

// Nothing if there is no "://".
std::optional<UrlParts> split_url(std::string_view text);

// From 1 to 65535.
std::optional<std::uint16_t> parse_port(std::string_view text);

}  // namespace hipcache::config

#endif
