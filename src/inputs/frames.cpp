#include "hipcache/inputs/frames.h"

namespace hipcache::inputs {
namespace {

constexpr unsigned kVarintBits = 7;
constexpr unsigned kMaxShift = 63;  // the tenth byte of a 64-bit varint holds one bit

}  // namespace

FrameWriter& FrameWriter::byte(std::uint8_t value) {
  bytes_.push_back(static_cast<char>(value));
  return *this;
}

FrameWriter& FrameWriter::number(std::uint64_t value) {
  while (value >= 0x80) {
    byte(static_cast<std::uint8_t>(value | 0x80));
    value >>= kVarintBits;
  }
  return byte(static_cast<std::uint8_t>(value));
}

FrameWriter& FrameWriter::text(std::string_view value) { return number(value.size()).raw(value); }

FrameWriter& FrameWriter::raw(std::string_view value) {
  bytes_.append(value);
  return *this;
}

std::uint8_t FrameReader::byte() {
  const std::string_view one = raw(1);
  return one.empty() ? 0 : static_cast<std::uint8_t>(one.front());
}

std::uint64_t FrameReader::number() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift <= kMaxShift; shift += kVarintBits) {
    const std::uint64_t next = byte();
    if (failed_ || (shift == kMaxShift && next > 1)) break;
    value |= (next & 0x7f) << shift;
    if (next < 0x80) {
      if (next == 0 && shift > 0) break;  // an overlong encoding of a smaller number
      return value;
    }
  }
  failed_ = true;
  return 0;
}

std::string_view FrameReader::text() { return raw(number()); }

std::string_view FrameReader::raw(std::uint64_t length) {
  if (failed_ || length > rest_.size()) {
    failed_ = true;
    return {};
  }
  const std::string_view bytes = rest_.substr(0, length);
  rest_.remove_prefix(length);
  return bytes;
}

}  // namespace hipcache::inputs
