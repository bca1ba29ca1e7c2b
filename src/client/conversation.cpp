#include "hipcache/client/conversation.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "client/step_runner.h"

namespace hipcache::client {
namespace {

using protocol::Channel;
using protocol::CompileRequest;
using protocol::Received;

Status check(const protocol::Finish& finish, std::size_t descriptors) {
  const auto without_content = std::count_if(finish.outputs.begin(), finish.outputs.end(),
                                             [](const protocol::PlacedOutput& output) { return !output.content; });
  if (static_cast<std::size_t>(without_content) == descriptors) return done();
  return Error{"the daemon sent " + std::to_string(descriptors) + " files for " + std::to_string(without_content) +
               " outputs"};
}

class Conversation {
 public:
  Conversation(Channel& channel, const CompileRequest& request, const std::string& temporary_root, Patience patience)
      : channel_(channel), request_(request), temporary_root_(temporary_root), patience_(patience) {}

  Result<Answer> hold();    // asks, and follows
  Result<Answer> follow();  // until the last word, or an error; then nothing is left

 private:
  Result<Answer> hear();
  Result<Received> next();
  Status run(protocol::RunStep step);
  void abandon();

  Channel& channel_;
  const CompileRequest& request_;
  const std::string& temporary_root_;
  const Patience patience_;
  std::optional<StepRunner> runner_;  // a hit needs none, nor its threads
  std::set<std::string> directories_;
  bool answered_ = false;
};

Result<Answer> Conversation::hold() {
  if (Status sent = channel_.send(request_, patience_.send); !sent) return sent.error();
  return follow();
}

Result<Answer> Conversation::follow() {
  Result<Answer> answer = hear();
  if (runner_ && answer && runner_->is_running())
    answer = Error{"the daemon ended the request while a step was running"};
  if (!answer) abandon();
  return answer;
}

Result<Answer> Conversation::hear() {
  for (;;) {
    Result<Received> received = next();
    if (!received) return received.error();
    answered_ = true;
    protocol::Message& message = received->message;
    if (std::holds_alternative<protocol::KeepWaiting>(message)) continue;
    if (auto* step = std::get_if<protocol::RunStep>(&message)) {
      if (Status started = run(std::move(*step)); !started) return started.error();
      continue;
    }
    if (const auto* finish = std::get_if<protocol::Finish>(&message))
      if (Status whole = check(*finish, received->descriptors.size()); !whole) return whole.error();
    return received;
  }
}

// Silence is fine while a step of ours runs: then it is we who are to speak next.
Result<Received> Conversation::next() {
  for (;;) {
    const std::uint64_t finished_before = runner_ ? runner_->finished() : 0;
    Result<Received> received = channel_.receive(answered_ ? patience_.silence : patience_.first_answer);
    if (received || received.error().message != protocol::kTimedOut) return received;
    if (!runner_ || (!runner_->is_running() && runner_->finished() == finished_before))
      return Error{"the daemon says nothing"};
  }
}

Status Conversation::run(protocol::RunStep step) {
  directories_.insert(step.directory);
  if (!runner_) runner_.emplace(channel_, request_.environment, patience_);
  return runner_->start(std::move(step));
}

// Nothing may be left running, and nothing lying about should the daemon be dead.
void Conversation::abandon() {
  if (runner_) runner_->stop();
  for (const std::string& directory : directories_) {
    if (directory_name(directory) != temporary_root_ || base_name(directory).starts_with('.')) continue;
    [[maybe_unused]] const Status removed = remove_tree(directory);  // else the next daemon does it
  }
}

bool is_final(const protocol::Message& message) {
  return std::holds_alternative<protocol::Finish>(message) || std::holds_alternative<protocol::PassThrough>(message) ||
         std::holds_alternative<protocol::PlanReport>(message) ||
         std::holds_alternative<protocol::Explanation>(message) || std::holds_alternative<protocol::Busy>(message);
}

Result<Answer> only_final(Result<Answer> answer) {
  if (!answer || is_final(answer->message) || std::holds_alternative<protocol::VersionMismatch>(answer->message))
    return answer;
  return Error{"the daemon sent a message that is not its to send"};
}

}  // namespace

Result<Answer> converse_over(Channel& channel, const CompileRequest& request, const std::string& temporary_root,
                             Patience patience) {
  return only_final(Conversation(channel, request, temporary_root, patience).hold());
}

Result<Answer> follow_over(Channel& channel, const CompileRequest& request, const std::string& temporary_root,
                           Patience patience) {
  return only_final(Conversation(channel, request, temporary_root, patience).follow());
}

Result<Answer> converse(const DaemonLink& link, const CompileRequest& request, Patience patience,
                        std::optional<Channel> begun) {
  bool replaced = false;
  bool renewed = false;
  const auto ask = [&]() -> Result<Answer> {
    if (begun) return follow_over(*begun, request, link.temporary_root(), patience);
    Result<Channel> channel = link.connect_or_start();
    if (!channel) return channel.error();
    return converse_over(*channel, request, link.temporary_root(), patience);
  };
  for (;; begun.reset()) {
    Result<Answer> answer = ask();
    if (!answer && answer.error().message == protocol::kClosed && !std::exchange(renewed, true)) continue;
    const auto* mismatch = answer ? std::get_if<protocol::VersionMismatch>(&answer->message) : nullptr;
    if (mismatch == nullptr) return answer;
    if (std::exchange(replaced, true)) return Error{"the daemon is of version " + mismatch->daemon_build};
    if (Result<bool> left = link.ask_to_leave(); !left) return left.error();
  }
}

}  // namespace hipcache::client
