#include "remote/reapi/blobs.h"

#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <random>
#include <utility>
#include <variant>
#include <vector>

#include "bytestream.pb.h"
#include "remote/layout/sha256.h"
#include "remote/layout/values.h"

namespace hipcache::remote {

namespace {

constexpr const char* kFindMissingBlobs = "/build.bazel.remote.execution.v2.ContentAddressableStorage/FindMissingBlobs";
constexpr const char* kBatchUpdateBlobs = "/build.bazel.remote.execution.v2.ContentAddressableStorage/BatchUpdateBlobs";
constexpr const char* kRead = "/google.bytestream.ByteStream/Read";
constexpr const char* kWrite = "/google.bytestream.ByteStream/Write";
constexpr std::size_t kPiece = 256u << 10;
constexpr std::uint64_t kStreamFrom = 64u << 10;  // compressed on the way, which pays
constexpr std::uint64_t kFraming = 256;           // of a batch's entry
constexpr std::size_t kHashBytes = 32;
constexpr std::string_view kDigits = "0123456789abcdef";

using BatchUpdateCall = UnaryCall<wire::BatchUpdateBlobsRequest, wire::BatchUpdateBlobsResponse>;

std::string blob_path(const BlobName& name, bool zstd) {
  return (zstd ? "compressed-blobs/zstd/" : "blobs/") + name.hash + "/" + std::to_string(name.size);
}

std::string under_instance(const Connection& connection, const std::string& path) {
  return connection.instance().empty() ? path : connection.instance() + "/" + path;
}

// A version 4 UUID, which the name of an upload needs.
std::string make_uuid() {
  thread_local std::mt19937_64 random{std::random_device{}()};
  const unsigned long long high = (random() & ~0xF000ULL) | 0x4000ULL;
  const unsigned long long low = (random() & ~(3ULL << 62U)) | (2ULL << 62U);
  std::array<char, 37> text{};
  std::snprintf(text.data(), text.size(), "%08llx-%04llx-%04llx-%04llx-%012llx", high >> 32U, (high >> 16U) & 0xFFFFU,
                high & 0xFFFFU, low >> 48U, low & 0xFFFF'FFFF'FFFFULL);
  return text.data();
}

Failure damaged(const std::string& what) { return {Trouble::damaged, what, {}}; }

// What a blob is on the way to the sink: plain, or zstd frames, of which a server may make several. Never gives the
// sink more than the blob's size.
class Unpacker {
 public:
  Unpacker(std::uint64_t size, bool zstd, const BlobSink& sink)
      : left_(size), sink_(sink), stream_(zstd ? ZSTD_createDStream() : nullptr), is_plain_(!zstd) {}
  ~Unpacker() { ZSTD_freeDStream(stream_); }
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  // False if no more is wanted: is_stopped(), or the pieces are no such blob.
  bool take(std::string_view piece) { return is_plain_ ? pass(piece) : unpack(piece); }
  bool is_complete() const { return left_ == 0 && frame_left_ == 0; }
  bool is_stopped() const { return is_stopped_; }

 private:
  bool unpack(std::string_view piece) {
    if (stream_ == nullptr) return false;
    if (piece.empty()) return true;
    std::string unpacked(ZSTD_DStreamOutSize(), '\0');
    ZSTD_inBuffer in{piece.data(), piece.size(), 0};
    ZSTD_outBuffer out{};
    do {  // a full buffer: the frame may hold more
      out = {unpacked.data(), unpacked.size(), 0};
      frame_left_ = ZSTD_decompressStream(stream_, &out, &in);
      if (ZSTD_isError(frame_left_) != 0U || !pass({unpacked.data(), out.pos})) return false;
    } while (in.pos < in.size || out.pos == out.size);
    return true;
  }

  bool pass(std::string_view bytes) {
    if (bytes.size() > left_) return false;
    left_ -= bytes.size();
    is_stopped_ = !bytes.empty() && !sink_(bytes);
    return !is_stopped_;
  }

