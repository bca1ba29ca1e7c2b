#include "daemon/tell/ties.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>

#include "daemon/request/keys.h"
#include "daemon/request/portable_arguments.h"
#include "daemon/request/processor.h"
#include "daemon/request/request.h"
#include "daemon/tell/place_owner.h"
#include "hipcache/base/files.h"
#include "hipcache/base/process.h"
#include "hipcache/base/step_name.h"
#include "hipcache/base/text.h"
#include "hipcache/cache/exchange.h"
#include "hipcache/compiler/hip/cuid.h"
#include "hipcache/inputs/mentions.h"

namespace hipcache::daemon {

namespace {

using Words = std::vector<std::string>;
using inputs::Answer;
using inputs::AnswerFingerprint;
using inputs::Observation;
using inputs::Question;
using protocol::Tie;
using protocol::TiedBy;

// Shown of one kind. Files are many, and one mend serves all of them.
std::size_t most_of(TiedBy by) {
  switch (by) {
    case TiedBy::absolute_path:
    case TiedBy::file_time:
    case TiedBy::equal_times:
    case TiedBy::machine_file:
      return 1;
    default:
      return 3;
  }
}

bool holds(const std::vector<Tie>& ties, const Tie& tie) {
  return std::any_of(ties.begin(), ties.end(), [&](const Tie& one) {
    return one.by == tie.by && one.name == tie.name && one.other == tie.other;
  });
}

struct File {
  std::string place;  // without links
  struct stat status = {};
  Digest content = {};
};

bool is_taken_for(const File& one, const File& other) {
  const auto inode = [](const File& file) { return std::tie(file.status.st_dev, file.status.st_ino); };
  const auto time = [](const File& file) { return file.status.st_mtim.tv_sec; };
  return one.place != other.place && one.content == other.content &&
         (inode(one) == inode(other) || time(one) == time(other));
}

// The ties of a step's key: what its command says that another machine or directory says otherwise.

bool is_typed(const std::string& word, const Request& request) {
  const Words& typed = request.invocation.argv;
  return std::any_of(typed.begin(), typed.end(), [&](const std::string& one) { return one.find(word) != one.npos; });
}

// The arguments that are part of the key. The probe's are those of the user, in this directory.
std::vector<Words> keyed_arguments(const StepSpec& spec, const Request& request) {
  std::vector<Words> keyed;
  if (spec.planned != nullptr)
    for (const Words& argv : spec.planned->keyed) keyed.push_back(portable_step(argv, request.from));
  else if (!spec.prints_plan)
    keyed.push_back(portable(opaque_arguments(request.invocation), request.from));
  return keyed;
}

// In a portable argument a root stands as a token. Where its path is left, the text counts (portable()).
void add_roots_in(const std::string& word, const Request& request, TieList& ties) {
  const std::vector<Root>& roots = request.from.roots.all();
  const RootMask shown = request.from.roots.shown_in(word);
  for (std::size_t i = 0; i < roots.size(); ++i) {
    if ((shown & RootMask{1} << i) == 0) continue;
    if (word == roots[i].path)
      ties.add(TiedBy::joined_path, roots[i].path);
    else
      ties.add(TiedBy::argument, word, roots[i].path);
  }
}

// The driver may have made an argument of a variable, whose value is not shown.
void add_directories_in(const std::string& word, const Request& request, TieList& ties) {
  const char* home = request.from.variable("HOME");
  for (const std::string& directory :
       {request.from.working_directory, request.from.logical_directory(), std::string(home == nullptr ? "" : home)}) {
    if (owner_of(directory) != PlaceOwner::user || !mentions_directory(word, directory)) continue;
    return ties.add(TiedBy::absolute_path, is_typed(word, request) ? word : directory);
  }
}

void add_programs(const StepSpec& spec, const Request& request, TieList& ties) {
  for (const protocol::Command& command : spec.commands) {
    const std::string program = request.from.roots.portable_path(command.program);
    if (program.starts_with('/') && owner_of(program) == PlaceOwner::user) ties.add(TiedBy::absolute_path, program);
  }
}

// Of a planned compile, the driver asks, and the host's compile gets what it found.
void add_processor(const StepSpec& spec, const Request& request, TieList& ties) {
  if (spec.planned != nullptr && spec.label != kHostStep) return;
  if (request.invocation.opaque.asks_processor) return ties.add(TiedBy::processor, request.invocation.argv[0]);
  for (const std::string& argument : request.invocation.expanded)
    if (is_native_option(argument)) ties.add(TiedBy::processor, argument);
  const std::string_view variable = variable_that_asks_processor(request.from.environment);
  if (!variable.empty()) ties.add(TiedBy::processor, std::string(variable));
}

void add_command_ties(const StepSpec& spec, const Request& request, TieList& ties) {
  add_processor(spec, request, ties);
  add_programs(spec, request, ties);
  for (const Words& argv : keyed_arguments(spec, request))
    for (const std::string& word : argv)
      if (request.from.roots.shown_in(word) != 0)
        add_roots_in(word, request, ties);
      else
        add_directories_in(word, request, ties);
}

// The ties of the path set: the questions whose present answers another machine or directory does not give.

constexpr const char* kLoaderCache = "/etc/ld.so.cache";
constexpr const char* kLibraryVariable = "LD_LIBRARY_PATH";

// Variables whose values differ between users or machines.
constexpr auto kPersonal = std::to_array<std::string_view>(
    {"HOME", "USER", "LOGNAME", "HOSTNAME", "PATH", "LD_LIBRARY_PATH", "TMP", "TEMP", "MAIL", "SHELL", "MAKEFLAGS"});
constexpr auto kPersonalPrefixes = std::to_array<std::string_view>({"XDG_", "SSH_"});

bool is_personal(std::string_view variable) {
  return std::find(kPersonal.begin(), kPersonal.end(), variable) != kPersonal.end() ||
         std::any_of(kPersonalPrefixes.begin(), kPersonalPrefixes.end(),
                     [&](std::string_view prefix) { return variable.starts_with(prefix); });
}

// What is absent here is absent elsewhere, too.
bool says_nothing(const AnswerFingerprint& answer) {
  return answer.kind == Answer::absent || answer.kind == Answer::unset || answer.kind == Answer::no_link;
}

std::string target_of(const std::string& link) {
  char target[PATH_MAX];
  const ssize_t length = ::readlink(link.c_str(), target, sizeof target);
  return length < 0 ? "" : std::string(target, static_cast<std::size_t>(length));
}

std::vector<std::string_view> parts_of(std::string_view list) {
  std::vector<std::string_view> parts;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(':'), list.size());
    if (end != 0) parts.push_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return parts;
}

class InputTies {
 public:
  InputTies(const inputs::PathSet& set, const StepSpec& spec, const RequestContext& context, TieList& ties)
      : set_(set),
        spec_(spec),
        request_(context.request),
        from_(context.request.from),
        file_system_(context.services.file_system),
        ties_(ties) {}

