#include "daemon/record/sight.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

#include "hipcache/base/files.h"
#include "hipcache/base/text.h"
#include "hipcache/compiler/hip/bitcode_places.h"
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

// Debug information (DWARF).
//
// Problem: clang's DWARF 5 has a digest of each file, and can have its text. gcc's, and clang's DWARF 4, have places.
// Choice: the object tells, whatever the options say. Each section is on a list, none is compressed, and each table of
// lines says which fields it has for a file: a name and a directory alone.

constexpr std::string_view kElf =
    "\x7f"
    "ELF";

// What may hold an object within an object, with debug information of its own.
constexpr std::array kContainers = {"CCOB"sv, "__CLANG_OFFLOAD_BUNDLE__"sv, "\x10\xff\x10\xad"sv};

// Without macros, split files and LTO.
constexpr std::array kDebugSections = {
    ".debug_abbrev"sv,   ".debug_aranges"sv, ".debug_frame"sv,    ".debug_info"sv,  ".debug_line"sv,
    ".debug_line_str"sv, ".debug_loc"sv,     ".debug_loclists"sv, ".debug_names"sv, ".debug_pubnames"sv,
    ".debug_pubtypes"sv, ".debug_ranges"sv,  ".debug_rnglists"sv, ".debug_str"sv,   ".debug_types"sv};

// A cursor over little-endian bytes. Past the end all is zero, and `failed` is set.
struct Bytes {
  std::string_view left;
  bool failed = false;

  std::string_view take(std::uint64_t size) {
    failed = failed || size > left.size();
    const std::string_view taken = left.substr(0, failed ? 0 : size);
    left.remove_prefix(taken.size());
    return taken;
  }
  std::uint64_t number(std::size_t size) {
    const std::string_view bytes = take(size);
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data(), bytes.size());
    return value;
  }
  std::uint64_t leb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint64_t byte = number(1);
      value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    failed = true;
    return 0;
  }
  std::string_view text() {
    const std::size_t end = left.find('\0');
    failed = failed || end == left.npos;
    const std::string_view taken = take(failed ? 0 : end);
    take(1);
    return taken;
  }
};

// A table of lines up to version 4: its directories, then name, directory, time and size of each file.
bool has_names_alone_of_old(Bytes& header) {
  while (!header.failed && !header.text().empty()) {
  }
  while (!header.failed && !header.text().empty()) {
    header.leb();
    const std::uint64_t time = header.leb();
    const std::uint64_t size = header.leb();
    if (time != 0 || size != 0) return false;
  }
  return !header.failed;
}

// The fields of a list's entries: pairs of content and form.
bool takes_names_alone(Bytes& header, std::vector<std::uint64_t>& forms) {
  constexpr std::uint64_t kPath = 1;
  constexpr std::uint64_t kDirectory = 2;
  forms.clear();
  for (std::uint64_t left = header.number(1); left > 0 && !header.failed; --left) {
    const std::uint64_t content = header.leb();
    if (content != kPath && content != kDirectory) return false;
    forms.push_back(header.leb());
  }
  return !header.failed;
}

void skip(Bytes& header, std::uint64_t form, std::size_t size_of_offset) {
  enum : std::uint64_t { kData2 = 0x05, kString = 0x08, kData1 = 0x0b, kStrp = 0x0e, kUdata = 0x0f, kLineStrp = 0x1f };
  switch (form) {
    case kString:
      header.text();
      break;
    case kStrp:
    case kLineStrp:
      header.take(size_of_offset);
      break;
    case kData1:
      header.take(1);
      break;
    case kData2:
      header.take(2);
      break;
    case kUdata:
      header.leb();
      break;
    default:
      header.failed = true;
  }
}

// Version 5: the fields of a directory, the directories, the fields of a file.
bool has_names_alone_of_5(Bytes& header, std::size_t size_of_offset) {
  std::vector<std::uint64_t> forms;
  if (!takes_names_alone(header, forms)) return false;
  for (std::uint64_t left = header.leb(); left > 0 && !header.failed; --left) {
    if (forms.empty()) return false;
    for (const std::uint64_t form : forms) skip(header, form, size_of_offset);
  }
  return takes_names_alone(header, forms);
}

