#include "store/path_set_list.h"

#include <algorithm>

namespace hipcache::store {
namespace {

// u8 version, u8 number of sets, then for each: id, blob. Version 2: digests of 32 bytes.
constexpr char kVersion = 2;
constexpr std::size_t kHeader = 2;
constexpr std::size_t kSetBytes = 2 * Digest::kSize;

}  // namespace

// One entry per set id: if the same questions are compressed differently, the newer blob replaces the older.
bool PathSetList::move_to_front(const PathSetReference& set) {
  if (!sets_.empty() && sets_.front() == set) return false;
  std::erase_if(sets_, [&](const PathSetReference& other) { return other.id == set.id; });
  sets_.insert(sets_.begin(), set);
  if (sets_.size() > kMaxPathSets) sets_.resize(kMaxPathSets);
  return true;
}

std::string PathSetList::encode() const {
  std::string bytes;
  bytes.push_back(kVersion);
  bytes.push_back(static_cast<char>(sets_.size()));
  for (const PathSetReference& set : sets_) bytes += set.id.bytes() + set.blob.bytes();
  return bytes;
}

Result<PathSetList> PathSetList::decode(std::string_view bytes) {
  if (bytes.size() < kHeader || bytes[0] != kVersion || static_cast<unsigned char>(bytes[1]) > kMaxPathSets)
    return Error{"list of path sets: it is of another version or damaged; the entry is dropped"};
  const auto count = std::size_t{static_cast<unsigned char>(bytes[1])};
  if (bytes.size() != kHeader + count * kSetBytes)
    return Error{"list of path sets: it is shorter or longer than its number of sets; the entry is dropped"};
  PathSetList list;
  for (std::size_t at = kHeader; at < bytes.size(); at += kSetBytes) {
    const Result<Digest> id = Digest::from_bytes(bytes.substr(at, Digest::kSize));
    const Result<Digest> blob = Digest::from_bytes(bytes.substr(at + Digest::kSize, Digest::kSize));
    if (!id || !blob) return Error{"list of path sets: a digest is damaged; the entry is dropped"};
    list.sets_.push_back({*id, *blob});
  }
  return list;
}

}  // namespace hipcache::store
