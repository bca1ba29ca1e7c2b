#include "inputs/rules/ast_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <vector>

#include "hipcache/base/files.h"

namespace hipcache::inputs {
namespace {

constexpr std::string_view kMagic = "CPCH";
constexpr std::size_t kMaxOperands = 1u << 20;
constexpr unsigned kWord = 32;

// From clang's ASTBitCodes.h; unchanged since clang 9.
constexpr std::uint64_t kControlBlock = 15;
constexpr std::uint64_t kInputFilesBlock = 16;
constexpr std::uint64_t kInputFile = 1;      // code of the record: id, size, time, ...
constexpr std::size_t kTimeOfInputFile = 3;  // index in the record, which begins with its code

// Reads LLVM's bitstream: little-endian, from the lowest bit up. Past the end it reads 0 and has failed.
class Bits {
 public:
  explicit Bits(std::string_view bytes) : bytes_(bytes), end_(bytes.size() * 8) {}

  std::uint64_t fixed(std::uint64_t width) {
    if (width > 64 || width > end_ - position_) return fail();
    std::uint64_t value = 0;
    for (std::uint64_t i = 0; i < width; ++i, ++position_)
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes_[position_ / 8]) >> (position_ % 8) & 1)
               << i;
    return value;
  }

  std::uint64_t varying(std::uint64_t width) {
    if (width < 2 || width > kWord) return fail();
    std::uint64_t value = 0;
    for (std::uint64_t shift = 0; shift < 64; shift += width - 1) {
      const std::uint64_t chunk = fixed(width);
      const std::uint64_t more = std::uint64_t{1} << (width - 1);
      value |= (chunk & (more - 1)) << shift;
      if ((chunk & more) == 0) return value;
    }
    return fail();
  }

  void align() { skip((kWord - position_ % kWord) % kWord); }
  void skip(std::uint64_t bits) {
    if (bits > end_ - position_)
      fail();
    else
      position_ += bits;
  }
  bool failed() const { return failed_; }

 private:
  std::uint64_t fail() {
    failed_ = true;
    position_ = end_;
    return 0;
  }

  std::string_view bytes_;
  std::uint64_t position_ = 0;
  std::uint64_t end_;
  bool failed_ = false;
};

struct Operand {
  enum class Kind : std::uint8_t { literal = 0, fixed = 1, varying = 2, array = 3, character = 4, blob = 5 };
  Kind kind = Kind::literal;
  std::uint64_t value = 0;  // the literal's value, or the width
};
using Abbreviation = std::vector<Operand>;

Abbreviation read_abbreviation(Bits& bits) {
  Abbreviation operands;
  for (std::uint64_t left = bits.varying(5); left > 0 && !bits.failed(); --left) {
    if (bits.fixed(1) == 1) {
      operands.push_back({Operand::Kind::literal, bits.varying(8)});
      continue;
    }
    const auto kind = static_cast<Operand::Kind>(bits.fixed(3));
    const bool has_width = kind == Operand::Kind::fixed || kind == Operand::Kind::varying;
    operands.push_back({kind, has_width ? bits.varying(5) : 0});
  }
  return operands;
}

std::uint64_t read_scalar(Bits& bits, const Operand& operand) {
  constexpr unsigned kCharacterWidth = 6;
  switch (operand.kind) {
    case Operand::Kind::literal:
      return operand.value;
    case Operand::Kind::fixed:
      return bits.fixed(operand.value);
    case Operand::Kind::varying:
      return operand.value == 0 ? 0 : bits.varying(operand.value);
    default:
      return bits.fixed(kCharacterWidth);
  }
}

using Record = std::vector<std::uint64_t>;  // the code, then the operands; blobs are left out

