#include "compiler/hip/codegen/assembly_places.h"

#include <llvm/Bitcode/LLVMBitCodes.h>

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace hipcache::hip {
namespace {

using namespace llvm::bitc;

// clang's kind of metadata.
constexpr std::string_view kKind = "srcloc";

class PlaceFinder : public BitcodeVisitor {
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

  bool take(BitcodeRecord& record) override {
    if (values_of_module_.is_constant(record) && record.code == CST_CODE_INTEGER)
      integers_.insert(values_of_module_.number());
    if (record.block == METADATA_BLOCK_ID) return take_metadata(record);
    if (record.block == METADATA_KIND_BLOCK_ID) take_kind(record);
    if (record.block == METADATA_ATTACHMENT_ID) take_attachment(record);
    return true;
  }

  bool has_none() const { return !is_odd_ && !has_attachment_; }
  std::set<std::uint64_t> places() const { return is_odd_ ? std::set<std::uint64_t>() : places_; }

 private:
  void take_kind(const BitcodeRecord& record) {
    const auto& operands = record.operands;
    if (record.code != METADATA_KIND || operands.empty()) return;
    if (std::string(operands.begin() + 1, operands.end()) == kKind) kind_ = operands[0];
  }

  bool take_metadata(const BitcodeRecord& record) {
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
  void take_attachment(const BitcodeRecord& record) {
    const auto& operands = record.operands;
    if (record.code != METADATA_ATTACHMENT || operands.size() % 2 == 0) return;
    for (std::size_t i = 1; i + 1 < operands.size(); i += 2)
      if (kind_ && operands[i] == *kind_) take_reference(operands[i + 1]);
  }

  void take_reference(std::uint64_t node) {
    referred_.push_back(node);
    has_attachment_ = true;
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
  bool has_attachment_ = false;
};

}  // namespace

bool ModuleValues::is_constant(const BitcodeRecord& record) {
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

std::set<std::uint64_t> assembly_places(std::string_view bitcode) {
  PlaceFinder finder;
  return walk_bitcode(bitcode, finder) ? finder.places() : std::set<std::uint64_t>();
}

bool has_no_places(std::string_view bitcode) {
  PlaceFinder finder;
  return walk_bitcode(bitcode, finder) && finder.has_none();
}

}  // namespace hipcache::hip
