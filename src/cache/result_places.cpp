#include "cache/result_places.h"

#include "hipcache/cache/action_cache.h"

namespace hipcache::cache {
namespace {

Digest place(std::string_view domain, const Trust& trust, const Digest& result_key) {
  return key_hasher(domain).field(trust.keys).field(result_key).finish();
}

Digest trusted_place(const Trust& trust, const Digest& result_key) {
  return place("trusted result", trust, result_key);
}

Digest signable_place(const Trust& trust, const Digest& result_key) {
  return place("signable result", trust, result_key);
}

}  // namespace

Digest stored_under(const Trusted& trust, const Digest& result_key) {
  if (!trust) return result_key;
  return trust->signs ? signable_place(*trust, result_key) : trusted_place(*trust, result_key);
}

std::vector<Digest> found_under(const Trusted& trust, const Digest& result_key) {
  if (!trust || trust->signs) return {stored_under(trust, result_key)};
  return known_under(trust, result_key);
}

std::vector<Digest> known_under(const Trusted& trust, const Digest& result_key) {
  if (!trust) return {result_key};
  return {trusted_place(*trust, result_key), signable_place(*trust, result_key)};
}

bool reads_other_stores(const Trusted& trust) { return !trust || !trust->signs; }

}  // namespace hipcache::cache
