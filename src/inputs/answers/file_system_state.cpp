#include "hipcache/inputs/file_system_state.h"

#include <errno.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <utility>

#include "hipcache/inputs/path_set.h"
#include "inputs/answers/library_search.h"
#include "inputs/answers/state_encoder.h"
#include "inputs/rules/environment.h"
#include "inputs/sources/source_use.h"
#include "inputs/state/digests.h"
#include "inputs/state/file_system_memo.h"
#include "inputs/state/stat_snapshot.h"

namespace hipcache::inputs {
namespace {

// A look is asked by a variable's name or by a stream's number.
bool is_of_stream(std::string_view name) { return !name.empty() && name.front() >= '0' && name.front() <= '9'; }

constexpr unsigned kConcealed = 48;  // dropped bits of the fingerprint of a variable's value

bool is_absence(int error) { return error == ENOENT || error == ENOTDIR; }

void add_errno(StateEncoder& answers, int error) {
  if (is_absence(error)) return answers.add(Answer::absent);
  answers.add_error(error);
}

// One call of FileSystemState::state: asks every question of the set once, in order.
class Examination {
 public:
  Examination(const PathOrder& order, const RunContext& from, FileSystemMemo& memo, Effort& effort,
              SharedStatSnapshot* shared)
      : order_(order),
        from_(from),
        memo_(memo),
        effort_(effort),
        shared_(shared),
        now_ns_(memo_.clock()),
        snapshot_(order, now_ns_, memo_.mounts, effort, shared) {
    memo_.mounts.refresh();
  }

  // Also adds each answer to `answered`, unless that is null.
  State state(const PathSet& set, Answered* answered) {
    set_ = &set;
    const std::vector<Observation>& observations = set.observations();
    for (std::uint32_t i = 0; i < observations.size(); ++i) {
      const std::size_t begin = answers_.size();
      ask(observations[i], i);
      if (answered != nullptr) answered->push_back(fingerprint_of(observations[i].question, begin));
    }
    const std::size_t begin = answers_.size();
    answers_.add_twins();
    if (answered != nullptr) answered->push_back(answers_.twins_since(begin));
    return answers_.finish(set.id());
  }

 private:
  AnswerFingerprint fingerprint_of(Question question, std::size_t begin) const {
    AnswerFingerprint answer = answers_.fingerprint_since(begin);
    if (question == Question::variable || question == Question::look) answer.fingerprint >>= kConcealed;
    return answer;
  }

  void ask(const Observation& observation, std::uint32_t index) {
    const std::uint32_t slot = order_.slot_of[index];
    if (observation.question == Question::program) return ask_program(slot);
    if (!asks_about_path(observation.question)) return ask_about_request(observation);
    if (slot == Slot::kNone) return answers_.add_error(ENAMETOOLONG);
    const Name& name = *order_.slots[slot].name;
    const std::string& path = name.path();
    switch (observation.question) {
      case Question::content:
      case Question::tokens_in_place:
      case Question::tokens_in_order:
      case Question::tokens:
        return ask_content(observation.question, name, snapshot_.at(slot), index);
      case Question::presence:
        return ask_presence(path, snapshot_.at(slot), index);
      case Question::listing:
        return ask_listing(path, snapshot_.at(slot), index, &ListingDigests::all);
      case Question::rocm_listing:
        return ask_listing(path, snapshot_.at(slot), index, &ListingDigests::rocm);
      case Question::bitcode_listing:
        return ask_listing(path, snapshot_.at(slot), index, &ListingDigests::bitcode);
      case Question::size:
      case Question::size_and_time:
        return ask_stamp(observation.question, snapshot_.at(slot));
      case Question::real_path:
        return ask_real_path(slot);
      default:
        return ask_link(slot);
    }
  }

  void ask_program(std::uint32_t begin) {
    answers_.add(Answer::text, from_.roots.portable_path(snapshot_.program_at(begin)));
  }

  void ask_about_request(const Observation& observation) {
    switch (observation.question) {
      case Question::variable:
        return ask_variable(observation.name);
      case Question::root:
        return ask_root(observation.name);
      case Question::root_place:
        return answers_.add(Answer::text, place_of_root(observation.name));
      case Question::name_likeness:
        return ask_name_likeness(observation.name);
      case Question::cuid:
        return answers_.add(Answer::text, observation.name == kRelocatable ? from_.relocatable_cuid : from_.cuid);
      case Question::output_names:
        return answers_.add(Answer::text, from_.output_names);
      case Question::environment:
        return answers_.add(Answer::digest,
                            observation.name.empty() ? digest_environment(from_) : digest_of_interpreters(from_));
      case Question::machine:
        return ask_machine();
      case Question::source_date:
        return ask_source_date(observation.name);
      case Question::library:
        return ask_library(observation.name);
      case Question::look_options:
        return answers_.add(Answer::text, from_.look_options);
      case Question::terminal:
        return ask_terminal(observation.name);
      case Question::look:
        return is_of_stream(observation.name) ? ask_terminal(observation.name) : ask_variable(observation.name);
      case Question::macro:
        return ask_macros([&](const Macro& macro) { return macro.name == observation.name; });
      case Question::all_macros:
        return ask_macros([](const Macro&) { return true; });
      case Question::further_macros:
        return ask_further_macros(observation.name);
      default:
        return ask_working_directory();
    }
  }

