#include "remote/transport/http_client.h"

#include <curl/curl.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <ctime>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "remote/layout/backend.h"
#include "remote/transport/addresses.h"
#include "remote/transport/authorities.h"
#include "remote/transport/pool.h"
#include "remote/transport/proxy.h"

namespace hipcache::remote {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// What libcurl says where it found the host's name to be wrong, before it took OpenSSL's verdict.
constexpr long kNoVerdict = 1;

// `verdict`: what OpenSSL's check of the server's certificate found (CURLINFO_SSL_VERIFYRESULT). `sends_certificate`:
// whether we have one for the server.
Failure failure_of_transfer(CURLcode code, long verdict, bool sends_certificate) {
  switch (code) {
    case CURLE_PEER_FAILED_VERIFICATION:
      return failure_of_certificate(verdict == kNoVerdict ? kGoodCertificate : verdict);
    case CURLE_SSL_CLIENTCERT:
      return failure_of_client_certificate(sends_certificate);
    case CURLE_SSL_CACERT_BADFILE:
      return {Trouble::refused, "cannot use the file of ca_file= or SSL_CERT_FILE", {}};
    case CURLE_SSL_CERTPROBLEM:
      return {Trouble::refused, "cannot use the files of client_certificate= and client_key=", {}};
    default:
      return {Trouble::unreachable, curl_easy_strerror(code), {}};
  }
}

constexpr std::string_view kUnreserved = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";

constexpr milliseconds kLongestPoll{1000};
constexpr std::chrono::seconds kAddressesKept{60};  // as curl keeps them
constexpr std::uint16_t kHttpPort = 80;
constexpr std::uint16_t kHttpsPort = 443;
constexpr std::uint16_t kProxyPort = 1080;  // curl's, of a proxy without a port

// What curl's callbacks fill in and read.
struct Exchange {
  const HttpRequest* request = nullptr;
  const Limits* limits = nullptr;
  std::size_t sent = 0;
  HttpResponse response;
  bool too_long = false;
  std::uint64_t moved = 0;  // bytes in both directions
  bool answered = false;    // a byte of the answer has come
};

std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* context) {
  auto& exchange = *static_cast<Exchange*>(context);
  const std::size_t length = size * count;
  exchange.moved += length;
  exchange.too_long = exchange.response.body.size() + length > exchange.request->most;
  if (exchange.too_long) return 0;
  exchange.response.body.append(bytes, length);
  return length;
}

// The value if the line is a header of that name.
std::optional<std::string> value_of(std::string_view line, std::string_view name) {
  if (line.size() <= name.size() || line[name.size()] != ':') return std::nullopt;
  if (strncasecmp(line.data(), name.data(), name.size()) != 0) return std::nullopt;
  line.remove_prefix(name.size() + 1);
  const auto first = line.find_first_not_of(" \t");
  const auto last = line.find_last_not_of(" \t\r\n");
  return first == std::string_view::npos ? "" : std::string(line.substr(first, last - first + 1));
}

std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* context) {
  auto& exchange = *static_cast<Exchange*>(context);
  const std::string_view line(bytes, size * count);
  exchange.moved += line.size();
  exchange.answered = true;
  if (const auto after = value_of(line, "Retry-After")) {
    unsigned seconds = 0;  // a date counts as nothing
    std::from_chars(after->data(), after->data() + after->size(), seconds);
    exchange.response.retry_after = std::chrono::seconds(seconds);
  }
  for (const std::string_view name : HttpResponse::kKept)
    if (auto value = value_of(line, name)) exchange.response.headers[std::string(name)] += *value;
  if (const auto date = value_of(line, "Date")) {
    const std::time_t time = curl_getdate(date->c_str(), nullptr);
    if (time >= 0) exchange.response.date = std::chrono::system_clock::from_time_t(time);
  }
  return line.size();
}

