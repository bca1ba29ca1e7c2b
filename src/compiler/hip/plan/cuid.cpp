#include "hipcache/compiler/hip/cuid.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/MD5.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/base/files.h"

namespace hipcache::hip {
namespace {

// Options that affect neither the jobs nor their outputs.
bool is_cosmetic(std::string_view argument) {
  return argument == "-pipe" || argument == "-Qunused-arguments" || argument.starts_with("-parallel-jobs=") ||
         argument.starts_with(compiler::kSeedOption);
}

Roots with_output_root(const Roots& roots, const std::string& root) {
  Roots all = roots;
  all.add(kOutputRootMark, root);
  return all;
}

// By spelling only. A symbolic link in the path changes the CUID; distinct outputs still get distinct CUIDs.
std::string path_of(const std::string& name, const std::string& working_directory, const Roots& roots) {
  return roots.real_spelling(normal_path(join_path(working_directory, name)));
}

}  // namespace

std::string output_root(const std::string& absolute_output, const Roots& roots,
                        const std::function<bool(const std::string& path)>& exists) {
  const std::string output = roots.real_spelling(normal_path(absolute_output));
  // An output below the topmost build directory has no build directory above that.
  for (const char* mark : {kOuterBuildMark, kBuildMark})
    if (const Root* root = roots.find(mark); root != nullptr && is_within(output, root->path)) return root->path;
  return build_roots(std::string(directory_name(output)), exists).topmost;
}

std::string make_cuid(const compiler::Invocation& invocation, const std::vector<std::string>& counted,
                      const std::string& working_directory, const Roots& roots, const std::string& root) {
  const Roots all = with_output_root(roots, root);
  const std::string output = path_of(invocation.object, working_directory, all);
  const bool is_below = !root.empty() && is_within(output, root);
  const bool has_one_source = invocation.other_sources.empty();
  Hasher hasher("hipcache cuid 4");
  hasher.field(has_one_source ? all.portable_path(path_of(invocation.source, working_directory, all)) : "");
  hasher.field(is_below ? "<root>" + output.substr(root.size()) : all.portable_path(output));
  for (const std::string& argument : counted)
    if (!is_cosmetic(argument)) hasher.field(all.with_marks(argument));
  return hasher.finish().shown();
}

std::string cuid_of_source(const std::string& cuid, const std::string& source, const std::string& working_directory,
                           const Roots& roots, const std::string& root) {
  const Roots all = with_output_root(roots, root);
  Hasher hasher("hipcache cuid of one source");
  hasher.field(all.portable_path(path_of(source, working_directory, all)));
  return cuid + "-" + hasher.finish().shown();
}

std::string make_relocatable_cuid(const std::string& cuid, const std::vector<std::string>& distinct, const Roots& roots,
                                  const std::string& root) {
  const Roots all = with_output_root(roots, root);
  Hasher hasher("hipcache cuid of relocatable code");
  hasher.field(cuid);
  for (const std::string& word : distinct) hasher.field(all.with_marks(word));
  return hasher.finish().shown();
}

bool shows_cuid(std::string_view output, const std::string& cuid) {
  if (cuid.empty()) return false;
  const std::string hash = llvm::utohexstr(llvm::MD5Hash(cuid), /*LowerCase=*/true);
  const std::array<std::string_view, 6> traces = {cuid,       hash,      "__hip_cuid", "__hip_gpubin_handle_",
                                                  ".static.", ".intern."};
  return std::any_of(traces.begin(), traces.end(),
                     [&](std::string_view trace) { return output.find(trace) != std::string_view::npos; });
}

BuildRoots build_roots(const std::string& absolute_directory,
                       const std::function<bool(const std::string& path)>& exists) {
  BuildRoots roots;
  for (std::string directory = normal_path(absolute_directory); directory.size() > 1;
       directory = std::string(directory_name(directory))) {
    if (!exists(directory + "/CMakeCache.txt") && !exists(directory + "/build.ninja")) continue;
    if (roots.nearest.empty()) roots.nearest = directory;
    roots.topmost = directory;
  }
  return roots;
}

}  // namespace hipcache::hip
