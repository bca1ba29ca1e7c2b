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
  archive(4, configure.execute);
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

void fields(auto& archive, Of<ExecuteInput> auto& input) {
  archive(1, input.path);
  archive(2, input.kind, ExecuteInputKind::link, "an input of unknown kind ");
  archive(3, input.target);
  archive(4, input.is_executable);
  archive(5, input.source);
  archive(6, input.contents);
  archive(7, input.sha256);
  archive(8, input.size);
}

void fields(auto& archive, Of<RemoteExecute> auto& execute) {
  archive(1, execute.id);
  archive(2, execute.argv);
  archive(3, execute.environment);
  archive(4, execute.working_directory);
  archive(5, execute.inputs);
  archive(6, execute.outputs);
  archive(7, execute.platform);
  archive(8, execute.deadline_ms);
  archive(9, execute.queue_limit_ms);
  archive(10, execute.output_directory);
}

void fields(auto& archive, Of<RemoteCancel> auto& cancel) { archive(1, cancel.id); }

void fields(auto& archive, Of<RemoteExecuteEvent> auto& event) {
  archive(1, event.id);
  archive(2, event.state, ExecuteState::executing, "an execution in unknown state ");
}

void fields(auto& archive, Of<ExecuteOutput> auto& output) {
  archive(1, output.path);
  archive(2, output.file);
  archive(3, output.size);
  archive(4, output.sha256);
}

void fields(auto& archive, Of<HashedInput> auto& input) {
  archive(1, input.path);
  archive(2, input.sha256);
  archive(3, input.size);
}

void fields(auto& archive, Of<RemoteExecuted> auto& executed) {
  archive(1, executed.id);
  archive(2, executed.outcome, ExecuteOutcome::failed, "an execution with unknown outcome ");
  archive(3, executed.detail);
  archive(4, executed.exit_code);
  archive(5, executed.stdout_text);
  archive(6, executed.stderr_text);
  archive(7, executed.outputs);
  archive(8, executed.hashed);
  archive(9, executed.worker);
  archive(10, executed.queue_us);
  archive(11, executed.staging_us);
  archive(12, executed.execution_us);
  archive(13, executed.upload_us);
  archive(14, executed.bytes_sent);
  archive(15, executed.bytes_received);
}

void fields(auto& archive, Of<RemoteEngineQuestion> auto& question) { archive(1, question.id); }

void fields(auto& archive, Of<RemoteEngineAnswer> auto& answer) {
  archive(1, answer.id);
  archive(2, answer.ok);
  archive(3, answer.detail);
  archive(4, answer.version);
}

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
