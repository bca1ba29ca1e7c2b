// The URL of a shared cache (a *tier*), with its options: `remote` in docs/configuration.md.
//
//   http://user:password@cache.example:8080/hipcache?mode=ro&timeout=1s
//
// Options stand in the query, because one text must say all of a tier: variables and lists of URLs
// have no other place. The server never sees our query.
// Rejected: a table for each tier in the file, which no variable could express.
//
// The client reads settings as well, to report errors at once. So this uses no network library, and
// touches neither network nor files. Errors name a URL as `shown` (hipcache/config/shown.h).
#ifndef HIPCACHE_CONFIG_REMOTE_URL_H
#define HIPCACHE_CONFIG_REMOTE_URL_H

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "hipcache/base/result.h"

namespace hipcache::config {

enum class RemoteKind { file, http, redis, grpc, s3, google, azure };

// What an S3 tier has beside the rest. Empty: AWS's variables and files say it, which hipcache-remote
// reads.
struct S3Options {
  // How a request names its bucket. Automatic: in the host of AWS's own servers, in the path of others.
  enum class Addressing { automatic, path, host };

  std::string region;
  std::string profile;
  Addressing addressing = Addressing::automatic;
};

struct RemoteUrl {
  RemoteKind kind = RemoteKind::file;
  std::string shown;  // for people (shown_url)
  bool tls = false;
  std::string user;
  std::string password;
  // Empty for files and unix sockets; an IPv6 address keeps its brackets. The bucket of S3 and Google,
  // the account of Azure.
  std::string host;
  std::uint16_t port = 0;  // 0: the scheme's own
  // The directory of a file tier, the path on a web server, the unix socket of a Redis server, the
  // instance of a REAPI server, what stands before the names in a bucket. Azure's begins with the
  // container.
  // Begins with a slash and ends without one; may be empty.
  std::string path;

  bool reads = true;   // mode=rw, ro
  bool writes = true;  // mode=rw, wo
  std::string prefix;  // before all names; letters, digits and "._-/"
  std::chrono::milliseconds connect_timeout{500};
  std::chrono::milliseconds timeout{300};  // from a look-up to the first byte of its answer
  std::uint64_t max_bytes = 256u << 20;    // larger values are neither asked for nor sent
  std::string token;                       // "Authorization: Bearer"
  std::string token_file;                  // read anew for each connection and request
  std::string ca_file;
  std::string client_certificate;
  std::string client_key;
  std::uint32_t database = 0;  // of Redis
  S3Options s3;

  // Of object services. Empty: the service's own variables and files say it.
  std::string endpoint;  // "https://host:port", in small letters, without a slash at its end
  std::string credentials_file;
  bool is_signed = true;  // credentials=none: requests go without credentials
};

// What one look-up may take. hipcache-remote keeps the time and gives up then; the daemon waits for that, and for
// kLookUpGrace more only if hipcache-remote itself hangs. All tiers together have kLongestLookUp: a client waits no
// longer for its first reply.
inline constexpr std::chrono::milliseconds kLongestLookUp{3'500};
inline constexpr std::chrono::milliseconds kLookUpGrace{500};

// For small values, of that tier alone.
constexpr std::chrono::milliseconds look_up_limit(const RemoteUrl& url) {
  constexpr std::chrono::milliseconds kRestOfAnswer{1'500};
  return std::min(url.connect_timeout + url.timeout + kRestOfAnswer, kLongestLookUp);
}

// Whether values are objects of a service such as S3.
constexpr bool has_objects(RemoteKind kind) {
  return kind == RemoteKind::s3 || kind == RemoteKind::google || kind == RemoteKind::azure;
}

// An error names the URL, its bad part, and what to write instead.
Result<RemoteUrl> parse_remote_url(std::string_view text);

// "HTTPS://Host:443/" becomes "https://host": a server without path, user and the scheme's own port.
// The error's message goes on after the name of what was wrong.
Result<std::string> parse_origin(std::string_view text);

}  // namespace hipcache::config

#endif
