#include "hipcache/inputs/path_set.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "hipcache/inputs/frames.h"

namespace hipcache::inputs {

namespace {

constexpr char kEnd = ' ';

// How much of a name counts.
struct Parts {
  bool length = false;
  std::size_t first = 0;  // characters
  std::size_t last = 0;
};

// Of the ends whole components count: two names often end in the same letter, and no code cuts a name off there.
std::size_t length_of_shared_end(std::string_view one, std::string_view other) {
  std::size_t length = 0;
  for (std::size_t at = one.rfind('/'); at != one.npos && other.ends_with(one.substr(at));
       at = one.rfind('/', at - 1)) {
    length = one.size() - at;
    if (at == 0) break;
  }
  return length;
}

Parts shared(std::string_view one, std::string_view other) {
  return {one.size() == other.size(), shared_prefix(one, other), length_of_shared_end(one, other)};
}

std::string text_of(const Parts& parts) {
  std::string text;
  for (const std::size_t number : {std::size_t{parts.length}, parts.first, parts.last})
    text += kEnd + std::to_string(number);
  return text;
}

// Takes a number from the front of a text; 0 if there is none.
std::size_t take_number(std::string_view& text) {
  std::size_t number = 0;
  if (text.starts_with(kEnd)) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return error == std::errc() ? number : 0;
}

void append_parts(std::string& answer, std::string_view name, std::string_view& question) {
  const Parts parts{take_number(question) != 0, take_number(question), take_number(question)};
  if (parts.length) answer += std::to_string(name.size());
  answer += '\n';
  answer += name.substr(0, parts.first);
  answer += '\n';
  answer += name.substr(name.size() - std::min(parts.last, name.size()));
  answer += '\n';
}

}  // namespace

std::optional<Observation> likeness_of(const Root& one, const Root& other) {
  if (one.mark != other.mark || one.form != other.form) return std::nullopt;
  if (one.path == other.path || (one.alias == other.alias && !one.alias.empty())) return std::nullopt;
  return Observation{Question::name_likeness,
                     one.mark + text_of(shared(one.path, other.path)) + text_of(shared(one.alias, other.alias))};
}

std::string shared_parts(const Root& root, std::string_view question) {
  std::string answer = root.form + '\n';
  append_parts(answer, root.path, question);
  append_parts(answer, root.alias, question);
  return answer;
}

std::string_view mark_of_likeness(std::string_view name) { return name.substr(0, name.find(kEnd)); }

std::string_view parts_of_likeness(std::string_view name) {
  return name.substr(std::min(name.find(kEnd), name.size()));
}

namespace {

// "HCPS", version, raw form. Version 2: the store compresses. Version 3: sizes and times. Version 4: output names.
// Version 5: several roots.
// A new kind of question needs no new version: who does not know it takes the set for damaged, and compiles.
constexpr std::string_view kMagic = "HCPS";
constexpr std::uint8_t kVersion = 5;

Error damaged(std::string_view what) { return Error{"path set: " + std::string(what) + "; the entry is dropped"}; }

bool is_question(std::uint8_t value) {
  return value >= static_cast<std::uint8_t>(Question::content) &&
         value <= static_cast<std::uint8_t>(Question::name_likeness);
}

// The number of observations; then, for each, its question, the number of bytes shared with the name before, and the
// rest of its name.
std::string raw_form(const std::vector<Observation>& observations) {
  FrameWriter out;
  out.number(observations.size());
  std::string_view previous;
  for (const Observation& observation : observations) {
    const std::size_t shared = shared_prefix(previous, observation.name);
    out.byte(static_cast<std::uint8_t>(observation.question)).number(shared);
    out.text(std::string_view(observation.name).substr(shared));
    previous = observation.name;
  }
  return std::move(out).bytes();
}

Result<Observation> next_observation(FrameReader& in, std::string_view previous) {
  const std::uint8_t question = in.byte();
  const std::uint64_t shared = in.number();
  const std::string_view suffix = in.text();
  if (in.failed()) return damaged("it ends in the middle of an observation");
  if (!is_question(question)) return damaged("it asks an unknown question");
  if (shared > previous.size()) return damaged("a name shares more than the name before has");
  if (suffix.find('\0') != std::string_view::npos) return damaged("a name holds a zero byte");
  std::string name(previous.substr(0, shared));
  name.append(suffix);
  if (shared_prefix(previous, name) != shared) return damaged("a name is not in its shortest form");
  return Observation{static_cast<Question>(question), std::move(name)};
}

Result<std::vector<Observation>> parse_raw(std::string_view raw) {
  FrameReader in(raw);
  const std::uint64_t count = in.number();
  if (count > PathSet::kMaxObservations) return damaged("it claims more observations than a set may have");
  std::vector<Observation> observations;
  observations.reserve(std::min<std::uint64_t>(count, raw.size() / 3));  // an observation takes at least three bytes
  std::size_t held = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    Result<Observation> next = next_observation(in, i == 0 ? std::string_view() : observations.back().name);
    if (!next) return next.error();
    if (i > 0 && *next <= observations.back()) return damaged("its observations are not in order");
    // Front-coding can spell long names in few bytes, so the decoded size is bounded too.
    held += next->name.size();
    if (held > PathSet::kMaxRawBytes) return damaged("its names are longer than a set may have");
    observations.push_back(std::move(*next));
  }
  if (!in.finished()) return damaged("there are bytes after its end");
  return observations;
}

std::size_t name_bytes(const std::vector<Observation>& observations) {
  std::size_t bytes = 0;
  for (const Observation& observation : observations) bytes += observation.name.size();
  return bytes;
}

}  // namespace

