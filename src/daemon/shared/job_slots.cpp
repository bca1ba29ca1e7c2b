#include "daemon/shared/job_slots.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "daemon/shared/client_process.h"
#include "hipcache/base/files.h"
#include "hipcache/base/process_status.h"
#include "hipcache/base/text.h"

namespace hipcache::daemon {
namespace {

template <typename List, typename Entry>
void add_once(List& waiting, const Entry& entry) {
  const auto is_same = [&](const Entry& one) { return one.wake_fd == entry.wake_fd; };
  if (std::none_of(waiting.begin(), waiting.end(), is_same)) waiting.push_back(entry);
}

constexpr std::uint64_t kLimit = std::uint64_t{1} << 20;  // of a file of the kernel's

// Options of one letter that take a value, in the same word or the next. Others may stand before -j in one word.
struct Tool {
  std::string_view name;
  std::string_view with_value;
};
constexpr Tool kTools[] = {{"ninja", "Cfjkldtw"}, {"samu", "Cfjkldtw"}, {"make", "CfIoWEj"}, {"gmake", "CfIoWEj"}};

const Tool* tool_named(std::string_view program) {
  const std::string_view name = base_name(program);
  const auto* const found =
      std::find_if(std::begin(kTools), std::end(kTools), [&](const Tool& tool) { return tool.name == name; });
  return found == std::end(kTools) ? nullptr : found;
}

std::optional<unsigned> number_of(std::string_view text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::vector<std::string> command_of(pid_t process) {
  std::vector<std::string> words;
  const Result<std::string> text = read_file("/proc/" + std::to_string(process) + "/cmdline", kLimit);
  for (std::string_view left = text ? std::string_view(*text) : std::string_view(); !left.empty();) {
    const std::size_t end = std::min(left.find('\0'), left.size());
    words.emplace_back(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return words;
}

// Shows each ninja and make above the client, until one is it.
template <typename IsIt>
void find_build_tool(pid_t client, IsIt is_it) {
  constexpr int kMostAbove = 64;
  pid_t process = client;
  for (int above = 0; above < kMostAbove; ++above) {
    const std::optional<ProcessStatus> status = process_status(process);
    if (!status) return;
    if (tool_named(status->name) != nullptr && is_it(process, *status, command_of(process))) return;
    process = status->parent;
  }
}

// The number behind the name in a file of lines; nothing if it has none ("max").
std::optional<std::uint64_t> number_in(const std::string& path, std::string_view name) {
  const Result<std::string> text = read_file(path, kLimit);
  if (!text) return std::nullopt;
  std::size_t at = 0;
  if (!name.empty()) {
    at = text->starts_with(name) ? 0 : text->find("\n" + std::string(name));
    if (at == text->npos) return std::nullopt;
    at += name.size() + (at == 0 ? 0 : 1);
  }
  at = text->find_first_not_of(" :\t", at);
  if (at == text->npos) return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text->data() + at, text->data() + text->size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

// A version of control groups: where they are, and how its files are called.
struct GroupFiles {
  std::string_view line;  // of /proc/PID/cgroup begins so, or has it
  std::string_view directory, limit, used, cached;
};
constexpr GroupFiles kGroups[] = {
    {"0::", "/sys/fs/cgroup", "/memory.max", "/memory.current", "inactive_file"},
    {":memory:", "/sys/fs/cgroup/memory", "/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file"}};

std::uint64_t available_in(const std::string& group, const GroupFiles& files) {
  const auto limit = number_in(group + std::string(files.limit), "");
  const auto used = number_in(group + std::string(files.used), "");
  if (!limit || !used) return kUnknownMemory;
  const std::uint64_t cached = number_in(group + "/memory.stat", files.cached).value_or(0);
  const std::uint64_t taken = *used - std::min(*used, cached);
  return *limit - std::min(*limit, taken);
}

}  // namespace

unsigned jobs_given(const std::vector<std::string>& command) {
  const Tool* const tool = command.empty() ? nullptr : tool_named(command[0]);
  if (tool == nullptr) return 0;
  unsigned jobs = 0;  // the last one counts
  for (std::size_t i = 1; i < command.size(); ++i) {
    const std::string_view word = command[i];
    const std::string_view next = i + 1 < command.size() ? std::string_view(command[i + 1]) : std::string_view();
    if (word == "--") break;
    constexpr std::string_view kLong = "--jobs";
    if (word.starts_with(kLong)) {
      const bool is_joined = word.substr(kLong.size()).starts_with('=');
      jobs = number_of(is_joined ? word.substr(kLong.size() + 1) : next).value_or(0);
      continue;
    }
    if (word.size() < 2 || word[0] != '-' || word[1] == '-') continue;
    for (std::size_t at = 1; at < word.size(); ++at) {
      if (tool->with_value.find(word[at]) == std::string_view::npos) continue;
      const bool is_joined = at + 1 < word.size();
      if (word[at] == 'j') jobs = number_of(is_joined ? word.substr(at + 1) : next).value_or(0);
      if (!is_joined && (word[at] != 'j' || number_of(next))) ++i;
      break;
    }
  }
  return jobs;
}

BuildTool build_tool_of(pid_t client) {
  BuildTool found;
  find_build_tool(client, [&](pid_t process, const ProcessStatus& status, const std::vector<std::string>& command) {
    if (const unsigned jobs = jobs_given(command); jobs != 0) found = {process, status.started, jobs};
    return found.jobs != 0;
  });
  return found;
}

std::vector<std::string> build_command_of(pid_t client) {
  std::vector<std::string> nearest;
  find_build_tool(client, [&](pid_t, const ProcessStatus&, std::vector<std::string> command) {
    nearest = std::move(command);
    return true;
  });
  return nearest;
}

std::uint64_t available_memory(pid_t process, const std::string& system) {
  constexpr std::uint64_t kKibi = 1024;
  std::uint64_t available = kUnknownMemory;
  if (const auto machine = number_in(system + "/proc/meminfo", "MemAvailable")) available = *machine * kKibi;
  const Result<std::string> groups = read_file(system + "/proc/" + std::to_string(process) + "/cgroup", kLimit);
  for (std::string_view left = groups ? std::string_view(*groups) : std::string_view(); !left.empty();) {
    const std::string_view line = left.substr(0, left.find('\n'));
    left.remove_prefix(std::min(line.size() + 1, left.size()));
    for (const GroupFiles& files : kGroups) {
      const std::size_t at = line.find(files.line);
      if (at == line.npos || (files.line[0] != ':' && at != 0)) continue;
      // A limit above counts as well. In a container, the path may name what is outside: then only the top is there.
      for (std::string_view path = line.substr(at + files.line.size());; path = path.substr(0, path.rfind('/'))) {
        if (path == "/") path = "";
        available = std::min(available, available_in(system + std::string(files.directory) + std::string(path), files));
        if (path.empty()) break;
      }
    }
  }
  return available;
}

void StepMemory::note(const Digest& key, const std::string& label, std::uint64_t peak_bytes) {
  const std::lock_guard lock(mutex_);
  if (by_key_.size() >= kMostSteps) by_key_.clear();
  by_key_[key] = peak_bytes;
  if (recent_.size() >= kMostLabels && !recent_.contains(label)) recent_.clear();
  std::deque<std::uint64_t>& recent = recent_[label];
  recent.push_back(peak_bytes);
  if (recent.size() > kRecent) recent.pop_front();
}

std::uint64_t StepMemory::expected(const Digest& key, const std::string& label) const {
  const std::lock_guard lock(mutex_);
  if (const auto known = by_key_.find(key); known != by_key_.end()) return known->second;
  const auto recent = recent_.find(label);
  return recent == recent_.end() ? 0 : *std::max_element(recent->second.begin(), recent->second.end());
}

bool JobSlots::start(bool first_of_session, const Wish& wish) {
  const BuildTool tool = tool_of(wish.client);
  const std::lock_guard lock(mutex_);
  offered_.erase(wish.wake_fd);
  // A slot offered to another session is taken.
  if (!first_of_session && !(has_slot_for(tool) && has_memory_for(wish))) {
    add_once(waiting_, Waiting{wish.wake_fd, tool});
    return false;
  }
  take(wish, tool);
  return true;
}

bool JobSlots::start_spare(const Wish& wish) {
  const BuildTool tool = tool_of(wish.client);
  const std::lock_guard lock(mutex_);
  if (!waiting_.empty() || !has_slot_for(tool) || !has_memory_for(wish)) {
    add_once(waiting_spare_, Waiting{wish.wake_fd, tool});
    return false;
  }
  take(wish, tool);
  return true;
}

// Of a client that runs a step it is known. Else the kernel is asked, some twenty times, without the lock.
BuildTool JobSlots::tool_of(pid_t client) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto held = held_.find(client); held != held_.end()) return held->second.tool;
  }
  return room_.build_tool(client);
}

unsigned JobSlots::steps_below(const BuildTool& tool) const {
  unsigned steps = 0;
  for (const auto& [client, held] : held_) steps += held.tool == tool ? held.steps : 0;
  for (const auto& [wake_fd, of] : offered_) steps += of == tool ? 1 : 0;
  return steps;
}

bool JobSlots::is_within_jobs(const BuildTool& tool) const { return tool.jobs == 0 || steps_below(tool) < tool.jobs; }

// What the running steps have taken of it already is not known, so all of it counts.
bool JobSlots::has_memory_for(const Wish& wish) const {
  return wish.memory == 0 || room_.available_memory(wish.client) >= wish.memory + memory_;
}

bool JobSlots::has_slot_for(const BuildTool& tool) {
  return (running_ + offered_.size() < total_ || places_taken() < total_) && is_within_jobs(tool);
}

void JobSlots::take(const Wish& wish, const BuildTool& tool) {
  ++running_;
  memory_ += wish.memory;
  Held& held = held_[wish.client];
  ++held.steps;
  held.tool = tool;
}

void JobSlots::finish(pid_t client, std::uint64_t memory) {
  const std::lock_guard lock(mutex_);
  --running_;
  memory_ -= std::min(memory_, memory);
  if (const auto held = held_.find(client); held != held_.end() && --held->second.steps == 0) held_.erase(held);
  wake_waiting();
}

void JobSlots::forget(int wake_fd) {
  const std::lock_guard lock(mutex_);
  const auto is_it = [&](const Waiting& one) { return one.wake_fd == wake_fd; };
  std::erase_if(waiting_spare_, is_it);
  if (std::erase_if(waiting_, is_it) + offered_.erase(wake_fd) != 0) wake_waiting();
}

unsigned JobSlots::running() const {
  const std::lock_guard lock(mutex_);
  return running_;
}

bool JobSlots::is_any_free() const {
  const std::lock_guard lock(mutex_);
  return waiting_.empty() && running_ + offered_.size() < total_;
}

bool JobSlots::is_idle(const Wish& wish) const {
  const std::lock_guard lock(mutex_);
  return waiting_.empty() && running_ + offered_.size() < total_ && has_memory_for(wish) &&
         std::all_of(held_.begin(), held_.end(), [&](const auto& held) { return is_within_jobs(held.second.tool); });
}

// Counts offered slots, but not the steps of stopped clients.
unsigned JobSlots::places_taken() {
  const auto now = std::chrono::steady_clock::now();
  if (now - looked_ >= look_again_) {
    looked_ = now;
    held_by_stopped_ = 0;
    for (const auto& [client, held] : held_)
      if (is_stopped(client)) held_by_stopped_ += held.steps;
  }
  return running_ - std::min(running_, held_by_stopped_) + static_cast<unsigned>(offered_.size());
}

// No slot is kept for those who wait for a spare one: whoever of them comes first gets it.
void JobSlots::wake_waiting() {
  if (waiting_.empty() && waiting_spare_.empty()) return;
  unsigned taken = places_taken();
  for (auto one = waiting_.begin(); taken < total_ && one != waiting_.end();) {
    if (!is_within_jobs(one->tool)) {
      ++one;
      continue;
    }
    wake(one->wake_fd);
    offered_.emplace(one->wake_fd, one->tool);
    one = waiting_.erase(one);
    ++taken;
  }
  for (; taken < total_ && !waiting_spare_.empty(); ++taken) {
    wake(waiting_spare_.front().wake_fd);
    waiting_spare_.pop_front();
  }
}

unsigned usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  const int count = CPU_COUNT(&set);
  return count > 0 ? static_cast<unsigned>(count) : 1;
}

}  // namespace hipcache::daemon