// One unit's table, behind its length.
bool has_names_alone(Bytes unit, std::size_t size_of_offset) {
  const std::uint64_t version = unit.number(2);
  if (version < 2 || version > 5) return false;
  if (version == 5) unit.take(2);   // sizes of an address and of a segment
  unit.take(size_of_offset);        // of the header
  unit.take(version >= 4 ? 5 : 4);  // the shape of the line program
  const std::uint64_t opcodes = unit.number(1);
  if (opcodes > 0) unit.take(opcodes - 1);
  return version == 5 ? has_names_alone_of_5(unit, size_of_offset) : has_names_alone_of_old(unit);
}

bool have_names_alone(std::string_view tables) {
  constexpr std::uint64_t kLong = 0xffffffff;
  Bytes all{tables};
  while (!all.left.empty() && !all.failed) {
    std::uint64_t length = all.number(4);
    const bool is_long = length == kLong;
    if (is_long) length = all.number(8);
    if (!has_names_alone({all.take(length)}, is_long ? 8 : 4)) return false;
  }
  return !all.failed;
}

template <typename T>
std::optional<T> read_at(std::string_view bytes, std::uint64_t at) {
  T value;
  if (at > bytes.size() || bytes.size() - at < sizeof value) return std::nullopt;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

std::string_view part_of(std::string_view bytes, std::uint64_t at, std::uint64_t size) {
  return at > bytes.size() ? ""sv : bytes.substr(at, size);
}

// A section named as debug information is: its own name, or that of its relocations.
bool shows_only_places(std::string_view object, const Elf64_Shdr& section, std::string_view name) {
  for (const std::string_view prefix : {".rela"sv, ".rel"sv})
    if (name.starts_with(prefix)) return holds(kDebugSections, name.substr(prefix.size()));
  if (!holds(kDebugSections, name) || (section.sh_flags & SHF_COMPRESSED) != 0) return false;
  return name != ".debug_line" || have_names_alone(part_of(object, section.sh_offset, section.sh_size));
}

// REQUIRES: the object names debug information.
bool shows_only_places(std::string_view object) {
  const std::optional<Elf64_Ehdr> header = read_at<Elf64_Ehdr>(object, 0);
  if (!header || header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
      header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shnum == 0)
    return false;
  const auto section = [&](std::uint64_t index) {
    return read_at<Elf64_Shdr>(object, header->e_shoff + index * sizeof(Elf64_Shdr));
  };
  const std::optional<Elf64_Shdr> names = section(header->e_shstrndx);
  if (!names) return false;
  for (std::uint64_t i = 1; i < header->e_shnum; ++i) {
    const std::optional<Elf64_Shdr> one = section(i);
    if (!one || one->sh_name >= names->sh_size) return false;
    const std::string_view rest =
        part_of(part_of(object, names->sh_offset, names->sh_size), one->sh_name, object.size());
    const std::string_view name = rest.substr(0, rest.find('\0'));
    if (name.find("debug") != name.npos && !shows_only_places(object, *one, name)) return false;
  }
  return true;
}

}  // namespace

DebugSight debug_sight(std::string_view object) {
  if (object.find(".debug_") == object.npos) return DebugSight::nothing;
  const bool is_one = object.rfind(kElf) == 0 && !holds_any(object, kContainers);
  return is_one && shows_only_places(object) ? DebugSight::places : DebugSight::bytes;
}

