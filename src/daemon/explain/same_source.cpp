#include "daemon/explain/same_source.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <vector>

#include "daemon/explain/argument_changes.h"
#include "daemon/request/keys.h"
#include "hipcache/base/files.h"

namespace hipcache::daemon {
namespace {

using protocol::Differs;
using Path = std::filesystem::path;

// Of an opaque compile: its only argument that is no option.
std::string source_of(const compiler::Invocation& invocation) {
  if (invocation.route == compiler::Route::planned) return invocation.source;
  if (invocation.making != compiler::Making::compile) return "";
  std::string source;
  std::vector<std::string> arguments(invocation.expanded.begin() + 1, invocation.expanded.end());
  for (const std::string& unit : units_of(arguments)) {
    if (unit.starts_with('-')) continue;
    if (!source.empty()) return "";
    source = unit;
  }
  return source;
}

// The directories that two paths with equal ends do not share: "/a" and "/b" of "/a/s/x.o" and "/b/s/x.o". Empty if the
// paths have different names.
std::pair<std::string, std::string> unequal_roots(const Path& now, const Path& then) {
  const std::vector<Path> left(now.begin(), now.end()), right(then.begin(), then.end());
  const auto [left_end, right_end] = std::mismatch(left.rbegin(), left.rend(), right.rbegin(), right.rend());
  if (left_end == left.rbegin()) return {};
  const auto path_up_to = [](auto from, auto end) {
    Path path;
    for (auto part = from; part != end; ++part) path /= *part;
    return path.string();
  };
  return {path_up_to(left.begin(), left_end.base()), path_up_to(right.begin(), right_end.base())};
}

}  // namespace

std::optional<Digest> same_source_key(const RequestContext& context) {
  const Request& request = context.request;
  const std::string source = source_of(request.invocation);
  if (source.empty()) return std::nullopt;
  const std::string path = join_path(request.from.working_directory, source);
  const Result<Digest> content = context.services.file_system.content(path);
  if (!content) return std::nullopt;
  return source_key(request, std::string(base_name(source)), *content);
}

std::string object_path(const Request& request) {
  return Path(join_path(request.from.working_directory, request.invocation.object)).lexically_normal().string();
}

Differences other_output(const std::string& object, const Request& request) {
  const Path now = object_path(request);
  const Path then = object;
  Differences told{{Differs::nothing_stored, "", "", ""}, {Differs::other_output, object, "", ""}};
  const auto [here, there] = unequal_roots(now, then);
  if (!here.empty() && !there.empty() && here != "/" && there != "/")
    told.push_back({Differs::other_base, "", here, there});
  else if (now.parent_path() == then.parent_path() && request.invocation.route == compiler::Route::planned)
    told.push_back({Differs::output_name, "", now.filename().string(), then.filename().string()});
  return told;
}

}  // namespace hipcache::daemon
