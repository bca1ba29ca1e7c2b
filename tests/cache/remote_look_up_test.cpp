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

}  // namespace
}  // namespace hipcache::cache
