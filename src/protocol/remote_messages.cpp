#include "hipcache/protocol/remote_messages.h"

#include <unistd.h>

#include <optional>
#include <utility>

#include "protocol/wire.h"

namespace hipcache::protocol {

// The fields of each kind of message (wire.h). Numbers are never reused.

void fields(auto& archive, Of<RemotePathSet> auto& set) {
  archive(1, set.id);
  archive(2, set.bytes);
  archive(3, set.tags);
}

void fields(auto& archive, Of<RemoteBlob> auto& blob) {
  archive(1, blob.digest);
  archive.content(2, blob.bytes);
}

void fields(auto& archive, Of<RemoteResult> auto& result) {
  archive(1, result.action);
  archive(2, result.blobs);
}

void fields(auto& archive, Of<RemoteConfigure> auto& configure) {
  archive(1, configure.urls);
  archive(2, configure.trusted_keys);
  archive(3, configure.signing_key);
}

void fields(auto& archive, Of<RemoteQuestion> auto& question) {
  archive(1, question.id);
  archive(2, question.kind, RemoteKey::blob, "a question of unknown kind ");
  archive(3, question.key);
  archive(4, question.size);
  archive(5, question.skip);
}

void fields(auto& archive, Of<RemoteQuestions> auto& questions) { archive(1, questions.questions); }

void fields(auto& archive, Of<RemoteStage> auto& stage) {
  archive(1, stage.publication);
  archive(2, stage.blob);
}

void fields(auto& archive, Of<RemotePublish> auto& publish) {
  archive(1, publish.publication);
  archive(2, publish.key);
  archive(3, publish.result_key);
  archive(4, publish.action);
  archive(5, publish.path_set);
}

void fields(auto& archive, Of<RemoteAskStatistics> auto& ask) {
  archive(1, ask.id);
  archive(2, ask.zero);
}

// A blob without its digest: whoever asked for it knows the digest.
template <typename Bytes>
struct BlobContent {
  Bytes& bytes;
};

template <typename Bytes>
void fields(auto& archive, const BlobContent<Bytes>& blob) {
  archive.content(2, blob.bytes);
}

void fields(auto& archive, Of<RemoteAnswer> auto& answer) {
  archive(1, answer.id);
  archive(2, answer.found);
  archive(3, answer.list);
  archive(4, answer.result);
  BlobContent blob{answer.blob};
  archive(5, blob);
  archive(6, answer.failed);
  archive(7, answer.asked);
}

void fields(auto& archive, Of<RemotePublished> auto& published) {
  archive(1, published.publication);
  archive(2, published.error);
}

void fields(auto& archive, Of<RemoteTier> auto& tier) {
  archive(1, tier.url);
  archive(2, tier.state);
  archive(3, tier.hits);
  archive(4, tier.misses);
  archive(5, tier.errors);
  archive(6, tier.written);
  archive(7, tier.write_errors);
  archive(8, tier.bytes_read);
  archive(9, tier.bytes_written);
  archive(10, tier.median_us);
  archive(11, tier.not_signed);
  archive(12, tier.untrusted);
  archive(13, tier.writing);
  archive(14, tier.bytes_sent);
  archive(15, tier.write_trouble);
}

void fields(auto& archive, Of<RemoteStatistics> auto& statistics) {
  archive(1, statistics.id);
  archive(2, statistics.tiers);
}

void fields(auto& archive, Of<RemoteNote> auto& note) {
  archive(1, note.is_warning);
  archive(2, note.text);
}

void fields(auto& archive, Of<RemoteSelect> auto& select) {
  archive(1, select.archs);
  archive(2, select.used_since);
}

void fields(auto& archive, Of<RemoteTally> auto& tally) {
  archive(1, tally.results);
  archive(2, tally.known);
  archive(3, tally.left_out);
  archive(4, tally.error);
}

void fields(auto& archive, Of<RemoteAccepted> auto& accepted) { archive(1, accepted.error); }

std::uint64_t remote_tag(const Digest& result_key) {
  std::uint64_t tag = 0;
  for (const char byte : result_key.bytes().substr(0, sizeof tag)) tag = tag << 8 | static_cast<unsigned char>(byte);
  return tag;
}

std::string encode(const RemoteMessage& message, const std::string** bulk) {
  WireWriter writer;
  writer.one_of(message);
  *bulk = writer.bulk();
  return std::move(writer).bytes();
}

Result<RemoteMessage> decode_remote(const std::string& bytes, const std::string* bulk) {
  WireReader reader(bytes, bulk);
  std::optional<RemoteMessage> message;
  reader.one_of(message);
  if (reader.is_damaged() || !reader.unknown().empty() || !message)
    return Error{"a message of hipcache-remote is damaged", ErrorCode::damaged};
  return std::move(*message);
}

namespace {

constexpr std::uint64_t kBlobLimit = 2ull << 30;  // of one that comes as a descriptor

}  // namespace

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
