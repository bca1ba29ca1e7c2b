// hipcache-remote: asks shared caches for the daemon, which starts it with a socket as standard input.
//
// A process of its own, so that a daemon without shared caches carries no network library, and one with them survives
// their faults. Also prints the public key of a signing key, and reads and writes archives, because no other program of
// ours links OpenSSL.
#include <fcntl.h>
#include <malloc.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "hipcache/config/execute_url.h"
#include "hipcache/protocol/channel.h"
#include "hipcache/protocol/remote_messages.h"
#include "remote/archive/program.h"
#include "remote/backends/open_backend.h"
#include "remote/execution/engine.h"
#include "remote/tiers/tiers.h"
#include "remote/trust/trust.h"

namespace hipcache::remote {

namespace {

using namespace std::chrono_literals;
using protocol::ExecuteOutcome;

constexpr auto kSendLimit = 60s;  // a daemon that takes nothing for so long is gone or stopped
constexpr auto kIdle = 1h;        // then it listens again
constexpr int kArenas = 2;        // of malloc: with one per thread, memory from bursts would stay allocated

// The daemon's executions: each in a thread of its own, each answered once, each cancelled by its number. Thread-safe.
class Executions {
 public:
  static constexpr std::size_t kAtOnce = 256;
  static constexpr std::size_t kWaiting = 4'096;

  using Send = std::function<void(const protocol::RemoteMessage&)>;

  // `url`: empty if no engine is set. `send` is called by several threads.
  Executions(const std::string& url, Send send) : send_(std::move(send)) {
    why_none_ = "no engine is set";
    if (url.empty()) return;
    Result<config::ExecuteUrl> parsed = config::parse_execute_url(url);
    if (!parsed) {
      why_none_ = parsed.error().message;
      return;
    }
    engine_ = std::make_unique<Engine>(std::move(*parsed));
  }

  void start(protocol::RemoteExecute asked) {
    const auto refuse = [&](const std::string& why) {
      send_(protocol::RemoteExecuted{.id = asked.id, .outcome = ExecuteOutcome::unavailable, .detail = why});
    };
    if (!engine_) return refuse(why_none_);
    const auto cancellation = std::make_shared<Cancellation>();
    {
      const std::lock_guard lock(mutex_);
      running_.insert_or_assign(asked.id, cancellation);
    }
    const auto shared = std::make_shared<const protocol::RemoteExecute>(std::move(asked));
    if (workers_.add([this, shared, cancellation] { run(*shared, *cancellation); })) return;
    {
      const std::lock_guard lock(mutex_);
      running_.erase(shared->id);
    }
    send_(protocol::RemoteExecuted{
        .id = shared->id, .outcome = ExecuteOutcome::unavailable, .detail = "too many executions wait"});
  }

  void cancel(const protocol::RemoteCancel& cancel) {
    const std::lock_guard lock(mutex_);
    if (const auto found = running_.find(cancel.id); found != running_.end()) found->second->cancel();
  }

  void ask(const protocol::RemoteEngineQuestion& question) {
    if (!engine_) return send_(protocol::RemoteEngineAnswer{.id = question.id, .detail = why_none_});
    if (!workers_.add([this, question] { send_(engine_->answer_to(question)); }))
      send_(protocol::RemoteEngineAnswer{.id = question.id, .detail = "too many executions wait"});
  }

 private:
  void run(const protocol::RemoteExecute& asked, Cancellation& cancellation) {
    protocol::RemoteExecuted executed{.id = asked.id, .outcome = ExecuteOutcome::cancelled, .detail = "cancelled"};
    if (!cancellation.is_cancelled())
      executed = engine_->execute(asked, cancellation, [&](protocol::ExecuteState state) {
        send_(protocol::RemoteExecuteEvent{.id = asked.id, .state = state});
      });
    {
      const std::lock_guard lock(mutex_);
      running_.erase(asked.id);
    }
    send_(executed);
  }

