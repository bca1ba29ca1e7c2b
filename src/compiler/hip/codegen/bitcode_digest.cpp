#include "hipcache/compiler/hip/bitcode_digest.h"

#include <llvm/Bitcode/LLVMBitCodes.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/bitstream/bitstream.h"

namespace hipcache::hip {
namespace {

using namespace llvm::bitc;
using compiler::BitRecord;
using compiler::BitVisitor;

bool walk_bitcode(std::string_view bitcode, BitVisitor& visitor) {
  constexpr std::uint32_t kMagic = 0xdec04342;
  return compiler::walk_bits(bitcode, kMagic, visitor);
}

// Finds the constants of a module that only say where inline assembly stands in its source.
//
// Problem: clang notes for each asm statement the offset of its text among all bytes that it read ("srcloc"). Any edit
// before it, in any file, changes that number and nothing else, and the back end, which needs it for messages alone,
// would run again.
// Choice: the numbers are found by their use: constants of the module that metadata nodes hold which instructions refer
// to by the kind "srcloc". All else of the module counts as before, also how often and where such constants are used.
// Two modules are taken for equal if they differ in nothing but these numbers.
// A constant can be code's as well, by having the same value; then an edit gives the code's constant a place of its
// own, and the modules differ. They would be taken for equal only if code used such a number before and after an edit,
// and the edit changed it to exactly the new place. Rejected: LLVM's own reader, which reads no bitcode of later
// versions.

// Numbers the values of a module as LLVM does: globals first, then the constants of the module.
class ModuleValues {
 public:
  // Counts the record. Whether it is a constant of the module; `number()` is its number then.
  bool is_constant(const BitRecord& record);
  std::uint64_t number() const { return next_ - 1; }

 private:
  std::uint64_t next_ = 0;
};

// clang's kind of metadata.
constexpr std::string_view kKind = "srcloc";

class PlaceFinder : public BitVisitor {
 public:
  void begin(unsigned block, unsigned depth) override {
    if (block == FUNCTION_BLOCK_ID && depth == 1) of_module_ = next_;
  }

  // Metadata of a function is numbered behind the module's, for each function anew.
  void end(unsigned block, unsigned depth) override {
    if (block != FUNCTION_BLOCK_ID || depth != 1) return;
    for (const std::uint64_t node : referred_) find_numbers(node);
    referred_.clear();
    next_ = of_module_;
    std::erase_if(values_, [&](const auto& one) { return one.first >= of_module_; });
    std::erase_if(nodes_, [&](const auto& one) { return one.first >= of_module_; });
  }

  bool take(BitRecord& record) override {
    if (values_of_module_.is_constant(record) && record.code == CST_CODE_INTEGER)
      integers_.insert(values_of_module_.number());
    if (record.block == METADATA_BLOCK_ID) return take_metadata(record);
    if (record.block == METADATA_KIND_BLOCK_ID) take_kind(record);
    if (record.block == METADATA_ATTACHMENT_ID) take_attachment(record);
    return true;
  }

  std::set<std::uint64_t> places() const { return is_odd_ ? std::set<std::uint64_t>() : places_; }

 private:
  void take_kind(const BitRecord& record) {
    const auto& operands = record.operands;
    if (record.code != METADATA_KIND || operands.empty()) return;
    if (std::string(operands.begin() + 1, operands.end()) == kKind) kind_ = operands[0];
  }

  bool take_metadata(const BitRecord& record) {
    const auto& operands = record.operands;
    switch (record.code) {
      case METADATA_STRINGS:
        if (operands.empty()) return false;
        next_ += operands[0];
        return true;
      case METADATA_VALUE:
        if (operands.size() != 2) return false;
        values_[next_++] = operands[1];
        return true;
      case METADATA_NODE:
      case METADATA_DISTINCT_NODE:
        nodes_[next_++].assign(operands.begin(), operands.end());
        return true;
      case METADATA_NAME:
      case METADATA_KIND:
      case METADATA_NAMED_NODE:
      case METADATA_GLOBAL_DECL_ATTACHMENT:
      case METADATA_INDEX_OFFSET:
      case METADATA_INDEX:
      case METADATA_ARG_LIST:
        return true;
      default:
        return false;  // debug information, or of a later version: its number is not known
    }
  }

