#include "remote/backends/open_backend.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <variant>

#include "remote/objects/credential_server.h"
#include "remote/transport/http_client.h"

namespace hipcache::remote {
namespace {

using Clock = std::chrono::steady_clock;

constexpr long kExists = 405;       // of MKCOL
constexpr long kLacksParent = 409;  // of MKCOL

std::string origin_of(const config::RemoteUrl& url) {
  std::string origin = (url.tls ? "https://" : "http://") + url.host;
  if (url.port != 0) origin += ":" + std::to_string(url.port);
  return origin;
}

// Whether a MOVE failed for this once: something is gone or locked, or the server is in trouble. Other statuses mean
// that the server or a proxy before it never moves: 405, or 502 because it does not know its own name.
bool may_move_later(long status) {
  constexpr auto kPassing = std::to_array<long>({404, 409, 412, 423, 429, 500, 503, 507});
  return std::find(kPassing.begin(), kPassing.end(), status) != kPassing.end();
}

// Machines whose processes have the same numbers, as in containers, write at the same time.
std::string random_name() {
  std::random_device random;
  std::string name;
  for (int part = 0; part < 4; ++part) name += std::to_string(random());
  return name;
}

// A collection that does not exist yet allows to be made, and not to be moved.
bool allows_to_move(const std::string& allow) {
  return allow.find("MOVE") != std::string::npos || allow.find("MKCOL") != std::string::npos;
}

class HttpStore : public KeyValue {
 public:
  explicit HttpStore(const config::RemoteUrl& url)
      : client_({url.user, url.password, {url.ca_file, url.client_certificate, url.client_key}}),
        origin_(origin_of(url)),
        path_(url_escaped(url.path) + "/"),
        base_(origin_ + path_),
        token_(url.token),
        token_file_(url.token_file) {}

  Answer<std::string> get(const std::string& name, std::uint64_t most, const Limits& limits) override {
    auto sent = send({.method = "GET", .url = base_ + name, .headers = {}, .most = most}, limits);
    if (auto* failure = std::get_if<Failure>(&sent)) return {std::move(*failure)};
    auto& response = std::get<HttpResponse>(sent);
    if (response.status == 404 || response.status == 410) return {};
    if (response.status != 200) return {failure_of(response)};
    if (response.body.empty()) return {Failure{Trouble::damaged, "an empty answer with status 200", {}}};
    const std::uint64_t size = response.body.size();
    return {std::move(response.body), size};
  }

  Answer<bool> has(const std::string& name, const Limits& limits) override {
    auto sent = send({.method = "HEAD", .url = base_ + name, .headers = {}}, limits);
    if (auto* failure = std::get_if<Failure>(&sent)) return {std::move(*failure)};
    const auto& response = std::get<HttpResponse>(sent);
    if (response.status == 200) return {true, 0};
    if (response.status == 404 || response.status == 410 || response.status == 405) return {false, 0};
    return {failure_of(response)};
  }

  WriteAnswer put(const std::string& name, const std::string& value, const Limits& limits) override {
    const std::variant<bool, Failure> moves = find_out_whether_it_moves(limits);
    if (const auto* failure = std::get_if<Failure>(&moves)) return {*failure};
    if (!std::get<bool>(moves)) return put_at(name, value, limits);
    const std::string temporary = name + ".tmp-" + own_name_ + "-" + std::to_string(++puts_);
    WriteAnswer put = put_at(temporary, value, limits);
    if (put.failure) return put;
    auto sent =
        send({.method = "MOVE", .url = base_ + temporary, .headers = {"Destination: " + base_ + name, "Overwrite: T"}},
             limits);
    if (auto* failure = std::get_if<Failure>(&sent)) return {std::move(*failure)};
    const auto& response = std::get<HttpResponse>(sent);
    if (is_success(response.status)) return put;
    send({.method = "DELETE", .url = base_ + temporary, .headers = {}}, limits);
    if (may_move_later(response.status)) return {failure_of(response)};
    moves_ = false;
    return put_at(name, value, limits);
  }

 private:
  // nginx answers 400 where a certificate of ours is missing, or is of an authority that it does not know.
  Failure failure_of(const HttpResponse& response) const {
    Failure failure = failure_of_status(response);
    if (response.status != 400) return failure;
    failure.trouble = Trouble::refused;
    if (origin_.starts_with("https:")) failure.message += "; the server may demand another client_certificate=";
    return failure;
  }

