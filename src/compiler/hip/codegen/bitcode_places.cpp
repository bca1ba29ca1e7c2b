#include "hipcache/compiler/hip/bitcode_places.h"

#include <llvm/Bitcode/LLVMBitCodes.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "compiler/bitstream/bitstream.h"
#include "hipcache/base/text.h"

namespace hipcache::hip {
namespace {

using namespace llvm::bitc;
using namespace std::string_view_literals;
using compiler::BitRecord;
using compiler::BitVisitor;
using Operands = llvm::SmallVectorImpl<std::uint64_t>;

// Lists of what has been judged: what clang 15 to 23 puts there is made of the tokens, the options and the target.
// The files named are clang's and LLVM's.

// Modules' flags, names and versions of compilers and languages, options for the linker from pragmas, and formats of
// printf.
constexpr std::array kNamedMetadata = {"llvm.module.flags"sv,      "llvm.ident"sv,
                                       "llvm.linker.options"sv,    "llvm.dependent-libraries"sv,
                                       "llvm.printf.fmts"sv,       "llvm.errno.tbaa"sv,
                                       "opencl.ocl.version"sv,     "opencl.spir.version"sv,
                                       "opencl.used.extensions"sv, "opencl.used.optional.core.features"sv,
                                       "opencl.compiler.options"sv};

// What instructions, functions and variables refer to: types, ranges, aliases, hints (LLVM's FixedMetadataKinds.def;
// CodeGenFunction.cpp, Targets/AMDGPU.cpp). Not among them: dbg, srcloc, annotation, memprof, callsite, pcsections,
// heapallocsite, DIAssignID. "srcloc" is read by itself.
constexpr std::string_view kKinds =
    " tbaa prof fpmath range tbaa.struct invariant.load alias.scope noalias noalias.addrspace nontemporal "
    "llvm.mem.parallel_loop_access nonnull dereferenceable dereferenceable_or_null make.implicit unpredictable "
    "invariant.group align llvm.loop type section_prefix absolute_symbol associated callees irr_loop "
    "llvm.access.group callback vcall_visibility noundef nosanitize exclude mmra amdgpu.noclobber amdgpu.uniform "
    "amdgpu.no.fine.grained.memory amdgpu.no.remote.memory amdgpu.ignore.denormal.mode structurizecfg.uniform "
    "reqd_work_group_size work_group_size_hint vec_type_hint max_work_group_size kernel_arg_addr_space "
    "kernel_arg_access_qual kernel_arg_type kernel_arg_base_type kernel_arg_type_qual kernel_arg_name ";
constexpr std::string_view kSourcePlace = "srcloc";

// Attributes with names (CodeGenModule.cpp, CGCall.cpp). Not among them: "dontcall-error" and "dontcall-warn", whose
// calls have places.
constexpr std::string_view kAttributes =
    " frame-pointer less-precise-fpmad approx-func-fp-math unsafe-fp-math denormal-fp-math denormal-fp-math-f32 "
    "strictfp correctly-rounded-divide-sqrt-fp-math reciprocal-estimates min-legal-vector-width "
    "prefer-vector-width tune-cpu uniform-work-group-size use-soft-float zero-call-used-regs stackrealign "
    "split-stack disable-tail-calls trap-func-name indirect-tls-seg-refs alloc-family alloc-variant-zeroed thunk "
    "interrupt loader-replaceable vector-function-abi-variant ";
constexpr std::array kAttributeFamilies = {"amdgpu-"sv, "no-"sv, "target-"sv, "stack-protector-"sv};

// Functions of LLVM's own (Intrinsics.td), by the word behind "llvm.". Not among them: annotation, var, ptr and
// codeview (annotations), dbg, pseudoprobe, instrprof, experimental but for the families below, hwasan, asan, local...
constexpr std::string_view kFunctions =
    " abs acos adjust allow amdgcn asin assume atan atan2 bitreverse bswap canonicalize ceil clear_cache convert "
    "copysign cos cosh ctlz ctpop cttz debugtrap eh exp exp10 exp2 expect fabs floor fma fmuladd fptosi fptoui "
    "fptrunc frameaddress frexp fshl fshr get invariant is launder ldexp lifetime llrint llround load log log10 "
    "log2 loop lrint lround masked matrix maximum maximumnum maxnum memcpy memmove memset minimum minimumnum "
    "minnum modf nearbyint objectsize pow powi prefetch ptrmask read_register read_volatile_register "
    "readcyclecounter readsteadycounter returnaddress rint round roundeven sadd scmp sdiv set sideeffect sin "
    "sincos sincospi sinh smax smin smul sqrt sshl ssub stackrestore stacksave strip tan tanh threadlocal trap "
    "trunc type uadd ubsantrap ucmp udiv umax umin umul ushl usub va_copy va_end va_start vector write_register "
    "x86 ";
constexpr std::array kExperimental = {"llvm.experimental.constrained."sv, "llvm.experimental.convergence."sv,
                                      "llvm.experimental.noalias.scope.decl"sv};
constexpr std::array kVariables = {"llvm.used"sv, "llvm.compiler.used"sv, "llvm.global_ctors"sv, "llvm.global_dtors"sv};

bool is_judged(std::string_view symbol) {
  constexpr std::string_view kOwn = "llvm.";
  if (!symbol.starts_with(kOwn)) return true;
  const auto begins = [&](std::string_view family) { return symbol.starts_with(family); };
  if (holds(kVariables, symbol) || std::any_of(kExperimental.begin(), kExperimental.end(), begins)) return true;
  const std::string_view rest = symbol.substr(kOwn.size());
  return lists(kFunctions, rest.substr(0, rest.find('.')));
}

bool is_judged_attribute(std::string_view name) {
  return lists(kAttributes, name) || std::any_of(kAttributeFamilies.begin(), kAttributeFamilies.end(),
                                                 [&](std::string_view family) { return name.starts_with(family); });
}

// Text among the operands up to a zero, which is passed; none if there is no zero.
std::optional<std::string> take_text(const Operands& operands, std::size_t& at) {
  const auto* const end = std::find(operands.begin() + at, operands.end(), 0u);
  if (end == operands.end()) return std::nullopt;
  std::string text(operands.begin() + at, end);
  at = static_cast<std::size_t>(end - operands.begin()) + 1;
  return text;
}

// Passes one attribute; false if it was not judged. BitcodeWriter.cpp, writeAttributeGroupTable().
bool take_attribute(const Operands& operands, std::size_t& at) {
  enum : std::uint64_t { kEnum = 0, kInteger = 1, kName = 3, kNameAndValue = 4, kNoType = 5, kType = 6, kRange = 7 };
  const std::uint64_t form = operands[at++];
  switch (form) {
    case kName:
    case kNameAndValue: {
      const std::optional<std::string> name = take_text(operands, at);
      if (!name || !is_judged_attribute(*name)) return false;
      return form == kName || take_text(operands, at).has_value();
    }
    case kEnum:
    case kNoType:
      ++at;
      break;
    case kInteger:
    case kType:
      at += 2;
      break;
    case kRange:  // its number, the width in bits, two bounds
      if (at + 1 >= operands.size() || operands[at + 1] > 64) return false;
      at += 4;
      break;
    default:
      return false;
  }
  return at <= operands.size();
}

bool has_judged_attributes(const BitRecord& record) {
  if (record.code != PARAMATTR_GRP_CODE_ENTRY) return false;
  for (std::size_t at = 2; at < record.operands.size();)  // behind its number and the parameter
    if (!take_attribute(record.operands, at)) return false;
  return true;
}

// Debug information has records of its own in functions, the newer ones behind all instructions of LLVM 19.
bool is_judged_instruction(unsigned code) {
  return code <= FUNC_CODE_BLOCKADDR_USERS && code != FUNC_CODE_DEBUG_LOC && code != FUNC_CODE_DEBUG_LOC_AGAIN;
}

// [type, flags, size, text, size, constraints]
std::optional<InlineAssembly::Statement> statement_in(const Operands& operands) {
  if (operands.size() < 3) return std::nullopt;
  InlineAssembly::Statement statement{.flags = operands[1]};
  std::size_t at = 2;
  for (std::string* text : {&statement.text, &statement.constraints}) {
    if (at >= operands.size() || operands[at] > operands.size() - at - 1) return std::nullopt;
    const auto* const begin = operands.begin() + at + 1;
    text->assign(begin, begin + operands[at]);
    at += 1 + operands[at];
  }
  return statement;
}

// Reads all of it, so that the assembly is known as well if there are other places.
class Examiner : public BitVisitor {
 public:
  bool skips(unsigned block) override { return block == SYMTAB_BLOCK_ID; }  // made of the module

