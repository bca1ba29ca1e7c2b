#include "remote/backends/http_store.h"

#include <unistd.h>

#include <atomic>
#include <mutex>
#include <utility>

#include "hipcache/base/files.h"
#include "remote/http/http_client.h"
#include "remote/http/http_failure.h"

namespace hipcache::remote {
namespace {

constexpr std::uint64_t kTokenLimit = 64u << 10;

std::string origin_of(const config::RemoteUrl& url) {
  std::string origin = (url.tls ? "https://" : "http://") + url.host;
  if (url.port != 0) origin += ":" + std::to_string(url.port);
  return origin;
}

class HttpStore : public KeyValue {
 public:
  explicit HttpStore(const config::RemoteUrl& url)
      : client_({url.user, url.password, url.ca_file, url.client_certificate, url.client_key}),
        base_(origin_of(url) + url_escaped(url.path) + "/"),
        token_(url.token),
        token_file_(url.token_file) {}

  Answer<std::string> get(const std::string& name, std::uint64_t most, const Limits& limits) override {
    auto sent = send({.method = "GET", .url = base_ + name, .headers = {}, .most = most}, limits);
    if (auto* failure = std::get_if<Failure>(&sent)) return {std::move(*failure)};
    auto& response = std::get<HttpResponse>(sent);
    if (response.status == 404 || response.status == 410) return {};
    if (response.status != 200) return {failure_of_status(response)};
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
    return {failure_of_status(response)};
  }

  WriteAnswer put(const std::string& name, const std::string& value, const Limits& limits) override {
    if (!moves(limits)) return put_at(name, value, limits);
    const std::string temporary = name + ".tmp-" + std::to_string(getpid()) + "-" + std::to_string(++puts_);
    WriteAnswer put = put_at(temporary, value, limits);
    if (put.failure) return put;
    auto sent =
        send({.method = "MOVE", .url = base_ + temporary, .headers = {"Destination: " + base_ + name, "Overwrite: T"}},
             limits);
    if (auto* failure = std::get_if<Failure>(&sent)) return {std::move(*failure)};
    if (is_success(std::get<HttpResponse>(sent).status)) return put;
    send({.method = "DELETE", .url = base_ + temporary, .headers = {}}, limits);
    moves_ = false;
    return put_at(name, value, limits);
  }

 private:
  std::variant<HttpResponse, Failure> send(HttpRequest request, const Limits& limits) {
    std::string token = token_;
    if (!token_file_.empty()) {
      const Result<std::string> read = read_file(token_file_, kTokenLimit);
      if (!read) return Failure{Trouble::refused, read.error().message, {}};
      token = read->substr(0, read->find_first_of("\r\n"));
    }
    if (!token.empty()) request.headers.push_back("Authorization: Bearer " + token);
    return client_.send(request, limits);
  }

  // Whether the server moves; asked once, before the first write.
  bool moves(const Limits& limits) {
    const std::lock_guard lock(asking_);
    if (asked_) return moves_;
    auto sent = send({.method = "OPTIONS", .url = base_, .headers = {}}, limits);
    const auto* response = std::get_if<HttpResponse>(&sent);
    if (response == nullptr) return false;
    asked_ = true;
    moves_ =
        is_success(response->status) && !response->dav.empty() && response->allow.find("MOVE") != std::string::npos;
    return moves_;
  }

  WriteAnswer put_at(const std::string& name, const std::string& value, const Limits& limits) {
    for (bool made = false;; made = true) {
      auto sent = send({.method = "PUT", .url = base_ + name, .headers = {}, .body = &value}, limits);
      if (auto* failure = std::get_if<Failure>(&sent)) return {std::move(*failure)};
      const auto& response = std::get<HttpResponse>(sent);
      if (is_success(response.status)) return {Written{}, value.size()};
      const bool lacks_collection = response.status == 409 || response.status == 404;
      if (made || !lacks_collection || !make_collections(name, limits)) return {failure_of_status(response)};
    }
  }

  // All of them, from the top: 405 means that one exists.
  bool make_collections(const std::string& name, const Limits& limits) {
    for (auto slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1)) {
      auto sent = send({.method = "MKCOL", .url = base_ + name.substr(0, slash + 1), .headers = {}}, limits);
      const auto* response = std::get_if<HttpResponse>(&sent);
      if (response == nullptr || (!is_success(response->status) && response->status != 405)) return false;
    }
    return true;
  }

  HttpClient client_;
  const std::string base_;
  const std::string token_;
  const std::string token_file_;
  std::atomic<std::uint64_t> puts_ = 0;
  std::mutex asking_;
  bool asked_ = false;
  std::atomic<bool> moves_ = false;
};

}  // namespace

std::unique_ptr<KeyValue> make_http_store(const config::RemoteUrl& url) { return std::make_unique<HttpStore>(url); }

}  // namespace hipcache::remote