  void find() {
    const std::vector<Observation>& observations = set_.observations();
    inputs::Answered answered;
    file_system_.state(set_, from_, nullptr, &answered);
    any_variable_ = hipcache::holds(observations, Observation{Question::environment, ""});
    for (std::size_t i = 0; i < observations.size(); ++i)
      if (!says_nothing(answered[i])) add_ties_of(observations[i]);
    for (const auto& [first, second] : files_taken_for_one(set_, answered, from_, file_system_)) {
      if (is_installed(first) && is_installed(second)) continue;
      ties_.add(TiedBy::equal_times, first, second);
    }
  }

 private:
  void add_ties_of(const Observation& observation) {
    const std::string& name = observation.name;
    if (inputs::asks_about_path(observation.question)) return take_path(observation);
    switch (observation.question) {
      case Question::variable:
        return take_variable(name);
      case Question::environment:
        if (any_variable_) ties_.add(TiedBy::environment, request_.invocation.argv.front());
        return;
      case Question::machine:
        return ties_.add(TiedBy::uname, "");
      case Question::working_directory:
        return take_working_directory();
      case Question::program:
        return take_program(name);
      case Question::library:
        return take_library(name);
      case Question::root:
        return take_root(name);
      case Question::name_likeness:
        return take_root(std::string(inputs::mark_of_likeness(name)));
      case Question::cuid:
        return take_cuid();
      default:
        // A date's form, the names of outputs, colours and a place below a root are equal wherever the command and the
        // layout of the checkout are.
        return;
    }
  }

