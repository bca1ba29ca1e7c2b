#include "daemon/record/source_sight.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "hipcache/compiler/hip/bitcode_digest.h"
#include "hipcache/compiler/hip/plan.h"
#include "hipcache/compiler/output_names.h"
#include "hipcache/compiler/source_sight.h"

namespace hipcache::daemon {
namespace {

using compiler::SourceSight;
using inputs::Question;
using namespace std::string_view_literals;

// Sections and functions of debug information, profiles, coverage, sanitizers and intermediate code, which may hold
// places or texts of the source. Their names are never compressed.
constexpr std::array kRecords = {".debug_"sv, ".zdebug_"sv, ".gnu.lto_"sv,   ".llvm.lto"sv,
                                 ".llvmbc"sv, ".llvmcmd"sv, "__llvm_prf"sv,  "__llvm_cov"sv,
                                 "__gcov_"sv, "__ubsan_"sv, ".GCC.command"sv};

// How clang names a type that has no name.
constexpr std::array kUnnamed = {"(lambda at "sv,         "(unnamed "sv,           "(anonymous struct at"sv,
                                 "(anonymous class at"sv, "(anonymous union at"sv, "(anonymous enum at"sv,
                                 "(anonymous at "sv};

template <typename List>
bool holds_any(std::string_view bytes, const List& what) {
  return std::any_of(what.begin(), what.end(), [&](std::string_view one) { return bytes.find(one) != bytes.npos; });
}

bool is_depfile(const CollectedOutput& output) {
  return output.role == hip::kDepfile || output.role == hip::kPortableDepfile ||
         output.role == hip::kPortableGccDepfile || output.place == compiler::kDepfileName ||
         (output.place.ends_with(".d") && holds_only_rules(output.bytes));
}

bool is_plain_bitcode(const CollectedOutput& output) {
  constexpr std::string_view kBitcode = "BC\xc0\xde";
  return output.bytes.starts_with(kBitcode) && !hip::shows_places(output.bytes);
}

bool is_plain_object(const CollectedOutput& output) {
  constexpr std::string_view kElf =
      "\x7f"
      "ELF";
  return output.bytes.starts_with(kElf) && !holds_any(output.bytes, kRecords);
}

}  // namespace

inputs::Sight sight_of(const std::vector<std::string>& arguments, const std::vector<CollectedOutput>& outputs,
                       const cache::ActionResult& said) {
  const SourceSight command = compiler::source_sight(arguments);
  inputs::Sight sight{.is_cxx = command.is_cxx, .checks_indentation = command.checks_indentation};
  const bool is_silent = said.stdout_text.empty() && said.stderr_text.empty();
  if (!command.is_c_family || !is_silent) return sight;
  sight.macros = inputs::Sight::Macros::by_name;
  const bool are_plain = std::all_of(outputs.begin(), outputs.end(), [](const CollectedOutput& output) {
    return is_depfile(output) || is_plain_object(output) || is_plain_bitcode(output);
  });
  if (command.sees == SourceSight::Sees::bytes || !are_plain) return sight;
  sight.weakest = command.sees == SourceSight::Sees::places ? Question::tokens_in_place : Question::tokens;
  sight.shows_places_of_types = std::any_of(outputs.begin(), outputs.end(), [](const CollectedOutput& output) {
    return !is_depfile(output) && holds_any(output.bytes, kUnnamed);
  });
  return sight;
}

}  // namespace hipcache::daemon
