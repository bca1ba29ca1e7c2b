#include "protocol/wire.h"

#include <limits>

#include "hipcache/base/result.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::protocol {
namespace {

constexpr int kTypeBits = 3;

void append_varint(std::string& bytes, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>(number | 0x80);
  bytes += static_cast<char>(number);
}

std::uint64_t fixed64(std::string_view bytes) {
  std::uint64_t number = 0;
  for (std::size_t index = 0; index < sizeof number; ++index)
    number |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[index])) << (8 * index);
  return number;
}

}  // namespace

void WireWriter::put_varint(std::uint64_t number) { append_varint(bytes_, number); }

void WireWriter::put_tag(unsigned field, WireType type) {
  put_varint(field << kTypeBits | static_cast<unsigned>(type));
}

void WireWriter::put_number(unsigned field, std::uint64_t number) {
  put_tag(field, WireType::number);
  put_varint(number);
}

void WireWriter::put_text(unsigned field, std::string_view text) {
  put_tag(field, WireType::bytes);
  put_varint(text.size());
  bytes_ += text;
}

void WireWriter::put_size_before(std::size_t begin) {
  std::string size;
  append_varint(size, bytes_.size() - begin);
  bytes_.insert(begin, size);
}

// Protobuf's sint32: the sign is the lowest bit.
void WireWriter::operator()(unsigned field, const std::int32_t& number) {
  const auto bits = static_cast<std::uint32_t>(number);
  (*this)(field, bits << 1 ^ (number < 0 ? ~0u : 0u));
}

void WireWriter::operator()(unsigned field, const std::string& text) {
  if (!text.empty()) put_text(field, text);
}

void WireWriter::operator()(unsigned field, const std::optional<std::string>& text) {
  if (text) put_text(field, *text);
}

void WireWriter::operator()(unsigned field, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) put_text(field, text);
}

void WireWriter::operator()(unsigned field, const std::vector<std::uint64_t>& numbers) {
  std::string packed;
  for (const std::uint64_t number : numbers) {
    for (std::size_t index = 0; index < sizeof number; ++index) packed += static_cast<char>(number >> (8 * index));
  }
  (*this)(field, packed);
}

void WireWriter::operator()(unsigned field, const Digest& digest) { put_text(field, digest.view()); }

void WireWriter::content(unsigned field, const std::string& text) {
  if (text.size() > kContentLimit && bulk_ == nullptr)
    bulk_ = &text;
  else
    put_text(field, text);
}

bool WireReader::next() {
  if (is_damaged_ || bytes_.empty()) return false;
  const std::uint64_t tag = take_varint();
  field_ = tag >> kTypeBits;
  type_ = static_cast<WireType>(tag & ((1u << kTypeBits) - 1));
  is_damaged_ = is_damaged_ || field_ == 0 || tag > std::numeric_limits<std::uint32_t>::max();
  switch (type_) {
    case WireType::number:
      number_ = take_varint();
      break;
    case WireType::fixed64:
      take_bytes(8);
      break;
    case WireType::bytes:
      text_ = take_bytes(take_varint());
      break;
    case WireType::fixed32:
      take_bytes(4);
      break;
    default:
      is_damaged_ = true;
  }
  return !is_damaged_;
}

bool WireReader::is_here(unsigned field, WireType type) {
  if (is_at_end_ || field_ != field || type_ != type) return false;
  seen_ |= std::uint64_t{1} << field;
  return true;
}

std::uint64_t WireReader::take_varint() {
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < 64 && !bytes_.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes_.front());
    bytes_.remove_prefix(1);
    if (shift == 63 && byte > 1) break;
    number |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return number;
  }
  is_damaged_ = true;
  return 0;
}

std::string_view WireReader::take_bytes(std::uint64_t size) {
  if (size > bytes_.size()) {
    is_damaged_ = true;
    return {};
  }
  const std::string_view taken = bytes_.substr(0, size);
  bytes_.remove_prefix(size);
  return taken;
}

void WireReader::operator()(unsigned field, std::int32_t& number) {
  if (!is_here(field, WireType::number)) return;
  const auto folded = static_cast<std::uint32_t>(number_);
  number = static_cast<std::int32_t>(folded >> 1 ^ ((folded & 1) != 0 ? ~0u : 0u));
}

void WireReader::operator()(unsigned field, std::string& text) {
  if (is_here(field, WireType::bytes)) text = text_;
}

void WireReader::operator()(unsigned field, std::optional<std::string>& text) {
  if (is_here(field, WireType::bytes)) text.emplace(text_);
}

void WireReader::operator()(unsigned field, std::vector<std::string>& texts) {
  if (is_here(field, WireType::bytes)) texts.emplace_back(text_);
}

void WireReader::operator()(unsigned field, std::vector<std::uint64_t>& numbers) {
  if (!is_here(field, WireType::bytes)) return;
  is_damaged_ = is_damaged_ || text_.size() % sizeof(std::uint64_t) != 0;
  for (std::string_view rest = text_; rest.size() >= sizeof(std::uint64_t); rest.remove_prefix(sizeof(std::uint64_t)))
    numbers.push_back(fixed64(rest));
}

void WireReader::operator()(unsigned field, Digest& digest) {
  is_damaged_ = is_damaged_ || is_missing(field);
  if (!is_here(field, WireType::bytes)) return;
  const Result<Digest> read = Digest::from_bytes(text_);
  is_damaged_ = is_damaged_ || !read.ok();
  if (read) digest = *read;
}

void WireReader::content(unsigned field, std::string& text) {
  (*this)(field, text);
  if (!is_missing(field)) return;
  is_damaged_ = is_damaged_ || bulk_ == nullptr;
  if (bulk_ != nullptr) text = *bulk_;
}

}  // namespace hipcache::protocol