  template <typename Counts>
  void ask_macros(Counts counts) {
    Hasher macros("macros");
    bool is_any = false;
    for (const Macro& macro : from_.macros) {
      if (!counts(macro)) continue;
      // The text as typed, and which root it names: another checkout's command may have the same text.
      macros.field(macro.text);
      for (const Root& root : from_.roots.all())
        if ((from_.roots.shown_in(macro.text) & from_.roots.holding(root.path)) != 0) macros.field(root.mark);
      is_any = true;
    }
    if (!is_any) return answers_.add(Answer::unset);
    answers_.add(Answer::digest, macros.finish());
  }

  // Mostly the command has the macros of the list and no others.
  void ask_further_macros(const std::string& list) {
    answers_.overlook(from_.macros);
    const std::string known = " " + list + " ";
    const auto is_further = [&](const Macro& macro) { return known.find(" " + macro.name + " ") == known.npos; };
    if (std::none_of(from_.macros.begin(), from_.macros.end(), is_further)) return answers_.add(Answer::unset);
    const SourceUse use(set_->observations(), from_, from_.macro_definitions, SourceUse::Command::may_lack_options,
                        memo_);
    ask_macros([&](const Macro& macro) {
      return is_further(macro) &&
             (use.has_unknown_names() || !use.unjudged().empty() || use.reach().may_occur(macro.name));
    });
  }

  void ask_terminal(const std::string& question) {
    const std::string told = from_.of_terminal(question);
    if (told.empty()) return answers_.add(Answer::unset);
    answers_.add(Answer::text, told);
  }

  // Everything of the root that a result may show: its names, and which of them the request used. For a portable text,
  // the latter alone.
  void ask_root(std::string_view mark) {
    const bool is_about_calls = mark.ends_with(kCalled);
    if (is_about_calls) mark.remove_suffix(1);
    const Root* root = from_.roots.find(mark);
    if (root == nullptr) return answers_.add(Answer::unset);
    if (is_about_calls) return answers_.add(Answer::text, std::string(root->called()));
    answers_.add(Answer::text, root->path + '\n' + root->alias + '\n' + root->form);
  }

  void ask_name_likeness(std::string_view name) {
    const Root* root = from_.roots.find(mark_of_likeness(name));
    if (root == nullptr) return answers_.add(Answer::unset);
    answers_.add(Answer::text, shared_parts(*root, parts_of_likeness(name)));
  }

  // The root's path, relative to the longest root that holds its directory.
  std::string place_of_root(const std::string& mark) const {
    const Root* root = from_.roots.find(mark);
    if (root == nullptr) return "";
    const std::size_t last = root->path.rfind('/');
    return from_.roots.portable_path(root->path.substr(0, last)) + root->path.substr(last);
  }

  std::optional<FileDigest> content_of(const Name& name, const PathStat& seen) {
    const auto digest = [&] { return digest_file(name.path(), seen, now_ns_, memo_, effort_); };
    return shared_ != nullptr ? shared_->content(name, digest) : digest();
  }

  static bool is_large(const PathStat& seen) {
    return seen.is_file() && seen.stamp.size >= FilesBeingRead::kWorthWaiting;
  }

  bool is_read_by_another(const PathStat& seen) { return is_large(seen) && memo_.being_read.has(seen.stamp); }

  // Instead of waiting: the first requests of a build ask for the same large files in the same order, each of which
  // takes one processor some ten milliseconds.
  void read_large_files_after(std::uint32_t index) {
    const std::vector<Observation>& observations = set_->observations();
    for (std::uint32_t i = index + 1; i < observations.size(); ++i) {
      const std::uint32_t slot = order_.slot_of[i];
      if (!asks_about_content(observations[i].question) || slot == Slot::kNone) continue;
      const PathStat& seen = snapshot_.at(slot);
      if (is_large(seen) && is_settled(seen.stamp, now_ns_) && !memo_.being_read.has(seen.stamp))
        content_of(*order_.slots[slot].name, seen);
    }
  }