PathSet::PathSet(std::vector<Observation> sorted, std::string_view raw)
    : observations_(std::move(sorted)),
      id_(digest_of(raw)),
      raw_bytes_(std::max(raw.size(), name_bytes(observations_))) {}

PathSet::PathSet(std::vector<Observation> observations) {
  std::sort(observations.begin(), observations.end());
  observations.erase(std::unique(observations.begin(), observations.end()), observations.end());
  const std::string raw = raw_form(observations);
  *this = PathSet(std::move(observations), raw);
}

std::string PathSet::encode() const {
  std::string out(kMagic);
  out.push_back(static_cast<char>(kVersion));
  return out + raw_form(observations_);
}

Result<PathSet> PathSet::decode(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) return damaged("it does not begin as one");
  bytes.remove_prefix(kMagic.size());
  if (bytes.empty() || static_cast<std::uint8_t>(bytes.front()) != kVersion) return damaged("it is of another version");
  const std::string_view raw = bytes.substr(1);
  if (raw.size() > kMaxRawBytes) return damaged("it is longer than a set may be");
  Result<std::vector<Observation>> observations = parse_raw(raw);
  if (!observations) return observations.error();
  return PathSet(std::move(*observations), raw);  // a set has one form, so the form's digest is the id
}

PathSet PathSet::merge(const std::vector<std::shared_ptr<const PathSet>>& sets) {
  std::vector<Observation> all;
  for (const auto& set : sets) all.insert(all.end(), set->observations_.begin(), set->observations_.end());
  return PathSet(std::move(all));
}

PathSet PathSet::of_request(const std::vector<std::shared_ptr<const PathSet>>& sets) {
  std::vector<Observation> all = merge(sets).observations_;
  const auto asks = [](Question question) {
    return [question](const Observation& one) { return one.question == question; };
  };
  if (std::none_of(all.begin(), all.end(), asks(Question::look_options))) std::erase_if(all, asks(Question::look));
  std::erase_if(all, asks(Question::look_options));
  std::erase(all, Observation{Question::cuid, kRelocatable});
  return PathSet(std::move(all));
}

std::size_t PathSet::memory() const {
  std::size_t bytes = sizeof(PathSet) + observations_.capacity() * sizeof(Observation);
  for (const Observation& observation : observations_)
    if (observation.name.capacity() > std::string().capacity()) bytes += observation.name.capacity() + 1;
  return bytes;
}

}  // namespace hipcache::inputs