std::size_t on_upload(char* to, std::size_t size, std::size_t count, void* context) {
  auto& exchange = *static_cast<Exchange*>(context);
  const std::string& body = *exchange.request->body;
  const std::size_t length = std::min(size * count, body.size() - exchange.sent);
  std::memcpy(to, body.data() + exchange.sent, length);
  exchange.sent += length;
  exchange.moved += length;
  exchange.limits->note_sent(length);
  return length;
}

int on_rewind(void* context, curl_off_t offset, int origin) {
  if (origin != SEEK_SET) return CURL_SEEKFUNC_CANTSEEK;
  static_cast<Exchange*>(context)->sent = static_cast<std::size_t>(offset);
  return CURL_SEEKFUNC_OK;
}

// When the request fails unless something happens.
class Deadline {
 public:
  explicit Deadline(const Limits& limits) : limits_(limits), until_(Clock::now() + limits.connect) {}

  void note(CURL* handle, const Exchange& exchange) {
    const Clock::time_point now = Clock::now();
    curl_off_t ready = 0;
    if (!connected_ && curl_easy_getinfo(handle, CURLINFO_PRETRANSFER_TIME_T, &ready) == CURLE_OK && ready > 0) {
      connected_ = true;
      until_ = now + limits_.answer;
    }
    if (exchange.moved == moved_) return;
    moved_ = exchange.moved;
    connected_ = true;
    until_ = now + (exchange.answered ? limits_.stall : std::max(limits_.answer, limits_.stall));
    if (!exchange.answered && exchange.request->body == nullptr) until_ = now + limits_.answer;
  }

  milliseconds left() const {
    return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(std::min(until_, last_) - Clock::now()));
  }

  std::string what() const { return !connected_ ? "no connection in time" : "no answer in time"; }

 private:
  const Limits& limits_;
  const Clock::time_point last_ = limits_.last();
  Clock::time_point until_;
  bool connected_ = false;
  std::uint64_t moved_ = 0;
};

// Of "https://user@host:8443/path".
struct HostAndPort {
  std::string host;
  std::uint16_t port = 0;
};

std::optional<HostAndPort> connected_to(std::string_view url, bool is_proxy) {
  const auto scheme = url.find("://");
  const bool is_tls = url.starts_with("https:");
  std::uint16_t port = is_proxy && !is_tls ? kProxyPort : is_tls ? kHttpsPort : kHttpPort;
  if (scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  url = url.substr(0, url.find_first_of("/?"));
  if (const auto at = url.rfind('@'); at != std::string_view::npos) url.remove_prefix(at + 1);
  const auto colon = url.rfind(':');
  const auto bracket = url.rfind(']');
  if (colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket)) {
    const auto parsed = std::from_chars(url.data() + colon + 1, url.data() + url.size(), port);
    if (parsed.ec != std::errc()) return std::nullopt;
    url = url.substr(0, colon);
  }
  if (url.starts_with('[')) url = url.substr(1, url.size() - std::min<std::size_t>(url.size(), 2));
  return HostAndPort{std::string(url), port};
}

// The addresses of the hosts that were asked, for curl's CURLOPT_RESOLVE: curl itself would join its resolver's thread.
class HostAddresses {
 public:
  // "host:port:address,address" for the host that is connected to; "" if it is an address. A failure if the name server
  // says nothing in time.
  std::variant<std::string, Failure> entry_for(const std::string& url, bool may_use_proxy, Clock::time_point until) {
    const auto server = connected_to(url, false);
    if (!server) return std::string();
    const std::string proxy =
        may_use_proxy ? proxy_for(url.starts_with("https:"), server->host, variables_of_process()) : "";
    const auto asked = proxy.empty() ? server : connected_to(proxy, true);
    if (!asked || is_numeric_host(asked->host)) return std::string();
    const std::string name = asked->host + ":" + std::to_string(asked->port);
    {
      const std::lock_guard lock(mutex_);
      const auto known = known_.find(name);
      if (known != known_.end() && Clock::now() < known->second.forget_after) return known->second.entry;
    }
    auto found = addresses_of(asked->host, asked->port, until);
    if (auto* failure = std::get_if<Failure>(&found)) return std::move(*failure);
    std::string entry = "+" + name + ":";
    for (const std::string& text : texts_of(std::get<Addresses>(found))) entry += text + ",";
    entry.pop_back();
    const std::lock_guard lock(mutex_);
    known_.insert_or_assign(name, Known{entry, Clock::now() + kAddressesKept});
    return entry;
  }

