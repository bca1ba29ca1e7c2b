// What a hit from a shared cache costs this machine.
#include <gtest/gtest.h>

#include "cache/shared_cache.h"
#include "hipcache/cache/action_cache.h"
#include "support/memory_store.h"
#include "support/scratch.h"

namespace hipcache::cache {
namespace {

using inputs::PathSet;
using inputs::Question;

TEST(RemoteLookUp, AsksTheQuestionsOfAPathSetOnce) {
  support::Scratch scratch;
  inputs::FileSystemState file_system;
  Log log;
  const inputs::RunContext from{scratch.path(), {}};
  const ActionKey key{digest_of("key")};
  std::vector<inputs::Observation> questions;
  for (int at = 0; at < 50; ++at)
    questions.push_back({Question::content, scratch.write(std::to_string(at) + "/a.h", "A")});
  const auto set = std::make_shared<const PathSet>(PathSet(std::move(questions)));

  SharedCache shared;
  support::MemoryStore publisher_store, reader_store;
  ActionResult result;
  result.outputs = {{.name = "object", .blob = *publisher_store.put_blob("object"), .size = 6}};
  ActionCache publisher(publisher_store, file_system, log, &shared);
  ASSERT_TRUE(publisher.record(key, {set, file_system.state(*set, from)}, result));

  ActionCache reader(reader_store, file_system, log, &shared);
  inputs::Effort remote, local;
  const auto lease = reader_store.lease();
  ASSERT_TRUE(reader.look_up(key, any_result, from, *lease, &remote));
  ASSERT_TRUE(reader.look_up(key, any_result, from, *lease, &local));
  EXPECT_GE(local.stats, 50);
  EXPECT_EQ(remote.stats, local.stats);
}

TEST(RemoteLookUp, NeitherAsksAboutNorPublishesWhatIsNotShared) {
  support::Scratch scratch;
  inputs::FileSystemState file_system;
  Log log;
  const inputs::RunContext from{scratch.path(), {}};
  const auto set = std::make_shared<const PathSet>(PathSet({{Question::content, scratch.write("a.h", "A")}}));
  SharedCache shared;
  for (const bool is_shared : {false, true}) {
    support::MemoryStore publisher_store, reader_store;
    ActionResult result;
    result.outputs = {{.name = "bundle", .blob = *publisher_store.put_blob("bundle"), .size = 6}};
    const ActionKey key{digest_of("key"), is_shared};
    ActionCache publisher(publisher_store, file_system, log, &shared);
    ASSERT_TRUE(publisher.record(key, {set, file_system.state(*set, from)}, result));
    EXPECT_EQ(shared.published.size(), is_shared ? 1 : 0);
    EXPECT_EQ(shared.asked, 0);
    ActionCache reader(reader_store, file_system, log, &shared);
    const auto lease = reader_store.lease();
    reader.prefetch({key}, from, *lease);
    reader.look_up(key, any_result, from, *lease);
    EXPECT_EQ(shared.asked > 0, is_shared);
    ActionCache alone(publisher_store, file_system, log, &shared);
    EXPECT_TRUE(alone.look_up(key, any_result, from, *lease)) << "on this machine it is found";
  }
}

TEST(RemoteLookUp, TellsAHitByTokens) {
  support::Scratch scratch;
  inputs::FileSystemState file_system;
  Log log;
  const inputs::RunContext from{scratch.path(), {}};
  const ActionKey key{digest_of("key")};
  const auto set = std::make_shared<const PathSet>(PathSet({{Question::tokens, scratch / "a.h"}}));
  SharedCache shared;
  support::MemoryStore publisher_store;
  ActionCache publisher(publisher_store, file_system, log, &shared);
  scratch.write("a.h", "int a;  // one\n");
  const inputs::State state = file_system.full_state(*set, from);
  ASSERT_TRUE(publisher.record(key, {set, state.digest, state.overlooked}, {}));
  for (const char* comment : {"one", "two"}) {
    scratch.write("a.h", std::string("int a;  // ") + comment + "\n");
    support::MemoryStore reader_store;
    ActionCache reader(reader_store, file_system, log, &shared);
    const auto lease = reader_store.lease();
    for (int times = 0; times < 2; ++times)
      EXPECT_EQ(reader.look_up(key, any_result, from, *lease).value().is_by_tokens(), std::string(comment) == "two")
          << "from the shared cache, and from the own store";
  }
}

}  // namespace
}  // namespace hipcache::cache
