#include "cache/received.h"

#include <utility>

#include "cache/result_marks.h"

namespace hipcache::cache {

bool may_be_found_by(const FoundBy& names, const ActionResult& result) {
  return !result.found_by || *result.found_by == names;
}

std::string encode_shared(ActionResult result) {
  result.found_by.reset();
  return result.encode();
}

std::vector<Digest> blobs_of(const ActionResult& result) {
  std::vector<Digest> blobs;
  for (const Output& output : result.outputs) blobs.push_back(output.blob);
  return blobs;
}

std::shared_ptr<const inputs::PathSet> decode_set(const Digest& id, std::string_view bytes) {
  Result<inputs::PathSet> set = inputs::PathSet::decode(bytes);
  if (!set || set->id() != id) return nullptr;
  return std::make_shared<const inputs::PathSet>(std::move(*set));
}

Status put_received_blob(const Digest& digest, std::string_view bytes, store::LocalStore& store) {
  const Result<Digest> stored = store.put_blob_like(bytes, {.parts = {}, .is_copy = true});
  if (!stored) return stored.error();
  if (*stored != digest) return Error{"a blob does not match its digest", ErrorCode::damaged};
  return done();
}

Status put_received(const Received& received, const Trusted& trust, const store::MayReplace& may,
                    store::LocalStore& store, store::Lease& lease) {
  const std::vector<Digest> named = blobs_of(received.result);
  const Result<bool> held = store.hold_blobs(named, lease);
  if (!held) return held.error();
  if (!*held) return Error{"it has lost a blob", ErrorCode::gone};
  const Result<Digest> set = store.put_blob_like(received.set->encode(), {.parts = {}, .family = "path-set"});
  if (!set) return set.error();
  ActionResult result = received.result;
  if (!received.tier.empty()) {
    const std::string origin = encode_origin(encode_shared(result), received.tier);
    if (Status put = store.put_action(origin_key(received.result_key), origin); !put) return put;
  }
  result.found_by = FoundBy{received.key.value, received.set->id(), received.result_key};
  const Result<bool> put = store.put_action_if(stored_under(trust, received.result_key), result.encode(), may);
  if (!put) return put.error();
  if (!*put) return Error{"another value stands in its place, such as the mark of an audit", ErrorCode::gone};
  return store.add_path_set(received.key.value, {received.set->id(), *set});
}

}  // namespace hipcache::cache
