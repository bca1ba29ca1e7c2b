// Actions: the messages that a request of the daemon becomes. What their input roots hold, who hashes files, and which
// requests are refused.
#include "remote/execution/action.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>
#include <vector>

#include "remote/support.h"
#include "support/scratch.h"

namespace hipcache::remote {
namespace {

using protocol::ExecuteInput;
using protocol::ExecuteInputKind;
using testing::ElementsAre;
using testing::HasSubstr;

class InputFiles : public testing::Test {
 protected:
  std::string error_of(const std::vector<ExecuteInput>& inputs) {
    const auto names = name_input_files(inputs, hashed_);
    return names ? "" : names.error().message;
  }

  const support::Scratch scratch_;
  std::vector<protocol::HashedInput> hashed_;
};

TEST_F(InputFiles, AreHashedHereUnlessTheDaemonKnowsThem) {
  const std::string bytes = noise(600u << 10);
  const std::string large = scratch_.write("large", bytes);
  const BlobName known = blob_name_of("known");
  const auto names = name_input_files(
      std::vector<ExecuteInput>{{.path = "/a", .source = large},
                                {.path = "/b", .contents = "text"},
                                {.path = "/d", .kind = protocol::ExecuteInputKind::directory},
                                {.path = "/c", .source = "/not/read", .sha256 = known.hash, .size = known.size}},
      hashed_);
  ASSERT_TRUE(names) << names.error().message;
  EXPECT_THAT(*names, testing::ElementsAre(blob_name_of(bytes), blob_name_of("text"), BlobName(), known));
  ASSERT_EQ(hashed_.size(), 1u);
  EXPECT_EQ(hashed_[0].path, large);
  EXPECT_EQ(hashed_[0].sha256, blob_name_of(bytes).hash);
  EXPECT_EQ(hashed_[0].size, bytes.size());
}

TEST_F(InputFiles, ThatCannotBeReadAreNamed) {
  EXPECT_THAT(error_of({{.path = "/a", .source = scratch_ / "missing"}}), HasSubstr(scratch_ / "missing"));
  EXPECT_THAT(error_of({{.path = "/a", .source = scratch_.make_directory("d")}}), HasSubstr("is not a file"));
  const std::string pipe = scratch_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(error_of({{.path = "/a", .source = pipe}}), HasSubstr("is not a file")) << "and nobody waits for it";
  EXPECT_THAT(error_of({{.path = "/a", .sha256 = "short"}}), HasSubstr("/a has no SHA-256"));
}

TEST_F(InputFiles, AreBounded) {
  const std::string hash = blob_name_of("").hash;
  EXPECT_EQ(error_of({{.path = "/a", .sha256 = hash, .size = kMostInputBytes}}), "");
  EXPECT_THAT(error_of({{.path = "/a", .sha256 = hash, .size = kMostInputBytes}, {.path = "/b", .contents = "x"}}),
              HasSubstr("more than 512 MiB"));
  EXPECT_THAT(error_of(std::vector<ExecuteInput>(kMostInputFiles + 1)), HasSubstr("more than 20000 input files"));
}

TEST_F(InputFiles, ThatHaveChangedAreNotSent) {
  const std::string path = scratch_.write("a", "first");
  const ExecuteInput input{.path = "/a", .source = path};
  const BlobName name = blob_name_of("first");
  EXPECT_EQ(read_input_file(input, name).value(), "first");
  for (const char* changed : {"other", "f", "first and more"}) {
    scratch_.write("a", changed);
    EXPECT_FALSE(read_input_file(input, name)) << changed;
  }
}

ExecuteInput file(const std::string& path, bool is_executable = false) {
  return {.path = path, .kind = ExecuteInputKind::file, .is_executable = is_executable};
}
ExecuteInput directory(const std::string& path) { return {.path = path, .kind = ExecuteInputKind::directory}; }
ExecuteInput link(const std::string& path, const std::string& target) {
  return {.path = path, .kind = ExecuteInputKind::link, .target = target};
}

// Each file has its own path as contents.
Result<InputRoot> made(const std::vector<ExecuteInput>& inputs, const std::string& working_directory = "/w") {
  std::vector<BlobName> names;
  for (const ExecuteInput& input : inputs) names.push_back(blob_name_of(input.path));
  return make_input_root(inputs, names, working_directory);
}

std::string error_of(const std::vector<ExecuteInput>& inputs, const std::string& working_directory = "/w") {
  const Result<InputRoot> root = made(inputs, working_directory);
  return root ? "" : root.error().message;
}

// The directory at the path, which must exist.
wire::Directory directory_at(const InputRoot& root, const std::vector<std::string>& path) {
  wire::Directory found;
  EXPECT_TRUE(found.ParseFromString(root.directories.at(root.root.hash)));
  for (const std::string& name : path) {
    std::string hash;
    for (const auto& below : found.directories())
      if (below.name() == name) hash = below.digest().hash();
    if (hash.empty()) {
      ADD_FAILURE() << "no directory " << name;
      return {};
    }
    EXPECT_TRUE(found.ParseFromString(root.directories.at(hash)));
  }
  return found;
}

std::vector<std::string> names_in(const auto& nodes) {
  std::vector<std::string> names;
  for (const auto& node : nodes) names.push_back(node.name());
  return names;
}

TEST(InputRoots, HaveSortedNamesByKindWhateverTheOrderOfTheInputs) {
  const std::vector<ExecuteInput> inputs = {file("/s/b"),
                                            file("/s/a"),
                                            directory("/s/d/"
                                                      "e"),
                                            link("/s/l", "a"),
                                            file("/s/Z", true),
                                            file("/s/\xC3\xA4"),
                                            directory("/s/c")};
  const Result<InputRoot> root = made(inputs);
  ASSERT_TRUE(root) << root.error().message;
  const wire::Directory s = directory_at(*root, {"s"});
  EXPECT_THAT(names_in(s.files()), ElementsAre("Z", "a", "b", "\xC3\xA4")) << "by bytes";
  EXPECT_TRUE(s.files(0).is_executable());
  EXPECT_FALSE(s.files(1).is_executable());
  EXPECT_EQ(s.files(1).digest().hash(), blob_name_of("/s/a").hash);
  EXPECT_THAT(names_in(s.directories()), ElementsAre("c", "d"));
  EXPECT_THAT(names_in(s.symlinks()), ElementsAre("l"));
  EXPECT_THAT(names_in(directory_at(*root, {}).directories()), ElementsAre("s", "w"));
  const Result<InputRoot> reversed = made({inputs.rbegin(), inputs.rend()});
  EXPECT_EQ(reversed->root, root->root);
  EXPECT_EQ(reversed->directories, root->directories);
}

TEST(InputRoots, KeepLinksAsTheyAre) {
  const Result<InputRoot> root = made({link("/lib64", "usr/lib64"), link("/a", "../nowhere/./x")});
  ASSERT_TRUE(root) << root.error().message;
  const wire::Directory top = directory_at(*root, {});
  ASSERT_EQ(top.symlinks_size(), 2);
  EXPECT_EQ(top.symlinks(0).target(), "../nowhere/./x");
  EXPECT_EQ(top.symlinks(1).target(), "usr/lib64");
}

TEST(InputRoots, HaveEveryDirectoryOnTheWayAndTheWorkingDirectory) {
  const Result<InputRoot> root = made({file("/usr/lib/gcc/12/cc1")}, "/home/build");
  ASSERT_TRUE(root) << root.error().message;
  EXPECT_THAT(names_in(directory_at(*root, {"usr", "lib", "gcc", "12"}).files()), ElementsAre("cc1"));
  EXPECT_EQ(directory_at(*root, {"home", "build"}).ByteSizeLong(), 0u);
}

TEST(InputRoots, HaveEqualDirectoriesOnce) {
  const Result<InputRoot> root = made({directory("/a/x"), directory("/b/x"), directory("/w")});
  ASSERT_TRUE(root);
  EXPECT_EQ(root->directories.size(), 3u) << "the root, a directory with x, an empty one";
}

TEST(InputRoots, TakeWhatComesTwiceAlikeAndRefuseWhatDiffers) {
  EXPECT_EQ(error_of({file("/a"), file("/a"), link("/l", "a"), link("/l", "a"), directory("/w"), directory("/w")}), "");
  EXPECT_EQ(error_of({file("/w/a"), directory("/w")}), "") << "named after it was on the way";
  EXPECT_THAT(error_of({file("/a"), file("/a", true)}), HasSubstr("/a comes twice and differs"));
  EXPECT_THAT(error_of({link("/l", "a"), link("/l", "b")}), HasSubstr("comes twice and differs"));
  EXPECT_THAT(error_of({directory("/a"), file("/a")}), HasSubstr("comes twice and differs"));
  EXPECT_THAT(error_of({file("/w")}), HasSubstr("/w comes twice and differs")) << "the working directory";
}

TEST(InputRoots, RefusePathsThatLeadThroughAFileOrALink) {
  EXPECT_THAT(error_of({link("/lib64", "usr/lib64"), file("/lib64/libc.so")}), HasSubstr("leads through a file or a"));
  EXPECT_THAT(error_of({file("/a"), directory("/a/b")}), HasSubstr("leads through a file or a link"));
  EXPECT_THAT(error_of({file("/a/b"), file("/a")}), HasSubstr("comes twice and differs"));
}

TEST(InputRoots, RefusePathsThatHaveToBeResolved) {
  for (const char* path : {"/a/../b", "/./a", "/a/.", "/..", "//a", "/a/", "/a//b"})
    EXPECT_THAT(error_of({file(path)}), HasSubstr("empty name, . or ..")) << path;
  EXPECT_THAT(error_of({file("a")}), HasSubstr("no absolute path"));
  EXPECT_THAT(error_of({}, "w"), HasSubstr("no absolute path"));
  EXPECT_THAT(error_of({}, "/w/.."), HasSubstr("empty name, . or .."));
  EXPECT_EQ(error_of({file("/...")}), "");
  EXPECT_EQ(error_of({directory("/")}, "/"), "");
  EXPECT_THAT(error_of({file("/")}), HasSubstr("is the root"));
}

TEST(InputRoots, RefuseNamesThatNoMessageOrFileHas) {
  EXPECT_THAT(error_of({file("/a\xFF")}), HasSubstr("not UTF-8"));
  EXPECT_THAT(error_of({file("/" + std::string(256, 'a'))}), HasSubstr("a name that no file has"));
  EXPECT_THAT(error_of({file(std::string("/a\0b", 4))}), HasSubstr("a name that no file has"));
  for (const std::string& target : {std::string(), std::string("\xC3"), std::string(4'096, 'a'), std::string("a\0", 2)})
    EXPECT_THAT(error_of({link("/l", target)}), HasSubstr("is a link to a path that no file has"));
}

TEST(InputRoots, AreBounded) {
  std::string deep;
  for (std::size_t depth = 0; depth < kDeepest; ++depth) deep += "/d";
  EXPECT_EQ(error_of({directory(deep)}), "");
  EXPECT_THAT(error_of({directory(deep + "/d")}), HasSubstr("lies too deep"));
  EXPECT_THAT(error_of(std::vector<ExecuteInput>(kMostInputs + 1, directory("/w"))),
              HasSubstr("more than 60000 inputs"));
}

TEST(Utf8, IsWhatProtobufTakes) {
  for (const char* good : {"", "a", "\xC2\x80", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"})
    EXPECT_TRUE(is_utf8(good)) << good;
  for (const char* bad : {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
                          "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xC3", "a\xE2\x82", "\xE2\x28\xA1"}) {
    EXPECT_FALSE(is_utf8(bad)) << bad;
    EXPECT_FALSE(
        wire::SymlinkNode().ParseFromString(std::string("\x0A") + static_cast<char>(std::string(bad).size()) + bad));
  }
}

protocol::RemoteExecute request() {
  return {.id = 1,
          .argv = {"/bin/cc", "-c", "a.c"},
          .environment = {"PATH=/bin", "LANG=C", "EMPTY="},
          .working_directory = "/home/build",
          .inputs = {{.path = "/home/build/a.c", .contents = "int x;"}},
          .outputs = {"out/b.o", "a.o", "a.o"},
          .platform = {"toolchain=abc", "pool=gfx9"},
          .deadline_ms = 5'250,
          .queue_limit_ms = 2'000,
          .output_directory = "/o"};
}

Result<PreparedAction> prepared(const protocol::RemoteExecute& asked, const std::vector<std::string>& properties = {}) {
  std::vector<protocol::HashedInput> hashed;
  return prepare_action(asked, properties, hashed);
}

template <typename Message>
Message parsed(const std::string& bytes) {
  Message message;
  EXPECT_TRUE(message.ParseFromString(bytes));
  return message;
}

std::vector<std::string> texts(const wire::Platform& platform) {
  std::vector<std::string> all;
  for (const auto& property : platform.properties()) all.push_back(property.name() + "=" + property.value());
  return all;
}

TEST(Actions, SayAllOfTheRequest) {
  const Result<PreparedAction> made = prepared(request(), {"OSFamily=linux", "pool=gfx9"});
  ASSERT_TRUE(made) << made.error().message;
  const auto command = parsed<wire::Command>(made->command);
  EXPECT_THAT(command.arguments(), ElementsAre("/bin/cc", "-c", "a.c"));
  ASSERT_EQ(command.environment_variables_size(), 3);
  EXPECT_EQ(command.environment_variables(0).name(), "EMPTY") << "sorted by name";
  EXPECT_EQ(command.environment_variables(1).name(), "LANG");
  EXPECT_EQ(command.environment_variables(2).value(), "/bin");
  EXPECT_EQ(command.working_directory(), "home/build");
  EXPECT_THAT(command.output_paths(), ElementsAre("a.o", "out/b.o"));
  EXPECT_THAT(command.output_files(), ElementsAre("a.o", "out/b.o"));
  EXPECT_THAT(texts(command.platform()), ElementsAre("OSFamily=linux", "pool=gfx9", "toolchain=abc"));

  const auto action = parsed<wire::Action>(made->action);
  EXPECT_EQ(action.command_digest().hash(), blob_name_of(made->command).hash);
  EXPECT_EQ(action.input_root_digest().hash(), made->root.root.hash);
  EXPECT_TRUE(action.do_not_cache());
  EXPECT_EQ(action.timeout().seconds(), 5);
  EXPECT_EQ(action.timeout().nanos(), 250'000'000);
  EXPECT_THAT(texts(action.platform()), ElementsAre("OSFamily=linux", "pool=gfx9", "toolchain=abc"));
  EXPECT_EQ(made->action_name, blob_name_of(made->action));
  EXPECT_EQ(made->names.front(), blob_name_of("int x;"));
}

TEST(Actions, AreEqualForEqualRequestsInAnyOrder) {
  protocol::RemoteExecute other = request();
  other.environment = {"LANG=C", "EMPTY=", "PATH=/bin"};
  other.outputs = {"a.o", "out/b.o"};
  other.platform = {"pool=gfx9", "toolchain=abc"};
  other.id = 2;
  EXPECT_EQ(prepared(request())->action_name, prepared(other)->action_name);
}

TEST(Actions, RefuseWhatNoWorkerCouldDo) {
  const auto error_with = [](const auto& change) {
    protocol::RemoteExecute asked = request();
    change(asked);
    const Result<PreparedAction> made = prepared(asked);
    return made ? std::string() : made.error().message;
  };
  EXPECT_THAT(error_with([](auto& asked) { asked.argv.clear(); }), HasSubstr("no command"));
  EXPECT_THAT(error_with([](auto& asked) { asked.argv.push_back("\xFF"); }), HasSubstr("not UTF-8"));
  EXPECT_THAT(error_with([](auto& asked) { asked.environment.push_back("A=\xFF"); }), HasSubstr("not UTF-8"));
  EXPECT_THAT(error_with([](auto& asked) { asked.argv.emplace_back("a\0b", 3); }), HasSubstr("with a null"));
  EXPECT_THAT(error_with([](auto& asked) { asked.working_directory.clear(); }), HasSubstr("no absolute path"));
  for (const char* output : {"", "/a.o", "../a.o", "a/../../b", "a//b", "a/", "./a"})
    EXPECT_THAT(error_with([&](auto& asked) { asked.outputs = {output}; }), HasSubstr("outside the working directory"))
        << output;
  EXPECT_THAT(error_with([](auto& asked) { asked.outputs.assign(257, "a"); }), HasSubstr("more than 256 outputs"));
}

}  // namespace
}  // namespace hipcache::remote
