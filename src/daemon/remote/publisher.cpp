#include "daemon/remote/publisher.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace hipcache::daemon {

Sending send_publication(std::uint64_t number, const cache::Publication& publication, store::ReadableStore& store,
                         const SendMessage& send) {
  for (const cache::RemoteBlobName& blob : publication.blobs) {
    Result<std::optional<std::string>> bytes = store.blob(blob.digest);
    if (!bytes || !*bytes) return Sending::blob_gone;
    if (!send(protocol::RemoteStage{number, {blob.digest, std::move(**bytes)}})) return Sending::peer_gone;
  }
  const bool sent = send(protocol::RemotePublish{.publication = number,
                                                 .key = publication.key,
                                                 .result_key = publication.result_key,
                                                 .action = publication.action,
                                                 .path_set = {publication.set, publication.questions(), {}}});
  return sent ? Sending::done : Sending::peer_gone;
}

namespace {

using namespace std::chrono_literals;

constexpr auto kNoProcess = 250ms;  // until the next attempt to send, if no process runs

std::vector<Digest> digests_of(const std::vector<cache::RemoteBlobName>& names) {
  std::vector<Digest> digests;
  for (const cache::RemoteBlobName& name : names) digests.push_back(name.digest);
  return digests;
}

}  // namespace

Publisher::~Publisher() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Publisher::add(cache::Publication publication) {
  Waiting waiting{.publication = std::move(publication), .lease = store_.lease()};
  for (const cache::RemoteBlobName& blob : waiting.publication.blobs) waiting.bytes += blob.size;
  const std::vector<Digest> digests = digests_of(waiting.publication.blobs);
  const Result<bool> held = store_.hold_blobs(digests, *waiting.lease);
  const std::lock_guard lock(mutex_);
  if (!held) return fail(waiting.publication, held.error().message);
  if (!*held) return fail(waiting.publication, "its blobs are gone");
  if (queue_.size() >= kMost) return fail(waiting.publication, "too many results wait");
  queue_.push_back(std::move(waiting));
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  changed_.notify_all();
}

// REQUIRES: mutex_ is held.
bool Publisher::has_room() const {
  return !queue_.empty() && sent_.size() < kAtOnce &&
         (sent_.empty() || sent_bytes_ + queue_.front().bytes <= kBytesAtOnce);
}

void Publisher::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || has_room(); });
    if (ending_) return;
    const std::uint64_t number = next_++;
    Waiting waiting = std::move(queue_.front());
    queue_.pop_front();
    ++waiting.attempts;
    const cache::Publication publication = waiting.publication;
    sent_bytes_ += waiting.bytes;
    sent_.emplace(number, std::move(waiting));
    lock.unlock();
    const bool sent = send(number, publication);
    lock.lock();
    if (sent) continue;
    // Nothing of it is with a process: it waits for the next one.
    if (auto back = sent_.extract(number)) {
      sent_bytes_ -= back.mapped().bytes;
      if (back.mapped().attempts < kAttempts)
        queue_.push_front(std::move(back.mapped()));
      else
        fail(back.mapped().publication, trouble_or("hipcache-remote does not run"));
      changed_.notify_all();
    }
    changed_.wait_for(lock, kNoProcess, [this] { return ending_; });
  }
}

// Blobs that are gone make the publication one without a result: it is dropped by the other side's answer.
bool Publisher::send(std::uint64_t number, const cache::Publication& publication) {
  const Sending sent = send_publication(
      number, publication, store_, [this](const protocol::RemoteMessage& message) { return process_.send(message); });
  if (sent == Sending::blob_gone) take_published({number, "its blobs are gone"});
  return sent != Sending::peer_gone;
}

std::optional<cache::Publication> Publisher::take_published(const protocol::RemotePublished& published) {
  const std::lock_guard lock(mutex_);
  auto known = sent_.extract(published.publication);
  if (!known) return std::nullopt;
  sent_bytes_ -= known.mapped().bytes;
  changed_.notify_all();
  if (!published.error.empty()) {
    fail(known.mapped().publication, published.error);
    return std::nullopt;
  }
  if (known.mapped().publication.is_result()) ++done_.written;
  return std::move(known.mapped().publication);
}

void Publisher::process_ended() {
  const std::lock_guard lock(mutex_);
  for (auto& [number, waiting] : sent_) {
    if (waiting.attempts < kAttempts)
      queue_.push_front(std::move(waiting));
    else
      fail(waiting.publication, trouble_or("hipcache-remote ended"));
  }
  sent_.clear();
  sent_bytes_ = 0;
  changed_.notify_all();
}

std::string Publisher::trouble_or(const char* otherwise) {
  const std::string trouble = process_.trouble();
  return trouble.empty() ? otherwise : trouble;
}

// REQUIRES: mutex_ is held.
void Publisher::fail(const cache::Publication& publication, const std::string& why) {
  if (!publication.is_result()) return log_.info("a miss history is not written to a shared cache: " + why);
  ++done_.failed;
  done_.error = why;
  log_.warning("a result is not written to a shared cache: " + why);
}

// REQUIRES: mutex_ is held.
Publisher::Progress Publisher::progress_now() const {
  Progress progress = done_;
  progress.waiting = queue_.size() + sent_.size();
  const auto count_result = [&](const Waiting& one) {
    progress.waiting_results += one.publication.is_result() ? 1 : 0;
  };
  for (const Waiting& one : queue_) count_result(one);
  for (const auto& [number, one] : sent_) count_result(one);
  return progress;
}

Publisher::Progress Publisher::progress() {
  const std::lock_guard lock(mutex_);
  return progress_now();
}

Publisher::Progress Publisher::take_progress() {
  const std::lock_guard lock(mutex_);
  Progress progress = progress_now();
  if (progress.waiting == 0) {
    done_.failed = 0;
    done_.error.clear();
  }
  return progress;
}

bool Publisher::drain(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, limit, [this] { return queue_.empty() && sent_.empty(); });
}

}  // namespace hipcache::daemon