  // Of an instruction: its number, then pairs of kind and node.
  void take_attachment(const BitRecord& record) {
    const auto& operands = record.operands;
    if (record.code != METADATA_ATTACHMENT || operands.size() % 2 == 0) return;
    for (std::size_t i = 1; i + 1 < operands.size(); i += 2)
      if (kind_ && operands[i] == *kind_) referred_.push_back(operands[i + 1]);
  }

  // A node of constants of the module: operands are numbers of metadata, plus one.
  void find_numbers(std::uint64_t number) {
    const auto node = nodes_.find(number);
    if (node == nodes_.end()) {
      is_odd_ = true;
      return;
    }
    for (const std::uint64_t operand : node->second) {
      const auto value = values_.find(operand - 1);
      if (operand == 0 || value == values_.end() || !integers_.contains(value->second)) is_odd_ = true;
      if (value != values_.end()) places_.insert(value->second);
    }
  }

  ModuleValues values_of_module_;
  std::set<std::uint64_t> integers_;
  std::uint64_t next_ = 0;       // number of the next metadata
  std::uint64_t of_module_ = 0;  // what next_ was before the function
  std::unordered_map<std::uint64_t, std::uint64_t> values_;
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> nodes_;
  std::optional<std::uint64_t> kind_;
  std::vector<std::uint64_t> referred_;  // nodes, by instructions of this function
  std::set<std::uint64_t> places_;
  bool is_odd_ = false;
};

bool ModuleValues::is_constant(const BitRecord& record) {
  if (record.block == MODULE_BLOCK_ID && record.depth == 0) {
    const unsigned code = record.code;
    if (code == MODULE_CODE_GLOBALVAR || code == MODULE_CODE_FUNCTION || code == MODULE_CODE_ALIAS_OLD ||
        code == MODULE_CODE_ALIAS || code == MODULE_CODE_IFUNC)
      ++next_;
    return false;
  }
  if (record.block != CONSTANTS_BLOCK_ID || record.depth != 1 || record.code == CST_CODE_SETTYPE) return false;
  ++next_;
  return true;
}

// The numbers of such constants. None if the module has none, or has what is not known well enough.
std::set<std::uint64_t> assembly_places(std::string_view bitcode) {
  PlaceFinder finder;
  return walk_bitcode(bitcode, finder) ? finder.places() : std::set<std::uint64_t>();
}

// Whether the record's first operands are the offset and size of a symbol's name at the start of the string table.
bool names_symbol(unsigned code) {
  return code == MODULE_CODE_GLOBALVAR || code == MODULE_CODE_FUNCTION || code == MODULE_CODE_ALIAS ||
         code == MODULE_CODE_IFUNC || code == MODULE_CODE_COMDAT;
}

class Digester : public BitVisitor {
 public:
  Digester(std::set<std::uint64_t> places, const Roots& roots)
      : places_(std::move(places)), roots_(roots), hasher_("hipcache.bitcode.2") {}

  bool skips(unsigned block) override {
    if (block == SYMTAB_BLOCK_ID) has_symbol_table_ = true;
    return block == SYMTAB_BLOCK_ID;
  }
  void begin(unsigned block, unsigned /*depth*/) override { hasher_.field("block").field(std::uint64_t{block}); }
  void end(unsigned /*block*/, unsigned /*depth*/) override { hasher_.field("end"); }

  bool take(BitRecord& record) override {
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
  void take_operands(BitRecord& record) {
    auto& operands = record.operands;
    if (record.block == MODULE_BLOCK_ID && names_symbol(record.code) && operands.size() > 1)
      end_of_symbols_ = std::max(end_of_symbols_, operands[0] + operands[1]);
    if (record.block == VALUE_SYMTAB_BLOCK_ID && record.code == VST_CODE_FNENTRY && operands.size() > 1)
      operands[1] = 0;  // the file offset of the function
    hasher_.field({reinterpret_cast<const char*>(operands.data()), operands.size() * sizeof operands[0]})
        .field(record.blob);
  }

  void take_source(const BitRecord& record) {
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

}  // namespace hipcache::hip
