// A random project to begin with: sources, headers in several directories, links, configuration; and its first compile.
//
//   src/        a.hip, b.hip, runtime.h, headers; blob.bin for .incbin; c.txt, preprocessed, and d.asm
//   inc0..inc2  headers, the same names in several of them
//   sys0        headers, meant for -isystem
//   real        headers that links lead to; lnk0 is a link to a directory of headers
//   conf        flags.rsp, project.cfg
//   lib0, lib1  device libraries: links to the installed ones; lib1 is a link itself
//   out0, out1  for outputs; here is a link to src, to compile in
#ifndef HIPCACHE_TESTS_FUZZ_ORACLE_MODEL_PROJECT_H
#define HIPCACHE_TESTS_FUZZ_ORACLE_MODEL_PROJECT_H

#include "fuzz/oracle/model/compile.h"
#include "fuzz/oracle/model/random.h"
#include "fuzz/oracle/model/tree.h"
#include "support/scratch.h"

namespace hipcache::fuzz {

inline const std::array<std::string, 2> kSources{"src/a.hip", "src/b.hip"};
inline const std::array<std::string, 4> kPlainSources{"src/a.hip", "src/b.hip", "src/c.txt", "src/d.asm"};
inline const std::array<std::string, 5> kHeaderDirectories{"src", "inc0", "inc1", "inc2", "sys0"};

Tree make_tree(Random& random, const support::Scratch& scratch);
Compile first_compile(Random& random);

}  // namespace hipcache::fuzz

#endif
