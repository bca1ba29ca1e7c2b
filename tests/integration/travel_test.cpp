// Results that travel: what one machine compiled is a hit on another one.
//
// A machine is a set of namespaces with its own name, packages (a header and a library more, another loader's cache),
// user, home, variables, checkout and times. Both have the same compilers. The second one reads the first one's cache
// as a seed.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "integration/support/party.h"
#include "integration/support/single_compile.h"
#include "support/other_users.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

// Not this process's: that may name directories which the machines' users cannot enter.
constexpr const char* kPath = "/usr/bin:/bin";

struct Description {
  std::string name;
  uid_t user = 0;
  std::string place;  // where the machine has its checkout
  std::string date;   // of the files in it
  Variables variables;
};

class Machine {
 public:
  // Everything of the machine lies in `root`/<name>. Null if this process may not make one.
  static std::unique_ptr<Machine> make(const support::Scratch& root, const Description& description) {
    const std::string home = root.make_directory(description.name);
    write_packages(root, description.name);
    const std::string user = std::to_string(description.user);
    const std::string script = "set -e\ncd " + home + "\nhostname " + description.name +
                               "\nmount -t overlay overlay -o lowerdir=" + home + "/include:/usr/include /usr/include" +
                               "\nmount --bind opt /opt\nmount --bind ld.so.cache /etc/ld.so.cache\nmount --bind "
                               "passwd /etc/passwd\nchown -R " +
                               user + " " + home + "\ntouch is-up\nexec sleep infinity\n";
    auto keeper = std::make_unique<Started>(
        Arguments{"unshare", "--uts", "--mount", "--propagation", "private", "bash", "-c", script}, "/", Variables{});
    while (!keeper->has_ended() && !support::exists(home + "/is-up"))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (!keeper->has_ended()) return std::unique_ptr<Machine>(new Machine(description, home, std::move(keeper)));
    keeper->wait();
    return nullptr;
  }

