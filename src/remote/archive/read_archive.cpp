#include "remote/archive/archive_file.h"

#include <charconv>
#include <chrono>
#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "hipcache/base/text.h"
#include "hipcache/inputs/answer_fingerprints.h"
#include "remote/layout/values.h"
#include "remote/trust/trust.h"

namespace hipcache::remote {
namespace {

using protocol::RemoteMessage;

constexpr std::chrono::minutes kDaemonLimit{10};
constexpr std::size_t kMostPending = kMaxSets * kMaxTags;  // results that wait for their list
constexpr std::uint64_t kMostPendingBytes = 256u << 20;
constexpr std::uint64_t kFrame = 64u << 10;  // what a value may be longer than its decoded bytes

Error damaged(const std::string& what) {
  return Error{"it is damaged: " + what + "; export it again", ErrorCode::damaged};
}
Error unreadable() {
  return Error{"it is damaged, or no archive of hipcache; hipcache --export writes one", ErrorCode::damaged};
}
Error foreign() { return Error{"it is no archive of hipcache; hipcache --export writes one", ErrorCode::damaged}; }

// Errors of the archive's bytes are damage, others the machine's trouble.
Error reading(const Error& error) { return error.code == ErrorCode::damaged ? damaged(error.message) : error; }

std::optional<std::uint64_t> number_in(std::string_view line) {
  std::uint64_t number = 0;
  const auto read = std::from_chars(line.data(), line.data() + line.size(), number);
  if (read.ec != std::errc() || std::string_view(read.ptr, line.data() + line.size()) != "\n") return std::nullopt;
  return number;
}

class Import {
 public:
  Import(protocol::Channel& channel, const Trust& trust, ArchiveReader& reader)
      : channel_(channel), trust_(trust), reader_(reader) {}

  Result<Imported> run() {
    if (Status format = check_format(); !format) return format.error();
    if (Status taken = take_all(); !taken) return taken.error();
    if (Status sent = send(protocol::RemoteTally{}); !sent) return sent.error();
    Result<RemoteMessage> received = receive();
    if (!received) return received.error();
    const auto* tally = std::get_if<protocol::RemoteTally>(&*received);
    if (tally == nullptr) return unexpected();
    return Imported{.offered = offered_, .not_signed = not_signed_, .untrusted = untrusted_, .tally = *tally};
  }

 private:
  struct Pending {
    Digest key;
    RemoteResult result;
  };

  static Error unexpected() {
    return Error{"the daemon sent something else than a reply; hipcache --stop-server ends it"};
  }

  Status send(const RemoteMessage& message) {
    const Status sent = protocol::send(channel_, message, kDaemonLimit);
    return sent ? sent : Status(Error{"the daemon takes no results: " + sent.error().message});
  }

  Result<RemoteMessage> receive() {
    Result<RemoteMessage> received = protocol::receive_remote(channel_, kDaemonLimit);
    if (!received) return Error{"the daemon takes no results: " + received.error().message};
    return received;
  }

  // Whatever cannot be read here is another program's file.
  Status check_format() {
    const Result<std::optional<ArchiveReader::Entry>> first = reader_.next();
    if (!first && first.error().code != ErrorCode::damaged) return first.error();
    if (!first || !*first) return unreadable();
    if ((*first)->name != kFormatEntry) return foreign();
    const Result<std::string> text = reader_.bytes(kMarkerLimit);
    if (!text) return reading(text.error());
    const std::optional<std::uint64_t> format = number_in(*text);
    if (!format) return foreign();
    if (*format == kFormat) return done();
    return Error{"it has format " + std::to_string(*format) + ", and this hipcache reads format " +
                 std::to_string(kFormat) + "; use the hipcache that wrote it, or a newer one"};
  }

  Status take_all() {
    for (;;) {
      const Result<std::optional<ArchiveReader::Entry>> entry = reader_.next();
      if (!entry) return reading(entry.error());
      if (!*entry) return damaged("it ends early");
      if ((*entry)->name == kEndEntry) return take_end();
      const std::optional<ValueName> name = parse_value_name((*entry)->name);
      if (!name) return damaged("it has an entry that is no value, " + readable((*entry)->name));
      if (Status taken = take(*name); !taken) return taken;
      ++values_;
    }
  }

  Status take_end() {
    const Result<std::string> text = reader_.bytes(kMarkerLimit);
    if (!text) return reading(text.error());
    if (number_in(*text) != values_) return damaged("it lacks values");
    if (!pending_.empty()) return damaged("it lacks a list");
    return done();
  }

