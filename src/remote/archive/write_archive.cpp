#include "remote/archive/archive_file.h"

#include <algorithm>
#include <chrono>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "hipcache/inputs/answer_fingerprints.h"
#include "remote/layout/values.h"
#include "remote/trust/trust.h"

namespace hipcache::remote {
namespace {

using protocol::RemoteMessage;
using protocol::RemotePublish;
using protocol::RemoteStage;
using protocol::RemoteTally;

constexpr std::chrono::minutes kDaemonLimit{10};  // it reads the whole store before the first result

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