  void ask_content(Question question, const Name& name, const PathStat& seen, std::uint32_t index) {
    if (!seen.is_file()) return answers_.add_kind(seen);
    if (is_read_by_another(seen)) read_large_files_after(index);
    const std::optional<FileDigest> file = content_of(name, seen);
    if (!file) return answers_.add(Answer::unreadable);
    if (question == Question::content) return answers_.add_content(index, file->digest, file->digest, file->stamp);
    const std::optional<TokenDigests> seen_by = token_digests(name.path(), file->digest, memo_, effort_);
    if (!seen_by) return answers_.add(Answer::unreadable);
    answers_.add_content(index, answer_to(question, *seen_by), file->digest, file->stamp);
  }

  // A file without x bits cannot be executed. For other files access(2) decides, each time: a file system can be
  // remounted noexec, and the file's stamp does not show that. Few programs have this question. A compiler that does
  // not open a file asks at most whether its size is 0 (__has_embed). It asks for more only if it reads a precompiled
  // header (ask_stamp). The sources of clang and gcc were read for that, and their runs compared by strace.
  void ask_presence(const std::string& path, const PathStat& seen, std::uint32_t index) {
    if (seen.is_directory()) answers_.note_directory(index, seen.stamp);
    if (!seen.is_file()) return answers_.add_kind(seen);
    const bool empty = seen.stamp.size == 0;
    if ((seen.mode & (S_IXUSR | S_IXGRP | S_IXOTH)) != 0) {
      ++effort_.stats;
      if (::access(path.c_str(), X_OK) == 0) return answers_.add(empty ? Answer::empty_executable : Answer::executable);
    }
    answers_.add(empty ? Answer::empty_file : Answer::file);
  }

  void ask_stamp(Question question, const PathStat& seen) {
    if (!seen.is_file()) return answers_.add_kind(seen);
    FrameWriter stamp;
    stamp.number(seen.stamp.size);
    if (question == Question::size_and_time) stamp.number(static_cast<std::uint64_t>(seen.stamp.mtime_ns));
    answers_.add(Answer::text, stamp.bytes());
  }

  void ask_listing(const std::string& path, const PathStat& seen, std::uint32_t index, Digest ListingDigests::* names) {
    if (seen.is_directory()) answers_.note_directory(index, seen.stamp);
    if (seen.kind == PathStat::Kind::there && !seen.is_directory()) return answers_.add(Answer::other);
    if (!seen.is_directory()) return answers_.add_kind(seen);
    const std::optional<ListingDigests> listing = digest_listing(path, seen, now_ns_, memo_, effort_);
    if (!listing) return answers_.add(Answer::unreadable);
    answers_.add(Answer::digest, (*listing).*names);
  }

  void ask_real_path(std::uint32_t slot) {
    const PathStat& seen = snapshot_.at(slot);
    if (seen.kind != PathStat::Kind::there) return answers_.add_kind(seen);
    add_led(snapshot_.real_path_at(slot));
  }

  void ask_link(std::uint32_t slot) {
    const Led led = snapshot_.link_at(slot);
    if (led.error == EINVAL) return answers_.add(Answer::no_link);
    add_led(led);
  }

  void add_led(const Led& led) {
    if (led.error == 0) return answers_.add(Answer::text, from_.roots.portable_path(led.to));
    add_errno(answers_, led.error);
  }

  void ask_variable(const std::string& name) {
    const char* value = from_.variable(name);
    if (value == nullptr) return answers_.add(Answer::unset);
    answers_.add(Answer::digest, digest_of(from_.roots.portable_list(value)));
  }

  // Every date that clang accepts gives one answer. No date gives the same answer, except to a plan, which names the
  // date.
  void ask_source_date(const std::string& who) {
    const char* value = from_.variable("SOURCE_DATE_EPOCH");
    const bool is_taken = !from_.source_date().empty();
    if (value == nullptr || (is_taken && who != kAskedByPlan)) return answers_.add(Answer::unset);
    if (is_taken) return answers_.add(Answer::text, "");
    answers_.add(Answer::digest, digest_of(value));
  }

  void ask_library(const std::string& name) {
    if (!libraries_) {
      libraries_.emplace(from_, memo_, now_ns_, effort_);
      if (shared_ != nullptr) shared_->loader_cache = libraries_->cache();
    }
    answers_.add(Answer::text, libraries_->places_of(name));
  }

  void ask_machine() {
    struct utsname name = {};
    if (::uname(&name) != 0) return answers_.add_error(errno);
    const Digest digest =
        Hasher("uname").field(name.sysname).field(name.nodename).field(name.release).field(name.version).finish();
    answers_.add(Answer::digest, digest);
  }

  void ask_working_directory() {
    answers_.add(Answer::text, from_.roots.portable_path(from_.working_directory));
    answers_.add(Answer::text, from_.roots.portable_path(from_.logical_directory()));
  }