  Status take(const ValueName& name) {
    const Result<std::string> value = reader_.bytes(limit_of(name.table) + kFrame);
    if (!value) return reading(value.error());
    switch (name.table) {
      case kBlobTable:
        return take_blob(name.key, *value);
      case kResultTable:
        return take_result(name.key, *value);
      default:
        return take_list(name.key, *value);
    }
  }

  static std::uint64_t limit_of(char table) {
    return table == kBlobTable ? protocol::kLargestBlob : table == kResultTable ? kResultLimit : kListLimit;
  }

  Status take_blob(const Digest& digest, const std::string& value) {
    Result<std::string> bytes = decode_blob(digest, value, protocol::kLargestBlob);
    if (!bytes) return damaged(bytes.error().message);
    return send(protocol::RemoteStage{0, {digest, std::move(*bytes)}});
  }

  Status take_result(const Digest& key, const std::string& value) {
    Result<RemoteResult> result = decode_result(key, value);
    if (!result) return damaged(result.error().message);
    pending_bytes_ += value.size();
    if (pending_.size() >= kMostPending || pending_bytes_ > kMostPendingBytes)
      return damaged("it has more results than a list names");
    pending_.emplace(protocol::remote_tag(key), Pending{key, std::move(*result)});
    return done();
  }

  // Oldest first: the store puts what comes last in front.
  Status take_list(const Digest& key, const std::string& value) {
    const Result<List> list = decode_list(key, value);
    if (!list) return damaged(list.error().message);
    for (auto set = list->rbegin(); set != list->rend(); ++set)
      for (auto tag = set->tags.rbegin(); tag != set->tags.rend(); ++tag)
        if (auto result = pending_.extract(*tag))
          if (Status offered = offer(key, *set, result.mapped()); !offered) return offered;
    if (!pending_.empty()) return damaged("a list does not name a result before it");
    pending_bytes_ = 0;
    return done();
  }

  // Of what compiles were asked; nobody counts those.
  static bool is_history(const RemoteResult& result) { return result.action.starts_with(inputs::kSharedHistory); }

  bool is_trusted(const Pending& pending) {
    const Verdict verdict = trust_.judge(pending.key, pending.result);
    const bool is_counted = !is_history(pending.result);
    not_signed_ += is_counted && verdict == Verdict::not_signed ? 1 : 0;
    untrusted_ += is_counted && verdict == Verdict::untrusted ? 1 : 0;
    return verdict == Verdict::trusted;
  }

  Status offer(const Digest& key, const RemotePathSet& set, Pending& pending) {
    if (!is_trusted(pending)) return done();
    ++offered_;
    for (RemoteBlob& blob : pending.result.blobs)
      if (Status sent = send(protocol::RemoteStage{offered_, std::move(blob)}); !sent) return sent;
    if (Status sent = send(protocol::RemotePublish{.publication = offered_,
                                                   .key = key,
                                                   .result_key = pending.key,
                                                   .action = std::move(pending.result.action),
                                                   .path_set = {set.id, set.bytes, {}}});
        !sent)
      return sent;
    const Result<RemoteMessage> received = receive();
    if (!received) return received.error();
    const auto* accepted = std::get_if<protocol::RemoteAccepted>(&*received);
    if (accepted == nullptr) return unexpected();
    if (!accepted->error.empty()) return Error{"the store takes no results: " + accepted->error};
    progress_.show(std::to_string(offered_) + " results");
    return done();
  }

  protocol::Channel& channel_;
  const Trust& trust_;
  ArchiveReader& reader_;
  Progress progress_;
  std::uint64_t values_ = 0;
  std::uint64_t offered_ = 0;
  std::uint64_t not_signed_ = 0;
  std::uint64_t untrusted_ = 0;
  std::map<std::uint64_t, Pending> pending_;  // by tag
  std::uint64_t pending_bytes_ = 0;
};

}  // namespace

Result<Imported> read_archive(protocol::Channel& channel, int fd) {
  const Result<Trust> trust = receive_trust(channel);
  if (!trust) return trust.error();
  if (!trust->why_not_read().empty()) return Error{trust->why_not_read()};
  Result<ArchiveReader> reader = ArchiveReader::open(fd);
  if (!reader) return reader.error().code == ErrorCode::damaged ? unreadable() : reader.error();
  return Import(channel, *trust, *reader).run();
}

}  // namespace hipcache::remote
