#include "remote/archive/archive.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "hipcache/base/files.h"
#include "hipcache/base/text.h"
#include "hipcache/inputs/answer_fingerprints.h"
#include "remote/archive/archive_file.h"
#include "remote/layout/values.h"
#include "remote/trust/trust.h"

namespace hipcache::remote {
namespace {

using protocol::RemoteMessage;
using protocol::RemotePublish;
using protocol::RemoteStage;
using protocol::RemoteTally;

constexpr std::chrono::milliseconds kPause{100};
constexpr std::chrono::minutes kSettingsLimit{1};
constexpr std::chrono::minutes kDaemonLimit{10};  // it reads the whole store before the first result
constexpr std::uint64_t kMarkerLimit = 64;        // bytes

// One line on a terminal that is written over and over. Silent elsewhere.
class Progress {
 public:
  Progress() : is_terminal_(isatty(STDERR_FILENO) == 1) {}
  ~Progress() {
    if (is_shown_) std::fputs("\r\033[K", stderr);
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Shows the line, unless another one was shown just now.
  void show(const std::string& line) {
    const auto now = std::chrono::steady_clock::now();
    if (!is_terminal_ || now - shown_ < kPause) return;
    shown_ = now;
    is_shown_ = true;
    std::fprintf(stderr, "\r\033[K%s", line.c_str());
  }

 private:
  const bool is_terminal_;
  std::chrono::steady_clock::time_point shown_;
  bool is_shown_ = false;
};

// What the daemon says of trusted_keys and signing_key: its first message.
//
// Its settings count and not those of the user's environment now, as for shared caches. The private key is read here,
// by the user's own process, and leaves it in no form.
Result<Trust> receive_trust(protocol::Channel& channel) {
  const Result<protocol::RemoteMessage> received = protocol::receive_remote(channel, kSettingsLimit);
  if (!received) return Error{"the daemon does not answer: " + received.error().message, received.error().code};
  const auto* settings = std::get_if<protocol::RemoteConfigure>(&*received);
  if (settings == nullptr)
    return Error{"the daemon sent something else than its settings; hipcache --stop-server ends it"};
  return Trust(settings->trusted_keys, settings->signing_key);
}

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
    if (Status sent = send(RemoteTally{}); !sent) return sent.error();
    Result<RemoteMessage> received = receive();
    if (!received) return received.error();
    const auto* tally = std::get_if<RemoteTally>(&*received);
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
    return send(RemoteStage{0, {digest, std::move(*bytes)}});
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
      if (Status sent = send(RemoteStage{offered_, std::move(blob)}); !sent) return sent;
    if (Status sent = send(RemotePublish{.publication = offered_,
                                         .key = key,
                                         .result_key = pending.key,
                                         .action = std::move(pending.result.action),
                                         .path_set = {set.id, set.bytes, {}}});
        !sent)
      return sent;
    const Result<RemoteMessage> received = receive();
    if (!received) return received.error();
    const auto* published = std::get_if<protocol::RemotePublished>(&*received);
    if (published == nullptr) return unexpected();
    if (!published->error.empty()) return Error{"the store takes no results: " + published->error};
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

// What may be within the compressor, and what the end of the archive takes.
constexpr std::uint64_t kInCompressor = 512u << 10;
constexpr std::uint64_t kEnd = 8u << 10;

constexpr std::uint64_t kHistoryShare = 16;  // of a size limit, miss histories get one part

std::uint64_t size_of(const List& list) {
  std::uint64_t size = 0;
  for (const RemotePathSet& set : list) size += set.bytes.size() + kMaxTags * sizeof(std::uint64_t) + Digest::kSize;
  return size;
}

Error unexpected() { return Error{"the daemon sent something else than results; hipcache --stop-server ends it"}; }

Error daemon_gone(const Error& error) { return Error{"the daemon sends no results: " + error.message, error.code}; }

class Export {
 public:
  Export(protocol::Channel& channel, const Trust& trust, ArchiveWriter& writer, std::uint64_t max_bytes)
      : channel_(channel), trust_(trust), writer_(writer), max_bytes_(max_bytes) {}

  Result<Exported> run(const protocol::RemoteSelect& select) {
    if (Status sent = protocol::send(channel_, select, kDaemonLimit); !sent) return daemon_gone(sent.error());
    Result<RemoteTally> begin = next_tally();
    if (!begin) return begin.error();
    exported_.selected = begin->results;
    if (Status marked = writer_.add(kFormatEntry, std::to_string(kFormat) + "\n"); !marked) return marked.error();
    if (Status taken = take_all(); !taken) return taken.error();
    if (Status listed = finish_list(); !listed) return listed.error();
    if (Status marked = writer_.add(kEndEntry, std::to_string(values_) + "\n"); !marked) return marked.error();
    if (Status closed = writer_.close(); !closed) return closed.error();
    exported_.bytes = writer_.compressed();
    return exported_;
  }

 private:
  struct Value {
    std::string name;
    std::string bytes;
  };

