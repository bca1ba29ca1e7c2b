#include "inputs/answers/state_encoder.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

namespace hipcache::inputs {

void StateEncoder::add_kind(const PathStat& seen) {
  if (seen.kind == PathStat::Kind::absent) return add(Answer::absent);
  if (seen.kind == PathStat::Kind::error) return add_error(seen.error);
  add(seen.is_directory() ? Answer::directory : Answer::other);
}

void StateEncoder::add_content(std::uint32_t index, const Digest& answer, const Digest& content, const Stamp& stamp) {
  add(Answer::digest, answer);
  contents_.push_back({content, index, stamp});
  if (answer != content) overlooked_.raw(content.view());
}

void StateEncoder::overlook(const std::vector<Macro>& macros) {
  overlooked_.number(macros.size());
  for (const Macro& macro : macros) overlooked_.text(macro.text);
}

// clang takes two names for one file (#pragma once) if device and inode agree; gcc, if content and modification time
// agree, the time in whole seconds. So the state must show which names of equal content are one file to either
// compiler. It holds, for each such name, the first name with the same device and inode, and the first with the same
// time.
void StateEncoder::add_twin_files() {
  struct Twin {
    std::uint32_t index, same_file, same_time;
  };
  std::vector<Twin> twins;
  constexpr std::int64_t kSecond = 1'000'000'000;
  const auto seconds_of = [](const Content& one) {
    const std::int64_t time = one.stamp.mtime_ns;
    return (time - (time < 0 ? kSecond - 1 : 0)) / kSecond;
  };
  std::sort(contents_.begin(), contents_.end(), [](const Content& a, const Content& b) {
    return std::tie(a.digest, a.index) < std::tie(b.digest, b.index);
  });
  for (auto begin = contents_.begin(); begin != contents_.end();) {
    auto end =
        std::find_if(begin, contents_.end(), [&](const Content& other) { return other.digest != begin->digest; });
    const std::span<const Content> equals(begin, end);
    for (const Content& one : equals.size() > 1 ? equals : equals.first(0)) {
      auto same_file = std::find_if(equals.begin(), equals.end(), [&](const Content& other) {
        return other.stamp.device == one.stamp.device && other.stamp.inode == one.stamp.inode;
      });
      auto same_time = std::find_if(equals.begin(), equals.end(),
                                    [&](const Content& other) { return seconds_of(other) == seconds_of(one); });
      twins.push_back({one.index, same_file->index, same_time->index});
    }
    begin = end;
  }
  // Sorted by index, not by digest: the answer may be about tokens, which stay the same in other bytes.
  std::sort(twins.begin(), twins.end(), [](const Twin& a, const Twin& b) { return a.index < b.index; });
  for (const Twin& twin : twins) out_.number(twin.index).number(twin.same_file).number(twin.same_time);
}

// Both compilers drop a directory from the search path if an earlier one has the same device and inode, and
// #include_next depends on that. A mount can change which names are one directory, so the state shows it.
void StateEncoder::add_twin_directories() {
  const auto identity = [](const Directory& one) { return std::tie(one.stamp.device, one.stamp.inode); };
  std::sort(directories_.begin(), directories_.end(), [&](const Directory& a, const Directory& b) {
    return identity(a) != identity(b) ? identity(a) < identity(b) : a.index < b.index;
  });
  std::vector<std::pair<std::uint32_t, std::uint32_t>> twins;  // sorted by index, not by inode number
  for (std::size_t i = 1, first = 0; i < directories_.size(); ++i) {
    if (identity(directories_[i]) != identity(directories_[first])) first = i;
    if (i != first) twins.emplace_back(directories_[i].index, directories_[first].index);
  }
  std::sort(twins.begin(), twins.end());
  for (const auto& [index, twin] : twins) out_.number(index).number(twin);
}

void StateEncoder::add_twins() {
  add_twin_files();
  add_twin_directories();
}

AnswerFingerprint StateEncoder::fingerprint_since(std::size_t begin) const {
  const std::string_view bytes = std::string_view(out_.bytes()).substr(begin);
  FrameReader in(bytes);
  const auto kind = static_cast<Answer>(in.byte());
  if (kind == Answer::text) return {kind, digest_of(bytes).prefix()};
  if (kind == Answer::error) return {kind, in.number()};
  const Result<Digest> digest = Digest::from_bytes(in.raw(kind == Answer::digest ? Digest::kSize : 0));
  return {kind, digest ? digest->prefix() : 0};
}

AnswerFingerprint StateEncoder::twins_since(std::size_t begin) const {
  return {Answer::text, digest_of(std::string_view(out_.bytes()).substr(begin)).prefix()};
}

State StateEncoder::finish(const Digest& set) {
  State state{.digest = Hasher("world-state 3").field(set).field(out_.bytes()).finish(), .overlooked = {}};
  if (!overlooked_.bytes().empty()) state.overlooked = Hasher("overlooked").field(overlooked_.bytes()).finish();
  return state;
}

}  // namespace hipcache::inputs
