#include "daemon/run/collected_output.h"

#include <string.h>
#include <sys/stat.h>

#include <utility>

#include "hipcache/base/files.h"
#include "hipcache/base/reason.h"
#include "hipcache/compiler/hip/plan.h"

namespace hipcache::daemon {

namespace {

bool is_executable(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 && (status.st_mode & S_IXUSR) != 0;
}

Result<CollectedOutput> read_plain(std::string role, const std::string& path) {
  Result<std::string> bytes = read_file(path, kOutputLimit);
  if (!bytes) return bytes.error();
  return CollectedOutput{.role = std::move(role), .bytes = std::move(*bytes), .executable = is_executable(path)};
}

}  // namespace

Result<CollectedOutput> collect_output(std::string role, const std::string& path, const Roots& roots) {
  if (role == hip::kDepfile) return collect_depfile(path, roots, hip::DepfileForm::clang, "");
  return read_plain(std::move(role), path);
}

Result<CollectedOutput> collect_depfile(const std::string& path, const Roots& roots, hip::DepfileForm form,
                                        const std::string& target) {
  Result<CollectedOutput> made = read_plain(hip::kDepfile, path);
  if (!made || (target.empty() && roots.shown_in(made->bytes) == 0)) return made;
  if (std::optional<std::string> portable = hip::portable_depfile(made->bytes, roots, form, target)) {
    made->role = form == hip::DepfileForm::gcc ? hip::kPortableGccDepfile : hip::kPortableDepfile;
    made->bytes = std::move(*portable);
  }
  return made;
}

std::optional<inputs::Refusal> names_directory(const std::vector<CollectedOutput>& outputs,
                                               const RequestDirectory& directory) {
  const std::string& path = directory.path();
  for (const CollectedOutput& output : outputs) {
    if (output.role == hip::kSaid || output.role == hip::kCaptured) continue;
    if (memmem(output.bytes.data(), output.bytes.size(), path.data(), path.size()) != nullptr)
      return inputs::Refusal{Reason::names_temporary_files, output.place.empty() ? output.role : output.place};
  }
  return std::nullopt;
}

Relocatability relocatability_of(const hip::PrefixMaps& maps, const std::vector<CollectedOutput>& outputs,
                                 const cache::ActionResult& said, const inputs::RunContext& from) {
  Relocatability ties(maps);
  for (const CollectedOutput& output : outputs) {
    if (output.role == hip::kSaid)
      ties.look_into_printed(output.bytes, from);
    else
      ties.look_into(output.role, output.bytes, from);
  }
  ties.look_into_printed(said.stdout_text, from);
  ties.look_into_printed(said.stderr_text, from);
  return ties;
}

Relocatability relocatability_of(const StepSpec& spec, const std::vector<CollectedOutput>& outputs,
                                 const cache::ActionResult& said, const inputs::RunContext& from) {
  Relocatability ties = relocatability_of(spec.maps, outputs, said, from);
  ties.roots.hidden = ties.roots.hidden || spec.hashes_names;
  ties.roots.named = spec.named_roots;
  ties.roots.arguments = arguments_of(spec);
  ties.cuid = ties.cuid || (spec.hashes_names && !from.cuid.empty());
  return ties;
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