  ~Machine() {
    party_.reset();  // stops the daemon, through the namespaces
    kill(keeper_->pid(), SIGKILL);
    keeper_->wait();
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // The same sources on every machine, in files of its own.
  void check_out() const {
    const std::string& place = description_.place;
    fs::create_directories(place + "/include");
    const support::Scratch sources;
    write_kernel(sources, "a.hip", "#include <size.h>\n");
    sources.write("include/size.h", "#pragma once\n#define SIZE 7\n");
    sources.write("b.cpp", "#include <size.h>\n#include <cstdio>\nint size() { return std::printf(\"%d\", SIZE); }\n");
    fs::copy(sources.path(), place, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    const std::string user = std::to_string(description_.user);
    const Ended done = integration::run(
        {"bash", "-c",
         "chown -R " + user + " " + place + " && find " + place + " -exec touch -d " + description_.date + " {} +"},
        "/");
    ASSERT_EQ(done.exit_code, 0) << done.err;
  }

  Ended run(const Arguments& argv) const { return party_->run(argv, description_.place); }
  Ended plain(const Arguments& argv) const { return party_->plain(argv, description_.place); }
  Counts counts() const { return party_->counts(); }
  std::string object(const std::string& name) const { return support::read_bytes(description_.place + "/" + name); }
  std::string cache() const { return home_ + "/cache"; }

  // What the daemon said about each step that ran, for a failing test.
  std::string log() const { return support::read_bytes(home_ + "/log"); }

  // The id of the translation unit that hipcache gives the compile.
  std::string cuid(const Arguments& argv) const {
    const Ended shown = run(Arguments{"--plan", "--format", "json", "--"} + argv);
    EXPECT_EQ(shown.exit_code, 0) << shown.err;
    return shown.exit_code == 0 ? nlohmann::json::parse(shown.out).value("cuid", "") : "";
  }

 private:
  Machine(const Description& description, const std::string& home, std::unique_ptr<Started> keeper)
      : description_(description), home_(home), keeper_(std::move(keeper)) {
    const std::string pid = "/proc/" + std::to_string(keeper_->pid());
    const std::string user = std::to_string(description.user);
    Variables variables = description.variables;
    variables.insert({{"HIPCACHE_DIR", cache()},
                      {"HIPCACHE_CONFIG", "/dev/null"},
                      {"HIPCACHE_LOG", home + "/log"},
                      {"HIPCACHE_BASEDIR", description.place},
                      {"HOME", home},
                      {"USER", description.name},
                      {"LOGNAME", description.name},
                      {"HOSTNAME", description.name}});
    party_ = std::make_unique<Party>(Arguments{"nsenter", "--mount=" + pid + "/ns/mnt", "--uts=" + pid + "/ns/uts",
                                               "setpriv", "--reuid=" + user, "--regid=" + user, "--clear-groups"},
                                     variables);
  }

  // A header and a package in /opt that only this machine has, and a loader's cache that knows a library that only this
  // machine has.
  static void write_packages(const support::Scratch& root, const std::string& name) {
    root.write(name + "/include/of-" + name + ".h", "");
    root.make_directory(name + "/opt/" + name);
    root.write(name + "/passwd", support::read_bytes("/etc/passwd") + name + ":x:61000:61000::/:/bin/sh\n");
    root.write(name + "/library.c", "int only_of_one_machine(void) { return 1; }\n");
    const std::string library = "lib" + name + ".so.1";
    const std::string directory = root.make_directory(name + "/lib");
    ASSERT_EQ(integration::run({"gcc", "-shared", "-fPIC", "-Wl,-soname," + library, root / (name + "/library.c"), "-o",
                                directory + "/" + library},
                               "/")
                  .exit_code,
              0);
    ASSERT_EQ(
        integration::run({"/sbin/ldconfig", "-X", "-C", root / (name + "/ld.so.cache"), directory}, "/").exit_code, 0);
  }

  Description description_;
  std::string home_;
  std::unique_ptr<Started> keeper_;  // keeps the namespaces alive
  std::unique_ptr<Party> party_;
};

class Travel : public testing::TestWithParam<Compiler> {
 protected:
  void SetUp() override {
    if (const std::string why = support::why_not_as_others(hipcache_program()); !why.empty()) GTEST_SKIP() << why;
    ASSERT_EQ(chmod(root_.path().c_str(), 0755), 0);
    builder_ = first();
    if (!builder_) GTEST_SKIP() << "a container without CAP_SYS_ADMIN makes no namespaces with overlays";
    fill(*builder_);
    fs::remove_all(root_ / "work");
  }

  static Arguments hip() {
    return GetParam().hip() + archs({"gfx906", "gfx1030"}) + words("-O1 -Iinclude -c a.hip -o a.o");
  }
  static Arguments cxx() { return {GetParam().program(), "-O1", "-Iinclude", "-c", "b.cpp", "-o", "b.o"}; }
  static Arguments gcc() { return {"g++", "-O1", "-Iinclude", "-c", "b.cpp", "-o", "g.o"}; }

  std::unique_ptr<Machine> first() const {
    return Machine::make(root_, {.name = "first",
                                 .user = 61001,
                                 .place = root_ / "work/checkout",
                                 .date = "2020-01-01",
                                 .variables = {{"LANG", "C"}, {"TERM", ""}, {"PATH", kPath}, {"HIPCACHE_SEED", ""}}});
  }

  // The second machine, with the sources in that directory.
  std::unique_ptr<Machine> checked_out(const std::string& place) const {
    auto machine = Machine::make(root_, {.name = "second",
                                         .user = 61002,
                                         .place = root_ / place,
                                         .date = "2024-02-02",
                                         .variables = {{"LANG", "C.UTF-8"},
                                                       {"LC_ALL", "C.UTF-8"},
                                                       {"TERM", "xterm"},
                                                       {"TZ", "Asia/Tokyo"},
                                                       {"BUILD_NUMBER", "42"},
                                                       {"PATH", root_ / "second/bin:" + kPath},
                                                       {"HIPCACHE_SEED", root_ / "first/cache"}}});
    if (machine) machine->check_out();
    return machine;
  }

  // The first machine compiles everything, and makes its cache readable.
  void fill(const Machine& machine) const {
    machine.check_out();
    for (const Arguments& argv : {hip(), cxx(), gcc()}) {
      const Ended ended = machine.run(argv);
      ASSERT_EQ(ended.exit_code, 0) << ended.err;
    }
    EXPECT_EQ(machine.counts().misses, 3);
    EXPECT_EQ(machine.run({"--stop-server"}).exit_code, 0);
    ASSERT_EQ(integration::run({"chmod", "-R", "a+rX", machine.cache()}, "/").exit_code, 0);
  }

  // The objects are those of the compiler alone.
  static void expect_true_objects(const Machine& machine) {
    const Arguments same_id = hip() + Arguments{"-cuid=" + machine.cuid(hip()), "-o", "expected.o"};
    ASSERT_EQ(machine.plain(same_id).exit_code, 0);
    EXPECT_TRUE(machine.object("a.o") == machine.object("expected.o"));
    ASSERT_EQ(machine.plain(cxx() + Arguments{"-o", "expected.o"}).exit_code, 0);
    EXPECT_TRUE(machine.object("b.o") == machine.object("expected.o"));
    ASSERT_EQ(machine.plain(gcc() + Arguments{"-o", "expected.o"}).exit_code, 0);
    EXPECT_TRUE(machine.object("g.o") == machine.object("expected.o"));
  }

  // Compiles everything. No step may run but those named.
  static void expect_all_found(const Machine& machine, const std::string& but = "") {
    for (const Arguments& argv : {hip(), cxx(), gcc()}) {
      const Ended ended = machine.run(argv);
      ASSERT_EQ(ended.exit_code, 0) << ended.err;
      EXPECT_EQ(ended.err, "");
      for (const auto& [step, number] : machine.counts().run)
        EXPECT_EQ(number, step == but ? 1 : 0) << step << "\n" << machine.log();
    }
    const Counts counted = machine.counts();
    EXPECT_EQ(counted.hits, 3) << counted.json.dump();
    EXPECT_EQ(counted.passed, 0) << counted.json.dump();
    expect_true_objects(machine);
  }

  support::Scratch root_;
  std::unique_ptr<Machine> builder_;
};

TEST_P(Travel, TheSecondMachineHasOnlyHits) {
  const auto machine = checked_out("work/checkout");
  ASSERT_TRUE(machine);
  expect_all_found(*machine);
}

TEST_P(Travel, WithItsCheckoutElsewhereItAsksTheDriverAndCompilesNothing) {
  const auto machine = checked_out("somewhere/else/of/another/depth");
  ASSERT_TRUE(machine);
  expect_all_found(*machine, "probe");
}

TEST_P(Travel, WhatIsReallyAnotherInputIsCompiled) {
  const auto machine = checked_out("work/checkout");
  ASSERT_TRUE(machine);
  root_.write("work/checkout/include/size.h", "#pragma once\n#define SIZE 8\n");
  for (const Arguments& argv : {hip(), cxx(), gcc()}) ASSERT_EQ(machine->run(argv).exit_code, 0);
  EXPECT_EQ(machine->counts().hits, 0);
  expect_true_objects(*machine);
}

TEST_P(Travel, TheSecondMachineIsToldThatNothingKeepsTheResults) {
  const auto machine = checked_out("work/checkout");
  ASSERT_TRUE(machine);
  expect_all_found(*machine);
  for (const Arguments& argv : {hip(), cxx(), gcc()}) {
    const Ended explained = machine->run(Arguments{"--explain", "--"} + argv);
    EXPECT_EQ(explained.out.find("kept to this"), std::string::npos) << explained.out;
    EXPECT_NE(explained.out.find("stored"), std::string::npos) << explained.out;
  }
}

INSTANTIATE_TEST_SUITE_P(Compilers, Travel, testing::ValuesIn(kOneCompiler), name_of);

}  // namespace
}  // namespace hipcache::integration