  std::variant<HttpResponse, Failure> send(HttpRequest request, const Limits& limits) {
    std::string token = token_;
    if (!token_file_.empty()) {
      Result<std::string> read = token_in_file(token_file_, "token_file=");
      if (!read) return Failure{Trouble::refused, read.error().message, {}};
      token = std::move(*read);
    }
    if (!token.empty()) request.headers.push_back("Authorization: Bearer " + token);
    return client_.send(request, limits);
  }

  // Asked once, before the first write. All who wait for the reply share what became of it: a server that says nothing
  // would otherwise be waited for by one writer after the other. If it only refuses this method, it may take values.
  std::variant<bool, Failure> find_out_whether_it_moves(const Limits& limits) {
    const Clock::time_point arrived = Clock::now();
    const std::lock_guard lock(asking_);
    if (asked_) return moves_.load();
    if (silence_ && arrived < silent_until_) return *silence_;
    auto sent = send({.method = "OPTIONS", .url = base_, .headers = {}}, limits);
    silence_.reset();
    if (auto* failure = std::get_if<Failure>(&sent)) {
      if (!failure->is_late) return false;
      silence_ = std::move(*failure);
      silent_until_ = Clock::now();
      return *silence_;
    }
    const auto& response = std::get<HttpResponse>(sent);
    asked_ = true;
    moves_ = is_success(response.status) && !response.header("dav").empty() && allows_to_move(response.header("allow"));
    return moves_.load();
  }

  WriteAnswer put_at(const std::string& name, const std::string& value, const Limits& limits) {
    std::optional<Failure> not_made;
    for (bool made = false;; made = true) {
      auto sent = send({.method = "PUT", .url = base_ + name, .headers = {}, .body = &value}, limits);
      if (auto* failure = std::get_if<Failure>(&sent)) return {std::move(*failure)};
      const auto& response = std::get<HttpResponse>(sent);
      if (is_success(response.status)) return {Written{}, value.size()};
      const bool lacks_collection = response.status == 409 || response.status == 404;
      if (made || !lacks_collection) return {not_made && lacks_collection ? *not_made : failure_of(response)};
      not_made = make_collections(name, limits);
    }
  }

  // The collections that a value lies in, also those of the URL: outwards until one is not missing, then inwards. The
  // first failure, which means nothing if the value can be written now: another writer may have made the collection in
  // the same moment, which Apache reports as 403.
  std::optional<Failure> make_collections(const std::string& name, const Limits& limits) {
    const std::string path = path_ + name;
    std::optional<Failure> failure;
    std::size_t end = path.rfind('/');
    long status = 0;
    while ((status = make_collection(path.substr(0, end + 1), limits, failure)) == kLacksParent && end > 0)
      end = path.rfind('/', end - 1);
    for (end = path.find('/', end + 1); end != std::string::npos && status != 0; end = path.find('/', end + 1))
      status = make_collection(path.substr(0, end + 1), limits, failure);
    return failure;
  }

  // The status; 0 without an answer.
  long make_collection(const std::string& path, const Limits& limits, std::optional<Failure>& first) {
    auto sent = send({.method = "MKCOL", .url = origin_ + path, .headers = {}}, limits);
    const auto* response = std::get_if<HttpResponse>(&sent);
    const long status = response == nullptr ? 0 : response->status;
    const bool is_made = is_success(status) || status == kExists;
    if (!first && !is_made && status != kLacksParent)
      first = response == nullptr ? std::get<Failure>(sent) : failure_of(*response);
    return status;
  }

  HttpClient client_;
  const std::string origin_;
  const std::string path_;  // begins and ends with a slash
  const std::string base_;
  const std::string token_;
  const std::string token_file_;
  const std::string own_name_ = random_name();  // in temporary names
  std::atomic<std::uint64_t> puts_ = 0;
  std::mutex asking_;
  bool asked_ = false;
  std::optional<Failure> silence_;  // instead of a reply
  Clock::time_point silent_until_;  // writers who came before share it
  std::atomic<bool> moves_ = false;
};

}  // namespace

std::unique_ptr<KeyValue> make_http_store(const config::RemoteUrl& url) { return std::make_unique<HttpStore>(url); }

}  // namespace hipcache::remote
