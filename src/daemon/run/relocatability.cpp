#include "daemon/run/relocatability.h"

#include <algorithm>
#include <array>
#include <utility>

#include "hipcache/base/files.h"
#include "hipcache/compiler/hip/cuid.h"
#include "hipcache/compiler/hip/depfile.h"
#include "hipcache/compiler/hip/plan.h"
#include "hipcache/compiler/option_facts.h"

namespace hipcache::daemon {

namespace {

// Words after "NAME." that do not derive from an output's name: extensions of sources and headers, and suffixes of
// function clones.
constexpr auto kOthers = std::to_array<std::string_view>(
    {"c",   "cc",  "cp", "cpp", "cxx", "c++",  "C",         "h",    "hh",         "hp",       "hpp",
     "hxx", "h++", "H",  "inc", "inl", "ipp",  "tcc",       "tpp",  "txx",        "def",      "hip",
     "cu",  "cuh", "S",  "m",   "mm",  "cold", "constprop", "isra", "localalias", "lto_priv", "part"});

bool is_of_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '+';
}

// The word at the start of the text.
std::string_view word_of(std::string_view text) {
  return text.substr(0,
                     static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_of_word) - text.begin()));
}

bool is_other(std::string_view rest) {
  return std::find(kOthers.begin(), kOthers.end(), word_of(rest)) != kOthers.end();
}

bool shows(std::string_view bytes, std::string_view beginning) {
  for (auto at = bytes.find(beginning); at != std::string_view::npos; at = bytes.find(beginning, at + 1)) {
    const bool within_word = at != 0 && is_of_word(bytes[at - 1]);
    if (!within_word && !is_other(bytes.substr(at + beginning.size()))) return true;
  }
  return false;
}

std::string beginning_of(std::string_view name) {
  const std::string_view last = base_name(name);
  return std::string(last.substr(0, last.rfind('.'))) + '.';
}

// Where LLVM puts the command line: a section in objects and assembly, a symbol in IR. Neither name is ever compressed.
constexpr std::string_view kCommandSection = ".llvmcmd";
constexpr std::string_view kCommandSymbol = "llvm.cmdline";

// Sections that contain the working directory, or may. Section names are never compressed.
constexpr auto kMayNameDirectory =
    std::to_array<std::string_view>({".zdebug_", "__llvm_prf", "__llvm_cov", ".gnu.lto_", ".gcda"});

// Whether a section of debug information is compressed. It then has an ELF compression header (type 1 or 2, reserved
// zero, 24 bytes), followed by a zlib or zstd stream.
bool compresses_debug_information(std::string_view bytes) {
  using namespace std::string_view_literals;
  if (bytes.find(".debug_") == std::string_view::npos) return false;
  for (const std::string_view header : {"\x01\0\0\0\0\0\0\0"sv, "\x02\0\0\0\0\0\0\0"sv}) {
    for (auto at = bytes.find(header); at != std::string_view::npos; at = bytes.find(header, at + 1)) {
      const std::string_view stream = bytes.substr(std::min(at + 24, bytes.size()));
      if (stream.starts_with('x') || stream.starts_with("\x28\xb5\x2f\xfd"sv)) return true;
    }
  }
  return false;
}

// No writer of texts escapes these characters.
bool is_never_escaped(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         std::string_view("/._-+@,=:~").find(c) != std::string_view::npos;
}

// Whether the compile is for devices: clang derives the id of a HIP source from a hash of its real path.
bool compiles_for_devices(std::string_view argument) {
  return argument == "hip" || argument == "cuda" || argument == "-xhip" || argument == "-xcuda" ||
         argument.ends_with(".hip") || argument.ends_with(".cu") || argument.ends_with("hipcc");
}

RootMask shown_in_part(std::string_view bytes, const inputs::RunContext& from, const hip::PrefixMaps& maps) {
  if (from.roots.empty() || !holds_debug_information(bytes)) return 0;
  const auto shows = [&](std::string_view name) {
    return !name.empty() && bytes.find(std::string(name) + "/") != bytes.npos;
  };
  const std::string logical = from.logical_directory();
  return maps.left_in_debug_information(bytes) | from.roots.whose_name([&](const std::string& name) {
    return shows(hip::left_beside(name, from.working_directory)) || shows(hip::left_beside(name, logical));
  });
}

}  // namespace

NameTie::NameTie(const compiler::OutputNames& names) {
  for (const std::string* name : {&names.object, &names.depfile, &names.target})
    if (!name->empty()) beginnings_.push_back(beginning_of(*name));
}