  void begin(unsigned block, unsigned depth) override {
    judge(block <= SYNC_SCOPE_NAMES_BLOCK_ID);
    if (block == FUNCTION_BLOCK_ID && depth == 1) of_module_ = metadata_.size();
  }

  // Metadata of a function is numbered behind the module's, for each function anew.
  void end(unsigned block, unsigned depth) override {
    if (block == FUNCTION_BLOCK_ID && depth == 1) {
      for (const std::uint64_t node : referred_) find_place(node);
      referred_.clear();
      metadata_.resize(of_module_);
    }
    if (block == MODULE_BLOCK_ID && depth == 0) {
      metadata_.clear();
      integers_.clear();
      kinds_.clear();
      next_value_ = 0;
    }
  }

  // false: what follows cannot be numbered.
  bool take(BitRecord& record) override {
    switch (record.block) {
      case MODULE_BLOCK_ID:
        return take_of_module(record);
      case CONSTANTS_BLOCK_ID:
        return take_constant(record);
      case METADATA_BLOCK_ID:
        return take_metadata(record);
      case METADATA_KIND_BLOCK_ID:
        return take_kind(record);
      case METADATA_ATTACHMENT_ID:
        // Of an instruction, whose number comes first, or of a function.
        return judge(record.code == METADATA_ATTACHMENT) &&
               take_attachments(record.operands, record.operands.size() % 2);
      case PARAMATTR_GROUP_BLOCK_ID:
        return judge(has_judged_attributes(record));
      case FUNCTION_BLOCK_ID:
        return judge(is_judged_instruction(record.code));
      case STRTAB_BLOCK_ID:
        return take_names(record.blob);
      default:
        return true;
    }
  }

