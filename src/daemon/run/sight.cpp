#include "daemon/run/sight.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "daemon/run/debug_sight.h"
#include "daemon/run/messages.h"
#include "hipcache/base/files.h"
#include "hipcache/base/text.h"
#include "hipcache/compiler/hip/bitcode_places.h"
#include "hipcache/compiler/hip/depfile.h"
#include "hipcache/compiler/hip/plan.h"
#include "hipcache/compiler/invocation.h"
#include "hipcache/compiler/source_sight.h"

namespace hipcache::daemon {

namespace {

using compiler::SourceSight;
using inputs::Question;
using namespace std::string_view_literals;

template <typename List>
bool holds_any(std::string_view bytes, const List& what) {
  return std::any_of(what.begin(), what.end(), [&](std::string_view one) { return bytes.find(one) != bytes.npos; });
}

constexpr std::string_view kElf =
    "\x7f"
    "ELF";

// Sections and functions of profiles, coverage, sanitizers, compressed debug information and intermediate code, which
// may hold places or texts of the source. Their names are never compressed.
constexpr std::array kRecords = {".zdebug_"sv,   ".gnu.lto_"sv,  ".llvm.lto"sv, ".llvmbc"sv,  ".llvmcmd"sv,
                                 "__llvm_prf"sv, "__llvm_cov"sv, "__gcov_"sv,   "__ubsan_"sv, ".GCC.command"sv};

// How clang names a type that has no name.
constexpr std::array kUnnamed = {"(lambda at "sv,         "(unnamed "sv,           "(anonymous struct at"sv,
                                 "(anonymous class at"sv, "(anonymous union at"sv, "(anonymous enum at"sv,
                                 "(anonymous at "sv};

bool is_depfile(const CollectedOutput& output) {
  return output.role == hip::kDepfile || hip::portable_form(output.role) || output.place == compiler::kDepfileName ||
         (output.place.ends_with(".d") && holds_only_rules(output.bytes));
}

// The inline assembly of the libraries that a front end links into its module.
hip::InlineAssembly assembly_of_libraries(const std::vector<std::string>& arguments, const inputs::RunContext& from) {
  constexpr std::uint64_t kLargestLibrary = 64u << 20;
  hip::InlineAssembly all;
  for (std::size_t i = 1; i + 1 < arguments.size(); ++i) {
    if (arguments[i] != "-mlink-builtin-bitcode") continue;
    const Result<std::string> library = read_file(join_path(from.working_directory, arguments[i + 1]), kLargestLibrary);
    if (library) all.add(hip::places_in_bitcode(*library).assembly);
  }
  return all;
}

// What the outputs show of the sources.
class Outputs {
 public:
  Outputs(const std::vector<std::string>& arguments, SourceSight::Sees sees, const inputs::RunContext& from)
      : arguments_(arguments), has_places_(sees == SourceSight::Sees::places), from_(from) {}

  // Whether the output shows no more than tokens, or their places if the command says so.
  bool is_plain(const CollectedOutput& output) {
    if (is_depfile(output)) return true;
    if (output.bytes.starts_with(kElf)) return is_plain_object(output.bytes);
    constexpr std::string_view kBitcode = "BC\xc0\xde";
    return output.bytes.starts_with(kBitcode) && is_plain_bitcode(output.bytes);
  }
  std::vector<std::string> take_texts() { return std::move(texts_); }

 private:
  bool is_plain_object(std::string_view object) const {
    if (holds_any(object, kRecords)) return false;
    const DebugSight shown = debug_sight(object);
    return shown == DebugSight::nothing || (shown == DebugSight::places && has_places_);
  }

  bool is_plain_bitcode(std::string_view bitcode) {
    const hip::BitcodePlaces places = hip::places_in_bitcode(bitcode);
    if (places.has_others) return false;
    if (places.assembly.places.empty()) return true;
    if (!places.assembly.is_outside_of_macros() || !places.assembly.is_within(assembly_of_libraries(arguments_, from_)))
      return false;
    for (const hip::InlineAssembly::Statement& statement : places.assembly.statements) texts_.push_back(statement.text);
    return !texts_.empty();
  }

  const std::vector<std::string>& arguments_;
  const bool has_places_;
  const inputs::RunContext& from_;
  std::vector<std::string> texts_;  // of inline assembly whose places are the libraries'
};

bool has_word(std::string_view text, std::string_view word) {
  const auto is_of_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || !is_of_name(text[at - 1]);
    const std::size_t end = at + word.size();
    if (begins && (end == text.size() || !is_of_name(text[end]))) return true;
  }
  return false;
}

bool names_macro(const std::string& text, const inputs::RunContext& from) {
  return std::any_of(from.macros.begin(), from.macros.end(),
                     [&](const inputs::Macro& macro) { return has_word(text, macro.name); });
}

}  // namespace

inputs::Sight sight_of(const std::vector<std::string>& arguments, const std::vector<CollectedOutput>& outputs,
                       const cache::ActionResult& said, const inputs::RunContext& from) {
  const SourceSight command = compiler::source_sight(arguments);
  inputs::Sight sight{.is_cxx = command.is_cxx, .checks_indentation = command.checks_indentation};
  if (!command.is_c_family || !command.is_judged) {
    sight.because = command.because.empty() ? "the language of the source" : command.because;
    return sight;
  }
  std::string printed = from.roots.local_text(said.stdout_text + said.stderr_text);
  for (const CollectedOutput& output : outputs)
    if (output.role == hip::kSaid) printed += output.bytes;
  if (!printed.empty()) {
    std::optional<JudgedMessages> messages = judged_messages(printed);
    if (!messages || names_macro(messages->text, from)) {
      sight.because = "the compiler printed messages";
      return sight;
    }
    sight.messages = std::move(messages->text);
    sight.shown_files = std::move(messages->files);
  }
  sight.macros = inputs::Sight::Macros::by_name;
  if (command.sees == SourceSight::Sees::bytes) {
    sight.because = command.because;
    return sight;
  }
  Outputs shown(arguments, command.sees, from);
  if (!std::all_of(outputs.begin(), outputs.end(), [&](const CollectedOutput& output) {
        return output.role == hip::kSaid || shown.is_plain(output);
      })) {
    sight.because = "an output may show places or texts of sources";
    return sight;
  }
  sight.weakest = command.sees == SourceSight::Sees::places ? Question::tokens_in_place : Question::tokens;
  sight.assembly_of_libraries = shown.take_texts();
  sight.shows_places_of_types = std::any_of(outputs.begin(), outputs.end(), [](const CollectedOutput& output) {
    return !is_depfile(output) && holds_any(output.bytes, kUnnamed);
  });
  return sight;
}

}  // namespace hipcache::daemon
