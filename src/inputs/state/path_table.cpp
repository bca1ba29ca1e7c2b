#include "inputs/state/path_table.h"

#include <limits.h>

#include "hipcache/base/files.h"

namespace hipcache::inputs {
namespace {

std::string_view without_trailing_slashes(std::string_view path) {
  const std::size_t last = path.find_last_not_of('/');
  return last == std::string_view::npos ? std::string_view() : path.substr(0, last + 1);
}

}  // namespace

std::string_view parent_spelling(std::string_view path) {
  path = without_trailing_slashes(path);
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return {};
  const std::string_view parent = without_trailing_slashes(path.substr(0, slash));
  return parent.empty() ? path.substr(0, 1) : parent;
}

std::string_view Name::entry() const {
  const std::string_view path = without_trailing_slashes(path_);
  return path.substr(path.rfind('/') + 1);
}

Entry Name::known_in(const Stamp& directory) const {
  std::lock_guard lock(mutex_);
  return directory_ == directory ? entry_ : Entry();
}

bool Name::known_absent_from(const Stamp& directory) const {
  std::lock_guard lock(mutex_);
  return entry_.kind == Entry::Kind::absent && directory_ == directory;
}

void Name::learn(const Stamp& directory, Entry entry) {
  std::lock_guard lock(mutex_);
  directory_ = directory;
  entry_ = std::move(entry);
}

class NameTable {
 public:
  Name* intern(std::string_view path) {
    if (auto at = names_.find(path); at != names_.end()) return at->second.get();
    const std::string_view parent = parent_spelling(path);
    auto name = std::make_unique<Name>(std::string(path), parent.empty() ? nullptr : intern(parent));
    Name* made = name.get();
    names_.emplace(made->path(), std::move(name));
    return made;
  }

  std::size_t size() const { return names_.size(); }

 private:
  std::unordered_map<std::string_view, std::unique_ptr<Name>> names_;  // each key points into its Name
};

namespace {

class OrderBuilder {
 public:
  OrderBuilder(NameTable& table, PathOrder& order) : table_(table), order_(order) {}

  void add(const Observation& observation, const RunContext& from) {
    const bool is_program = observation.question == Question::program;
    order_.slot_of.push_back(is_program ? add_program_slots(observation.name, from) : slot_of(observation, from));
  }

 private:
  std::uint32_t slot_of(const Observation& observation, const RunContext& from) {
    if (!asks_about_path(observation.question)) return Slot::kNone;
    return slot_of(from.path_of(observation.name));
  }

  std::uint32_t slot_of(const std::string& path) {
    return path.empty() || path.size() >= PATH_MAX ? Slot::kNone : slot_of(table_.intern(path));
  }

  std::uint32_t add_program_slots(const std::string& program, const RunContext& from) {
    const auto begin = static_cast<std::uint32_t>(order_.program_slots.size());
    for (const std::string& directory : from.program_directories()) {
      const std::uint32_t slot = slot_of(join_path(directory, program));
      if (slot != Slot::kNone) order_.program_slots.push_back(slot);
    }
    order_.program_slots.push_back(Slot::kNone);
    return begin;
  }

  std::uint32_t slot_of(Name* name) {
    if (auto at = known_.find(name); at != known_.end()) return at->second;
    const std::uint32_t parent = name->parent() == nullptr ? Slot::kNone : slot_of(name->parent());
    const auto index = static_cast<std::uint32_t>(order_.slots.size());
    order_.slots.push_back({name, parent});
    known_.emplace(name, index);
    return index;
  }

  NameTable& table_;
  PathOrder& order_;
  std::unordered_map<const Name*, std::uint32_t> known_;
};

}  // namespace

PathTable::PathTable(std::size_t max_names) : max_names_(max_names), table_(std::make_shared<NameTable>()) {}
PathTable::~PathTable() = default;

std::shared_ptr<const PathOrder> PathTable::order(const PathSet& set, const RunContext& from) {
  const char* path_variable = from.variable("PATH");
  const std::string key = set.id().bytes() + from.working_directory + '\0' + from.roots.id() + '\0' +
                          (path_variable == nullptr ? "" : path_variable);
  std::lock_guard lock(mutex_);
  if (auto at = orders_.find(key); at != orders_.end()) return at->second;
  if (table_->size() >= max_names_ || slots_ >= kMaxSlots) {
    orders_.clear();
    slots_ = 0;
    table_ = std::make_shared<NameTable>();
  }
  std::shared_ptr<const PathOrder> order = make(set, from);
  slots_ += order->slots.size() + order->slot_of.size() + order->program_slots.size();
  orders_.emplace(key, order);
  return order;
}

std::shared_ptr<const PathOrder> PathTable::make(const PathSet& set, const RunContext& from) {
  auto order = std::make_shared<PathOrder>();
  order->keeps = table_;
  order->slot_of.reserve(set.observations().size());
  OrderBuilder builder(*table_, *order);
  for (const Observation& observation : set.observations()) builder.add(observation, from);
  return order;
}

}  // namespace hipcache::inputs
