#include "compiler/bitstream/bitstream.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/Bitcode/LLVMBitCodes.h>

#include <optional>
#include <utility>

namespace hipcache::compiler {
namespace {

constexpr unsigned kDeepest = 16;  // blocks within blocks; LLVM nests four

bool is_done(llvm::Error error) {
  const bool is_bad = static_cast<bool>(error);
  llvm::consumeError(std::move(error));
  return !is_bad;
}

class Walk {
 public:
  Walk(std::string_view bytes, BitVisitor& visitor) : cursor_(cursor_over(bytes)), visitor_(visitor) {}

  bool walk(std::uint32_t magic) {
    const auto first = value_of(cursor_.Read(32));
    if (!first || *first != magic) return false;
    while (!cursor_.AtEndOfStream()) {
      const auto entry = value_of(cursor_.advance());
      if (!entry || entry->Kind != llvm::BitstreamEntry::SubBlock || !take_block(entry->ID, 0)) return false;
    }
    return true;
  }

 private:
  bool take_block(unsigned id, unsigned depth) {
    if (depth == kDeepest) return false;
    if (id == llvm::bitc::BLOCKINFO_BLOCK_ID) return take_block_info();
    if (visitor_.skips(id)) return is_done(cursor_.SkipBlock());
    if (!is_done(cursor_.EnterSubBlock(id))) return false;
    visitor_.begin(id, depth);
    for (;;) {
      const auto entry = value_of(cursor_.advance());
      if (!entry || entry->Kind == llvm::BitstreamEntry::Error) return false;
      if (entry->Kind == llvm::BitstreamEntry::EndBlock) break;
      const bool is_taken = entry->Kind == llvm::BitstreamEntry::SubBlock ? take_block(entry->ID, depth + 1)
                                                                          : take_record(id, depth, entry->ID);
      if (!is_taken) return false;
    }
    visitor_.end(id, depth);
    return true;
  }

  // Block info describes the encoding of records and not their content.
  bool take_block_info() {
    auto info = value_of(cursor_.ReadBlockInfoBlock());
    if (!info || !*info) return false;
    block_info_ = std::move(**info);
    cursor_.setBlockInfo(&block_info_);
    return true;
  }

  bool take_record(unsigned block, unsigned depth, unsigned abbreviation) {
    record_.operands.clear();
    llvm::StringRef blob;
    const bool has_abbreviation = abbreviation != llvm::bitc::UNABBREV_RECORD;
    record_.unabbreviated_at = has_abbreviation ? std::nullopt : std::optional(cursor_.GetCurrentBitNo());
    const auto code = value_of(cursor_.readRecord(abbreviation, record_.operands, &blob));
    if (!code) return false;
    record_.block = block;
    record_.depth = depth;
    record_.code = *code;
    record_.blob = {blob.data(), blob.size()};
    return visitor_.take(record_);
  }

  llvm::BitstreamCursor cursor_;
  llvm::BitstreamBlockInfo block_info_;
  BitVisitor& visitor_;
  BitRecord record_;
};

}  // namespace

bool walk_bits(std::string_view bytes, std::uint32_t magic, BitVisitor& visitor) {
  return Walk(bytes, visitor).walk(magic);
}

}  // namespace hipcache::compiler
