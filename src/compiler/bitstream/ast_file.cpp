#include "hipcache/compiler/ast_file.h"

#include <cstddef>
#include <cstdint>

#include "compiler/bitstream/bitstream.h"

namespace hipcache::compiler {
namespace {

// From clang's ASTBitCodes.h; unchanged since clang 9.
constexpr std::uint32_t kMagic = 0x48435043;  // "CPCH"
constexpr unsigned kControlBlock = 15;
constexpr unsigned kInputFilesBlock = 16;
constexpr unsigned kInputFile = 1;  // code of the record: id, size, time, ...
constexpr std::size_t kTime = 2;    // index among its operands
constexpr unsigned kAstBlock = 8;
constexpr unsigned kEagerDeclarations = 6;  // code of the record: numbers of declarations
constexpr unsigned kNumberBits = 6;         // of each group of bits of a number without an abbreviation

// The list is in the control block. What comes behind that may be cut off.
class Headers : public BitVisitor {
 public:
  bool skips(unsigned block) override { return is_complete_ || (block != kControlBlock && block != kInputFilesBlock); }
  void begin(unsigned /*block*/, unsigned /*depth*/) override {}
  void end(unsigned block, unsigned /*depth*/) override { is_complete_ = is_complete_ || block == kControlBlock; }

  bool take(BitRecord& record) override {
    if (record.block != kInputFilesBlock || record.code != kInputFile || record.operands.size() <= kTime) return true;
    has_headers_ = true;
    has_times_ = has_times_ || record.operands[kTime] != 0;
    return true;
  }

  bool lack_times() const { return is_complete_ && has_headers_ && !has_times_; }

 private:
  bool is_complete_ = false;
  bool has_headers_ = false;
  bool has_times_ = false;
};

class EagerRecord : public BitVisitor {
 public:
  bool skips(unsigned block) override { return block != kAstBlock; }
  void begin(unsigned /*block*/, unsigned /*depth*/) override {}
  void end(unsigned /*block*/, unsigned /*depth*/) override {}

  bool take(BitRecord& record) override {
    if (record.code != kEagerDeclarations || record.depth != 0) return true;
    if (at_ || !record.unabbreviated_at) return false;
    at_ = record.unabbreviated_at;
    return true;
  }

  const std::optional<std::uint64_t>& at() const { return at_; }

 private:
  std::optional<std::uint64_t> at_;
};

bool bit_of(std::string_view bytes, std::uint64_t bit) {
  return (static_cast<unsigned char>(bytes[bit / 8]) >> bit % 8 & 1) != 0;
}

void set_bit(std::string& bytes, std::uint64_t bit, bool value) {
  const unsigned mask = 1U << bit % 8;
  const unsigned byte = static_cast<unsigned char>(bytes[bit / 8]);
  bytes[bit / 8] = static_cast<char>(value ? byte | mask : byte & ~mask);
}

}  // namespace

bool lacks_times(std::string_view head) {
  Headers headers;
  walk_bits(head, kMagic, headers);
  return headers.lack_times();
}

std::optional<std::vector<BitRange>> eager_declarations(std::string_view header) {
  EagerRecord record;
  if (!walk_bits(header, kMagic, record)) return std::nullopt;
  std::vector<BitRange> places;
  if (!record.at()) return places;
  llvm::BitstreamCursor cursor = cursor_over(header);
  if (llvm::errorToBool(cursor.JumpToBit(*record.at()))) return std::nullopt;
  const auto code = value_of(cursor.ReadVBR(kNumberBits));
  const auto count = value_of(cursor.ReadVBR(kNumberBits));
  if (!code || *code != kEagerDeclarations || !count) return std::nullopt;
  for (std::uint32_t i = 0; i < *count; ++i) {
    const std::uint64_t first = cursor.GetCurrentBitNo();
    if (!value_of(cursor.ReadVBR64(kNumberBits))) return std::nullopt;
    places.push_back({first, cursor.GetCurrentBitNo() - first});
  }
  return places;
}

std::string with_eager_order(std::string_view header, const std::vector<BitRange>& places,
                             const std::vector<std::size_t>& order) {
  std::string changed(header);
  if (places.empty()) return changed;
  std::uint64_t at = places.front().first;
  for (const std::size_t index : order)
    for (std::uint64_t bit = 0; bit < places[index].count; ++bit)
      set_bit(changed, at++, bit_of(header, places[index].first + bit));
  return changed;
}

}  // namespace hipcache::compiler
