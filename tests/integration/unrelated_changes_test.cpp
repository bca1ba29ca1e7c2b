// Every fixture project, built twice. Everything that must not matter changes between the builds, and no step may run.
// This covers user, machine's name, installed libraries, packages in /opt, locale, time zone, dates and variables. It
// also covers a terminal instead of a pipe, the number of jobs, home and temporary directories, and a new clone of the
// sources.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "integration/support/cache.h"
#include "integration/support/compiler.h"
#include "integration/support/tree.h"
#include "support/other_users.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kFirst = 61001;
constexpr uid_t kSecond = 61002;
constexpr gid_t kGroup = 61100;

struct Build {
  std::string project;
  Compiler compiler;
};

void PrintTo(const Build& build, std::ostream* out) { *out << build.project << " " << build.compiler.program(); }

std::string build_name(const testing::TestParamInfo<Build>& info) {
  std::string name = info.param.project + info.param.compiler.version;
  std::erase(name, '-');
  return name;
}

// Who builds, and how.
struct Builder {
  uid_t user;
  std::string prepare;  // run by root, in namespaces of the builder's own
  std::string make;     // with its options
  Variables variables;
};

class UnrelatedChanges : public testing::TestWithParam<Build> {
 protected:
  void SetUp() override {
    if (const std::string why = support::why_not_as_others(hipcache_program()); !why.empty()) GTEST_SKIP() << why;
    ASSERT_EQ(chmod(place_.path().c_str(), 0755), 0);
    fs::create_directory(shared_);
    ASSERT_EQ(chown(shared_.c_str(), 0, kGroup), 0);
    ASSERT_EQ(chmod(shared_.c_str(), 03770), 0);
    for (const char* name : {"first", "second", "build"}) place_.make_directory(name);
  }

  // The sources as git writes them: the same bytes, in new files.
  void clone() const {
    fs::remove_all(place_ / "fixtures");
    for (const std::string& part : {std::string("hip-root"), "projects/" + GetParam().project}) {
      place_.make_directory("fixtures/" + part);
      fs::copy(HIPCACHE_SOURCE "/fixtures/" + part, place_ / ("fixtures/" + part), fs::copy_options::recursive);
    }
    fs::copy(HIPCACHE_SOURCE "/fixtures/configure", place_ / "fixtures/configure");
  }

  bool is_cmake() const { return GetParam().project != "gcc-make"; }

  // Makes the headers before the first compile. A compile is not stored if it starts in the clock's tick in which an
  // input was written. So make must not make the header right before it.
  void configure() const {
    if (!is_cmake()) {
      EXPECT_EQ(run({"/bin/sh", "-c", "make" + target() + " " + build_ + "/include/small_config.h"}, "/").exit_code, 0);
      return;
    }
    const Ended ended =
        run({place_ / "fixtures/configure", GetParam().project, build_, "--clang", GetParam().compiler.version,
             "--archs", "gfx906", "--launcher", hipcache_program(), "--generator", "Unix Makefiles"},
            "/", {{"HIPCACHE_DISABLE", "1"}});
    ASSERT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  }

  // Arguments of make besides its options.
  std::string target() const {
    if (is_cmake()) return " -C " + build_;
    return " -C " + place_ / "fixtures/projects/gcc-make" + " BUILD=" + build_ + " LAUNCHER=" + hipcache_program();
  }

  // Builds all objects, and returns what was counted.
  Counts build(const Builder& builder) const {
    const std::string user = std::to_string(builder.user);
    const std::string statistics = place_ / "statistics";
    const std::string script = "set -e\n" + builder.prepare + "\nchown -R " + user + " " + build_ + " " +
                               (place_ / "first") + " " + (place_ / "second") + "\nas='setpriv --reuid=" + user +
                               " --regid=" + user + " --groups=" + std::to_string(kGroup) + "'\n$as " + builder.make +
                               "\n$as " + hipcache_program() + " --show-stats --format json >" + statistics + "\n$as " +
                               hipcache_program() + " --stop-server\n";
    Variables variables = builder.variables;
    variables["HIPCACHE_DIR"] = shared_;
    variables["HIPCACHE_CONFIG"] = "/dev/null";
    variables["HIPCACHE_UMASK"] = "007";
    variables["HIPCACHE_LOG"] = log_of(builder.user);
    const Ended ended =
        run({"unshare", "--uts", "--mount", "--propagation", "private", "bash", "-c", script}, "/", variables);
    EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
    if (ended.exit_code != 0) return {};
    return counts_of(nlohmann::json::parse(support::read_bytes(statistics)));
  }

