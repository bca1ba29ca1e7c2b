// A toolchain that a test may change: small copies of what the test replaces, and links to the rest.
#ifndef HIPCACHE_TESTS_INTEGRATION_STALENESS_SUPPORT_TOOLCHAIN_H
#define HIPCACHE_TESTS_INTEGRATION_STALENESS_SUPPORT_TOOLCHAIN_H

#include <string>

#include "integration/staleness/support/staleness.h"

namespace hipcache::integration {

class Toolchain {
 public:
  // The layout of the installed toolchain: bin/clang (a copy), bin/clang++, bin/lld and bin/clang-offload-bundler
  // (links), lib/ with the compiler's own libraries and lib/clang/<version> (links).
  explicit Toolchain(const Compiler& compiler);

  const std::string& path() const { return scratch_.path(); }
  std::string operator/(const std::string& name) const { return scratch_ / name; }
  void write(const std::string& name, const std::string& bytes) const { scratch_.write(name, bytes); }

  // Compiles a.hip to a.o with `driver`, a name in PATH or a program's path. Without -B, so that the driver's own
  // directory counts.
  static Arguments compile_by(const std::string& driver, const std::string& flags = "-O1");
  Arguments compile(const std::string& flags = "-O1") const { return compile_by(*this / "bin/clang++", flags); }

  // Replaces a link by a copy of the linked program or library.
  void copy(const std::string& name) const;
  // Appends one byte: a different file that still runs.
  void append_byte(const std::string& name) const;
  // Changes the last byte, and keeps size and time.
  void change_last_byte(const std::string& name) const;
  // The resource directory, relative to the toolchain: "lib/clang/19".
  std::string resource_directory() const;

 private:
  support::Scratch scratch_;
};

// Copies one of the system's libraries (a file name) into a directory.
void copy_library(const std::string& name, const std::string& directory);

}  // namespace hipcache::integration

#endif
