#include "hipcache/inputs/loaded_libraries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hipcache/base/files.h"
#include "support/scratch.h"

namespace hipcache::inputs {
namespace {

using testing::Contains;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(LoadedLibraries, AreThoseOfTheProgramAndOfItsLibraries) {
  const std::set<std::string> libraries = libraries_loaded_by(real_path("/usr/lib/llvm-19/bin/clang"));
  EXPECT_THAT(libraries, Contains(HasSubstr("libLLVM"))) << "by its DT_RUNPATH";
  EXPECT_THAT(libraries, Contains(EndsWith("/libc.so.6"))) << "in a directory of the loader's";
  EXPECT_THAT(libraries, Contains(HasSubstr("libtinfo"))) << "a library of libLLVM's";
}

TEST(LoadedLibraries, AreNoneOfWhatIsNoProgram) {
  const support::Scratch scratch;
  EXPECT_THAT(libraries_loaded_by(scratch.write("script", "#!/bin/sh\n")), IsEmpty());
  EXPECT_THAT(libraries_loaded_by(scratch / "absent"), IsEmpty());
}

}  // namespace
}  // namespace hipcache::inputs
