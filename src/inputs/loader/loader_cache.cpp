#include "inputs/loader/loader_cache.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hipcache/base/files.h"
#include "hipcache/inputs/frames.h"

namespace hipcache::inputs {

std::shared_ptr<const LoaderCache> CurrentLoaderCache::of(const Digest& content, std::int64_t ctime_ns,
                                                          std::uint64_t seen_ns) {
  constexpr std::uint64_t kLargestCache = 64u << 20;
  const std::lock_guard lock(mutex_);
  if (!seen_.empty() && seen_.back().content == content) {
    seen_.back().last_ns = std::max(seen_.back().last_ns, seen_ns);
    return seen_.back().cache;
  }
  const Result<std::string> bytes = read_file(kLoaderCacheFile, kLargestCache);
  if (!bytes || digest_of(*bytes) != content) return nullptr;
  Result<LoaderCache> parsed = LoaderCache::parse(*bytes);
  seen_.push_back({content, ctime_ns, seen_ns, seen_ns,
                   parsed ? std::make_shared<const LoaderCache>(std::move(*parsed)) : nullptr});
  if (seen_.size() > kMost) seen_.pop_front();
  return seen_.back().cache;
}

// A content whose first look began before that time may have been written after it, which its ctime tells.
std::shared_ptr<const LoaderCache> CurrentLoaderCache::as_of(std::uint64_t time_ns) const {
  const std::lock_guard lock(mutex_);
  const auto last = std::find_if(seen_.rbegin(), seen_.rend(), [&](const Seen& one) {
    return one.first_ns <= time_ns && one.ctime_ns < static_cast<std::int64_t>(time_ns);
  });
  if (last == seen_.rend() || last->last_ns + kLongestGap < time_ns) return nullptr;
  return last->cache;
}

namespace {

constexpr std::string_view kMagic = "glibc-ld.so.cache1.1";
constexpr std::uint32_t kMaxEntries = 1u << 20;
constexpr std::uint32_t kMaxExtensions = 64;

// As in glibc's dl-cache.h.
struct Header {
  char magic[20];
  std::uint32_t libraries;
  std::uint32_t strings_size;
  std::uint8_t flags;
  std::uint8_t padding[3];
  std::uint32_t extensions;  // offset; 0: none
  std::uint32_t unused[3];
};
static_assert(sizeof(Header) == 48);

struct Entry {
  std::int32_t flags;
  std::uint32_t key;    // offset of the name
  std::uint32_t value;  // offset of the path
  std::uint32_t os_version;
  std::uint64_t hwcap;
};
static_assert(sizeof(Entry) == 24);

struct Extensions {
  std::uint32_t magic;
  std::uint32_t count;
};

struct Section {
  std::uint32_t tag;
  std::uint32_t flags;
  std::uint32_t offset;
  std::uint32_t size;
};

constexpr std::uint32_t kExtensionMagic = 0xeaa42174;
constexpr std::uint32_t kHwcapsTag = 1;
// Marks an entry below a glibc-hwcaps directory: the lower half of its hwcap is an index into the extension.
constexpr std::uint64_t kHwcapExtension = std::uint64_t{1} << 62;

// Byte order in the header's flags: 0 if ldconfig before 2.33 wrote it, 2 if little-endian.
constexpr std::uint8_t kEndianUnknown = 0;
constexpr std::uint8_t kEndianLittle = 2;
constexpr std::uint8_t kEndianMask = 3;

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <typename Object>
  std::optional<Object> at(std::uint64_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(Object)) return std::nullopt;
    Object object;
    std::memcpy(&object, bytes_.data() + offset, sizeof object);
    return object;
  }

  // The text up to the next null byte.
  std::optional<std::string_view> text(std::uint64_t offset) const {
    if (offset >= bytes_.size()) return std::nullopt;
    const std::string_view rest = bytes_.substr(offset);
    const std::size_t end = rest.find('\0');
    if (end == std::string_view::npos) return std::nullopt;
    return rest.substr(0, end);
  }

 private:
  std::string_view bytes_;
};

Error unknown(const std::string& what) { return Error{"the loader's cache " + what}; }

// The names of the glibc-hwcaps subdirectories, by index.
Result<std::vector<std::string_view>> hwcaps_in(const Reader& file, std::uint32_t extensions) {
  std::vector<std::string_view> names;
  if (extensions == 0) return names;
  const auto header = file.at<Extensions>(extensions);
  if (!header || header->magic != kExtensionMagic || header->count > kMaxExtensions)
    return unknown("has unknown extensions");
  for (std::uint32_t i = 0; i < header->count; ++i) {
    const auto section = file.at<Section>(extensions + sizeof(Extensions) + std::uint64_t{i} * sizeof(Section));
    if (!section) return unknown("ends within its extensions");
    if (section->tag != kHwcapsTag) continue;
    for (std::uint32_t at = 0; at + sizeof(std::uint32_t) <= section->size; at += sizeof(std::uint32_t)) {
      const auto offset = file.at<std::uint32_t>(std::uint64_t{section->offset} + at);
      const auto name = offset ? file.text(*offset) : std::nullopt;
      if (!name) return unknown("names a processor outside of itself");
      names.push_back(*name);
    }
  }
  return names;
}

}  // namespace

Result<LoaderCache> LoaderCache::parse(std::string_view bytes) {
  const Reader file(bytes);
  const auto header = file.at<Header>(0);
  if (!header || !bytes.starts_with(kMagic)) return unknown("is of another format");
  const std::uint8_t endian = header->flags & kEndianMask;
  if (endian != kEndianUnknown && endian != kEndianLittle) return unknown("is of another byte order");
  if (header->libraries > kMaxEntries) return unknown("is too large");
  const Result<std::vector<std::string_view>> hwcaps = hwcaps_in(file, header->extensions);
  if (!hwcaps) return hwcaps.error();

  LoaderCache cache;
  for (std::uint32_t i = 0; i < header->libraries; ++i) {
    const auto entry = file.at<Entry>(sizeof(Header) + std::uint64_t{i} * sizeof(Entry));
    const auto name = entry ? file.text(entry->key) : std::nullopt;
    const auto path = entry ? file.text(entry->value) : std::nullopt;
    if (!name || !path) return unknown("ends within its entries");
    FrameWriter text;
    text.number(static_cast<std::uint32_t>(entry->flags)).number(entry->os_version);
    const auto index = static_cast<std::uint32_t>(entry->hwcap);
    if ((entry->hwcap & kHwcapExtension) == 0)
      text.number(entry->hwcap).text("");
    else if (index < hwcaps->size())
      text.number(entry->hwcap >> 32).text((*hwcaps)[index]);
    else
      return unknown("has an entry for an unknown processor");
    text.text(*path);
    cache.entries_[std::string(*name)] += text.bytes();
  }
  return cache;
}

std::string_view LoaderCache::entries_of(const std::string& name) const {
  const auto at = entries_.find(name);
  return at == entries_.end() ? std::string_view() : at->second;
}

}  // namespace hipcache::inputs