Record read_record(Bits& bits, const Abbreviation& operands) {
  Record record;
  for (std::size_t i = 0; i < operands.size() && !bits.failed(); ++i) {
    if (operands[i].kind == Operand::Kind::array) {
      const Operand element = i + 1 < operands.size() ? operands[i + 1] : Operand{};
      for (std::uint64_t left = bits.varying(6); left > 0 && !bits.failed() && record.size() < kMaxOperands; --left)
        record.push_back(read_scalar(bits, element));
      return record;
    }
    if (operands[i].kind == Operand::Kind::blob) {
      const std::uint64_t size = bits.varying(6);
      bits.align();
      bits.skip(size * 8);
      bits.align();
      return record;
    }
    record.push_back(read_scalar(bits, operands[i]));
  }
  return record;
}

Record read_unabbreviated(Bits& bits) {
  Record record{bits.varying(6)};
  for (std::uint64_t left = bits.varying(6); left > 0 && !bits.failed() && record.size() < kMaxOperands; --left)
    record.push_back(bits.varying(6));
  return record;
}

// Looks for the list of headers and skips all other blocks.
class Headers {
 public:
  explicit Headers(std::string_view bytes) : bits_(bytes) { bits_.skip(kMagic.size() * 8); }

  // Whether any header has a time; nullopt if no header was found or the file is not understood.
  std::optional<bool> have_times() {
    constexpr unsigned kOuterWidth = 2;
    read_block(0, kOuterWidth, 0);
    if (!is_done_ || headers_ == 0) return std::nullopt;
    return times_ > 0;
  }

 private:
  void read_block(std::uint64_t block, std::uint64_t width, unsigned depth) {
    constexpr unsigned kDepth = 4;
    constexpr std::uint64_t kEnd = 0, kEnter = 1, kDefine = 2, kUnabbreviated = 3, kFirst = 4;
    std::vector<Abbreviation> abbreviations;
    while (!bits_.failed() && !is_done_ && depth < kDepth) {
      const std::uint64_t id = bits_.fixed(width);
      if (id == kEnd) {
        bits_.align();
        is_done_ = !bits_.failed() && block == kControlBlock;
        return;
      }
      if (id == kEnter) {
        enter(depth);
      } else if (id == kDefine) {
        abbreviations.push_back(read_abbreviation(bits_));
      } else if (id == kUnabbreviated) {
        take_record(block, read_unabbreviated(bits_));
      } else if (id - kFirst < abbreviations.size()) {
        take_record(block, read_record(bits_, abbreviations[id - kFirst]));
      } else {
        bits_.skip(~std::uint64_t{0});  // an abbreviation that another block defines: not understood
      }
    }
  }

  void enter(unsigned depth) {
    const std::uint64_t block = bits_.varying(8);
    const std::uint64_t width = bits_.varying(4);
    bits_.align();
    const std::uint64_t words = bits_.fixed(kWord);
    if (block == kControlBlock || block == kInputFilesBlock)
      read_block(block, width, depth + 1);
    else
      bits_.skip(words * kWord);
  }

  void take_record(std::uint64_t block, const Record& record) {
    if (block != kInputFilesBlock || record.size() <= kTimeOfInputFile || record[0] != kInputFile) return;
    ++headers_;
    if (record[kTimeOfInputFile] != 0) ++times_;
  }

  Bits bits_;
  bool is_done_ = false;
  std::uint64_t headers_ = 0;
  std::uint64_t times_ = 0;
};

}  // namespace

Compares compares(std::string_view head) {
  if (!head.starts_with(kMagic)) return Compares::nothing;
  return Headers(head).have_times().value_or(true) ? Compares::sizes_and_times : Compares::sizes;
}

Compares compares_of_file(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  std::array<char, kMagic.size()> magic{};
  if (!file || ::pread(file.get(), magic.data(), magic.size(), 0) != static_cast<ssize_t>(magic.size()) ||
      std::string_view(magic.data(), magic.size()) != kMagic)
    return Compares::nothing;
  std::string head(kAstFileHead, '\0');
  const ssize_t got = ::pread(file.get(), head.data(), head.size(), 0);
  return compares(std::string_view(head).substr(0, got < 0 ? 0 : static_cast<std::size_t>(got)));
}

}  // namespace hipcache::inputs
