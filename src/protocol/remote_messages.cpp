#include "hipcache/protocol/remote_messages.h"

#include <unistd.h>

#include <optional>
#include <utility>

#include "remote.pb.h"

namespace hipcache::protocol {
namespace {

constexpr std::uint64_t kBlobLimit = 2ull << 30;  // of one that comes as a descriptor

// put: a struct into its wire form. A large blob goes into `bulk` instead.

void put(const RemotePathSet& from, wire::RemotePathSet& to) {
  to.set_id(from.id.bytes());
  to.set_bytes(from.bytes);
  for (const std::uint64_t tag : from.tags) to.add_tags(tag);
}

void put(const RemoteResult& from, wire::RemoteResult& to) {
  to.set_action(from.action);
  for (const RemoteBlob& blob : from.blobs) {
    wire::RemoteBlob& added = *to.add_blobs();
    added.set_digest(blob.digest.bytes());
    added.set_content(blob.bytes);
  }
}

void put(const std::string& content, wire::RemoteBlob& to, const std::string** bulk) {
  if (content.size() > kContentLimit)
    *bulk = &content;
  else
    to.set_content(content);
}

void put(const RemoteConfigure& from, wire::RemoteEnvelope& envelope, const std::string** /*bulk*/) {
  wire::RemoteConfigure& to = *envelope.mutable_configure();
  for (const std::string& url : from.urls) to.add_urls(url);
  for (const std::string& key : from.trusted_keys) to.add_trusted_keys(key);
  to.set_signing_key(from.signing_key);
}

void put(const RemoteQuestions& from, wire::RemoteEnvelope& envelope, const std::string** /*bulk*/) {
  wire::RemoteQuestions& to = *envelope.mutable_questions();
  for (const RemoteQuestion& question : from.questions) {
    wire::RemoteQuestion& added = *to.add_questions();
    added.set_id(question.id);
    added.set_kind(static_cast<std::uint32_t>(question.kind));
    added.set_key(question.key.bytes());
    added.set_size(question.size);
    added.set_skip(question.skip);
  }
}

void put(const RemoteStage& from, wire::RemoteEnvelope& envelope, const std::string** bulk) {
  wire::RemoteStage& to = *envelope.mutable_stage();
  to.set_publication(from.publication);
  to.mutable_blob()->set_digest(from.blob.digest.bytes());
  put(from.blob.bytes, *to.mutable_blob(), bulk);
}

void put(const RemotePublish& from, wire::RemoteEnvelope& envelope, const std::string** /*bulk*/) {
  wire::RemotePublish& to = *envelope.mutable_publish();
  to.set_publication(from.publication);
  to.set_key(from.key.bytes());
  to.set_result_key(from.result_key.bytes());
  to.set_action(from.action);
  put(from.path_set, *to.mutable_path_set());
}

void put(const RemoteAskStatistics& from, wire::RemoteEnvelope& envelope, const std::string** /*bulk*/) {
  envelope.mutable_ask_statistics()->set_id(from.id);
  envelope.mutable_ask_statistics()->set_zero(from.zero);
}

void put(const RemoteAnswer& from, wire::RemoteEnvelope& envelope, const std::string** bulk) {
  wire::RemoteAnswer& to = *envelope.mutable_answer();
  to.set_id(from.id);
  to.set_found(from.found);
  to.set_failed(from.failed);
  to.set_asked(from.asked);
  for (const RemotePathSet& set : from.list) put(set, *to.add_list());
  put(from.result, *to.mutable_result());
  put(from.blob, *to.mutable_blob(), bulk);
}

void put(const RemotePublished& from, wire::RemoteEnvelope& envelope, const std::string** /*bulk*/) {
  envelope.mutable_published()->set_publication(from.publication);
  envelope.mutable_published()->set_error(from.error);
}

void put(const RemoteStatistics& from, wire::RemoteEnvelope& envelope, const std::string** /*bulk*/) {
  wire::RemoteStatistics& to = *envelope.mutable_statistics();
  to.set_id(from.id);
  for (const RemoteTier& tier : from.tiers) {
    wire::RemoteTier& added = *to.add_tiers();
    added.set_url(tier.url);
    added.set_state(tier.state);
    added.set_hits(tier.hits);
    added.set_misses(tier.misses);
    added.set_errors(tier.errors);
    added.set_written(tier.written);
    added.set_write_errors(tier.write_errors);
    added.set_bytes_read(tier.bytes_read);
    added.set_bytes_written(tier.bytes_written);
    added.set_median_us(tier.median_us);
    added.set_not_signed(tier.not_signed);
    added.set_untrusted(tier.untrusted);
    added.set_writing(tier.writing);
    added.set_bytes_sent(tier.bytes_sent);
    added.set_write_trouble(tier.write_trouble);
  }
}

void put(const RemoteNote& from, wire::RemoteEnvelope& envelope, const std::string** /*bulk*/) {
  envelope.mutable_note()->set_is_warning(from.is_warning);
  envelope.mutable_note()->set_text(from.text);
}

void put(const RemoteSelect& from, wire::RemoteEnvelope& envelope, const std::string** /*bulk*/) {
  for (const std::string& arch : from.archs) envelope.mutable_select()->add_archs(arch);
  envelope.mutable_select()->set_used_since(from.used_since);
}

void put(const RemoteTally& from, wire::RemoteEnvelope& envelope, const std::string** /*bulk*/) {
  wire::RemoteTally& to = *envelope.mutable_tally();
  to.set_results(from.results);
  to.set_known(from.known);
  to.set_left_out(from.left_out);
  to.set_error(from.error);
}

void put(const RemoteAccepted& from, wire::RemoteEnvelope& envelope, const std::string** /*bulk*/) {
  envelope.mutable_accepted()->set_error(from.error);
}

// take: the reverse. A digest of another length leaves `good` false.
class Taker {
 public:
  explicit Taker(const std::string* bulk) : bulk_(bulk) {}

