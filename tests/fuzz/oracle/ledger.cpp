#include "fuzz/oracle/ledger.h"

#include <algorithm>
#include <iterator>

#include "hipcache/cache/action_cache.h"

namespace hipcache::fuzz {
namespace {

void add_option(Hasher& hasher, const Option& option) {
  hasher.field(option.size());
  for (const std::string& word : option) hasher.field(word);
}

void add_options(Hasher& hasher, const std::vector<Option>& options) {
  hasher.field(options.size());
  for (const Option& option : options) add_option(hasher, option);
}

// Variables that no compiler asks for are no part of a request.
Hasher hasher_for(const Compile& compile) {
  Hasher hasher("compile");
  hasher.field(compile.driver);
  add_option(hasher, compile.stage);
  hasher.field(compile.directory).field(compile.absolute ? 1 : 0).field(compile.source).field(compile.output);
  add_options(hasher, compile.includes);
  add_options(hasher, compile.flags);
  add_option(hasher, compile.library);
  add_option(hasher, compile.depfile);
  for (const auto& [name, value] : compile.environment)
    if (name != "UNRELATED") hasher.field(name).field(value);
  return hasher;
}

Digest request_of(const Compile& compile) {
  return hasher_for(compile)
      .field(compile.archs_in_one_word ? 1 : 0)
      .field("archs")
      .field([&] {
        Hasher archs("archs");
        add_option(archs, compile.archs);
        return archs.finish();
      }())
      .finish();
}

Digest without_archs(const Compile& compile, const Digest& state) { return hasher_for(compile).field(state).finish(); }

void bring_to_front(std::list<Digest>& recent, const Digest& digest) {
  recent.remove(digest);
  recent.push_front(digest);
}

bool is_among_the_last(const std::list<Digest>& recent, const Digest& digest) {
  const auto found = std::find(recent.begin(), recent.end(), digest);
  return found != recent.end() && std::distance(recent.begin(), found) < std::ptrdiff_t{store::kMaxPathSets};
}

}  // namespace

void Ledger::settled(const Compile& compile, const Digest& state) {
  bring_to_front(states_of_[request_of(compile)], state);
  tried(compile, state);
  archs_of_[without_archs(compile, state)].insert(compile.archs.begin(), compile.archs.end());
}

void Ledger::tried(const Compile& compile, const Digest& state) {
  bring_to_front(steps_, without_archs(compile, state));
}

void Ledger::cleared() { *this = Ledger(); }

bool Ledger::owes(const Compile& compile, const Digest& state) const {
  const auto recent = states_of_.find(request_of(compile));
  return recent != states_of_.end() && is_among_the_last(recent->second, state);
}

std::set<std::string> Ledger::owed_archs(const Compile& compile, const Digest& state) const {
  const Digest key = without_archs(compile, state);
  const auto known = archs_of_.find(key);
  if (known == archs_of_.end() || !is_among_the_last(steps_, key)) return {};
  std::set<std::string> owed;
  for (const std::string& arch : compile.archs)
    if (known->second.contains(arch)) owed.insert(arch);
  return owed;
}

}  // namespace hipcache::fuzz
