// Options inside of options of an opaque compile: -Xclang, -Wp, and the like pass them to the front
// end, -mllvm to LLVM, -Wa, to the assembler. Each has several spellings: "-Xclang X", "-Xclang=X".
#ifndef HIPCACHE_SRC_COMPILER_OPAQUE_PASSED_ON_OPTIONS_H
#define HIPCACHE_SRC_COMPILER_OPAQUE_PASSED_ON_OPTIONS_H

#include <optional>
#include <string_view>

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
  const char* refusal(Reader reader, std::string_view word);
  const char* frontend_refusal(std::string_view word);

  std::string_view previous_;  // of the front end's words
  bool emits_header_ = false;
  bool leaves_out_times_ = false;
};

}  // namespace hipcache::compiler

#endif
