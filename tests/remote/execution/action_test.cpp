// Actions: the messages that a request of the daemon becomes.
#include "remote/execution/action.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "remote/reapi/methods.h"

namespace hipcache::remote {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

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
