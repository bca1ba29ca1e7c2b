#include "compiler/frontend/words_of_19.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace hipcache::compiler {
namespace {

// Options that only the front end and the driver use, or that steer code generation in the same way
// whether it reads a source or bitcode. They play no role, and splitting code generation may have them.
constexpr auto kUnknownTo19 = std::to_array<std::string_view>(
    {"--mrelax-relocations", "-menable-unsafe-fp-math", "-no-opaque-pointers", "-fdwarf2-cfi-asm", "--no-offloadlib",
     "--offloadlib", "-fatomic-fine-grained-memory", "-fatomic-ignore-denormal-mode", "-fatomic-remote-memory",
     "-fno-atomic-fine-grained-memory", "-fno-atomic-ignore-denormal-mode", "-fno-atomic-remote-memory",
     "-fms-anonymous-structs", "-fno-ms-anonymous-structs", "-fno-color-diagnostics"});

}  // namespace

std::vector<std::string> in_words_of_19(const std::vector<std::string>& arguments) {
  std::vector<std::string> known = arguments;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (std::find(kUnknownTo19.begin(), kUnknownTo19.end(), known[i]) != kUnknownTo19.end()) {
      known[i].clear();
    } else if ((known[i] == "-fvisibility" || known[i] == "-ftype-visibility") && i + 1 < known.size()) {
      known[i] += "=" + known[i + 1];
      known[i + 1].clear();
    }
  }
  return known;
}

}  // namespace hipcache::compiler