  BitcodePlaces places(bool is_read) && {
    return {.has_others = !is_read || has_others_ || !symbols_.empty(), .assembly = std::move(assembly_)};
  }

 private:
  struct Metadata {
    std::optional<std::uint64_t> value;  // its number
    std::optional<std::vector<std::uint64_t>> node;
  };

  bool judge(bool is_judged) {
    has_others_ = has_others_ || !is_judged;
    return true;
  }

  // The names of symbols follow in the string table.
  bool take_of_module(const BitRecord& record) {
    switch (record.code) {
      case MODULE_CODE_GLOBALVAR:
      case MODULE_CODE_FUNCTION:
      case MODULE_CODE_ALIAS:
      case MODULE_CODE_IFUNC:
        if (record.operands.size() < 2) return false;
        symbols_.emplace_back(record.operands[0], record.operands[1]);
        ++next_value_;
        return true;
      case MODULE_CODE_ALIAS_OLD:
        return false;
      case MODULE_CODE_SECTIONNAME:  // profiles and coverage have sections of their own
        return judge(!std::string(record.operands.begin(), record.operands.end()).starts_with("__llvm"));
      default:
        return judge(record.code <= MODULE_CODE_IFUNC);
    }
  }

  bool take_names(std::string_view names) {
    for (const auto& [at, size] : symbols_) judge(at <= names.size() && hip::is_judged(names.substr(at, size)));
    symbols_.clear();
    return true;
  }

  bool take_constant(const BitRecord& record) {
    if (record.code == CST_CODE_SETTYPE) return true;
    if (record.code == CST_CODE_INLINEASM_OLD || record.code == CST_CODE_INLINEASM_OLD2 ||
        record.code == CST_CODE_INLINEASM_OLD3)
      return false;
    if (record.code == CST_CODE_INLINEASM) {
      std::optional<InlineAssembly::Statement> statement = statement_in(record.operands);
      if (!statement) return false;
      assembly_.statements.insert(*std::move(statement));
    }
    if (record.depth != 1) return true;
    if (record.code == CST_CODE_INTEGER && record.operands.size() == 1) integers_[next_value_] = record.operands[0];
    ++next_value_;
    return true;
  }

