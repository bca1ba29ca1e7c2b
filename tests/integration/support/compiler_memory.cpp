#include "integration/support/compiler_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <tuple>

#include "hipcache/base/files.h"

namespace hipcache::integration {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSlots = 4096;
constexpr std::uint64_t kVerified = 16;
constexpr std::uint64_t kMostBytes = 1u << 20;  // of a result; larger ones are not kept

const std::string kDiffer = "differ";  // the state of a key whose results depend on the directory

std::string seed() {
  const char* const chosen = std::getenv("ORACLE_SEED");
  return chosen == nullptr ? "0" : chosen;
}

std::string mode() {
  const char* const memory = std::getenv("ORACLE_MEMORY");
  return memory == nullptr ? "off" : memory;
}

bool is_verified(const Digest& key) {
  return mode() == "verify" || Hasher("verified").field(key).field(seed()).finish().prefix() % kVerified == 0;
}

// Hard links and links are not kept.
bool can_be_kept(const Files& changes) {
  std::size_t bytes = 0;
  for (const auto& [name, described] : changes) bytes += described.size();
  return bytes <= kMostBytes && !has_links(changes);
}

bool is_there(const Files& files, const Files::value_type& file) {
  const auto found = files.find(file.first);
  return found != files.end() && found->second == file.second;
}

// Whether the files of `before` that are no `inputs` are replaced by files of the same mode.
bool replaces_outputs(const Ended& ended, const Files& written, const Files& before, const Files& inputs) {
  if (ended.exit_code != 0) return false;
  const auto mode = [](const std::string& described) { return described.substr(0, described.find(' ')); };
  return std::all_of(before.begin(), before.end(), [&](const auto& file) {
    if (inputs.contains(file.first)) return true;
    const auto now = written.find(file.first);
    return now != written.end() && mode(now->second) == mode(file.second);
  });
}

}  // namespace

bool operator==(const CompilerMemory::Outcome& one, const CompilerMemory::Outcome& other) {
  const auto fields = [](const CompilerMemory::Outcome& each) {
    return std::tie(each.ended.exit_code, each.ended.out, each.ended.err, each.changes);
  };
  return fields(one) == fields(other);
}

std::string CompilerMemory::default_store() { return HIPCACHE_BUILD_TREE "/oracle"; }

CompilerMemory::CompilerMemory(std::string tree, std::string store)
    : tree_(std::move(tree)), store_(std::move(store)) {}

Ended CompilerMemory::run(const Request& request, const Files& before) {
  std::optional<Digest> key = mode() != "off" ? key_of(request, tree_, before) : std::nullopt;
  if (!key) return run_compiler(request, before).ended;

  std::optional<Outcome> outcome = known(*key);
  const Files inputs = without_outputs(request, before, written_);
  const std::optional<Digest> shared = inputs.size() < before.size() ? key_of(request, tree_, inputs) : std::nullopt;
  if (!outcome && shared) {
    outcome = known(*shared);
    if (outcome && !replaces_outputs(outcome->ended, outcome->changes, before, inputs)) outcome.reset();
  }
  if (outcome) std::erase_if(outcome->changes, [&](const auto& file) { return is_there(before, file); });
  if (outcome && !is_verified(*key)) {
    ++spared_;
    leave(*outcome);
    return outcome->ended;
  }
  Outcome now = run_compiler(request, before);
  if (outcome) {
    EXPECT_TRUE(now == *outcome) << "the compiler did not do what is remembered of it; ORACLE_SEED=" << seed();
  } else if (can_be_kept(now.changes)) {
    own_.emplace(*key, now);
    if (shared && replaces_outputs(now.ended, now.changes, before, inputs)) key = shared;
    own_.emplace(*key, now);
    say(*key, now);
  }
  return now.ended;
}

CompilerMemory::Outcome CompilerMemory::run_compiler(const Request& request, const Files& before) {
  ++runs_;
  Ended ended = integration::run(request.command, request.directory, request.variables);
  Outcome outcome{std::move(ended), changes(before, files_in(tree_))};
  note_written(outcome.changes);
  return outcome;
}

void CompilerMemory::note_written(const Files& files) {
  for (const auto& [name, described] : files)
    if (!described.empty()) written_.insert(name);
}

void CompilerMemory::leave(const Outcome& outcome) {
  note_written(outcome.changes);
  for (const auto& [name, described] : outcome.changes)
    if (described.empty()) fs::remove_all(fs::path(tree_) / name);
  write_out(tree_, outcome.changes);
}

std::optional<CompilerMemory::Outcome> CompilerMemory::known(const Digest& key) const {
  const auto own = own_.find(key);
  return own != own_.end() ? own->second : agreed(key);
}

std::string CompilerMemory::slot(const Digest& key) const {
  return store_ + "/" + std::to_string(key.prefix() % kSlots);
}

std::optional<CompilerMemory::Outcome> CompilerMemory::agreed(const Digest& key) const {
  const Result<std::string> bytes = read_file(slot(key), 4 * kMostBytes);
  if (!bytes) return std::nullopt;
  const nlohmann::json said = nlohmann::json::from_cbor(*bytes, true, false);
  if (said.is_discarded() || said.at("key") != key.hex() || said.at("state") != "agreed") return std::nullopt;
  return Outcome{{said.at("exit_code"), said.at("out"), said.at("err")}, said.at("changes")};
}

// The first directory's outcome waits for a second one's.
void CompilerMemory::say(const Digest& key, const Outcome& outcome) const {
  nlohmann::json now{{"key", key.hex()},         {"state", tree_},           {"exit_code", outcome.ended.exit_code},
                     {"out", outcome.ended.out}, {"err", outcome.ended.err}, {"changes", outcome.changes}};
  if (const Result<std::string> bytes = read_file(slot(key), 4 * kMostBytes)) {
    nlohmann::json before = nlohmann::json::from_cbor(*bytes, true, false);
    if (!before.is_discarded() && before.at("key") == key.hex()) {
      if (before.at("state") == tree_ || before.at("state") == kDiffer) return;
      before["state"] = tree_;
      now["state"] = before == now ? "agreed" : kDiffer;
    }
  }
  std::error_code problem;
  fs::create_directories(store_, problem);
  const std::vector<std::uint8_t> bytes = nlohmann::json::to_cbor(now);
  const Status kept = replace_file(slot(key), {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  EXPECT_TRUE(kept.ok()) << kept.error().message;
}

}  // namespace hipcache::integration