  void take_path(const Observation& observation) {
    const std::string path = from_.path_of(observation.name);
    add_place(observation.name);
    if (observation.question == Question::real_path)
      add_place(from_.roots.portable_path(resolved_path(path).value_or("")));
    if (observation.question == Question::link) add_place(from_.roots.portable_path(target_of(path)));
    if (observation.question == Question::size_and_time && !is_installed(path)) ties_.add(TiedBy::file_time, path);
    if (observation.question == Question::listing && observation.name.starts_with('/') &&
        owner_of(path) == PlaceOwner::packages && !is_of_compilers(path))
      ties_.add(TiedBy::listing, path);
    if (observation.question == Question::content && path == kLoaderCache) ties_.add(TiedBy::loader_cache, path);
  }

  // A relative or portable name travels. Whoever names the working directory depends on it, which is asked by itself.
  void add_place(const std::string& portable) {
    if (!portable.starts_with('/')) return;
    const PlaceOwner owner = owner_of(portable);
    const bool is_directory = portable == from_.working_directory || portable == from_.logical_directory();
    if (owner == PlaceOwner::user && !is_directory) ties_.add(TiedBy::absolute_path, portable);
    if (owner == PlaceOwner::machine) ties_.add(TiedBy::machine_file, portable);
  }

  static bool is_installed(const std::string& absolute) { return owner_of(absolute) == PlaceOwner::packages; }

  // A question about the whole environment covers each variable.
  void take_variable(const std::string& name) {
    const char* value = from_.variable(name);
    if (value == nullptr || any_variable_) return;
    const std::string portable = from_.roots.portable_list(value);
    for (const std::string& directory : {from_.working_directory, from_.logical_directory()})
      if (owner_of(directory) == PlaceOwner::user && mentions_directory(portable, directory))
        return ties_.add(TiedBy::path_in_variable, name, directory);
    const char* home = from_.variable("HOME");
    if (is_personal(name) || (home != nullptr && mentions_directory(portable, home))) ties_.add(TiedBy::variable, name);
  }

  void take_working_directory() {
    for (const std::string& directory : {from_.working_directory, from_.logical_directory()})
      if (from_.roots.portable_path(directory).starts_with('/')) ties_.add(TiedBy::working_directory, directory);
  }

  void take_program(const std::string& name) {
    const char* variable = from_.variable("PATH");
    const Result<std::string> found = find_program(name, variable == nullptr ? "" : variable, from_.working_directory);
    if (found) add_place(from_.roots.portable_path(*found));
  }

  void take_library(const std::string& name) {
    const char* variable = from_.variable(kLibraryVariable);
    for (const std::string_view directory : parts_of(variable == nullptr ? "" : variable)) {
      const std::string path = join_path(from_.working_directory, join_path(directory, name));
      if (file_system_.exists(path)) add_place(from_.roots.portable_path(path));
    }
  }

  void take_root(const std::string& mark) {
    const Root* root = from_.roots.find(mark);
    if (root == nullptr) return;
    const std::string source = asks_its_own_name(*root);
    if (source.empty())
      ties_.add(TiedBy::root, root->path, Roots::name_of(mark));
    else
      ties_.add(TiedBy::own_name, source, root->path);
  }

  // Where a source asks for its own name, if that ties the result to the root, or "".
  std::string asks_its_own_name(const Root& root) const {
    const RootMask bit = from_.roots.holding(root.path);
    if ((spec_.maps.own_names() & bit) != 0) return "";
    for (const inputs::OwnName& own : inputs::mentions_in(set_.observations(), from_, {}, file_system_).own_names)
      if (own.is_mapped && (own.root & bit) != 0) return own.where;
    return "";
  }

