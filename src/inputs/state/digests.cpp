#include "inputs/state/digests.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "hipcache/base/checksum.h"
#include "hipcache/base/files.h"
#include "hipcache/inputs/frames.h"
#include "inputs/rules/path_class.h"

namespace hipcache::inputs {

namespace {

constexpr std::string_view kFormat = "hipcache digests 3";
constexpr std::size_t kChecksumSize = 8;

void write(FrameWriter& out, const KnownFile& known) {
  const Stamp& stamp = known.stamp;
  out.number(stamp.device).number(stamp.inode).number(stamp.size);
  out.number(static_cast<std::uint64_t>(stamp.mtime_ns)).number(static_cast<std::uint64_t>(stamp.ctime_ns));
  out.number(stamp.mount);
  out.raw(known.digest.view());
}

KnownFile read(FrameReader& in) {
  KnownFile known;
  known.stamp.device = in.number();
  known.stamp.inode = in.number();
  known.stamp.size = in.number();
  known.stamp.mtime_ns = static_cast<std::int64_t>(in.number());
  known.stamp.ctime_ns = static_cast<std::int64_t>(in.number());
  known.stamp.mount = in.number();
  if (const Result<Digest> digest = Digest::from_bytes(in.raw(Digest::kSize))) known.digest = *digest;
  return known;
}

// The bytes before the trailing checksum if that is right, else nothing.
std::string_view undamaged(std::string_view bytes) {
  if (bytes.size() < kChecksumSize) return {};
  const std::string_view content = bytes.substr(0, bytes.size() - kChecksumSize);
  return checksum_bytes(checksum_of(content)) == bytes.substr(content.size()) ? content : std::string_view();
}

}  // namespace

std::string encode_digests(std::vector<KnownFile> known, std::string_view origin) {
  if (known.size() > kMostKeptDigests) {
    const auto end = known.begin() + kMostKeptDigests;
    std::nth_element(known.begin(), end, known.end(),
                     [](const KnownFile& a, const KnownFile& b) { return a.stamp.size > b.stamp.size; });
    known.erase(end, known.end());
  }
  FrameWriter out;
  out.text(kFormat).text(origin).number(known.size());
  for (const KnownFile& one : known) write(out, one);
  out.raw(checksum_bytes(checksum_of(out.bytes())));
  return std::move(out).bytes();
}

std::optional<std::vector<KnownFile>> decode_digests(std::string_view bytes, std::string_view origin) {
  FrameReader in(undamaged(bytes));
  if (in.text() != kFormat || in.text() != origin) return std::nullopt;
  const std::uint64_t count = in.number();
  if (in.failed() || count > kMostKeptDigests) return std::nullopt;
  std::vector<KnownFile> known;
  for (std::uint64_t i = 0; i < count && !in.failed(); ++i) known.push_back(read(in));
  if (!in.finished()) return std::nullopt;
  return known;
}

namespace {

std::optional<Stamp> stamp_of_open(int fd, Mounts& mounts) {
  FileStatus status;
  if (mounts.look(fd, "", AT_EMPTY_PATH, status) != 0) return std::nullopt;
  return status.stamp;
}

// Whether the stamp is the same after reading as before, and every later change will show in it.
bool worth_keeping(int fd, const Stamp& before, std::uint64_t now_ns, Mounts& mounts) {
  return is_settled(before, now_ns) && stamp_of_open(fd, mounts) == before;
}

// Takes over the descriptor.
std::optional<std::vector<std::string>> names_in(UniqueFd fd) {
  DIR* directory = ::fdopendir(fd.get());
  if (directory == nullptr) return std::nullopt;
  static_cast<void>(fd.release());
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(directory)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
    errno = 0;
  }
  const bool complete = errno == 0;
  ::closedir(directory);
  if (!complete) return std::nullopt;
  std::sort(names.begin(), names.end());
  return names;
}

ListingDigests digests_of(const std::vector<std::string>& sorted) {
  Hasher all("listing");
  Hasher rocm("rocm-listing");
  Hasher bitcode("bitcode-listing");
  for (const std::string& name : sorted) {
    all.field(name);
    if (is_name_of_rocm(name)) rocm.field(name);
    if (is_name_of_bitcode(name)) bitcode.field(name);
  }
  return {all.finish(), rocm.finish(), bitcode.finish()};
}

}  // namespace

std::optional<FileDigest> digest_file(const std::string& path, const PathStat& seen, std::uint64_t now_ns,
                                      FileSystemMemo& memo, Effort& effort) {
  const bool may_be_known = is_settled(seen.stamp, now_ns);
  std::optional<Digest> known = may_be_known ? memo.files.find(seen.stamp) : std::nullopt;
  std::optional<FilesBeingRead::Turn> turn;
  if (may_be_known && !known && seen.stamp.size >= FilesBeingRead::kWorthWaiting) {
    turn.emplace(memo.being_read, seen.stamp);
    known = memo.files.find(seen.stamp);
  }
  if (known) return FileDigest{*known, seen.stamp};
  ++effort.opens;
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd) return std::nullopt;
  const std::optional<Stamp> before = stamp_of_open(fd.get(), memo.mounts);
  Result<Digest> digest = digest_of_file(fd.get());
  if (!before || !digest) return std::nullopt;
  effort.bytes_read += before->size;
  if (worth_keeping(fd.get(), *before, now_ns, memo.mounts)) {
    memo.files.insert(*before, *digest);
    ++memo.learned;
  }
  return FileDigest{*digest, *before, true};
}

std::optional<ListingDigests> digest_listing(const std::string& path, const PathStat& seen, std::uint64_t now_ns,
                                             FileSystemMemo& memo, Effort& effort) {
  if (is_settled(seen.stamp, now_ns))
    if (std::optional<ListingDigests> known = memo.directories.find(seen.stamp)) return known;
  ++effort.listings;
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return std::nullopt;
  const std::optional<Stamp> before = stamp_of_open(fd.get(), memo.mounts);
  UniqueFd reading(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 0));
  if (!before || !reading) return std::nullopt;
  const std::optional<std::vector<std::string>> names = names_in(std::move(reading));
  if (!names) return std::nullopt;
  const ListingDigests digests = digests_of(*names);
  if (worth_keeping(fd.get(), *before, now_ns, memo.mounts)) memo.directories.insert(*before, digests);
  return digests;
}

}  // namespace hipcache::inputs
