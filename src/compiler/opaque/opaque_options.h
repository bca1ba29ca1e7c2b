// The options of an opaque compile: what they pass on to other programs, and what they call its outputs.
//
// -Xclang, -Wp, and the like pass options to the front end, -mllvm to LLVM, -Wa, to the assembler. Each has several
// spellings: "-Xclang X", "-Xclang=X".
#ifndef HIPCACHE_SRC_COMPILER_OPAQUE_OPAQUE_OPTIONS_H
#define HIPCACHE_SRC_COMPILER_OPAQUE_OPAQUE_OPTIONS_H

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/compiler/invocation.h"

namespace hipcache::compiler {

// Takes a command's arguments from left to right. They have to outlive this object.
class PassedOnOptions {
 public:
  // An option whose value is the next argument.
  std::optional<Uncacheable> take(std::string_view option, std::string_view value);
  // Any other argument.
  std::optional<Uncacheable> take(std::string_view argument);

  // Whether the front end makes a precompiled header.
  bool emits_header() const { return emits_header_; }
  // Whether a precompiled header does without the times of its headers.
  bool leaves_out_times() const { return leaves_out_times_; }

 private:
  enum class Reader { none, frontend, backend, assembler };

  static Reader reader_of(std::string_view option);
  Reason refusal(Reader reader, std::string_view word);
  Reason frontend_refusal(std::string_view word);

  std::string_view previous_;  // of the front end's words
  bool emits_header_ = false;
  bool leaves_out_times_ = false;
};

// Whether the name ends like a C, C++ or assembler source.
bool is_named_like_source(std::string_view name);

// Finds the names that a command gives to its outputs, and puts placeholders in their place.
// `options`: positions in `arguments` that are neither an input nor the value of the option before.
// Returns nothing for a command that may use a name in an unknown way.
std::optional<OutputNames> find_output_names(const std::vector<std::string>& arguments,
                                             const std::vector<std::size_t>& options,
                                             const std::vector<std::string>& inputs);

}  // namespace hipcache::compiler

#endif
