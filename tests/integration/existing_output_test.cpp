// Outputs that exist already: a hit leaves the same modes, links and link counts as the compiler.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <filesystem>
#include <map>

#include "integration/support/opaque_compile.h"
#include "support/default_acl.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

struct Existing {
  std::string name;
  std::string content;
  mode_t mode;
  enum { absent, file, hard_linked, symbolic_link, dangling_link } kind;
};

const std::vector<Existing> kExisting{
    {"Nothing", "", 0, Existing::absent},
    {"Empty", "", 0600, Existing::file},
    {"EmptyProgram", "", 0755, Existing::file},
    {"EmptyLinked", "", 0600, Existing::hard_linked},
    {"Full", "old", 0600, Existing::file},
    {"FullProgram", "old", 0755, Existing::file},
    {"FullLinked", "old", 0600, Existing::hard_linked},
    {"EmptyReadOnly", "", 0444, Existing::file},
    {"FullReadOnly", "old", 0444, Existing::file},
    {"LinkToEmpty", "", 0600, Existing::symbolic_link},
    {"LinkToFull", "old", 0600, Existing::symbolic_link},
    {"LinkToNothing", "", 0, Existing::dangling_link},
};

struct Seen {
  mode_t mode = 0;  // with the file's type
  nlink_t links = 0;
  uid_t owner = 0;
  std::string bytes;
  bool operator==(const Seen&) const = default;
};

void PrintTo(const Seen& seen, std::ostream* out) {
  *out << std::oct << seen.mode << std::dec << " links " << seen.links << " owner " << seen.owner << " size "
       << seen.bytes.size();
}

class ExistingOutput : public OpaqueCompile, public testing::TestWithParam<std::string> {
 protected:
  ExistingOutput() { project_.write("a.c", "int a(void) { return 1; }\n"); }

  std::string out(const std::string& name) const { return project_ / ("out/" + name); }

  void prepare(const Existing& existing) const {
    fs::remove_all(project_ / "out");
    project_.make_directory("out");
    const bool is_link = existing.kind == Existing::symbolic_link || existing.kind == Existing::dangling_link;
    if (is_link) fs::create_symlink("target", out("a"));
    if (existing.kind == Existing::absent || existing.kind == Existing::dangling_link) return;
    const std::string file = is_link ? "out/target" : "out/a";
    project_.write(file, existing.content);
    ASSERT_EQ(chmod((project_ / file).c_str(), existing.mode), 0);
    ASSERT_EQ(chown((project_ / file).c_str(), 12345, 12345), 0) << "the tests run as root";
    if (existing.kind == Existing::hard_linked) fs::create_hard_link(out("a"), out("second"));
  }

  std::map<std::string, Seen> seen() const {
    std::map<std::string, Seen> all;
    for (const auto& entry : fs::directory_iterator(project_ / "out")) {
      struct stat status{};
      EXPECT_EQ(lstat(entry.path().c_str(), &status), 0);
      const bool is_file = S_ISREG(status.st_mode);
      all[entry.path().filename()] = {status.st_mode, status.st_nlink, status.st_uid,
                                      is_file ? support::read_bytes(entry.path()) : ""};
    }
    return all;
  }

  void expect_as_alone(const Arguments& command) {
    prepare(kExisting.front());
    expect_run(command);
    for (const Existing& existing : kExisting) {
      SCOPED_TRACE(existing.name + testing::PrintToString(command));
      prepare(existing);
      const Ended alone = run(command, project_.path());
      const auto by_compiler = seen();
      prepare(existing);
      const Counts before = cache_.counts();
      const Ended cached = cache_.run(command, project_.path());
      const bool is_link = existing.kind == Existing::symbolic_link || existing.kind == Existing::dangling_link;
      if (!is_link) {  // the compiler follows the link: then the compile has other inputs
        EXPECT_EQ((cache_.counts() - before).hits, 1);
      }
      EXPECT_EQ(cached.exit_code, alone.exit_code);
      EXPECT_EQ(cached.err, alone.err);
      EXPECT_EQ(seen(), by_compiler);
    }
  }
};

TEST_P(ExistingOutput, OfAnObjectKeepsWhatTheCompilerLetsItKeep) {
  expect_as_alone(words(GetParam() + " -c a.c -o out/a"));
}

TEST_P(ExistingOutput, OfAssemblyKeepsWhatTheCompilerLetsItKeep) {
  expect_as_alone(words(GetParam() + " -S a.c -o out/a"));
}

TEST_P(ExistingOutput, InADirectoryWithADefaultAclGetsTheModeThatTheAclGives) {
  const std::string acl = support::default_acl(7, 7, 0);
  const auto prepare_with_acl = [&] {
    prepare(kExisting.front());
    ASSERT_EQ(setxattr((project_ / "out").c_str(), "system.posix_acl_default", acl.data(), acl.size(), 0), 0);
  };
  const Arguments command = words(GetParam() + " -c a.c -o out/a");
  prepare_with_acl();
  ASSERT_EQ(run(command, project_.path()).exit_code, 0);
  const auto by_compiler = seen();
  ASSERT_EQ(by_compiler.at("a").mode & 0777, 0660u);
  for (const bool is_hit : {false, true}) {
    prepare_with_acl();
    const Counts before = cache_.counts();
    ASSERT_EQ(cache_.run(command, project_.path()).exit_code, 0);
    const Counts counts = cache_.counts() - before;
    EXPECT_EQ(counts.hits, is_hit ? 1 : 0);
    EXPECT_EQ(counts.misses, is_hit ? 0 : 1);
    EXPECT_EQ(seen(), by_compiler);
  }
}

std::string name_of_command(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& letter : name)
    if (!isalnum(letter)) letter = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Compilers, ExistingOutput,
                         testing::Values("gcc", "clang-15", "clang-19", "clang-19 -fno-integrated-as"),
                         name_of_command);

}  // namespace
}  // namespace hipcache::integration
