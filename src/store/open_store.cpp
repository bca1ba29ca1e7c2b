#include <algorithm>
#include <atomic>
#include <ctime>
#include <utility>

#include "store/framing.h"
#include "store/rocks_store.h"
#include "store/versions.h"

namespace hipcache::store {

namespace {

std::uint32_t system_seconds() { return static_cast<std::uint32_t>(std::time(nullptr)); }

// Opens one database. Distinguishes proven damage of the files from trouble with the machine (too few descriptors or
// threads, no memory): setting the files aside cures only damage.
class Opening {
 public:
  Opening(const StoreOptions& options, Log& log, const Clock& clock, std::uint64_t few_uses)
      : options_(options), log_(log), clock_(clock), few_uses_(few_uses) {}

  Result<std::unique_ptr<LocalStore>> run() {
    if (auto found = find_directories(); !found) return found.error();
    auto lock = lock_directory(*directories_.ours);
    if (!lock) return lock.error();
    if (const auto damage = noted_damage(*directories_.ours)) {
      if (auto aside = set_aside(*directories_.ours, *damage, log_); !aside) return aside.error();
    }
    auto state = open_and_load();
    if (!state && state.error().code == ErrorCode::damaged) {
      if (auto aside = set_aside(*directories_.ours, state.error().message, log_); !aside) return aside.error();
      state = open_and_load();
    }
    if (!state) return state.error();
    return make_rocks_store(std::move(*state), std::move(*lock), options_.max_bytes);
  }

 private:
  Status find_directories() {
    auto root = options_.within != nullptr ? options_.within->open_or_make_below(options_.directory)
                                           : OwnDirectory::open_or_make(options_.directory);
    if (!root) return root.error();
    auto ours = root->open_or_make_below(version_directory());
    if (!ours) return ours.error();
    directories_.root = std::make_shared<const OwnDirectory>(std::move(*root));
    directories_.ours = std::make_shared<const OwnDirectory>(std::move(*ours));
    return done();
  }

  // An error with ErrorCode::damaged is cured by setting the database aside.
  Result<std::unique_ptr<StoreState>> open_and_load() {
    auto fresh = is_fresh();
    if (!fresh) return fresh.error();
    auto database = open_database();
    if (!database) return database.error();
    auto state = std::make_unique<StoreState>(directories_, log_, std::move(*database), clock_);
    if (auto format = *fresh ? write_format(*state->database) : check_format(*state->database); !format) {
      return format.error();
    }
    if (state->database->estimated_records(Table::uses) > few_uses_) return state;
    const std::atomic<bool> never = false;
    if (auto loaded = load_uses(*state, never); !loaded) return loaded.error();
    return state;
  }

  // RocksDB takes a directory without CURRENT for a new database, and silently deletes what it finds there.
  Result<bool> is_fresh() const {
    const auto directory = directories_.ours->open_or_make_below(kDatabase);
    if (!directory) return directory.error();
    const auto names = list_directory(directory->anchored());
    if (!names) return names.error();
    if (names->empty()) return true;
    if (std::find(names->begin(), names->end(), "CURRENT") != names->end()) return false;
    return damage("file CURRENT is missing");
  }

  Result<std::unique_ptr<Database>> open_database() {
    OpenAttempt attempt = try_open(Recovery::strict);
    if (attempt.database) return std::move(attempt.database);
    // This repair of RocksDB's is safe: it loses only what the damaged part of the write-ahead log held. RepairDB is
    // not: it forgets all blob files (facebook/rocksdb issues 13090 and 13884).
    if (attempt.damaged) {
      const std::string problem = attempt.problem;
      attempt = try_open(Recovery::skip_damaged_log);
      if (attempt.database) {
        log_.warning("store: repaired by leaving out damaged records of the write-ahead log: " + problem);
        return std::move(attempt.database);
      }
    }
    if (attempt.damaged) return damage(attempt.problem);
    return Error{"cannot open store " + directories_.ours->path() + ": " + attempt.problem};
  }

  OpenAttempt try_open(Recovery recovery) const {
    auto directory = directories_.ours->open_or_make_below(kDatabase);
    if (!directory) return {.database = nullptr, .damaged = false, .problem = directory.error().message};
    const auto on_damage = [ours = directories_.ours, &log = log_](const std::string& problem) {
      log.error("store: damaged, writes are refused until it is opened again: " + problem);
      note_damage(*ours, problem);
    };
    return Database::open(std::move(*directory), recovery, options_.sync, on_damage);
  }

  static Status write_format(Database& database) { return database.write({{Table::meta, kFormatKey, kFormat}}); }

  static Status check_format(Database& database) {
    auto format = database.get(Table::meta, kFormatKey);
    if (!format) return format.error();
    if (format->found == Found::damaged) return damage(format->problem);
    const std::string_view found = format->value.bytes;
    if (found == kFormat) return done();
    return damage("format is '" + std::string(found) + "', this program's is '" + std::string(kFormat) + "'");
  }

  static Error damage(const std::string& problem) { return Error{problem, ErrorCode::damaged}; }

  const StoreOptions& options_;
  Log& log_;
  const Clock& clock_;
  const std::uint64_t few_uses_;
  Directories directories_;
};

}  // namespace

Result<std::unique_ptr<LocalStore>> open_store_with(const StoreOptions& options, Log& log, const Clock& clock,
                                                    std::uint64_t few_uses) {
  return Opening(options, log, clock, few_uses).run();
}

Result<std::unique_ptr<LocalStore>> open_store(const StoreOptions& options, Log& log) {
  return open_store_with(options, log, system_seconds);
}

}  // namespace hipcache::store