 private:
  struct Known {
    std::string entry;
    Clock::time_point forget_after;
  };

  std::mutex mutex_;
  std::map<std::string, Known> known_;  // by "host:port"
};

}  // namespace

struct HttpClient::Connection {
  CURLM* multi = curl_multi_init();
  CURL* easy = curl_easy_init();

  Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() {
    curl_easy_cleanup(easy);
    curl_multi_cleanup(multi);
  }
};

struct HttpClient::State {
  const HttpOptions options;
  Pool<Connection> pool;
  HostAddresses addresses;

  void prepare(CURL* easy, Exchange& exchange, const Limits& limits, curl_slist* headers) const;
};

void HttpClient::State::prepare(CURL* easy, Exchange& exchange, const Limits& limits, curl_slist* headers) const {
  const HttpRequest& request = *exchange.request;
  curl_easy_reset(easy);  // keeps connections and TLS sessions
  curl_easy_setopt(easy, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "hipcache");
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(limits.connect.count()));
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &exchange);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &exchange);
  curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  if (!options.may_use_proxy) curl_easy_setopt(easy, CURLOPT_PROXY, "");
  if (!options.user.empty()) {
    curl_easy_setopt(easy, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
    curl_easy_setopt(easy, CURLOPT_USERNAME, options.user.c_str());
    curl_easy_setopt(easy, CURLOPT_PASSWORD, options.password.c_str());
  }
  const NamedAuthorities authorities =
      options.ca_file.empty() ? authorities_of_user() : NamedAuthorities{options.ca_file, ""};
  const std::string file = authorities.is_named() ? authorities.file : file_of_authorities();
  if (authorities.is_named() || !file.empty())
    curl_easy_setopt(easy, CURLOPT_CAINFO, file.empty() ? nullptr : file.c_str());
  if (!authorities.directory.empty()) curl_easy_setopt(easy, CURLOPT_CAPATH, authorities.directory.c_str());
  if (!options.client_certificate.empty()) {
    curl_easy_setopt(easy, CURLOPT_SSLCERT, options.client_certificate.c_str());
    curl_easy_setopt(easy, CURLOPT_SSLKEY, options.client_key.c_str());
  }
  if (request.method == "HEAD") {
    curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
  } else if (request.body != nullptr) {
    curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(easy, CURLOPT_READFUNCTION, on_upload);
    curl_easy_setopt(easy, CURLOPT_READDATA, &exchange);
    curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, on_rewind);
    curl_easy_setopt(easy, CURLOPT_SEEKDATA, &exchange);
    curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(request.body->size()));
    if (request.method != "PUT") curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  } else if (request.method != "GET") {
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  }
}

HttpClient::HttpClient(HttpOptions options)
    : state_(new State{.options = std::move(options), .pool = {}, .addresses = {}}) {
  static const CURLcode once = curl_global_init(CURL_GLOBAL_DEFAULT);  // thread-safe: a static of a function
  static_cast<void>(once);
}

HttpClient::~HttpClient() = default;

