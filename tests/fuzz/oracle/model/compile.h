// What a random project is asked to be compiled with, as something that can be edited: the command line comes last.
//
// Words may hold paths of the project as {inc0/h1.h}: they are written relative to the directory of the compile, or
// absolute.
#ifndef HIPCACHE_TESTS_FUZZ_ORACLE_MODEL_COMPILE_H
#define HIPCACHE_TESTS_FUZZ_ORACLE_MODEL_COMPILE_H

#include <array>
#include <string>
#include <vector>

#include "integration/support/compiler.h"
#include "integration/support/oracle.h"

namespace hipcache::fuzz {

using integration::Arguments;
using integration::Variables;

inline const std::array<std::string, 6> kArchs{"gfx900", "gfx906", "gfx908", "gfx90a", "gfx1030", "gfx90a:xnack+"};
// Beside the HIP compiler, those of compiles that are one step, and what kind of compile it may be instead of `-c`.
inline const std::string kHip = "hip";
inline const std::array<std::string, 3> kDrivers{kHip, "clang++", "g++"};
inline const std::string kBitcode = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode";

// An option of one word or more, with its values.
using Option = Arguments;

struct Compile {
  std::string driver = kHip;
  Option stage{"-c"};
  std::string directory = ".";
  bool absolute = false;  // paths in words
  std::string source;
  std::string output;  // "": wherever clang puts it
  std::vector<std::string> archs;
  bool archs_in_one_word = false;
  std::vector<Option> includes;  // directories; their order counts
  std::vector<Option> flags;
  Option library;  // where device libraries are; may be empty if a variable says it
  Option depfile;
  Variables environment;

  bool operator==(const Compile&) const = default;
};

integration::Request request_for(const Compile& compile, const integration::Compiler& compiler,
                                 const std::string& root);

}  // namespace hipcache::fuzz

#endif