  bool good() const { return good_; }

  Digest digest(const std::string& bytes) {
    const Result<Digest> read = Digest::from_bytes(bytes);
    good_ = good_ && read.ok();
    return read ? *read : Digest{};
  }

  std::string content(wire::RemoteBlob& blob) {
    if (blob.has_content()) return std::move(*blob.mutable_content());
    good_ = good_ && bulk_ != nullptr;
    return bulk_ == nullptr ? std::string() : *bulk_;
  }

  RemotePathSet path_set(wire::RemotePathSet& set) {
    return {digest(set.id()), std::move(*set.mutable_bytes()), {set.tags().begin(), set.tags().end()}};
  }

  RemoteResult result(wire::RemoteResult& from) {
    RemoteResult to{.action = std::move(*from.mutable_action()), .blobs = {}};
    for (wire::RemoteBlob& blob : *from.mutable_blobs()) to.blobs.push_back({digest(blob.digest()), content(blob)});
    return to;
  }

  RemoteMessage questions(wire::RemoteQuestions& from) {
    RemoteQuestions to;
    for (const wire::RemoteQuestion& one : from.questions()) {
      good_ = good_ && one.kind() <= static_cast<std::uint32_t>(RemoteKey::blob);
      to.questions.push_back({one.id(), static_cast<RemoteKey>(one.kind()), digest(one.key()), one.size(), one.skip()});
    }
    return to;
  }

  RemoteMessage publish(wire::RemotePublish& from) {
    return RemotePublish{from.publication(), digest(from.key()), digest(from.result_key()),
                         std::move(*from.mutable_action()), path_set(*from.mutable_path_set())};
  }

  RemoteMessage answer(wire::RemoteAnswer& from) {
    RemoteAnswer to{.id = from.id(), .found = from.found(), .failed = from.failed(), .asked = from.asked()};
    for (wire::RemotePathSet& set : *from.mutable_list()) to.list.push_back(path_set(set));
    to.result = result(*from.mutable_result());
    to.blob = content(*from.mutable_blob());
    return to;
  }

  static RemoteMessage statistics(wire::RemoteStatistics& from) {
    RemoteStatistics to{.id = from.id(), .tiers = {}};
    for (const wire::RemoteTier& tier : from.tiers())
      to.tiers.push_back({.url = tier.url(),
                          .state = tier.state(),
                          .hits = tier.hits(),
                          .misses = tier.misses(),
                          .errors = tier.errors(),
                          .not_signed = tier.not_signed(),
                          .untrusted = tier.untrusted(),
                          .written = tier.written(),
                          .write_errors = tier.write_errors(),
                          .bytes_read = tier.bytes_read(),
                          .bytes_written = tier.bytes_written(),
                          .median_us = tier.median_us(),
                          .writing = tier.writing(),
                          .bytes_sent = tier.bytes_sent(),
                          .write_trouble = tier.write_trouble()});
    return to;
  }

