#include "cli/doctor/find_compilers.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/scratch.h"

namespace hipcache::cli {
namespace {

TEST(ProgramKinds, AreToldByTheFile) {
  const support::Scratch scratch;
  EXPECT_EQ(program_at("/bin/sh").value().kind, ProgramKind::dynamic);
  EXPECT_EQ(program_at(scratch.write("script", "#!/bin/sh\n")).value().kind, ProgramKind::script);
  EXPECT_EQ(program_at(scratch.write("text", "text")).value().kind, ProgramKind::other);
  EXPECT_EQ(program_at(scratch.write("empty", "")).value().kind, ProgramKind::other);
  EXPECT_EQ(program_at(scratch.write("cut", "\177ELF\2")).value().kind, ProgramKind::other);
  EXPECT_FALSE(program_at(scratch / "none"));
}

TEST(ProgramKinds, AProgramWithoutALoaderIsStatic) {
  std::string bytes = support::read_bytes("/bin/sh").substr(0, 4096);
  bytes[56] = bytes[57] = 0;  // e_phnum
  const support::Scratch scratch;
  EXPECT_EQ(program_at(scratch.write("static", bytes)).value().kind, ProgramKind::static_elf);
}

TEST(ProgramKinds, ALinkToAnotherCacheIsThatCache) {
  const support::Scratch scratch;
  scratch.write("usr/bin/ccache", "#!/bin/sh\n");
  const Program program = program_at(scratch.link("lib/ccache/g++", scratch / "usr/bin/ccache")).value();
  EXPECT_EQ(program.kind, ProgramKind::other_cache);
  EXPECT_TRUE(program.real_path.ends_with("/usr/bin/ccache"));
  EXPECT_TRUE(is_other_cache("sccache"));
  EXPECT_FALSE(is_other_cache("hipcache"));
}

TEST(ProgramKinds, ALinkNamedLikeAnotherCacheToHipcacheIsNone) {
  const support::Scratch scratch;
  const std::string hipcache = scratch.write("bin/hipcache", "");
  EXPECT_FALSE(is_other_cache(scratch.link("links/ccache", hipcache)));
  EXPECT_FALSE(is_other_cache(scratch.link("links/sccache", hipcache)));
  EXPECT_TRUE(is_other_cache(scratch.write("real/ccache", "")));
}

}  // namespace
}  // namespace hipcache::cli
