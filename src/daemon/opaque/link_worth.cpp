#include "daemon/opaque/link_worth.h"

#include <sys/stat.h>

#include <string>

#include "daemon/request/keys.h"
#include "daemon/request/reason.h"
#include "hipcache/base/files.h"
#include "hipcache/inputs/frames.h"

namespace hipcache::daemon {
namespace {

using compiler::Making;
using compiler::Uncacheable;

constexpr std::uint8_t kVersion = 1;
constexpr std::uint64_t kDay = 86'400ull * 1'000'000'000;  // after this the command is measured again

std::uint64_t size_of_file(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0;
}

// The command's, because an edit of the source of a link hardly changes what the link costs.
Digest note_key(const RequestContext& context) { return cost_key(command_key(context.request)); }

bool was_not_worth(const RequestContext& context) {
  const Result<std::optional<std::string>> noted = context.services.store.action(note_key(context));
  if (!noted || !*noted) return false;
  inputs::FrameReader in(**noted);
  if (in.byte() != kVersion) return false;
  const std::uint64_t noted_at = in.number();
  const std::uint64_t now = inputs::file_clock()();
  return in.finished() && noted_at <= now && now - noted_at < kDay;
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
  if (was_not_worth(context))
    return Uncacheable{reason::kNotWorthStoring, invocation.object + " was too large for the time it took"};
  return std::nullopt;
}

void note_not_worth(const RequestContext& context) {
  inputs::FrameWriter out;
  out.byte(kVersion).number(inputs::file_clock()());
  if (Status noted = context.services.store.put_action(note_key(context), std::move(out).bytes()); !noted)
    context.services.log.warning(context.of_object("cannot note what the link costs: " + noted.error().message));
}

}  // namespace hipcache::daemon