  std::uint64_t left_;
  const BlobSink& sink_;
  ZSTD_DStream* const stream_;
  const bool is_plain_;
  std::size_t frame_left_ = 0;
  bool is_stopped_ = false;
};

// A server that has the blob already ends the call early: then a step fails, and the end is good.
WriteAnswer write_blob(Connection& connection, const BlobName& name, const std::string& bytes, bool zstd,
                       const Limits& limits) {
  auto opened = Stream::open(connection, kWrite, limits);
  if (auto* failure = std::get_if<Failure>(&opened)) return std::move(*failure);
  Stream& stream = *std::get<std::unique_ptr<Stream>>(opened);
  const std::string frame = zstd ? compressed(bytes) : std::string();
  const bool is_compressed = !frame.empty();
  const std::string& sent = is_compressed ? frame : bytes;
  bool goes_on = true;
  for (std::size_t at = 0; goes_on && at < sent.size(); at += kPiece) {
    google::bytestream::WriteRequest piece;
    if (at == 0)
      piece.set_resource_name(
          under_instance(connection, "uploads/" + make_uuid() + "/" + blob_path(name, is_compressed)));
    piece.set_write_offset(static_cast<std::int64_t>(at));
    piece.set_data(sent.substr(at, kPiece));
    piece.set_finish_write(at + kPiece >= sent.size());
    goes_on = stream.send(piece.SerializeAsString());
  }
  if (goes_on) stream.close();
  google::bytestream::WriteResponse response;
  const std::optional<std::string> answer = stream.receive();
  const bool is_read = answer && response.ParseFromString(*answer);
  const RpcEnd end = stream.finish();

  if (!is_ok(end)) return failure_of(end, Direction::write);
  // Servers differ in what they say of compressed uploads.
  if (!is_read || (!is_compressed && response.committed_size() != static_cast<std::int64_t>(bytes.size())))
    return Failure{Trouble::unreachable, "the server took a part of a blob only", {}};
  return {Written{}, sent.size()};
}

WriteAnswer send_batch(Connection& connection, std::span<const Upload* const> uploads, const Limits& limits) {
  BatchUpdateCall call(kBatchUpdateBlobs);
  call.request.set_instance_name(connection.instance());
  std::uint64_t bytes = 0;
  for (const Upload* upload : uploads) {
    auto& request = *call.request.add_requests();
    set(*request.mutable_digest(), upload->name);
    request.set_data(*upload->bytes);
    bytes += upload->bytes->size();
  }
  run(call, connection, limits);
  if (!call.ok()) return call.failure(Direction::write);
  for (const auto& response : call.response.responses())
    if (response.status().code() != 0)
      return failure_of(static_cast<RpcCode>(response.status().code()), Direction::write);
  if (static_cast<std::size_t>(call.response.responses_size()) < uploads.size())
    return Failure{Trouble::unreachable, "the server did not answer for each blob of a batch", {}};
  return {Written{}, bytes};
}

}  // namespace

// Without memory the name is invalid, and nothing is written.
BlobName blob_name_of(std::string_view bytes) { return {.hash = hex_of(sha256(bytes)), .size = bytes.size()}; }

bool is_valid(const BlobName& name) {
  return name.hash.size() == 2 * kHashBytes && name.hash.find_first_not_of(kDigits) == std::string::npos;
}

void set(wire::Digest& digest, const BlobName& name) {
  digest.set_hash(name.hash);
  digest.set_size_bytes(static_cast<std::int64_t>(name.size));
}

std::optional<BlobName> name_in(const wire::Digest& digest) {
  if (digest.size_bytes() < 0) return std::nullopt;
  BlobName name{.hash = digest.hash(), .size = static_cast<std::uint64_t>(digest.size_bytes())};
  return is_valid(name) ? std::optional(std::move(name)) : std::nullopt;
}

WriteAnswer read_blob_into(Connection& connection, const BlobName& name, bool zstd, const BlobSink& sink,
                           const Limits& limits) {
  auto opened = Stream::open(connection, kRead, limits);
  if (auto* failure = std::get_if<Failure>(&opened)) return std::move(*failure);
  Stream& stream = *std::get<std::unique_ptr<Stream>>(opened);
  google::bytestream::ReadRequest request;
  request.set_resource_name(under_instance(connection, blob_path(name, zstd)));
  Unpacker unpacker(name.size, zstd, sink);
  std::uint64_t received = 0;
  bool is_good = true;
  if (stream.send(request.SerializeAsString()) && stream.close()) {
    google::bytestream::ReadResponse piece;
    std::optional<std::string> message;
    while (is_good && (message = stream.receive())) {
      is_good = piece.ParseFromString(*message) && unpacker.take(piece.data());
      received += piece.data().size();
    }
    if (!is_good) stream.cancel();
  }
  const RpcEnd end = stream.finish();

  if (unpacker.is_stopped()) return Failure{Trouble::unreachable, "the blob is no longer wanted", {}};
  if (!is_good) return damaged("a blob is larger than its name says, or its zstd frames cannot be read");
  if (is_miss(end)) return {};
  if (!is_ok(end)) return failure_of(end, Direction::read);
  if (!unpacker.is_complete()) return damaged("a blob is shorter than its name says");
  return {Written{}, received};
}

Answer<std::string> read_blob(Connection& connection, const BlobName& name, bool zstd, const Limits& limits) {
  std::string bytes;
  const auto append = [&bytes](std::string_view piece) {
    bytes += piece;
    return true;
  };
  WriteAnswer read = read_blob_into(connection, name, zstd, append, limits);
  if (read.failure) return std::move(*read.failure);
  if (!read.value) return {};
  return {std::move(bytes), read.bytes};
}

std::unique_ptr<FindMissingCall> find_missing(const Connection& connection, std::span<const BlobName> names) {
  auto call = std::make_unique<FindMissingCall>(kFindMissingBlobs);
  call->request.set_instance_name(connection.instance());
  for (const BlobName& name : names) set(*call->request.add_blob_digests(), name);
  return call;
}

WriteAnswer send_blobs(Connection& connection, const Capabilities& server, std::span<const Upload> uploads,
                       const Limits& limits) {
  std::vector<const Upload*> batch;
  std::uint64_t batched = 0;
  WriteAnswer all;
  const auto add = [&all](const WriteAnswer& sent) {
    if (sent.value) all = WriteAnswer(Written{}, all.bytes + sent.bytes);
    return sent.failure;
  };
  for (const Upload& upload : uploads) {
    const std::uint64_t size = upload.bytes->size();
    if (!is_valid(upload.name)) return Failure{Trouble::full, "no memory", {}};
    if (size > server.largest_blob) return Failure{Trouble::full, "the blob exceeds the server's limit", {}};
    if (size >= kStreamFrom || size + kFraming > server.batch_bytes) {
      if (auto failure = add(write_blob(connection, upload.name, *upload.bytes, server.has_zstd, limits)))
        return *failure;
      continue;
    }
    if (batched + size + kFraming > server.batch_bytes || batch.size() == kMostNames) {
      if (auto failure = add(send_batch(connection, batch, limits))) return *failure;
      batch.clear();
      batched = 0;
    }
    batch.push_back(&upload);
    batched += size + kFraming;
  }
  if (batch.empty()) return all;
  if (auto failure = add(send_batch(connection, batch, limits))) return *failure;
  return all;
}

WriteAnswer put_blobs(Connection& connection, const Capabilities& server, std::span<const Upload> uploads,
                      const Limits& limits) {
  std::vector<BlobName> names;
  for (const Upload& upload : uploads) names.push_back(upload.name);
  const auto missing = find_missing(connection, names);
  run(*missing, connection, limits);
  if (!missing->ok()) return missing->failure(Direction::write);
  std::vector<Upload> wanted;
  for (const auto& digest : missing->response.missing_blob_digests()) {
    const auto named = [&](const Upload& upload) { return upload.name.hash == digest.hash(); };
    const auto upload = std::find_if(uploads.begin(), uploads.end(), named);
    if (upload != uploads.end()) wanted.push_back(*upload);
  }
  return send_blobs(connection, server, wanted, limits);
}

}  // namespace hipcache::remote