  Result<RemoteTally> next_tally() {
    Result<RemoteMessage> received = protocol::receive_remote(channel_, kDaemonLimit);
    if (!received) return daemon_gone(received.error());
    const auto* tally = std::get_if<RemoteTally>(&*received);
    if (tally == nullptr) return unexpected();
    if (!tally->error.empty()) return Error{tally->error};
    return *tally;
  }

  // Until the daemon has sent all, or the archive is as large as it may be.
  Status take_all() {
    for (;;) {
      Result<RemoteMessage> received = protocol::receive_remote(channel_, kDaemonLimit);
      if (!received) return daemon_gone(received.error());
      if (auto* stage = std::get_if<RemoteStage>(&*received)) {
        take(std::move(*stage));
      } else if (auto* publish = std::get_if<RemotePublish>(&*received)) {
        if (Status taken = take(*publish); !taken || exported_.is_limited) return taken;
      } else if (std::holds_alternative<RemoteTally>(*received)) {
        return done();
      } else {
        return unexpected();
      }
    }
  }

  // Blobs of a number without a result are of one that was gone while it was sent.
  void take(RemoteStage stage) {
    if (stage.publication != staged_number_) staged_.clear();
    staged_number_ = stage.publication;
    staged_.push_back(std::move(stage.blob));
  }

  Status take(const RemotePublish& publish) {
    if (publish.publication != staged_number_) staged_.clear();
    const std::vector<RemoteBlob> blobs = std::exchange(staged_, {});
    if (publish.key != list_key_) {
      if (Status listed = finish_list(); !listed) return listed;
      list_key_ = publish.key;
    }
    List list = list_;
    RemotePathSet set = publish.path_set;
    set.tags = {protocol::remote_tag(publish.result_key)};
    append(list, {set});
    if (!has(list, set) || size_of(list) > kListLimit) return done();  // a list does not name so many
    const Result<std::vector<Value>> values = values_of(publish, blobs);
    if (!values) return values.error();
    const bool is_history = publish.action.starts_with(inputs::kSharedHistory);
    const bool is_left_out = !fits(*values, list, is_history ? max_bytes_ / kHistoryShare : max_bytes_);
    if (is_left_out) {
      exported_.is_limited = !is_history;
      return done();
    }
    list_ = std::move(list);
    for (const Value& value : *values)
      if (Status added = add(value); !added) return added;
    for (const RemoteBlob* blob : divide(publish.action, blobs).large) written_.insert(blob->digest);
    if (is_history) return done();
    ++exported_.results;
    progress_.show(std::to_string(exported_.results) + " of " + std::to_string(exported_.selected) + " results");
    return done();
  }

  // Blobs first, so that an archive that was cut short has no result without its blobs.
  Result<std::vector<Value>> values_of(const RemotePublish& publish, const std::vector<RemoteBlob>& blobs) const {
    Divided divided = divide(publish.action, blobs);
    if (Status is_signed = trust_.sign(publish.result_key, divided.result); !is_signed) return is_signed.error();
    std::vector<Value> values;
    for (const RemoteBlob* blob : divided.large)
      if (!written_.contains(blob->digest))
        values.push_back({name_of_value({kBlobTable, blob->digest}), encode_blob(blob->bytes)});
    values.push_back(
        {name_of_value({kResultTable, publish.result_key}), encode_result(publish.result_key, divided.result)});
    return values;
  }

  bool fits(const std::vector<Value>& values, const List& list, std::uint64_t limit) const {
    if (max_bytes_ == 0) return true;
    std::uint64_t more = kEnd + ArchiveWriter::size_of_entry(encode_list(list_key_, list).size());
    for (const Value& value : values) more += ArchiveWriter::size_of_entry(value.bytes.size());
    return std::min(writer_.uncompressed(), writer_.compressed() + kInCompressor) + more <= limit;
  }

  Status finish_list() {
    if (list_.empty()) return done();
    const List list = std::exchange(list_, {});
    return add({name_of_value({kListTable, list_key_}), encode_list(list_key_, list)});
  }

  Status add(const Value& value) {
    ++values_;
    return writer_.add(value.name, value.bytes);
  }

  protocol::Channel& channel_;
  const Trust& trust_;
  ArchiveWriter& writer_;
  const std::uint64_t max_bytes_;
  Progress progress_;
  Exported exported_;
  std::uint64_t values_ = 0;
  std::uint64_t staged_number_ = 0;
  std::vector<RemoteBlob> staged_;
  Digest list_key_;
  List list_;                           // of that key
  std::unordered_set<Digest> written_;  // blobs
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

Result<Exported> write_archive(protocol::Channel& channel, const protocol::RemoteSelect& select, int fd,
                               std::uint64_t max_bytes) {
  const Result<Trust> trust = receive_trust(channel);
  if (!trust) return trust.error();
  if (!trust->why_not_written().empty()) return Error{trust->why_not_written()};
  Result<ArchiveWriter> writer = ArchiveWriter::open(fd);
  if (!writer) return writer.error();
  return Export(channel, *trust, *writer, max_bytes).run(select);
}

}  // namespace hipcache::remote
