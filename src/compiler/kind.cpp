#include "hipcache/compiler/kind.h"

#include <utility>

#include "hipcache/base/reason.h"

namespace hipcache::compiler {

std::variant<Invocation, Uncacheable> read_command(std::span<const Kind* const> kinds, const Command& command) {
  Uncacheable refusal;
  std::optional<Uncacheable> not_split;
  for (const Kind* kind : kinds) {
    auto read = kind->read(command);
    auto* why = std::get_if<Uncacheable>(&read);
    if (why == nullptr) {
      std::get<Invocation>(read).opaque.not_split = std::move(not_split);
      return read;
    }
    if (why->of_hip && !not_split) not_split = *why;
    if (refusal.reason == Reason::none || why->reason != Reason::not_a_compiler ||
        refusal.reason == Reason::not_a_compiler)
      refusal = std::move(*why);
  }
  return refusal;
}

}  // namespace hipcache::compiler
