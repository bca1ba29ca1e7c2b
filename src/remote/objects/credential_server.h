// Asks servers for credentials: servers of this machine or its link, and token servers of the net (OAuth 2).
//
// Errors name the server (`whom`) and hold nothing of its answer but a code. Pure but for the request.
#ifndef HIPCACHE_SRC_REMOTE_OBJECTS_CREDENTIAL_SERVER_H
#define HIPCACHE_SRC_REMOTE_OBJECTS_CREDENTIAL_SERVER_H

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "hipcache/base/result.h"
#include "hipcache/config/shown.h"
#include "remote/http/http_client.h"
#include "remote/objects/object_service.h"

namespace hipcache::remote {

// Address and credentials of objects, as requests need them.
//
// Problem: finding credentials reads files, which may be on a network, and asks servers, which may take seconds.
// Temporary credentials end in the middle of a build. A look-up has some 300 ms.
// Choice: a thread of its own finds them, from the tier's first moment on, and again some minutes before they end. A
// look-up takes what is there. It waits, within its limit, only as long as nothing was found yet.
// Rejected: finding them in the look-up that needs them, which would pay for all others.
//
// Thread-safe. What it hands out stays valid as long as somebody holds it. The destructor waits for a search that runs,
// which the service bounds.

class AccessSource {
 public:
  static constexpr std::chrono::minutes kRenewBefore{5};   // their end
  static constexpr std::chrono::seconds kSearchPause{10};  // at least, after a search that found nothing new

  // `service` outlives it.
  AccessSource(const ObjectService& service, std::function<SystemTime()> now);
  ~AccessSource();
  AccessSource(const AccessSource&) = delete;
  AccessSource& operator=(const AccessSource&) = delete;

  // The error is why the last search found nothing, or ErrorCode::timed_out.
  Result<AccessPtr> get(std::chrono::milliseconds patience);

  // The server says that the credentials of `used` have ended. Searches again; what was found if it differs, or null.
  AccessPtr renewed(const AccessPtr& used, std::chrono::milliseconds patience);

 private:
  void run();
  void want();
  bool is_valid(const AccessPtr& access) const;
  bool ends_soon(const AccessPtr& access) const;

  const ObjectService& service_;
  const std::function<SystemTime()> now_;
  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  AccessPtr access_;
  std::optional<Error> problem_;  // of the last search, if it found nothing
  bool is_wanted_ = true;         // a search is to begin, or runs
  bool is_ending_ = false;
  std::chrono::steady_clock::time_point next_search_;
  std::thread thread_;  // last: it uses the others
};

// One element's text out of the small XML answers of S3, STS and Azure.
//
// hipcache reads six of them: an error's code and region, and three keys with their end. Each is the text of one
// element without markup or entities. So the element is searched for by name; what does not look like that is nothing,
// which is a failure that is still a miss. Rejected: an XML parser, for input that a server of any kind may send. Pure
// functions.

// The text of the first <name>...</name>; empty if there is none, or if it holds markup, entities or blanks.
std::string xml_text(std::string_view document, std::string_view name);

// The text if it is a code that may be shown: at most 64 letters and digits. Else empty.
std::string shown_code(const std::string& text);

// The code of an error of S3, STS or Azure, such as AccessDenied; may be shown.
std::string error_code_of(std::string_view document);

// A server of this machine or its link answers soon. It must be asked without a proxy.
inline constexpr Limits kLinkLimits{.connect = std::chrono::seconds(1),
                                    .answer = std::chrono::seconds(2),
                                    .stall = std::chrono::seconds(1),
                                    .total = std::chrono::seconds(4)};
inline constexpr Limits kNetLimits{.connect = std::chrono::seconds(5),
                                   .answer = std::chrono::seconds(10),
                                   .stall = std::chrono::seconds(5),
                                   .total = std::chrono::seconds(20)};
inline constexpr std::uint64_t kTokenLimit = 64u << 10;

// The body of an answer with status 200.
Result<std::string> body_from(HttpClient& client, const HttpRequest& request, const Limits& limits,
                              const std::string& whom);

// The same as an object of JSON.
Result<nlohmann::json> json_from(HttpClient& client, const HttpRequest& request, const Limits& limits,
                                 const std::string& whom);

// A text of a JSON object; empty if there is none.
std::string text_of(const nlohmann::json& object, const std::string& key);

struct BearerToken {
  std::string text;
  std::optional<SystemTime> expires;
};

// access_token and expires_in of a token server's answer.
Result<BearerToken> token_from(HttpClient& client, const HttpRequest& request, const Limits& limits,
                               const std::string& whom, SystemTime now);

// A token may go into a header: it has no blank, line break or letter that is not ASCII.
bool is_printable(const std::string& text);

// A file's first line, as a header may have it. `setting`: the one that names the file, for errors.
Result<std::string> token_in_file(const std::string& path, const std::string& setting);

// "2016-02-25T06:03:31Z": when credentials end.
std::optional<SystemTime> parse_utc_time(const std::string& text);

}  // namespace hipcache::remote

#endif
