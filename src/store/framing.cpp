#include "store/framing.h"

#include <algorithm>

#include "hipcache/base/checksum.h"

namespace hipcache::store {
namespace {

constexpr char kFrameVersion = 2;
constexpr std::size_t kChecksumSize = 8;
constexpr std::size_t kFrameHeader = 1 + kChecksumSize;
constexpr std::size_t kUseSize = 8;

// u8 version, u8 number of sets, then for each: id, blob. Version 2: digests of 32 bytes.
constexpr char kListVersion = 2;
constexpr std::size_t kListHeader = 2;
constexpr std::size_t kSetBytes = 2 * Digest::kSize;

std::string frame_checksum(const Digest& key, std::string_view value) {
  return checksum_bytes(checksum_of(value, key.prefix()));
}

void append_u32(std::string& bytes, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>((number >> shift) & 0xff));
}

std::uint32_t read_u32(std::string_view bytes) {
  std::uint32_t number = 0;
  for (const char byte : bytes.substr(0, 4)) number = (number << 8) | static_cast<unsigned char>(byte);
  return number;
}

}  // namespace

std::string frame_action(const Digest& key, std::string_view value) {
  std::string frame;
  frame.reserve(kFrameHeader + value.size());
  frame.push_back(kFrameVersion);
  frame += frame_checksum(key, value);
  frame += value;
  return frame;
}

std::optional<std::string> unframe_action(const Digest& key, std::string frame) {
  if (frame.size() < kFrameHeader || frame[0] != kFrameVersion) return std::nullopt;
  const std::string_view bytes = frame;
  const std::string_view value = bytes.substr(kFrameHeader);
  if (bytes.substr(1, kChecksumSize) != frame_checksum(key, value)) return std::nullopt;
  frame.erase(0, kFrameHeader);
  return frame;
}

// One entry per set id: if the same questions are compressed differently, the newer blob replaces the older.
bool PathSetList::move_to_front(const PathSetReference& set) {
  if (!sets_.empty() && sets_.front() == set) return false;
  std::erase_if(sets_, [&](const PathSetReference& other) { return other.id == set.id; });
  sets_.insert(sets_.begin(), set);
  if (sets_.size() > kMaxPathSets) sets_.resize(kMaxPathSets);
  return true;
}

std::string PathSetList::encode() const {
  std::string bytes;
  bytes.push_back(kListVersion);
  bytes.push_back(static_cast<char>(sets_.size()));
  for (const PathSetReference& set : sets_) bytes += set.id.bytes() + set.blob.bytes();
  return bytes;
}

Result<PathSetList> PathSetList::decode(std::string_view bytes) {
  if (bytes.size() < kListHeader || bytes[0] != kListVersion || static_cast<unsigned char>(bytes[1]) > kMaxPathSets)
    return Error{"list of path sets: it is of another version or damaged; the entry is dropped"};
  const auto count = std::size_t{static_cast<unsigned char>(bytes[1])};
  if (bytes.size() != kListHeader + count * kSetBytes)
    return Error{"list of path sets: it is shorter or longer than its number of sets; the entry is dropped"};
  PathSetList list;
  for (std::size_t at = kListHeader; at < bytes.size(); at += kSetBytes) {
    const Result<Digest> id = Digest::from_bytes(bytes.substr(at, Digest::kSize));
    const Result<Digest> blob = Digest::from_bytes(bytes.substr(at + Digest::kSize, Digest::kSize));
    if (!id || !blob) return Error{"list of path sets: a digest is damaged; the entry is dropped"};
    list.sets_.push_back({*id, *blob});
  }
  return list;
}

std::string encode_use_key(const UseKey& key) { return (key.table == Table::actions ? "a" : "b") + key.digest.bytes(); }

std::optional<UseKey> decode_use_key(std::string_view bytes) {
  if (bytes.size() != 1 + Digest::kSize || (bytes[0] != 'a' && bytes[0] != 'b')) return std::nullopt;
  const auto digest = Digest::from_bytes(bytes.substr(1));
  if (!digest) return std::nullopt;
  return UseKey{bytes[0] == 'a' ? Table::actions : Table::blobs, *digest};
}

std::string encode_use(const Use& use) {
  std::string bytes;
  append_u32(bytes, use.seconds);
  append_u32(bytes, use.size | (use.has_bases != 0 ? ~Use::kLargestSize : 0));
  return bytes;
}

std::optional<Use> decode_use(std::string_view bytes) {
  if (bytes.size() != kUseSize) return std::nullopt;
  const std::uint32_t second = read_u32(bytes.substr(4));
  return Use{read_u32(bytes), second & Use::kLargestSize, second >> 31};
}

}  // namespace hipcache::store
