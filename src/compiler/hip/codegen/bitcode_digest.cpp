#include "hipcache/compiler/hip/bitcode_digest.h"

#include <llvm/Bitcode/LLVMBitCodes.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

#include "compiler/hip/codegen/assembly_places.h"
#include "compiler/hip/codegen/bitcode_reader.h"

namespace hipcache::hip {
namespace {

using namespace llvm::bitc;

// Whether the record's first operands are the offset and size of a symbol's name at the start of the string table.
bool names_symbol(unsigned code) {
  return code == MODULE_CODE_GLOBALVAR || code == MODULE_CODE_FUNCTION || code == MODULE_CODE_ALIAS ||
         code == MODULE_CODE_IFUNC || code == MODULE_CODE_COMDAT;
}

class Digester : public BitcodeVisitor {
 public:
  Digester(std::set<std::uint64_t> places, const Roots& roots)
      : places_(std::move(places)), roots_(roots), hasher_("hipcache.bitcode.2") {}

  bool skips(unsigned block) override {
    if (block == SYMTAB_BLOCK_ID) has_symbol_table_ = true;
    return block == SYMTAB_BLOCK_ID;
  }
  void begin(unsigned block, unsigned /*depth*/) override { hasher_.field("block").field(std::uint64_t{block}); }
  void end(unsigned /*block*/, unsigned /*depth*/) override { hasher_.field("end"); }

  bool take(BitcodeRecord& record) override {
    const unsigned block = record.block;
    const unsigned code = record.code;
    const bool is_place = values_.is_constant(record) && places_.contains(values_.number());
    hasher_.field("record").field(std::uint64_t{code});
    if (block == MODULE_BLOCK_ID && code == MODULE_CODE_SOURCE_FILENAME) {
      take_source(record);
    } else if (block == STRTAB_BLOCK_ID) {
      take_strings(record.blob);
    } else if (block == MODULE_BLOCK_ID && code == MODULE_CODE_VSTOFFSET) {
      // The file offset of the value symbol table: not hashed.
    } else if (is_place) {
      hasher_.field("a place of inline assembly");
    } else {
      take_operands(record);
    }
    return true;
  }

  Digest finish() const { return hasher_.finish(); }

 private:
  void take_operands(BitcodeRecord& record) {
    auto& operands = record.operands;
    if (record.block == MODULE_BLOCK_ID && names_symbol(record.code) && operands.size() > 1)
      end_of_symbols_ = std::max(end_of_symbols_, operands[0] + operands[1]);
    if (record.block == VALUE_SYMTAB_BLOCK_ID && record.code == VST_CODE_FNENTRY && operands.size() > 1)
      operands[1] = 0;  // the file offset of the function
    hasher_.field({reinterpret_cast<const char*>(operands.data()), operands.size() * sizeof operands[0]})
        .field(record.blob);
  }

  void take_source(const BitcodeRecord& record) {
    source_.assign(record.operands.begin(), record.operands.end());
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

  const std::set<std::uint64_t> places_;
  const Roots& roots_;
  Hasher hasher_;
  ModuleValues values_;
  std::string source_;
  std::uint64_t end_of_symbols_ = 0;
  bool has_symbol_table_ = false;
};

}  // namespace

Digest bitcode_digest(std::string_view bitcode, const Roots& roots) {
  std::set<std::uint64_t> places = assembly_places(bitcode);
  if (roots.empty() && places.empty()) return digest_of(bitcode);
  Digester digester(std::move(places), roots);
  return walk_bitcode(bitcode, digester) ? digester.finish() : digest_of(bitcode);
}

bool shows_places(std::string_view bitcode) {
  // Names of symbols stand as they are.
  for (const char* name : {"llvm.global.annotations", "llvm.ptr.annotation", "llvm.var.annotation"})
    if (bitcode.find(name) != bitcode.npos) return true;
  return !has_no_places(bitcode);
}

}  // namespace hipcache::hip
