#include "store/local/database/framing.h"

#include "hipcache/base/checksum.h"

namespace hipcache::store {
namespace {

constexpr char kFrameVersion = 2;
constexpr std::size_t kChecksumSize = 8;
constexpr std::size_t kFrameHeader = 1 + kChecksumSize;
constexpr std::size_t kUseSize = 8;

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
