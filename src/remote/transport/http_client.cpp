#include "remote/transport/http_client.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <ctime>
#include <optional>
#include <string_view>
#include <utility>

#include "remote/transport/curl.h"

namespace hipcache::remote {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::string_view kUnreserved = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";

constexpr milliseconds kLongestPoll{1000};

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

void prepare(Curl& curl, Exchange& exchange, const HttpOptions& options, curl_slist* headers) {
  const HttpRequest& request = *exchange.request;
  curl.prepare(request.url, options.tls, exchange.limits->connect);
  curl.set(CURLOPT_USERAGENT, "hipcache");
  curl.set(CURLOPT_HTTPHEADER, headers);
  curl.set(CURLOPT_WRITEFUNCTION, on_body);
  curl.set(CURLOPT_WRITEDATA, &exchange);
  curl.set(CURLOPT_HEADERFUNCTION, on_header);
  curl.set(CURLOPT_HEADERDATA, &exchange);
  curl.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  if (!options.may_use_proxy) curl.set(CURLOPT_PROXY, "");
  if (!options.user.empty()) {
    curl.set(CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BASIC));
    curl.set(CURLOPT_USERNAME, options.user.c_str());
    curl.set(CURLOPT_PASSWORD, options.password.c_str());
  }
  if (request.method == "HEAD") {
    curl.set(CURLOPT_NOBODY, 1L);
  } else if (request.body != nullptr) {
    curl.set(CURLOPT_UPLOAD, 1L);
    curl.set(CURLOPT_READFUNCTION, on_upload);
    curl.set(CURLOPT_READDATA, &exchange);
    curl.set(CURLOPT_SEEKFUNCTION, on_rewind);
    curl.set(CURLOPT_SEEKDATA, &exchange);
    curl.set(CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(request.body->size()));
    if (request.method != "PUT") curl.set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
  } else if (request.method != "GET") {
    curl.set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
  }
}

}  // namespace

struct HttpClient::Connection {
  struct FreeMulti {
    void operator()(CURLM* made) const { curl_multi_cleanup(made); }
  };
  Curl curl;
  std::unique_ptr<CURLM, FreeMulti> multi{curl_multi_init()};  // ends first: connections use the handle's members
};

HttpClient::HttpClient(HttpOptions options) : options_(std::move(options)) {}
HttpClient::~HttpClient() = default;

std::variant<HttpResponse, Failure> HttpClient::send(const HttpRequest& request, const Limits& limits) {
  std::unique_ptr<Connection> connection = pool_.take();
  if (!connection) connection = std::make_unique<Connection>();
  Curl& curl = connection->curl;
  CURLM* const multi = connection->multi.get();
  Exchange exchange{.request = &request, .limits = &limits, .response = {}};
  curl_slist* headers = curl_slist_append(nullptr, "Expect:");  // no pause before a body
  for (const std::string& header : request.headers) headers = curl_slist_append(headers, header.c_str());
  prepare(curl, exchange, options_, headers);

  Deadline deadline(limits);
  std::optional<CURLcode> ended;
  curl_multi_add_handle(multi, curl.get());
  for (;;) {
    int running = 0;
    curl_multi_perform(multi, &running);
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi, &left))
      if (message->msg == CURLMSG_DONE) ended = message->data.result;
    if (ended || running == 0) break;
    deadline.note(curl.get(), exchange);
    const milliseconds wait = std::min(deadline.left(), kLongestPoll);
    if (deadline.left() == milliseconds(0)) break;
    curl_multi_poll(multi, nullptr, 0, static_cast<int>(wait.count()), nullptr);
  }
  curl_multi_remove_handle(multi, curl.get());
  curl_slist_free_all(headers);
  // After a failure the connection, which may be in use, goes as well.
  if (!ended || *ended == CURLE_OPERATION_TIMEDOUT) return curl.late(deadline.what());
  if (exchange.too_long) return Failure{Trouble::damaged, "a value exceeds its limit", {}};
  if (*ended != CURLE_OK) return curl.failure_of(*ended);
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &exchange.response.status);
  pool_.put_back(std::move(connection));
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