  std::optional<RemoteMessage> message(wire::RemoteEnvelope& from) {
    using wire::RemoteEnvelope;
    switch (from.message_case()) {
      case RemoteEnvelope::kConfigure:
        return RemoteConfigure{
            .urls = {from.configure().urls().begin(), from.configure().urls().end()},
            .trusted_keys = {from.configure().trusted_keys().begin(), from.configure().trusted_keys().end()},
            .signing_key = from.configure().signing_key()};
      case RemoteEnvelope::kQuestions:
        return questions(*from.mutable_questions());
      case RemoteEnvelope::kStage: {
        wire::RemoteBlob& blob = *from.mutable_stage()->mutable_blob();
        return RemoteStage{from.stage().publication(), {digest(blob.digest()), content(blob)}};
      }
      case RemoteEnvelope::kPublish:
        return publish(*from.mutable_publish());
      case RemoteEnvelope::kAskStatistics:
        return RemoteAskStatistics{from.ask_statistics().id(), from.ask_statistics().zero()};
      case RemoteEnvelope::kAnswer:
        return answer(*from.mutable_answer());
      case RemoteEnvelope::kPublished:
        return RemotePublished{from.published().publication(), from.published().error()};
      case RemoteEnvelope::kStatistics:
        return statistics(*from.mutable_statistics());
      case RemoteEnvelope::kNote:
        return RemoteNote{from.note().is_warning(), from.note().text()};
      case RemoteEnvelope::kSelect:
        return RemoteSelect{{from.select().archs().begin(), from.select().archs().end()}, from.select().used_since()};
      case RemoteEnvelope::kTally:
        return RemoteTally{from.tally().results(), from.tally().known(), from.tally().left_out(), from.tally().error()};
      case RemoteEnvelope::kAccepted:
        return RemoteAccepted{from.accepted().error()};
      case RemoteEnvelope::MESSAGE_NOT_SET:
        break;
    }
    return std::nullopt;
  }

 private:
  const std::string* bulk_;
  bool good_ = true;
};

}  // namespace

std::uint64_t remote_tag(const Digest& result_key) {
  std::uint64_t tag = 0;
  for (const char byte : result_key.bytes().substr(0, sizeof tag)) tag = tag << 8 | static_cast<unsigned char>(byte);
  return tag;
}

std::string encode(const RemoteMessage& message, const std::string** bulk) {
  wire::RemoteEnvelope envelope;
  *bulk = nullptr;
  std::visit([&](const auto& one) { put(one, envelope, bulk); }, message);
  return envelope.SerializeAsString();
}

Result<RemoteMessage> decode_remote(const std::string& bytes, const std::string* bulk) {
  wire::RemoteEnvelope envelope;
  if (!envelope.ParseFromString(bytes)) return Error{"a message of hipcache-remote is damaged", ErrorCode::damaged};
  Taker taker(bulk);
  std::optional<RemoteMessage> message = taker.message(envelope);
  if (!message || !taker.good()) return Error{"a message of hipcache-remote is damaged", ErrorCode::damaged};
  return std::move(*message);
}

Status send(Channel& channel, const RemoteMessage& message, std::chrono::milliseconds deadline) {
  const std::string* bulk = nullptr;
  const std::string bytes = encode(message, &bulk);
  if (bulk == nullptr) return channel.send_bytes(bytes, {}, deadline);
  const Result<UniqueFd> file = sealed_memory(*bulk, "hipcache-remote");
  if (!file) return file.error();
  return channel.send_bytes(bytes, {file->get()}, deadline);
}

Result<RemoteMessage> receive_remote(Channel& channel, std::chrono::milliseconds deadline) {
  Result<ReceivedBytes> received = channel.receive_bytes(deadline);
  if (!received) return received.error();
  if (received->descriptors.empty()) return decode_remote(received->bytes, nullptr);
  const int file = received->descriptors.front().get();
  if (lseek(file, 0, SEEK_SET) != 0) return system_error("cannot read", "a blob");  // the sender wrote up to its end
  const Result<std::string> bulk = read_fd(file, kBlobLimit, "a blob");
  if (!bulk) return bulk.error();
  return decode_remote(received->bytes, &*bulk);
}

}  // namespace hipcache::protocol
