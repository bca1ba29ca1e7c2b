// A toolchain of the test's own, which it may change: small copies of what a test replaces, and links to the rest.
#ifndef HIPCACHE_TESTS_INTEGRATION_STALENESS_TOOLCHAIN_H
#define HIPCACHE_TESTS_INTEGRATION_STALENESS_TOOLCHAIN_H

#include <string>

#include "integration/staleness/staleness.h"

namespace hipcache::integration {

class Toolchain {
 public:
  // Laid out as the installed one: bin/clang (a copy), bin/clang++, bin/lld and bin/clang-offload-bundler (links), lib/
  // with the compiler's own libraries and lib/clang/<version> (links).
  explicit Toolchain(const Compiler& compiler);

  const std::string& path() const { return scratch_.path(); }
  std::string operator/(const std::string& name) const { return scratch_ / name; }
  void write(const std::string& name, const std::string& bytes) const { scratch_.write(name, bytes); }

  // A compile of a.hip into a.o by `driver`, a name in PATH or the path of a program; with no -B, so that the driver's
  // own directory counts.
  static Arguments compile_by(const std::string& driver, const std::string& flags = "-O1");
  Arguments compile(const std::string& flags = "-O1") const { return compile_by(*this / "bin/clang++", flags); }

  // Puts a copy of the linked program or library in the link's place.
  void copy(const std::string& name) const;
  // A byte more at the end: another file, and one that runs as before.
  void append_byte(const std::string& name) const;
  // Another last byte, behind the same size and time.
  void change_last_byte(const std::string& name) const;
  // The resource directory, by its place in the toolchain: "lib/clang/19".
  std::string resource_directory() const;

 private:
  support::Scratch scratch_;
};

// Copies one of the system's libraries (a file name) into a directory.
void copy_library(const std::string& name, const std::string& directory);

}  // namespace hipcache::integration

#endif
