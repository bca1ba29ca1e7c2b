// The results of our own store, to be written to an archive and read from one (docs/ci.md).
//
// Problem: a result is found by key, path set and state, and the store keeps no list of results.
// Choice: each result says what it is found by (FoundBy), so one pass over the store finds all that can
// be found again, with the time of their last use. What is exported has the form of a publication
// to a shared cache, and what is imported passes the checks of a shared cache's answer.
// Rejected: copying the database, which would carry over everything, for one version of its format
// only.
//
// Reading for an export counts as no use: eviction goes on as if nobody had exported. Thread-safe.
// Memory of a selection: some 140 bytes for each result.
#ifndef HIPCACHE_CACHE_EXCHANGE_H
#define HIPCACHE_CACHE_EXCHANGE_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/cache/action_cache.h"
#include "hipcache/cache/remote_results.h"
#include "hipcache/store/local_store.h"

namespace hipcache::cache {

// Where a result of a shared cache may put files: in the request's directory and below its roots, never elsewhere.
//
// Problem: the result of a request says where each output goes. Whoever may write to a shared cache could name the
// user's start-up files. Choice: a result that names a place outside is not taken. The steps of the same compile name
// no places, so that compile costs a look-up for each step instead of one.

// `place`: as in Output. The toolchain is a root, but no compile writes there.
bool is_place_of_request(std::string_view place);

bool names_only_places_of_request(const ActionResult& result);

class MissHistory;

// `action` is written without what it is found by, because a shared cache's list leads to the result.
Publication publication_of(const Digest& key, const Digest& result_key, std::shared_ptr<const inputs::PathSet> set,
                           ActionResult result);

struct Selection {
  // Results that name an architecture must name only these; "gfx90a" means it with any features.
  // Results that name none go along. Empty: all architectures.
  std::vector<std::string> archs;
  std::uint32_t used_since = 0;  // seconds since the epoch
  // As ActionCache's. Only results that a daemon with this trust recorded or took are selected.
  std::optional<Trust> trust{};
};

// A result that was selected.
struct StoredResult {
  Digest store_key;  // in our own store
  FoundBy found_by;
  std::uint32_t last_use = 0;  // seconds since the epoch
};

inline constexpr std::size_t kMostOfOneKey = 128;  // results; what a list in a shared cache can name

struct Selected {
  std::vector<StoredResult> results;
  std::vector<Digest> histories;  // keys of miss histories, the last used first
};

// Results: the last used first, except that the results of one key stand together, where its last used one
// stands: a list is then written once. Results whose files would not be accepted by an import are
// left out, and those beyond kMostOfOneKey.
Result<Selected> select_stored(store::LocalStore& store, const Selection& selection);

// Nothing if the result, its path set or a blob is gone meanwhile. The blobs are read one by one
// with store.quiet().
std::optional<Publication> read_publication(store::LocalStore& store, const StoredResult& stored);

// The miss history of an output, in the same form: of each command the newest entry. Left out are those of commands for
// other architectures alone.
std::vector<Publication> read_history(MissHistory& history, const Digest& name, const Selection& selection);

// A result as an archive has it. Its blobs that are not in the store yet have been put.
struct Offered {
  Digest key;
  Digest result_key;
  Digest path_set;             // its id
  std::string_view questions;  // of the path set, encoded
  std::string_view action;     // encoded ActionResult
};

enum class Accepted { stored, known, refused };

// `known`: our store has the result with all blobs, and keeps its own. `refused`: it cannot be read
// by this version, names files outside of a request's directories, lacks a blob, or was found wrong here
// by an audit. An error is trouble of the store. `trust`: as ActionCache's; whether a trusted key signed
// the result was asked before.
Result<Accepted> accept(const Offered& offered, const std::optional<Trust>& trust, store::LocalStore& store,
                        store::Lease& lease);

// Puts a blob of a result that is offered later. ErrorCode::damaged if the bytes are others.
Status accept_blob(const Digest& digest, std::string_view bytes, store::LocalStore& store, store::Lease& lease);

}  // namespace hipcache::cache

#endif