  const Send send_;
  std::unique_ptr<Engine> engine_;
  std::string why_none_;
  std::mutex mutex_;  // guards all below
  std::map<std::uint64_t, std::shared_ptr<Cancellation>> running_;
  WorkPool workers_{kAtOnce, kWaiting};  // declared last: its work uses the others
};

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
  void run() {
    for (;;) {
      Result<protocol::RemoteMessage> received = protocol::receive_remote(channel_, kIdle);
      if (!received && received.error().code == ErrorCode::timed_out) continue;
      if (!received) return;
      std::visit([this](auto&& message) { take(std::forward<decltype(message)>(message)); }, std::move(*received));
    }
  }

 private:
  void take(const protocol::RemoteConfigure& configure) {
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

  void take(const protocol::RemoteQuestions& questions) {
    const Tier::TimePoint until = std::chrono::steady_clock::now() + config::kLongestLookUp;
    for (const protocol::RemoteQuestion& question : questions.questions)
      if (!readers_.add([this, question, until] { send(answer_to(question, until)); }))
        send(protocol::RemoteAnswer{.id = question.id, .failed = true});
  }

  void take(protocol::RemoteStage stage) { staged_[stage.publication].push_back(std::move(stage.blob)); }

  void take(protocol::RemotePublish publish) {
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

  void take(const protocol::RemoteAskStatistics& ask) {
    send(protocol::RemoteStatistics{ask.id, tiers_->statistics()});
    if (ask.zero) tiers_->zero();
  }

  void take(protocol::RemoteExecute asked) { executions_->start(std::move(asked)); }
  void take(const protocol::RemoteCancel& cancel) { executions_->cancel(cancel); }
  void take(const protocol::RemoteEngineQuestion& question) { executions_->ask(question); }
  template <typename Unexpected>
  void take(const Unexpected&) {}

  std::unique_ptr<Executions> executions_at(const std::string& url) {
    return std::make_unique<Executions>(url, [this](const protocol::RemoteMessage& message) { send(message); });
  }

  protocol::RemoteAnswer answer_to(const protocol::RemoteQuestion& question, Tier::TimePoint until) {
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

  // If the daemon is gone, run() ends.
  void send(const protocol::RemoteMessage& message) {
    const std::lock_guard lock(sending_);
    [[maybe_unused]] const Status sent = protocol::send(channel_, message, kSendLimit);
  }

  protocol::Channel& channel_;
  std::mutex sending_;
  std::unique_ptr<Tiers> tiers_ =
      std::make_unique<Tiers>(std::vector<std::unique_ptr<Tier>>(), std::make_shared<const Trust>());
  std::map<std::uint64_t, std::vector<RemoteBlob>> staged_;  // by publication
  std::unique_ptr<Executions> executions_ = executions_at("");
  WorkPool readers_{kReaders, kQuestions};  // declared last: their work uses the others
  WorkPool writers_{kWriters, kPublications};
};

bool is_socket(int fd) {
  int type = 0;
  socklen_t size = sizeof type;
  return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0;
}

int print_public_key(const std::string& path) {
  const Result<SigningKey> key = SigningKey::read(path);
  if (key) return std::puts(shown_public_key(path, *key).c_str()) < 0 ? 1 : 0;
  std::fprintf(stderr, "hipcache-remote: error: %s\n", key.error().message.c_str());
  return 1;
}

}  // namespace

}  // namespace hipcache::remote

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--version")
    return std::printf("hipcache-remote %s\n", hipcache::protocol::build_id().c_str()) < 0 ? 1 : 0;
  if (argc == 3 && std::string_view(argv[1]) == "--public-key") return hipcache::remote::print_public_key(argv[2]);
  std::signal(SIGPIPE, SIG_IGN);  // libcurl's TLS sends to closed connections
  std::signal(SIGXFSZ, SIG_IGN);
  if (argc > 1) return hipcache::remote::run_archive({argv + 1, argv + argc});
  if (!hipcache::remote::is_socket(STDIN_FILENO)) {
    std::fprintf(stderr,
                 "hipcache-remote: error: hipcached starts this program when it needs it; --public-key FILE prints the "
                 "public key of a signing key\n");
    return 2;
  }
  mallopt(M_ARENA_MAX, hipcache::remote::kArenas);
  hipcache::protocol::Channel channel(hipcache::UniqueFd(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)));
  hipcache::remote::Service service(channel);
  service.run();
  _exit(0);  // calls to servers may still run
}