  const PathOrder& order_;
  const RunContext& from_;
  FileSystemMemo& memo_;
  Effort& effort_;
  SharedStatSnapshot* const shared_;
  const std::uint64_t now_ns_;
  StatSnapshot snapshot_;
  const PathSet* set_ = nullptr;
  std::optional<LibrarySearch> libraries_;
  StateEncoder answers_;
};

}  // namespace

FileSystemState::FileSystemState(Clock clock, MountIds mount_ids)
    : memo_(std::make_unique<FileSystemMemo>(std::move(clock), mount_ids)) {}
FileSystemState::~FileSystemState() = default;

State FileSystemState::full_state(const PathSet& set, const RunContext& from, Effort* effort, Answered* answered) {
  Effort unasked;
  const std::shared_ptr<const PathOrder> order = memo_->names.order(set, from);
  return Examination(*order, from, *memo_, effort != nullptr ? *effort : unasked, nullptr).state(set, answered);
}

State FileSystemState::full_state(const PathSet& set, const RunContext& from, SharedStatSnapshot& snapshot,
                                  Answered* answered) {
  Effort unasked;
  const std::shared_ptr<const PathOrder> order = memo_->names.order(set, from);
  snapshot.keep(order);
  return Examination(*order, from, *memo_, unasked, &snapshot).state(set, answered);
}

std::vector<State> FileSystemState::states(const std::vector<const PathSet*>& sets, const RunContext& from,
                                           Answered* answered) {
  SharedStatSnapshot snapshot;
  std::vector<State> states;
  for (const PathSet* set : sets) states.push_back(full_state(*set, from, snapshot, std::exchange(answered, nullptr)));
  return states;
}

Result<Digest> FileSystemState::tokens(const std::string& absolute_path) {
  Result<Digest> bytes = content(absolute_path);
  if (!bytes) return bytes;
  Effort unasked;
  const std::optional<TokenDigests> digests = token_digests(absolute_path, *bytes, *memo_, unasked);
  return digests ? Result<Digest>(digests->tokens) : bytes;
}

std::vector<std::string> FileSystemState::words_among(const std::string& absolute_path,
                                                      const std::vector<std::string>& names) {
  if (names.empty()) return {};
  const Result<Digest> bytes = content(absolute_path);
  const auto source = bytes ? names_in_source(absolute_path, *bytes, *memo_) : nullptr;
  if (source == nullptr || !source->is_known() || source->is_data) return names;
  std::vector<std::string> found;
  for (const std::string& name : names)
    if (has_word(*source, name64(name))) found.push_back(name);
  return found;
}

std::vector<std::string> FileSystemState::names_among(const PathSet& set, const std::vector<std::string>& names,
                                                      const RunContext& from) {
  if (names.empty()) return {};
  std::vector<Observation> texts;
  for (const Observation& one : set.observations())
    if (asks_about_content(one.question)) texts.push_back({one.question, from.roots.local_path(one.name)});
  const SourceUse use(texts, from, {}, SourceUse::Command::may_lack_options, *memo_);
  std::vector<std::string> found;
  for (const std::string& name : names)
    if (use.has_unknown_names() || use.reach().may_occur(name)) found.push_back(name);
  return found;
}

Result<Digest> FileSystemState::content(const std::string& absolute_path, Effort* effort) {
  Effort unasked;
  Effort& counted = effort != nullptr ? *effort : unasked;
  const std::uint64_t now_ns = memo_->clock();
  memo_->mounts.refresh();
  const PathStat seen = stat_path(absolute_path.c_str(), memo_->mounts, counted);
  if (!seen.is_file()) return Error{"cannot digest " + absolute_path + ": not a regular file that is there"};
  const std::optional<FileDigest> file = digest_file(absolute_path, seen, now_ns, *memo_, counted);
  if (!file) return Error{"cannot digest " + absolute_path + ": it cannot be read; look at its permissions"};
  return file->digest;
}

std::vector<KnownFile> FileSystemState::known_files() {
  std::vector<KnownFile> known;
  memo_->files.for_each([&](const Stamp& stamp, const Digest& digest) { known.push_back({stamp, digest}); });
  return known;
}

std::string FileSystemState::digests(std::string_view origin) { return encode_digests(known_files(), origin); }

Status FileSystemState::take_digests(std::string_view bytes, std::string_view origin) {
  const std::optional<std::vector<KnownFile>> known = decode_digests(bytes, origin);
  if (!known) return Error{"they are of another boot, or damaged", ErrorCode::damaged};
  for (const KnownFile& one : *known) memo_->files.insert(one.stamp, one.digest);
  return done();
}

std::uint64_t FileSystemState::learned_digests() const { return memo_->learned; }

bool FileSystemState::exists(const std::string& absolute_path, Effort* effort) {
  Effort unasked;
  return stat_path(absolute_path.c_str(), memo_->mounts, effort != nullptr ? *effort : unasked).kind ==
         PathStat::Kind::there;
}

}  // namespace hipcache::inputs
