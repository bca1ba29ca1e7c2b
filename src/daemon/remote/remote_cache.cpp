#include "daemon/remote/remote_cache.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>
#include <variant>

#include "hipcache/config/remote_url.h"
#include "hipcache/config/shown.h"

namespace hipcache::daemon {
namespace {

using namespace std::chrono_literals;
using protocol::RemoteKey;
using std::chrono::milliseconds;

constexpr milliseconds kMostWait = config::kLongestLookUp + config::kLookUpGrace;
constexpr milliseconds kStatistics = 2s;
constexpr std::uint64_t kSlowest = 1u << 10;  // bytes in a millisecond

// Where results need signatures, none is written without a key.
bool publishes(const protocol::RemoteConfigure& settings) {
  if (!settings.trusted_keys.empty() && settings.signing_key.empty()) return false;
  return std::any_of(settings.urls.begin(), settings.urls.end(), [](const std::string& text) {
    const Result<config::RemoteUrl> url = config::parse_remote_url(text);
    return url && url->writes;
  });
}

std::vector<std::string> names_of(const std::vector<std::string>& urls) {
  std::vector<std::string> names;
  for (const std::string& url : urls) names.push_back(config::shown_url(url));
  return names;
}

// What hipcache-remote may take until it gives a look-up up.
milliseconds limit_of(const std::vector<std::string>& urls) {
  milliseconds limit = config::kLookUpGrace;
  for (const std::string& text : urls)
    if (const Result<config::RemoteUrl> url = config::parse_remote_url(text); url && url->reads)
      limit += config::look_up_limit(*url);
  return std::min(limit, kMostWait);
}

std::shared_ptr<const cache::RemoteList> list_of(protocol::RemoteAnswer& answer) {
  auto list = std::make_shared<cache::RemoteList>();
  list->asked = answer.asked;
  for (protocol::RemotePathSet& set : answer.list)
    list->sets.push_back({set.id, std::move(set.bytes), std::move(set.tags)});
  answer.list.clear();
  return list;
}

cache::RemoteResult result_of(protocol::RemoteResult from, std::string tier) {
  cache::RemoteResult to{.tier = std::move(tier), .action = std::move(from.action), .blobs = {}};
  for (protocol::RemoteBlob& blob : from.blobs) to.blobs.emplace_back(blob.digest, std::move(blob.bytes));
  return to;
}

}  // namespace

RemoteCache::RemoteCache(std::string program, const protocol::RemoteConfigure& settings, store::LocalStore& store,
                         Log& log)
    : log_(log),
      tiers_(names_of(settings.urls)),
      writes_(publishes(settings)),
      look_up_limit_(limit_of(settings.urls)),
      process_({.program = std::move(program),
                .settings = settings,
                .receive = [this](protocol::RemoteMessage message) { receive(std::move(message)); },
                .ended = [this] { process_ended(); }},
               log),
      publisher_(process_, store, log) {}

// The process first: its messages go to the others.
RemoteCache::~RemoteCache() { process_.stop(); }

std::vector<std::shared_ptr<const cache::RemoteList>> RemoteCache::lists(std::span<const ListName> names) {
  std::vector<Question> questions;
  std::vector<std::size_t> places;
  for (std::size_t at = 0; at < names.size(); ++at) {
    if (names[at].skip >= tiers_.size()) continue;
    questions.push_back({{RemoteKey::list, names[at].key, static_cast<std::uint32_t>(names[at].skip)}});
    places.push_back(at);
  }
  std::vector<std::shared_ptr<const cache::RemoteList>> lists(names.size());
  const auto answers = ask(questions, look_up_limit_);
  for (std::size_t at = 0; at < answers.size(); ++at)
    if (answers[at]) lists[places[at]] = answers[at]->list;
  return lists;
}

std::vector<std::optional<cache::RemoteResult>> RemoteCache::results(std::span<const Digest> keys) {
  std::vector<Question> questions;
  for (const Digest& key : keys) questions.push_back({{RemoteKey::result, key}});
  std::vector<std::optional<cache::RemoteResult>> results(keys.size());
  const auto answers = ask(questions, look_up_limit_);
  for (std::size_t at = 0; at < answers.size(); ++at)
    if (answers[at] && answers[at]->answer.found)
      results[at] = result_of(answers[at]->answer.result, tier_of(answers[at]->answer));
  return results;
}

// The last tier that was asked had the answer.
std::string RemoteCache::tier_of(const protocol::RemoteAnswer& answer) const {
  return answer.asked == 0 || answer.asked > tiers_.size() ? "" : tiers_[answer.asked - 1];
}

std::vector<std::optional<std::string>> RemoteCache::blobs(std::span<const cache::RemoteBlobName> names) {
  std::vector<Question> questions;
  milliseconds limit = look_up_limit_;
  for (const cache::RemoteBlobName& name : names) {
    questions.push_back({{RemoteKey::blob, name.digest}, name.size});
    limit += milliseconds(name.size / kSlowest);
  }
  std::vector<std::optional<std::string>> blobs(names.size());
  const auto answers = ask(questions, std::min(limit, kMostWait));
  for (std::size_t at = 0; at < answers.size(); ++at)
    if (answers[at] && answers[at]->answer.found) blobs[at] = answers[at]->answer.blob;
  return blobs;
}

void RemoteCache::publish(cache::Publication publication) {
  if (writes_) publisher_.add(std::move(publication));
}

// Null for questions without an answer in time.
std::vector<std::shared_ptr<RemoteCache::Entry>> RemoteCache::ask(const std::vector<Question>& questions,
                                                                  milliseconds limit) {
  std::vector<std::shared_ptr<Entry>> all;
  if (questions.empty()) return all;
  protocol::RemoteQuestions sent;
  const Clock::time_point now = Clock::now();
  std::unique_lock lock(mutex_);
  make_room(now);
  for (const Question& question : questions) {
    std::shared_ptr<Entry>& entry = entries_[question.name];
    if (!entry || (entry->done && now >= entry->forget_after)) {
      if (entry) bytes_ -= entry->bytes;
      entry = std::make_shared<Entry>();
      in_flight_[next_id_] = question.name;
      sent.questions.push_back({next_id_++, question.name.kind, question.name.key, question.size, question.name.skip});
    }
    all.push_back(entry);
  }
  lock.unlock();
  const bool is_silent = process_.is_silent();
  if (!sent.questions.empty() && (is_silent || !process_.send(sent)))
    for (const protocol::RemoteQuestion& question : sent.questions) take_answer({.id = question.id, .failed = true});
  if (is_silent) limit = milliseconds(0);
  lock.lock();
  const auto is_done = [](const std::shared_ptr<Entry>& entry) { return entry->done; };
  const bool in_time =
      changed_.wait_until(lock, now + limit, [&] { return std::all_of(all.begin(), all.end(), is_done); });
  for (std::shared_ptr<Entry>& entry : all)
    if (!entry->done) entry = nullptr;
  lock.unlock();
  if (!in_time) process_.note_overdue();
  return all;
}

// REQUIRES: mutex_ is held.
void RemoteCache::make_room(Clock::time_point now) {
  if (entries_.size() < kMostAnswers && bytes_ < kMostBytes) return;
  for (const bool all : {false, true}) {
    std::erase_if(entries_, [&](const auto& known) {
      const Entry& entry = *known.second;
      const bool goes = entry.done && (all || now >= entry.forget_after);
      if (goes) bytes_ -= entry.bytes;
      return goes;
    });
    if (entries_.size() < kMostAnswers / 2 && bytes_ < kMostBytes / 2) return;
  }
}

// A question that is in flight may have been answered before the change.
// REQUIRES: mutex_ is held.
void RemoteCache::forget(Entries::iterator from, Entries::iterator to) {
  while (from != to) {
    Entry& entry = *from->second;
    entry.is_outdated = true;
    if (entry.done) bytes_ -= entry.bytes;
    from = entry.done ? entries_.erase(from) : std::next(from);
  }
}

void RemoteCache::forget() {
  const std::lock_guard lock(mutex_);
  forget(entries_.begin(), entries_.end());
}

void RemoteCache::forget(const cache::Publication& publication) {
  const std::lock_guard lock(mutex_);
  const auto forget_answers = [this](RemoteKey kind, const Digest& key) {
    forget(entries_.lower_bound({kind, key, 0}),
           entries_.upper_bound({kind, key, std::numeric_limits<std::uint32_t>::max()}));
  };
  forget_answers(RemoteKey::list, publication.key);
  forget_answers(RemoteKey::result, publication.result_key);
  for (const cache::RemoteBlobName& blob : publication.blobs) forget_answers(RemoteKey::blob, blob.digest);
}

void RemoteCache::receive(protocol::RemoteMessage message) {
  if (auto* answer = std::get_if<protocol::RemoteAnswer>(&message)) return take_answer(std::move(*answer));
  if (const auto* published = std::get_if<protocol::RemotePublished>(&message)) {
    if (const auto written = publisher_.take_published(*published)) forget(*written);
    return;
  }
  if (const auto* note = std::get_if<protocol::RemoteNote>(&message))
    return log_.write(note->is_warning ? Log::Level::warning : Log::Level::info, note->text);
  if (auto* statistics = std::get_if<protocol::RemoteStatistics>(&message)) {
    const std::lock_guard lock(mutex_);
    statistics_ = std::move(statistics->tiers);
    statistics_id_ = statistics->id;
    changed_.notify_all();
  }
}

// A result or a blob that was found goes to those who wait for it, and is not kept: it is about to be in the store.
void RemoteCache::take_answer(protocol::RemoteAnswer answer) {
  const std::lock_guard lock(mutex_);
  const auto flight = in_flight_.extract(answer.id);
  if (!flight) return;
  const auto known = entries_.find(flight.mapped());
  if (known == entries_.end()) return;
  Entry& entry = *known->second;
  entry.done = true;
  entry.forget_after = Clock::now() + (answer.failed && !answer.found ? Clock::duration(kFailureRemembered)
                                                                      : Clock::duration(kRemembered));
  if (entry.is_outdated) entry.forget_after = Clock::now();
  const bool is_list = flight.mapped().kind == RemoteKey::list;
  if (is_list && answer.found) entry.list = list_of(answer);
  if (entry.list)
    for (const cache::RemotePathSet& set : entry.list->sets) entry.bytes += set.bytes.size();
  bytes_ += entry.bytes;
  const bool is_kept = is_list || !answer.found;
  entry.answer = std::move(answer);
  if (!is_kept) entries_.erase(known);
  changed_.notify_all();
}

void RemoteCache::process_ended() {
  std::vector<std::uint64_t> lost;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, name] : in_flight_) lost.push_back(id);
  }
  for (const std::uint64_t id : lost) take_answer({.id = id, .failed = true});
  publisher_.process_ended();
}

std::vector<protocol::RemoteTier> RemoteCache::statistics(bool zero) {
  if (const std::string trouble = process_.trouble(); !trouble.empty()) {
    std::vector<protocol::RemoteTier> tiers;
    for (const std::string& url : tiers_)
      tiers.push_back({.url = url, .state = "not asked: " + trouble, .write_trouble = trouble});
    return tiers;
  }
  std::unique_lock lock(mutex_);
  const std::uint64_t id = next_id_++;
  lock.unlock();
  if (!process_.is_running() || !process_.send(protocol::RemoteAskStatistics{id, zero})) return {};
  lock.lock();
  changed_.wait_for(lock, kStatistics, [&] { return statistics_id_ >= id; });
  return statistics_;
}

}  // namespace hipcache::daemon
