// hipcache-remote: asks shared caches for the daemon, which starts it with a socket as standard input.
//
// A process of its own, so that a daemon without shared caches carries no network library, and one with them survives
// their faults. Also prints the public key of a signing key, because few programs of ours link OpenSSL.
#include <fcntl.h>
#include <malloc.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "hipcache/protocol/channel.h"
#include "hipcache/protocol/remote_messages.h"
#include "remote/backends/open_backend.h"
#include "remote/execution/executions.h"
#include "remote/tiers/tiers.h"
#include "remote/trust/trust.h"

namespace hipcache::remote {

namespace {

using namespace std::chrono_literals;

// Serves the daemon: reads its questions and publications from the channel, and sends the answers as they come.

class Service {
 public:
  static constexpr std::size_t kReaders = 24;       // look-ups at once
  static constexpr std::size_t kQuestions = 8'192;  // that wait
  static constexpr std::size_t kWriters = 8;
  static constexpr std::size_t kPublications = 1'024;

  explicit Service(protocol::Channel& channel) : channel_(channel) {}

  // Returns when the daemon has closed the channel, or sent something that is no message. Calls to servers may still
  // run then: the process ends without waiting for them.
  void run();

 private:
  void take(const protocol::RemoteConfigure& configure);
  void take(const protocol::RemoteQuestions& questions);
  void take(protocol::RemoteStage stage);
  void take(protocol::RemotePublish publish);
  void take(const protocol::RemoteAskStatistics& ask);
  void take(protocol::RemoteExecute asked) { executions_->start(std::move(asked)); }
  void take(const protocol::RemoteCancel& cancel) { executions_->cancel(cancel); }
  void take(const protocol::RemoteEngineQuestion& question) { executions_->ask(question); }
  template <typename Unexpected>
  void take(const Unexpected&) {}

  std::unique_ptr<Executions> executions_at(const std::string& url);
  protocol::RemoteAnswer answer_to(const protocol::RemoteQuestion& question, Tier::TimePoint until);
  void send(const protocol::RemoteMessage& message);

  protocol::Channel& channel_;
  std::mutex sending_;
  std::unique_ptr<Tiers> tiers_ =
      std::make_unique<Tiers>(std::vector<std::unique_ptr<Tier>>(), std::make_shared<const Trust>());
  std::map<std::uint64_t, std::vector<RemoteBlob>> staged_;  // by publication
  std::unique_ptr<Executions> executions_ = executions_at("");
  WorkPool readers_{kReaders, kQuestions};  // declared last: their work uses the others
  WorkPool writers_{kWriters, kPublications};
};

constexpr auto kSendLimit = 60s;  // a daemon that takes nothing for so long is gone or stopped

constexpr auto kIdle = 1h;  // then it listens again

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
  executions_ = executions_at(configure.execute);
}

std::unique_ptr<Executions> Service::executions_at(const std::string& url) {
  return std::make_unique<Executions>(url, [this](const protocol::RemoteMessage& message) { send(message); });
}

void Service::take(const protocol::RemoteQuestions& questions) {
  const Tier::TimePoint until = std::chrono::steady_clock::now() + config::kLongestLookUp;
  for (const protocol::RemoteQuestion& question : questions.questions)
    if (!readers_.add([this, question, until] { send(answer_to(question, until)); }))
      send(protocol::RemoteAnswer{.id = question.id, .failed = true});
}

protocol::RemoteAnswer Service::answer_to(const protocol::RemoteQuestion& question, Tier::TimePoint until) {
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
      take(tiers_->list(question.key, question.skip, until), answer.list);
      break;
    case protocol::RemoteKey::result:
      take_result(tiers_->result(question.key, until));
      break;
    case protocol::RemoteKey::blob:
      take(tiers_->blob(question.key, question.size, until), answer.blob);
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

}  // namespace

}  // namespace hipcache::remote

namespace {

constexpr int kArenas = 2;  // of malloc: with one per thread, memory from bursts would stay allocated

bool is_socket(int fd) {
  int type = 0;
  socklen_t size = sizeof type;
  return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0;
}

int print_public_key(const std::string& path) {
  const hipcache::Result<hipcache::remote::SigningKey> key = hipcache::remote::SigningKey::read(path);
  if (key) return std::puts(hipcache::remote::shown_public_key(path, *key).c_str()) < 0 ? 1 : 0;
  std::fprintf(stderr, "hipcache-remote: error: %s\n", key.error().message.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--version")
    return std::printf("hipcache-remote %s\n", hipcache::protocol::build_id().c_str()) < 0 ? 1 : 0;
  if (argc == 3 && std::string_view(argv[1]) == "--public-key") return print_public_key(argv[2]);
  if (!is_socket(STDIN_FILENO)) {
    std::fprintf(stderr,
                 "hipcache-remote: error: hipcached starts this program when it needs it; --public-key FILE prints the "
                 "public key of a signing key\n");
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);  // libcurl's TLS sends to closed connections
  std::signal(SIGXFSZ, SIG_IGN);
  mallopt(M_ARENA_MAX, kArenas);
  hipcache::protocol::Channel channel(hipcache::UniqueFd(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)));
  hipcache::remote::Service service(channel);
  service.run();
  _exit(0);  // calls to servers may still run
}