  // The log of this user's daemon. It says for each step that ran, why.
  std::string log_of(uid_t user) const { return place_ / (user == kFirst ? "first/log" : "second/log"); }

  // The loader's cache of a machine with one more library.
  std::string other_loader_cache() const {
    place_.write("other.c", "int other(void) { return 1; }\n");
    const std::string directory = place_.make_directory("other");
    EXPECT_EQ(run({"gcc", "-shared", "-fPIC", "-Wl,-soname,libother.so.1", place_ / "other.c", "-o",
                   directory + "/libother.so.1"},
                  "/")
                  .exit_code,
              0);
    EXPECT_EQ(run({"/sbin/ldconfig", "-X", "-C", place_ / "ld.so.cache", directory}, "/").exit_code, 0);
    return place_ / "ld.so.cache";
  }

  Builder first() const {
    return {kFirst,
            "hostname builder-1",
            "make -j1" + target(),
            {{"LANG", "C"},
             {"LC_ALL", ""},
             {"TZ", "UTC"},
             {"HOME", place_ / "first"},
             {"USER", "first"},
             {"LOGNAME", "first"},
             {"TERM", ""},
             {"MAKEFLAGS", ""},
             {"SOURCE_DATE_EPOCH", "1600000000"},
             {"LD_LIBRARY_PATH", ""}}};
  }

  Builder second() const {
    return {kSecond,
            "hostname builder-2\nmount --bind " + other_loader_cache() + " /etc/ld.so.cache\nmount --bind " +
                place_.write("passwd", support::read_bytes("/etc/passwd") + "more:x:61009:61009::/nowhere:/bin/sh\n") +
                " /etc/passwd\nmount --bind " + place_.make_directory("opt") + " /opt\numask 027\nulimit -c 0\n",
            "script -qec 'make -j3 -k" + target() + "' /dev/null",
            {{"LANG", "C.UTF-8"},
             {"LC_ALL", "C.UTF-8"},
             {"LANGUAGE", "de:en"},
             {"TZ", "Asia/Tokyo"},
             {"HOME", place_ / "second"},
             {"USER", "second"},
             {"LOGNAME", "second"},
             {"HOSTNAME", "builder-2"},
             {"TERM", "xterm-256color"},
             {"COLORTERM", "truecolor"},
             {"COLUMNS", "77"},
             {"SHELL", "/bin/sh"},
             {"TMPDIR", place_ / "second"},
             {"XDG_CACHE_HOME", place_ / "second/cache"},
             {"SOURCE_DATE_EPOCH", "1700000000"},
             {"LD_LIBRARY_PATH", place_ / "absent"},
             {"PATH", place_ / "absent/bin:" + std::string(getenv("PATH"))},
             {"BUILD_NUMBER", "42"},
             {"CI", "true"},
             {"DISPLAY", ":1"},
             {"EDITOR", "ed"}}};
  }

  // Bytes by name. Modes depend on the builders' umasks, so they are left out.
  std::map<std::string, std::string> objects() const {
    std::map<std::string, std::string> found;
    for (const auto& [name, text] : files_in(build_))
      if (name.ends_with(".o")) found[name] = support::read_bytes(build_ + "/" + name);
    return found;
  }

  support::Scratch place_;
  const std::string shared_ = place_ / "shared";
  const std::string build_ = place_ / "build";
};

TEST_P(UnrelatedChanges, AllAtOnceRunNoStep) {
  clone();
  configure();
  const Counts cold = build(first());
  ASSERT_FALSE(HasFailure());
  const std::int64_t compiles = cold.misses + cold.hits;
  EXPECT_GE(compiles, 3) << cold.json.dump();
  EXPECT_GE(cold.run.at("host"), 3);
  const auto made = objects();
  EXPECT_GE(static_cast<std::int64_t>(made.size()), compiles);
  for (const auto& [name, text] : made) fs::remove(build_ + "/" + name);

  clone();
  if (!is_cmake()) configure();
  const Counts again = build(second());
  ASSERT_FALSE(again.json.empty());
  EXPECT_EQ(again.hits, compiles) << again.json.dump();
  for (const auto& [step, number] : again.run) EXPECT_EQ(number, 0) << step;
  EXPECT_EQ(again.passed, 0);
  EXPECT_TRUE(made == objects());
  if (HasFailure()) ADD_FAILURE() << support::read_bytes(log_of(kSecond));
}

INSTANTIATE_TEST_SUITE_P(Projects, UnrelatedChanges,
                         testing::Values(Build{"cxx-style", {"19"}}, Build{"hip-language", {"15"}},
                                         Build{"common-header", {"19"}}, Build{"gcc-make", {""}}),
                         build_name);

}  // namespace
}  // namespace hipcache::integration
