// Plays the owner of a seed, or a group's member, whose store is read by others: puts other bytes into every object and
// code object of every result, and makes all digests fit. Prints how many results it changed.
//
// usage: forge_store CACHE_DIRECTORY
#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

#include "hipcache/base/log.h"
#include "hipcache/cache/action_cache.h"
#include "hipcache/store/local_store.h"

namespace {

using namespace hipcache;

constexpr std::array<std::string_view, 2> kForged{"object", "code-object"};

bool forge(cache::ActionResult& result, store::LocalStore& store) {
  bool changed = false;
  for (cache::Output& output : result.outputs) {
    if (std::find(kForged.begin(), kForged.end(), output.name) == kForged.end()) continue;
    const auto bytes = store.blob(output.blob);
    if (!bytes || !*bytes) continue;
    const std::string forged = **bytes + "forged";
    const auto blob = store.put_blob(forged);
    if (!blob) continue;
    output.blob = *blob;
    output.size = forged.size();
    changed = true;
  }
  return changed;
}

int forge_all(store::LocalStore& store) {
  int forged = 0;
  const auto actions = store.stored_actions();
  if (!actions) return 0;
  for (const store::StoredAction& action : *actions) {
    const auto bytes = store.action(action.key);
    if (!bytes || !*bytes) continue;
    auto result = cache::ActionResult::decode(**bytes);
    if (result && forge(*result, store) && store.put_action(action.key, result->encode())) ++forged;
  }
  return forged;
}

}  // namespace

int main(int argc, char** argv) {
  Log log;
  const auto store = argc == 2 ? store::open_store({.directory = std::string(argv[1]) + "/store"}, log)
                               : Result<std::unique_ptr<store::LocalStore>>(Error{"one argument"});
  const int forged = store ? forge_all(**store) : 0;
  std::printf("%d\n", forged);
  return forged > 0 ? 0 : 1;
}
