#include "remote/service/service.h"

#include <chrono>
#include <utility>
#include <variant>

#include "remote/backends/open_backend.h"

namespace hipcache::remote {
namespace {

using namespace std::chrono_literals;

constexpr auto kSendLimit = 60s;  // a daemon that takes nothing for so long is gone or stopped
constexpr auto kIdle = 1h;        // then it listens again

}  // namespace

void Service::run() {
  for (;;) {
    Result<protocol::RemoteMessage> received = protocol::receive_remote(channel_, kIdle);
    if (!received && received.error().code == ErrorCode::timed_out) continue;
    if (!received) return;
    std::visit([this](auto&& message) { take(std::forward<decltype(message)>(message)); }, std::move(*received));
  }
}

void Service::take(const protocol::RemoteConfigure& configure) {
  const Notify notify = [this](bool is_warning, const std::string& line) {
    send(protocol::RemoteNote{is_warning, line});
  };
  const auto trust = std::make_shared<const Trust>(configure.trusted_keys, configure.signing_key);
  for (const std::string& why : {trust->why_not_read(), trust->why_not_written()})
    if (!why.empty()) notify(trust->is_in_trouble(), why);
  std::vector<std::unique_ptr<Tier>> tiers;
  for (const std::string& text : configure.urls) {
    const Result<config::RemoteUrl> url = config::parse_remote_url(text);
    if (url)
      tiers.push_back(std::make_unique<Tier>(*url, open_backend(*url), notify, trust));
    else
      notify(true, url.error().message);
  }
  tiers_ = std::make_unique<Tiers>(std::move(tiers), trust);
}

void Service::take(const protocol::RemoteQuestions& questions) {
  for (const protocol::RemoteQuestion& question : questions.questions)
    if (!readers_.add([this, question] { send(answer_to(question)); }))
      send(protocol::RemoteAnswer{.id = question.id, .failed = true});
}

protocol::RemoteAnswer Service::answer_to(const protocol::RemoteQuestion& question) {
  protocol::RemoteAnswer answer{.id = question.id};
  const auto take = [&answer](auto found, auto& into) {
    answer.found = found.value.has_value();
    answer.failed = found.failed;
    answer.asked = static_cast<std::uint32_t>(found.asked);
    if (found.value) into = std::move(*found.value);
  };
  const auto take_result = [&](Found<RemoteResult> found) {
    RemoteResult result;
    take(std::move(found), result);
    answer.result = {std::move(result.action), std::move(result.blobs)};  // the daemon needs no signature
  };
  switch (question.kind) {
    case protocol::RemoteKey::list:
      take(tiers_->list(question.key, question.skip), answer.list);
      break;
    case protocol::RemoteKey::result:
      take_result(tiers_->result(question.key));
      break;
    case protocol::RemoteKey::blob:
      take(tiers_->blob(question.key, question.size), answer.blob);
      break;
  }
  return answer;
}

void Service::take(protocol::RemoteStage stage) { staged_[stage.publication].push_back(std::move(stage.blob)); }

void Service::take(protocol::RemotePublish publish) {
  auto publication = std::make_shared<Publication>();
  publication->key = publish.key;
  publication->result_key = publish.result_key;
  publication->action = std::move(publish.action);
  publication->path_set = std::move(publish.path_set);
  if (auto staged = staged_.extract(publish.publication)) publication->blobs = std::move(staged.mapped());
  const std::uint64_t number = publish.publication;
  if (!writers_.add(
          [this, number, publication] { send(protocol::RemotePublished{number, tiers_->publish(*publication)}); }))
    send(protocol::RemotePublished{number, "too many publications wait"});
}

void Service::take(const protocol::RemoteAskStatistics& ask) {
  send(protocol::RemoteStatistics{ask.id, tiers_->statistics()});
  if (ask.zero) tiers_->zero();
}

// If the daemon is gone, run() ends.
void Service::send(const protocol::RemoteMessage& message) {
  const std::lock_guard lock(sending_);
  [[maybe_unused]] const Status sent = protocol::send(channel_, message, kSendLimit);
}

}  // namespace hipcache::remote
