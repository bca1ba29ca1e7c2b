#include "daemon/opaque/link_worth.h"

#include <sys/stat.h>

#include <string>

#include "daemon/request/reason.h"
#include "hipcache/base/files.h"

namespace hipcache::daemon {
namespace {

using compiler::Making;
using compiler::Uncacheable;

std::uint64_t size_of_file(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0;
}

}  // namespace

bool is_worth_storing(std::uint64_t bytes, std::uint64_t duration_us, std::uint64_t max_size) {
  if (max_size != 0 && bytes > max_size / kPartOfCache) return false;
  return bytes <= kAlwaysWorth ||
         bytes / kBytesPerSavedSecond * 1'000'000 + bytes % kBytesPerSavedSecond * 1'000'000 / kBytesPerSavedSecond <=
             duration_us;
}

std::optional<Uncacheable> not_worth_running(const RequestContext& context) {
  const compiler::Invocation& invocation = context.request.invocation;
  if (invocation.making == Making::compile) return std::nullopt;
  const std::string output = join_path(context.request.from.working_directory, invocation.object);
  if (size_of_file(output) > kLargeOutput)
    return Uncacheable{reason::kNotWorthStoring, invocation.object + " replaces a large file"};
  return std::nullopt;
}

}  // namespace hipcache::daemon