  // The id is made of source and output by their names in a root, or else by absolute ones.
  void take_cuid() {
    if (from_.cuid.empty()) return;
    const auto exists = [&](const std::string& path) { return file_system_.exists(path); };
    const std::string source = absolute(source_of(spec_, request_));
    const std::string object = absolute(request_.invocation.object);
    if (from_.roots.portable_path(source).starts_with('/'))
      ties_.add(TiedBy::cuid, source);
    else if (from_.roots.portable_path(object).starts_with('/') &&
             hip::output_root(object, from_.roots, exists).empty())
      ties_.add(TiedBy::cuid, object);
  }

  std::string absolute(const std::string& name) const { return normal_path(join_path(from_.working_directory, name)); }

  const inputs::PathSet& set_;
  const StepSpec& spec_;
  const Request& request_;
  const inputs::RunContext& from_;
  inputs::FileSystemState& file_system_;
  TieList& ties_;
  bool any_variable_ = false;
};

}  // namespace

void TieList::add(TiedBy by, std::string name, std::string other) {
  Tie tie{.by = by, .name = std::move(name), .other = std::move(other), .more = 0};
  if (holds(ties_, tie) || holds(counted_, tie)) return;
  const auto is_of_kind = [&](const Tie& one) { return one.by == by; };
  const auto shown = static_cast<std::size_t>(std::count_if(ties_.begin(), ties_.end(), is_of_kind));
  if (shown < most_of(by)) return ties_.push_back(std::move(tie));
  ++std::find_if(ties_.rbegin(), ties_.rend(), is_of_kind)->more;
  counted_.push_back(std::move(tie));
}

void TieList::keep_ties_to_machine() {
  std::erase_if(ties_, [](const Tie& tie) { return protocol::tied_to(tie.by) != "machine"; });
}

std::vector<Tie> TieList::take_ties() {
  std::stable_sort(ties_.begin(), ties_.end(), [](const Tie& left, const Tie& right) { return left.by < right.by; });
  for (Tie& tie : ties_)
    for (std::string* text : {&tie.name, &tie.other}) *text = readable(*text);
  counted_.clear();
  return std::exchange(ties_, {});
}

std::vector<std::pair<std::string, std::string>> files_taken_for_one(const inputs::PathSet& set,
                                                                     const inputs::Answered& answered,
                                                                     const inputs::RunContext& from,
                                                                     inputs::FileSystemState& file_system) {
  std::map<std::uint64_t, std::vector<std::string>> names;
  const std::vector<inputs::Observation>& observations = set.observations();
  for (std::size_t i = 0; i < observations.size(); ++i)
    if (inputs::asks_about_content(observations[i].question) && answered[i].kind == inputs::Answer::digest)
      names[answered[i].fingerprint].push_back(from.path_of(observations[i].name));
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto& [content, equals] : names) {
    if (equals.size() < 2) continue;
    std::vector<File> files;
    for (const std::string& name : equals) {
      File file{.place = real_path(name)};
      const Result<Digest> bytes = file_system.content(name);
      if (!bytes || ::stat(name.c_str(), &file.status) != 0) continue;
      file.content = *bytes;
      const auto like =
          std::find_if(files.begin(), files.end(), [&](const File& one) { return is_taken_for(file, one); });
      if (like != files.end()) pairs.emplace_back(like->place, file.place);
      files.push_back(std::move(file));
    }
  }
  return pairs;
}

std::vector<protocol::Tie> ties_of(const StepSpec& spec, const inputs::PathSet* set,
                                   const std::vector<cache::Output>& outputs, const RequestContext& context) {
  if (set == nullptr) return {};
  TieList ties;
  add_command_ties(spec, context.request, ties);
  InputTies(*set, spec, context, ties).find();
  for (const cache::Output& output : outputs)
    if (!output.place.empty() && !cache::is_place_of_request(output.place))
      ties.add(TiedBy::output_place, context.request.from.roots.local_text(output.place));
  if (spec.prints_plan) ties.keep_ties_to_machine();
  return ties.take_ties();
}

}  // namespace hipcache::daemon
