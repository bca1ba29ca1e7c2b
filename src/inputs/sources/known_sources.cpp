#include "inputs/sources/known_sources.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <string_view>
#include <utility>

#include "hipcache/base/files.h"
#include "hipcache/base/holds.h"
#include "inputs/rules/origin.h"
#include "inputs/state/digests.h"
#include "inputs/state/path_stat.h"
#include "inputs/tokens/scan.h"

namespace hipcache::inputs {
namespace {

using namespace std::string_view_literals;

constexpr std::array kDataBegins = {
    "\x7f"
    "ELF"sv,
    "!<arch>\n"sv, "BC\xc0\xde"sv, "\xde\xc0\x17\x0b"sv};
constexpr std::array kPrecompiledBegins = {"CPCH"sv, "gpch"sv};
constexpr std::size_t kLongestBegin = 8;

struct Begin {
  std::string bytes;
  std::uint64_t size = 0;
};

Begin begin_of(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status = {};
  if (!file || ::fstat(file.get(), &status) != 0) return {};
  std::array<char, kLongestBegin> bytes = {};
  const ssize_t length = ::read(file.get(), bytes.data(), bytes.size());
  return {{bytes.data(), static_cast<std::size_t>(length < 0 ? 0 : length)},
          static_cast<std::uint64_t>(status.st_size)};
}

bool is_larger_than_text(const std::string& path) { return begin_of(path).size > kLargestText; }

SourceNames data() {
  SourceNames names;
  names.is_data = true;
  return names;
}

SourceNames unknown() {
  SourceNames names;
  names.is_known = false;
  return names;
}

// The bytes with that digest.
std::optional<std::string> read_as(const std::string& path, const Digest& content) {
  Result<std::string> bytes = read_file(path, kLargestText);
  if (!bytes || digest_of(*bytes) != content) return std::nullopt;
  return std::move(*bytes);
}

}  // namespace

std::optional<TokenDigests> token_digests(const std::string& path, const Digest& content, FileSystemMemo& memo,
                                          Effort& effort) {
  if (const auto known = memo.tokens.find(content)) return known;
  if (is_larger_than_text(path)) return TokenDigests{content, content, content};
  ++effort.opens;
  const std::optional<std::string> bytes = read_as(path, content);
  if (!bytes) return std::nullopt;
  effort.bytes_read += bytes->size();
  SourceText text = scan_source(*bytes, Wanted::digests);
  memo.tokens.insert(content, text.digests);
  if (text.tokens.size() <= kLongestSketch) {
    const auto sketch = std::make_shared<const Sketch>(Sketch{text.digests, std::move(text.tokens)});
    for (const Digest* digest : {&text.digests.in_place, &text.digests.in_order, &text.digests.tokens})
      memo.sketches.insert(digest->prefix(), sketch);
  }
  return text.digests;
}

std::optional<Digest> content_of(const std::string& path, FileSystemMemo& memo) {
  Effort unasked;
  const std::uint64_t now_ns = memo.clock();
  const PathStat seen = stat_path(path.c_str(), memo.mounts, unasked);
  const std::optional<FileDigest> file = seen.is_file() ? digest_file(path, seen, now_ns, memo, unasked) : std::nullopt;
  return file ? std::optional(file->digest) : std::nullopt;
}

const Digest& answer_to(Question question, const TokenDigests& digests) {
  if (question == Question::tokens_in_place) return digests.in_place;
  return question == Question::tokens_in_order ? digests.in_order : digests.tokens;
}

std::shared_ptr<const SourceNames> names_in_source(const std::string& path, const Digest& content,
                                                   FileSystemMemo& memo) {
  if (const auto known = memo.names_in_sources.find(content)) return *known;
  const auto remember = [&](SourceNames found) {
    auto names = std::make_shared<const SourceNames>(std::move(found));
    memo.names_in_sources.insert(content, names);
    return names;
  };
  const Begin begin = begin_of(path);
  if (holds_prefix_of(kDataBegins, begin.bytes)) return remember(data());
  if (holds_prefix_of(kPrecompiledBegins, begin.bytes) || begin.size > kLargestText) return remember(unknown());
  const std::optional<std::string> bytes = read_as(path, content);
  if (!bytes) return nullptr;
  if (bytes->find('\0') != bytes->npos && !is_named_as_source(path)) return remember(data());
  return remember(scan_source(*bytes, Wanted::names).names);
}

}  // namespace hipcache::inputs