bool NameTie::shows_in(std::string_view bytes) const {
  return may_hold_names_unseen(bytes) ||
         std::any_of(beginnings_.begin(), beginnings_.end(), [&](const std::string& one) { return shows(bytes, one); });
}

bool holds_debug_information(std::string_view bytes) {
  return bytes.find(".debug_") != bytes.npos || bytes.find(".zdebug_") != bytes.npos ||
         bytes.starts_with("BC\xc0\xde") || bytes.find("!DIFile") != bytes.npos;
}

Relocatability::Relocatability(hip::PrefixMaps of_command) : maps(std::move(of_command)) {
  roots.own_names_mapped = maps.own_names();
  roots.may_be_placed = maps.places();
}

void Relocatability::look_into(std::string_view bytes, const inputs::RunContext& from) {
  roots.shown |= from.roots.shown_in(bytes) | shown_in_part(bytes, from, maps) | maps.left_in(bytes);
  roots.placed |= maps.places_in(bytes);
  cuid = cuid || hip::shows_cuid(bytes, from.given_cuid());
  command = command || bytes.find(kCommandSection) != bytes.npos || bytes.find(kCommandSymbol) != bytes.npos;
}

void Relocatability::look_into(const std::string& role, std::string_view bytes, const inputs::RunContext& from) {
  const RootMask shown = roots.shown;
  look_into(bytes, from);
  if (!hip::portable_form(role)) return;
  roots.shown = shown | from.roots.named_in_text(bytes) | maps.left_in(bytes);
  roots.spelled |= from.roots.tokens_in(bytes);
}

void Relocatability::look_into_printed(std::string_view bytes, const inputs::RunContext& from) {
  look_into(bytes, from);
  roots.spelled_in_messages |= from.roots.tokens_in(bytes);
  roots.spelled |= roots.spelled_in_messages;
  roots.hidden = roots.hidden || (may_show_escaped(bytes) && may_be_escaped(from.roots));
}

DirectoryReferences::DirectoryReferences(const inputs::RunContext& from, const std::vector<std::string>& arguments)
    : physical_(from.working_directory),
      logical_(from.logical_directory()),
      shows_(hip::maps_above(physical_, arguments) || hip::maps_above(logical_, arguments)) {}

void DirectoryReferences::look_into(std::string_view bytes) {
  const auto shows = [&](std::string_view what) { return bytes.find(what) != std::string_view::npos; };
  shows_ = shows_ || shows(physical_) || shows(logical_);
  hides_ = hides_ || may_hold_names_unseen(bytes);
}

bool DirectoryReferences::may_be_escaped() const {
  return daemon::may_be_escaped(physical_) || daemon::may_be_escaped(logical_);
}

bool may_be_escaped(std::string_view name) { return !std::all_of(name.begin(), name.end(), is_never_escaped); }

bool may_be_escaped(const Roots& roots) {
  return std::any_of(roots.all().begin(), roots.all().end(),
                     [](const Root& root) { return may_be_escaped(root.path) || may_be_escaped(root.alias); });
}

// Every form has one of these, or the character that replaces what is no UTF-8.
bool may_show_escaped(std::string_view printed) {
  return printed.find_first_of("\\%$") != printed.npos || printed.find("\xef\xbf\xbd") != printed.npos;
}

bool may_hold_names_unseen(std::string_view bytes) {
  const auto shows = [&](std::string_view what) { return bytes.find(what) != std::string_view::npos; };
  return std::any_of(kMayNameDirectory.begin(), kMayNameDirectory.end(), shows) || compresses_debug_information(bytes);
}

bool may_hide_names(const std::vector<std::string>& arguments, const Hiding& of) {
  namespace facts = compiler::facts;
  const bool names_source_absolutely = of.source.empty() || of.source.front() == '/';
  return std::any_of(arguments.begin(), arguments.end(), [&](std::string_view argument) {
    if (compiles_for_devices(argument)) return true;
    if (compiler::option_has(argument, facts::hides_debug_names)) return of.has_debug_information;
    // clang looks functions of one file up in a profile by a hash of the source's name as it was given.
    if (compiler::option_has(argument, facts::hides_source_name)) return names_source_absolutely;
    // A list that names a root ties by its text.
    return compiler::option_has(argument, facts::hides_names | facts::defers_code) &&
           !compiler::option_has(argument, facts::names_list);
  });
}

}  // namespace hipcache::daemon
