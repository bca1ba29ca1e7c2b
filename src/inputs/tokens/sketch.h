// The tokens of a source as short hashes, to say later which one differs.
#ifndef HIPCACHE_SRC_INPUTS_TOKENS_SKETCH_H
#define HIPCACHE_SRC_INPUTS_TOKENS_SKETCH_H

#include <cstdint>
#include <vector>

#include "inputs/tokens/source_text.h"

namespace hipcache::inputs {

struct Sketch {
  TokenDigests digests;
  std::vector<std::uint16_t> tokens;
};

}  // namespace hipcache::inputs

#endif
