#include "remote/reapi/blob_stream.h"

#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <random>
#include <utility>

#include "bytestream.pb.h"
#include "remote/layout/sha256.h"
#include "remote/reapi/rpc/calls.h"

namespace hipcache::remote {

namespace {

constexpr std::size_t kHashBytes = 32;
constexpr std::string_view kDigits = "0123456789abcdef";

}  // namespace

// Without memory the name is invalid, and nothing is written.
BlobName blob_name_of(std::string_view bytes) { return {.hash = hex_of(sha256(bytes)), .size = bytes.size()}; }

bool is_valid(const BlobName& name) {
  return name.hash.size() == 2 * kHashBytes && name.hash.find_first_not_of(kDigits) == std::string::npos;
}

void KnownNames::add(const Digest& digest, const BlobName& name) {
  const std::lock_guard lock(mutex_);
  if (!names_.insert_or_assign(digest, name).second) return;
  order_.push_back(digest);
  while (order_.size() > kMost) {
    names_.erase(order_.front());
    order_.pop_front();
  }
}

std::optional<BlobName> KnownNames::find(const Digest& digest) const {
  const std::lock_guard lock(mutex_);
  const auto known = names_.find(digest);
  return known == names_.end() ? std::nullopt : std::optional(known->second);
}

void KnownNames::forget(const Digest& digest) {
  const std::lock_guard lock(mutex_);
  if (names_.erase(digest) == 0) return;
  order_.erase(std::find(order_.begin(), order_.end(), digest));
}

namespace {

constexpr const char* kRead = "/google.bytestream.ByteStream/Read";
constexpr const char* kWrite = "/google.bytestream.ByteStream/Write";
constexpr std::size_t kPiece = 256u << 10;
constexpr int kLevel = 3;

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

std::string compressed(const std::string& bytes) {
  std::string frame(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size = ZSTD_compress(frame.data(), frame.size(), bytes.data(), bytes.size(), kLevel);
  frame.resize(ZSTD_isError(size) != 0U ? 0 : size);
  return frame;
}

}  // namespace

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

}  // namespace hipcache::remote
