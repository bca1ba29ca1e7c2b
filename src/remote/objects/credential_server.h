// Asks servers for credentials: servers of this machine or its link, and token servers of the net (OAuth 2).
//
// Errors name the server (`whom`) and hold nothing of its answer but a code. Pure but for the request.
#ifndef HIPCACHE_SRC_REMOTE_OBJECTS_CREDENTIAL_SERVER_H
#define HIPCACHE_SRC_REMOTE_OBJECTS_CREDENTIAL_SERVER_H

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "hipcache/base/result.h"
#include "hipcache/config/shown.h"
#include "remote/objects/object_service.h"
#include "remote/transport/http_client.h"

namespace hipcache::remote {

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