std::variant<HttpResponse, Failure> HttpClient::send(const HttpRequest& request, const Limits& limits) {
  const auto addresses = state_->addresses.entry_for(request.url, state_->options.may_use_proxy,
                                                     std::min(Clock::now() + limits.connect, limits.until));
  if (const auto* failure = std::get_if<Failure>(&addresses)) return *failure;
  std::unique_ptr<Connection> connection = state_->pool.take();
  if (!connection) connection = std::make_unique<Connection>();
  Exchange exchange{.request = &request, .limits = &limits, .response = {}};
  curl_slist* headers = curl_slist_append(nullptr, "Expect:");  // no pause before a body
  for (const std::string& header : request.headers) headers = curl_slist_append(headers, header.c_str());
  state_->prepare(connection->easy, exchange, limits, headers);
  const auto& entry = std::get<std::string>(addresses);
  curl_slist* resolved = entry.empty() ? nullptr : curl_slist_append(nullptr, entry.c_str());
  if (resolved != nullptr) curl_easy_setopt(connection->easy, CURLOPT_RESOLVE, resolved);

  Deadline deadline(limits);
  std::optional<CURLcode> ended;
  curl_multi_add_handle(connection->multi, connection->easy);
  for (;;) {
    int running = 0;
    curl_multi_perform(connection->multi, &running);
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(connection->multi, &left))
      if (message->msg == CURLMSG_DONE) ended = message->data.result;
    if (ended || running == 0) break;
    deadline.note(connection->easy, exchange);
    const milliseconds wait = std::min(deadline.left(), kLongestPoll);
    if (deadline.left() == milliseconds(0)) break;
    curl_multi_poll(connection->multi, nullptr, 0, static_cast<int>(wait.count()), nullptr);
  }
  curl_multi_remove_handle(connection->multi, connection->easy);
  curl_easy_setopt(connection->easy, CURLOPT_RESOLVE, nullptr);
  curl_slist_free_all(resolved);
  curl_slist_free_all(headers);
  if (!ended) return Failure{Trouble::unreachable, deadline.what(), {}, true};  // with the connection, which is in use
  if (exchange.too_long) return Failure{Trouble::damaged, "a value exceeds its limit", {}};
  if (*ended != CURLE_OK) {
    long verdict = 0;
    curl_easy_getinfo(connection->easy, CURLINFO_SSL_VERIFYRESULT, &verdict);
    return failure_of_transfer(*ended, verdict, !state_->options.client_certificate.empty());
  }
  curl_easy_getinfo(connection->easy, CURLINFO_RESPONSE_CODE, &exchange.response.status);
  state_->pool.put_back(std::move(connection));
  return std::move(exchange.response);
}

Failure failure_of_status(const HttpResponse& response) {
  const std::string message = "HTTP status " + std::to_string(response.status);
  switch (response.status) {
    case 429:
    case 503:
      return {Trouble::throttled, message, response.retry_after};
    case 401:
    case 403:
    case 405:
    case 501:
      return {Trouble::refused, message, {}};
    case 413:
    case 507:
      return {Trouble::full, message, {}};
    default:
      return {Trouble::unreachable, message, {}};
  }
}

Failure failure_of_code(const HttpResponse& response, const std::string& code, std::span<const CodeMeaning> known) {
  Failure failure = failure_of_status(response);
  if (!code.empty()) failure.message += " (" + code + ")";
  const auto meaning =
      std::find_if(known.begin(), known.end(), [&](const CodeMeaning& one) { return one.code == code; });
  if (meaning != known.end()) {
    failure.trouble = meaning->trouble;
    if (!meaning->mend.empty()) failure.message.append("; ").append(meaning->mend);
  }
  if (failure.trouble == Trouble::throttled) failure.retry_after = response.retry_after;
  return failure;
}

std::string url_escaped(const std::string& path) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string escaped;
  for (const char letter : path) {
    const auto byte = static_cast<unsigned char>(letter);
    if (kUnreserved.find(letter) != std::string_view::npos)
      escaped += letter;
    else
      escaped.append("%").append(1, kDigits[byte >> 4U]).append(1, kDigits[byte & 15U]);
  }
  return escaped;
}

std::string form_value(const std::string& text) {
  std::string escaped;
  for (const char letter : url_escaped(text)) escaped += letter == '/' ? "%2F" : std::string(1, letter);
  return escaped;
}

}  // namespace hipcache::remote