namespace {

// Sections and functions of profiles, coverage, sanitizers, compressed debug information and intermediate code, which
// may hold places or texts of the source. Their names are never compressed.
constexpr std::array kRecords = {".zdebug_"sv,   ".gnu.lto_"sv,  ".llvm.lto"sv, ".llvmbc"sv,  ".llvmcmd"sv,
                                 "__llvm_prf"sv, "__llvm_cov"sv, "__gcov_"sv,   "__ubsan_"sv, ".GCC.command"sv};

// How clang names a type that has no name.
constexpr std::array kUnnamed = {"(lambda at "sv,         "(unnamed "sv,           "(anonymous struct at"sv,
                                 "(anonymous class at"sv, "(anonymous union at"sv, "(anonymous enum at"sv,
                                 "(anonymous at "sv};

bool is_depfile(const CollectedOutput& output) {
  return output.role == hip::kDepfile || output.role == hip::kPortableDepfile ||
         output.role == hip::kPortableGccDepfile || output.place == compiler::kDepfileName ||
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

// Warnings whose texts come from declarations and statements alone, in clang 15 to 23 and gcc 12 to 16. Others may name
// a macro that no source has: clang looks for one that stands for NULL (-Wuninitialized) or for [[fallthrough]], and
// both compilers look for a similar name ("did you mean").
constexpr std::array kJudgedWarnings = {"unused-result"sv,
                                        "unused-variable"sv,
                                        "unused-parameter"sv,
                                        "unused-function"sv,
                                        "unused-value"sv,
                                        "unused-but-set-variable"sv,
                                        "unused-but-set-parameter"sv,
                                        "unused-private-field"sv,
                                        "unused-const-variable"sv,
                                        "unused-local-typedef"sv,
                                        "unused-local-typedefs"sv,
                                        "deprecated-declarations"sv,
                                        "sign-compare"sv,
                                        "reorder"sv,
                                        "reorder-ctor"sv,
                                        "missing-field-initializers"sv,
                                        "overloaded-virtual"sv,
                                        "pass-failed"sv,
                                        "pass-failed=transform-warning"sv};

// Where macros of the command line stand, and the words of commands and of other messages.
constexpr std::array kMayTellOfMacros = {"<command"sv, "<built-in"sv, "<scratch"sv, "did you mean"sv, "error"sv,
                                         "remark"sv,   "cc1"sv,       "-D"sv,       "-U"sv,           "-include"sv};

bool is_judged_warning(std::string_view line) {
  const std::size_t at = line.rfind("[-W");
  if (at == line.npos) return false;
  const std::string_view name = line.substr(at + 3);
  return holds(kJudgedWarnings, name.substr(0, name.find(']')));
}

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

bool tells_of_macros(std::string_view printed, const inputs::RunContext& from) {
  return !leaves_out_macros(printed) ||
         std::any_of(from.macros.begin(), from.macros.end(),
                     [&](const inputs::Macro& macro) { return has_word(printed, macro.name); });
}

}  // namespace

bool leaves_out_macros(std::string_view printed) {
  constexpr std::string_view kWarning = "warning:";
  if (holds_any(printed, kMayTellOfMacros)) return false;
  bool has_warning = false;
  for (auto at = printed.find(kWarning); at != printed.npos; at = printed.find(kWarning, at + 1)) {
    const std::string_view rest = printed.substr(at);
    if (!is_judged_warning(rest.substr(0, rest.find('\n')))) return false;
    has_warning = true;
  }
  return has_warning;
}

inputs::Sight sight_of(const std::vector<std::string>& arguments, const std::vector<CollectedOutput>& outputs,
                       const cache::ActionResult& said, const inputs::RunContext& from) {
  const SourceSight command = compiler::source_sight(arguments);
  inputs::Sight sight{.is_cxx = command.is_cxx, .checks_indentation = command.checks_indentation};
  if (!command.is_c_family || !command.is_judged) {
    sight.because = command.because.empty() ? "the language of the source" : command.because;
    return sight;
  }
  std::string printed = said.stdout_text + said.stderr_text;
  for (const CollectedOutput& output : outputs)
    if (output.role == hip::kSaid) printed += output.bytes;
  if (!printed.empty()) sight.because = "the compiler printed messages";
  if (!printed.empty() && tells_of_macros(printed, from)) return sight;
  sight.macros = inputs::Sight::Macros::by_name;
  if (command.sees == SourceSight::Sees::bytes) sight.because = command.because;
  if (!printed.empty() || command.sees == SourceSight::Sees::bytes) return sight;
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
