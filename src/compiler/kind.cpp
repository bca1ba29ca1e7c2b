#include "hipcache/compiler/kind.h"

namespace hipcache::compiler {

std::variant<Invocation, Uncacheable> read_command(std::span<const Kind* const> kinds, const Command& command) {
  for (const Kind* kind : kinds.first(kinds.size() - 1))
    if (auto read = kind->read(command); std::holds_alternative<Invocation>(read)) return read;
  return kinds.back()->read(command);
}

}  // namespace hipcache::compiler
