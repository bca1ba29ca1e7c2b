#include "daemon/opaque/run_notes.h"

#include <cstdint>
#include <string>
#include <utility>

#include "daemon/request/keys.h"
#include "hipcache/inputs/file_clock.h"
#include "hipcache/inputs/frames.h"

namespace hipcache::daemon {
namespace {

using compiler::Uncacheable;

constexpr std::uint8_t kVersion = 2;
constexpr std::uint64_t kDay = 86'400ull * 1'000'000'000;

Digest note_key(const RequestContext& context) { return cost_key(command_key(context.request)); }

}  // namespace

void note_runs_alone(const RequestContext& context, const Uncacheable& why) {
  inputs::FrameWriter out;
  out.byte(kVersion).number(inputs::file_clock()()).text(why.reason).text(why.detail);
  if (Status noted = context.services.store.put_action(note_key(context), std::move(out).bytes()); !noted)
    context.services.log.warning(context.of_object("cannot note how it runs: " + noted.error().message));
}

std::optional<Uncacheable> noted_to_run_alone(const RequestContext& context) {
  const Result<std::optional<std::string>> noted = context.services.store.action(note_key(context));
  if (!noted || !*noted) return std::nullopt;
  inputs::FrameReader in(**noted);
  if (in.byte() != kVersion) return std::nullopt;
  const std::uint64_t noted_at = in.number();
  Uncacheable why{std::string(in.text()), std::string(in.text())};
  const std::uint64_t now = inputs::file_clock()();
  const bool counts = in.finished() && noted_at <= now && now - noted_at < kDay;
  return counts ? std::optional(std::move(why)) : std::nullopt;
}

}  // namespace hipcache::daemon
