#include "hipcache/compiler/hip/bitcode_digest.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Bitcode/LLVMBitCodes.h>
#include <llvm/Bitstream/BitstreamReader.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace hipcache::hip {
namespace {

using namespace llvm::bitc;
using Operands = llvm::SmallVector<std::uint64_t, 64>;

constexpr unsigned kDeepest = 16;  // blocks within blocks; LLVM nests four
constexpr std::uint32_t kMagic = 0xdec04342;

// The value, or nothing; consumes the error, which LLVM requires to be checked.
template <typename T>
std::optional<T> value_of(llvm::Expected<T> expected) {
  if (expected) return std::move(*expected);
  llvm::consumeError(expected.takeError());
  return std::nullopt;
}

// Whether the record's first operands are the offset and size of a symbol's name at the start of the string table.
bool names_symbol(unsigned code) {
  return code == MODULE_CODE_GLOBALVAR || code == MODULE_CODE_FUNCTION || code == MODULE_CODE_ALIAS ||
         code == MODULE_CODE_IFUNC || code == MODULE_CODE_COMDAT;
}

class Walk {
 public:
  Walk(llvm::ArrayRef<std::uint8_t> bytes, const Roots& roots)
      : cursor_(bytes), roots_(roots), hasher_("hipcache.bitcode.1") {}

  std::optional<Digest> digest() {
    const auto magic = value_of(cursor_.Read(32));
    if (!magic || *magic != kMagic) return std::nullopt;
    while (!cursor_.AtEndOfStream()) {
      const auto entry = value_of(cursor_.advance());
      if (!entry || entry->Kind != llvm::BitstreamEntry::SubBlock || !take_block(entry->ID, 0)) return std::nullopt;
    }
    return hasher_.finish();
  }

 private:
  bool take_block(unsigned id, unsigned depth) {
    if (depth == kDeepest) return false;
    if (id == llvm::bitc::BLOCKINFO_BLOCK_ID) return take_block_info();
    if (id == SYMTAB_BLOCK_ID) {
      has_symbol_table_ = true;
      return skip_block();
    }
    if (llvm::Error error = cursor_.EnterSubBlock(id)) {
      llvm::consumeError(std::move(error));
      return false;
    }
    hasher_.field("block").field(std::uint64_t{id});
    for (;;) {
      const auto entry = value_of(cursor_.advance());
      if (!entry || entry->Kind == llvm::BitstreamEntry::Error) return false;
      if (entry->Kind == llvm::BitstreamEntry::EndBlock) break;
      const bool is_taken =
          entry->Kind == llvm::BitstreamEntry::SubBlock ? take_block(entry->ID, depth + 1) : take_record(id, entry->ID);
      if (!is_taken) return false;
    }
    hasher_.field("end");
    return true;
  }

  // Block info describes the encoding of records and not their content, so it is not hashed.
  bool take_block_info() {
    auto info = value_of(cursor_.ReadBlockInfoBlock());
    if (!info || !*info) return false;
    block_info_ = std::move(**info);
    cursor_.setBlockInfo(&block_info_);
    return true;
  }

  bool skip_block() {
    llvm::Error error = cursor_.SkipBlock();
    const bool is_skipped = !error;
    llvm::consumeError(std::move(error));
    return is_skipped;
  }

  bool take_record(unsigned block, unsigned abbreviation) {
    operands_.clear();
    llvm::StringRef blob;
    const auto code = value_of(cursor_.readRecord(abbreviation, operands_, &blob));
    if (!code) return false;
    hasher_.field("record").field(std::uint64_t{*code});
    if (block == MODULE_BLOCK_ID && *code == MODULE_CODE_SOURCE_FILENAME) {
      take_source();
    } else if (block == STRTAB_BLOCK_ID) {
      take_strings({blob.data(), blob.size()});
    } else if (block == MODULE_BLOCK_ID && *code == MODULE_CODE_VSTOFFSET) {
      // The file offset of the value symbol table: not hashed.
    } else {
      if (block == MODULE_BLOCK_ID && names_symbol(*code) && operands_.size() > 1)
        end_of_symbols_ = std::max(end_of_symbols_, operands_[0] + operands_[1]);
      if (block == VALUE_SYMTAB_BLOCK_ID && *code == VST_CODE_FNENTRY && operands_.size() > 1)
        operands_[1] = 0;  // the file offset of the function
      take_operands({blob.data(), blob.size()});
    }
    return true;
  }

  void take_operands(std::string_view blob) {
    hasher_.field({reinterpret_cast<const char*>(operands_.data()), operands_.size() * sizeof operands_[0]})
        .field(blob);
  }

  void take_source() {
    source_.assign(operands_.begin(), operands_.end());
    hasher_.field(roots_.portable_path(source_));
  }

  // The symbol table keeps its own strings after the module's. They include the source's path, which is left out.
  void take_strings(std::string_view strings) {
    const std::size_t source = has_symbol_table_ && !source_.empty() ? strings.rfind(source_) : std::string_view::npos;
    if (source == std::string_view::npos || source < end_of_symbols_) {
      hasher_.field(strings);
    } else {
      hasher_.field(strings.substr(0, source)).field(strings.substr(source + source_.size()));
    }
  }

  llvm::BitstreamCursor cursor_;
  llvm::BitstreamBlockInfo block_info_;
  const Roots& roots_;
  Hasher hasher_;
  Operands operands_;
  std::string source_;
  std::uint64_t end_of_symbols_ = 0;
  bool has_symbol_table_ = false;
};

}  // namespace

Digest bitcode_digest(std::string_view bitcode, const Roots& roots) {
  if (roots.empty()) return digest_of(bitcode);
  const llvm::ArrayRef<std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(bitcode.data()), bitcode.size());
  const std::optional<Digest> digest = Walk(bytes, roots).digest();
  return digest ? *digest : digest_of(bitcode);
}

}  // namespace hipcache::hip
