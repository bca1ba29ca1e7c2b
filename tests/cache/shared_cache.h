// A shared cache in memory.
#ifndef HIPCACHE_TESTS_CACHE_SHARED_CACHE_H
#define HIPCACHE_TESTS_CACHE_SHARED_CACHE_H

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hipcache/cache/action_cache.h"
#include "hipcache/cache/remote_results.h"

namespace hipcache::cache {

// Keeps what is published, and serves it.
class SharedCache : public RemoteResults {
 public:
  std::vector<std::shared_ptr<const RemoteList>> lists(std::span<const ListName> names) override {
    std::vector<std::shared_ptr<const RemoteList>> lists;
    ++asked;
    for (const ListName& name : names) {
      const auto list = std::make_shared<RemoteList>();
      list->asked = 1;
      for (const Publication& one : published)
        if (name.skip == 0 && one.key == name.key)
          list->sets.push_back({one.set, one.questions(), {remote_tag(one.result_key)}});
      lists.push_back(list->sets.empty() ? nullptr : list);
    }
    return lists;
  }
  std::vector<std::optional<RemoteResult>> results(std::span<const Digest> keys) override {
    std::vector<std::optional<RemoteResult>> results;
    for (const Digest& key : keys) {
      results.emplace_back();
      for (const Publication& one : published)
        if (one.result_key == key)
          results.back() = RemoteResult{.tier = "shared", .action = one.action, .blobs = {{digest_of(object), object}}};
    }
    return results;
  }
  std::vector<std::optional<std::string>> blobs(std::span<const RemoteBlobName> names) override {
    return std::vector<std::optional<std::string>>(names.size());
  }
  void publish(Publication publication) override { published.push_back(std::move(publication)); }

  std::vector<Publication> published;
  std::string object = "object";
  int asked = 0;  // for lists
};

}  // namespace hipcache::cache

#endif
