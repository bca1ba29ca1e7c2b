#include "daemon/record/collected_output.h"

#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>
#include <sys/xattr.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "hipcache/base/files.h"
#include "hipcache/compiler/hip/bitcode_digest.h"
#include "hipcache/compiler/hip/plan.h"
#include "hipcache/compiler/invocation.h"
#include "hipcache/compiler/source_sight.h"

namespace hipcache::daemon {

namespace {

using compiler::SourceSight;
using inputs::Question;
using namespace std::string_view_literals;

// Sections and functions of profiles, coverage, sanitizers and intermediate code, which may hold places or texts of the
// source, and of debug information. Their names are never compressed.
constexpr std::string_view kDebug = ".debug_";
constexpr std::array kRecords = {".zdebug_"sv,   ".gnu.lto_"sv,  ".llvm.lto"sv, ".llvmbc"sv,  ".llvmcmd"sv,
                                 "__llvm_prf"sv, "__llvm_cov"sv, "__gcov_"sv,   "__ubsan_"sv, ".GCC.command"sv};

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

bool is_plain_object(const CollectedOutput& output, bool may_hold_places) {
  constexpr std::string_view kElf =
      "\x7f"
      "ELF";
  return output.bytes.starts_with(kElf) && !holds_any(output.bytes, kRecords) &&
         (may_hold_places || output.bytes.find(kDebug) == output.bytes.npos);
}

}  // namespace

inputs::Sight sight_of(const std::vector<std::string>& arguments, const std::vector<CollectedOutput>& outputs,
                       const cache::ActionResult& said) {
  const SourceSight command = compiler::source_sight(arguments);
  inputs::Sight sight{.is_cxx = command.is_cxx, .checks_indentation = command.checks_indentation};
  const bool is_silent = said.stdout_text.empty() && said.stderr_text.empty();
  if (!command.is_c_family || !command.is_judged || !is_silent) return sight;
  sight.macros = inputs::Sight::Macros::by_name;
  const bool in_place = command.sees == SourceSight::Sees::places;
  const bool are_plain = std::all_of(outputs.begin(), outputs.end(), [&](const CollectedOutput& output) {
    return is_depfile(output) || is_plain_object(output, in_place) || is_plain_bitcode(output);
  });
  if (command.sees == SourceSight::Sees::bytes || !are_plain) return sight;
  sight.weakest = in_place ? Question::tokens_in_place : Question::tokens;
  sight.shows_places_of_types = std::any_of(outputs.begin(), outputs.end(), [](const CollectedOutput& output) {
    return !is_depfile(output) && holds_any(output.bytes, kUnnamed);
  });
  return sight;
}

namespace {

constexpr const char* kAttribute = "system.posix_acl_default";
constexpr mode_t kOfOneClass = 07;

// None if the directory has no such ACL, or if it is longer than any that the kernel stores.
std::optional<std::string> default_acl(const std::string& directory) {
  const ssize_t size = getxattr(directory.c_str(), kAttribute, nullptr, 0);
  if (size <= 0) return std::nullopt;
  std::string bytes(static_cast<std::size_t>(size), '\0');
  const ssize_t got = getxattr(directory.c_str(), kAttribute, bytes.data(), bytes.size());
  if (got <= 0) return std::nullopt;
  bytes.resize(static_cast<std::size_t>(got));
  return bytes;
}

}  // namespace

std::optional<mode_t> allowed_by_default_acl(std::string_view bytes) {
  posix_acl_xattr_header header{};
  if (bytes.size() < sizeof header || (bytes.size() - sizeof header) % sizeof(posix_acl_xattr_entry) != 0)
    return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.a_version != POSIX_ACL_XATTR_VERSION) return std::nullopt;
  mode_t owner = 0;
  mode_t others = 0;
  mode_t group = 0;
  std::optional<mode_t> mask;  // counts instead of the group where there is one
  for (std::size_t at = sizeof header; at < bytes.size(); at += sizeof(posix_acl_xattr_entry)) {
    posix_acl_xattr_entry entry{};
    std::memcpy(&entry, bytes.data() + at, sizeof entry);
    const mode_t allowed = entry.e_perm & kOfOneClass;
    if (entry.e_tag == ACL_USER_OBJ) owner = allowed;
    if (entry.e_tag == ACL_GROUP_OBJ) group = allowed;
    if (entry.e_tag == ACL_MASK) mask = allowed;
    if (entry.e_tag == ACL_OTHER) others = allowed;
  }
  return owner << 6 | mask.value_or(group) << 3 | others;
}

mode_t usual_mode(const std::string& path, mode_t asked, mode_t umask) {
  const std::optional<std::string> acl = default_acl(std::string(directory_name(path)));
  const std::optional<mode_t> allowed = acl ? allowed_by_default_acl(*acl) : std::nullopt;
  return asked & allowed.value_or(~umask);
}

bool holds_only_rules(std::string_view bytes) {
  if (bytes.empty() || bytes.starts_with('{') || bytes.find('\0') != bytes.npos) return false;
  while (!bytes.empty()) {
    std::size_t end = bytes.find('\n');
    while (end != bytes.npos && end > 0 && bytes[end - 1] == '\\') end = bytes.find('\n', end + 1);
    const std::string_view rule = bytes.substr(0, end);
    if (!rule.empty() && (rule.find(':') == rule.npos || rule.starts_with('#') || rule.starts_with('\t'))) return false;
    bytes.remove_prefix(end == bytes.npos ? bytes.size() : end + 1);
  }
  return true;
}

}  // namespace hipcache::daemon