  bool take_kind(const BitRecord& record) {
    if (record.code != METADATA_KIND || record.operands.empty()) return false;
    kinds_[record.operands[0]].assign(record.operands.begin() + 1, record.operands.end());
    return true;
  }

  bool take_metadata(const BitRecord& record) {
    const auto& operands = record.operands;
    switch (record.code) {
      case METADATA_STRINGS:
        if (operands.empty() || operands[0] > record.blob.size()) return false;
        metadata_.resize(metadata_.size() + operands[0]);
        return true;
      case METADATA_VALUE:
        if (operands.size() != 2) return false;
        metadata_.push_back({.value = operands[1], .node = {}});
        return true;
      case METADATA_NODE:
      case METADATA_DISTINCT_NODE:
        metadata_.push_back({.value = {}, .node = std::vector<std::uint64_t>(operands.begin(), operands.end())});
        return true;
      case METADATA_NAME:
        return judge(holds(kNamedMetadata, std::string(operands.begin(), operands.end())));
      case METADATA_GLOBAL_DECL_ATTACHMENT:
        return take_attachments(operands, 1);
      case METADATA_KIND:
        return take_kind(record);
      case METADATA_NAMED_NODE:
      case METADATA_INDEX_OFFSET:
      case METADATA_INDEX:
      case METADATA_ARG_LIST:
        return true;
      default:
        return false;  // debug information, or of a later version
    }
  }

  // Pairs of kind and node.
  bool take_attachments(const Operands& operands, std::size_t first) {
    for (std::size_t at = first; at + 1 < operands.size(); at += 2) {
      const auto kind = kinds_.find(operands[at]);
      if (kind == kinds_.end()) return false;
      if (kind->second == kSourcePlace)
        referred_.push_back(operands[at + 1]);
      else
        judge(lists(kKinds, kind->second));
    }
    return true;
  }

  // A node of integers: operands are numbers of metadata, plus one.
  void find_place(std::uint64_t number) {
    std::vector<std::uint64_t> place;
    if (number >= metadata_.size() || !metadata_[number].node) {
      judge(false);
      return;
    }
    for (const std::uint64_t operand : *metadata_[number].node) {
      const bool is_value = operand != 0 && operand - 1 < metadata_.size() && metadata_[operand - 1].value;
      const auto integer = is_value ? integers_.find(*metadata_[operand - 1].value) : integers_.end();
      if (integer == integers_.end() || (integer->second & 1) != 0)  // the lowest bit is the sign
        judge(false);
      else
        place.push_back(integer->second >> 1);
    }
    assembly_.places.insert(std::move(place));
  }

  std::vector<Metadata> metadata_;
  std::size_t of_module_ = 0;  // metadata of the module
  std::uint64_t next_value_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> integers_;  // constants of the module by number
  std::map<std::uint64_t, std::string> kinds_;
  std::vector<std::uint64_t> referred_;                           // nodes, by instructions of this function
  std::vector<std::pair<std::uint64_t, std::uint64_t>> symbols_;  // where their names are in the next string table
  InlineAssembly assembly_;
  bool has_others_ = false;
};

}  // namespace

void InlineAssembly::add(const InlineAssembly& other) {
  statements.insert(other.statements.begin(), other.statements.end());
  places.insert(other.places.begin(), other.places.end());
}

bool InlineAssembly::is_within(const InlineAssembly& other) const {
  return std::includes(other.statements.begin(), other.statements.end(), statements.begin(), statements.end()) &&
         std::includes(other.places.begin(), other.places.end(), places.begin(), places.end());
}

bool InlineAssembly::is_outside_of_macros() const {
  constexpr std::uint64_t kInMacro = std::uint64_t{1} << 31;  // clang's SourceLocation
  return std::all_of(places.begin(), places.end(), [](const std::vector<std::uint64_t>& place) {
    return std::all_of(place.begin(), place.end(), [](std::uint64_t line) { return line < kInMacro; });
  });
}

BitcodePlaces places_in_bitcode(std::string_view bitcode) {
  constexpr std::uint32_t kMagic = 0xdec04342;
  Examiner examiner;
  const bool is_read = compiler::walk_bits(bitcode, kMagic, examiner);
  return std::move(examiner).places(is_read);
}

}  // namespace hipcache::hip
