#include "daemon/ties.h"

#include <algorithm>
#include <array>
#include <string>

#include "hipcache/plan/cuid.h"

namespace hipcache::daemon {
namespace {

// Where LLVM puts the command line: the section in objects and assembly, the symbol in IR. Neither name is compressed.
constexpr std::string_view kCommandSection = ".llvmcmd";
constexpr std::string_view kCommandSymbol = "llvm.cmdline";

constexpr std::string_view kMap = "-fmacro-prefix-map=";

// Sections that hold the working directory, or may: names of sections are never compressed.
constexpr auto kMayNameDirectory =
    std::to_array<std::string_view>({".zdebug_", "__llvm_prf", "__llvm_cov", ".gnu.lto_", ".gcda"});

// Whether a section of debug information is compressed: an ELF compression header (type 1 or 2, reserved zero, 24 bytes
// in all), and then a stream of zlib or zstd.
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

// Options of clang and gcc that hash or compress names.
constexpr auto kHidesNames =
    std::to_array<std::string_view>({"-gz", "-fprofile", "-fcoverage", "--coverage", "-coverage", "-ftest-coverage",
                                     "-fsanitize", "-fxray", "-funique-internal-linkage-names", "-fdebug-types-section",
                                     "-Wa,--compress-debug", "-flto", "-frandom-seed", "-fauto-profile"});

// "-fmacro-prefix-map=/base=NEW", where NEW does not bring the directory back.
bool maps_base(std::string_view argument, const BaseDirectory& base) {
  if (!argument.starts_with(kMap)) return false;
  argument.remove_prefix(kMap.size());
  if (!argument.starts_with(base.path())) return false;
  argument.remove_prefix(base.path().size());
  if (argument.starts_with('/')) argument.remove_prefix(1);
  return argument.starts_with('=') && !base.shows_in(argument);
}

std::size_t maps_in(const std::vector<std::string>& argv) {
  return static_cast<std::size_t>(
      std::count_if(argv.begin(), argv.end(), [](const std::string& one) { return one.starts_with(kMap); }));
}

// clang makes the id of a HIP source of its real path, hashed.
bool compiles_for_devices(std::string_view argument) {
  return argument == "hip" || argument == "cuda" || argument == "-xhip" || argument == "-xcuda" ||
         argument.ends_with(".hip") || argument.ends_with(".cu") || argument.ends_with("hipcc");
}

}  // namespace

void Ties::look_into(std::string_view bytes, const inputs::Surroundings& from) {
  base = base || from.base.shows_in(bytes);
  cuid = cuid || plan::shows_cuid(bytes, from.cuid);
  command = command || bytes.find(kCommandSection) != bytes.npos || bytes.find(kCommandSymbol) != bytes.npos;
}

DirectoryTie::DirectoryTie(const inputs::Surroundings& from)
    : physical_(from.working_directory), logical_(from.logical_directory()) {}

void DirectoryTie::look_into(std::string_view bytes) {
  const auto shows = [&](std::string_view what) { return bytes.find(what) != std::string_view::npos; };
  shows_ = shows_ || shows(physical_) || shows(logical_) || may_hold_names_unseen(bytes);
}

bool may_hold_names_unseen(std::string_view bytes) {
  const auto shows = [&](std::string_view what) { return bytes.find(what) != std::string_view::npos; };
  return std::any_of(kMayNameDirectory.begin(), kMayNameDirectory.end(), shows) || compresses_debug_information(bytes);
}

bool may_hide_names(const std::vector<std::string>& arguments) {
  if (std::any_of(arguments.begin(), arguments.end(), compiles_for_devices)) return true;
  return std::any_of(arguments.begin(), arguments.end(), [](std::string_view argument) {
    return std::any_of(kHidesNames.begin(), kHidesNames.end(),
                       [&](std::string_view prefix) { return argument.starts_with(prefix); });
  });
}

// More than one map could undo each other: then the sources are looked into.
bool maps_own_names(const plan::Step& step, const BaseDirectory& base) {
  if (!base.is_set()) return false;
  return std::any_of(step.keyed.begin(), step.keyed.end(), [&](const std::vector<std::string>& argv) {
    return maps_in(argv) == 1 &&
           std::any_of(argv.begin(), argv.end(), [&](const std::string& one) { return maps_base(one, base); });
  });
}

}  // namespace hipcache::daemon
