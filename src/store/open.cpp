#include "store/open.h"

#include <algorithm>
#include <atomic>
#include <ctime>

#include "hipcache/base/files.h"
#include "store/database.h"
#include "store/loading.h"
#include "store/rocks_store.h"
#include "store/set_aside.h"

namespace hipcache::store {
namespace {

std::uint32_t system_seconds() { return static_cast<std::uint32_t>(std::time(nullptr)); }

// Everything that opening one database takes. Trouble with the files is told apart from trouble with the machine: only
// the former is mended by setting them aside.
class Opening {
 public:
  Opening(const StoreOptions& options, Log& log, const Clock& clock, std::uint64_t few_uses)
      : options_(options), log_(log), clock_(clock), few_uses_(few_uses) {}

  Result<std::unique_ptr<Store>> run() {
    if (auto made = make_directories(options_.directory, 0700); !made) return made.error();
    auto lock = lock_directory(options_.directory);
    if (!lock) return lock.error();
    if (const auto damage = noted_damage(options_.directory)) {
      if (auto aside = set_aside(options_.directory, *damage, log_); !aside) return aside.error();
    }
    auto contents = open_and_load();
    if (!contents && damaged_) {
      if (auto aside = set_aside(options_.directory, contents.error().message, log_); !aside) return aside.error();
      contents = open_and_load();
    }
    if (!contents) return contents.error();
    return make_rocks_store(std::move(*contents), std::move(*lock), options_.max_bytes);
  }

 private:
  Result<std::unique_ptr<Contents>> open_and_load() {
    damaged_ = false;
    const bool fresh = !list_directory(database_path(options_.directory)).ok();
    if (!fresh && !has_current_file()) return damage("file CURRENT is missing");
    auto database = open_database();
    if (!database) return database.error();
    auto contents = std::make_unique<Contents>(options_.directory, log_, std::move(*database), clock_);
    if (auto format = fresh ? write_format(*contents->database) : check_format(*contents->database); !format) {
      return format.error();
    }
    if (contents->database->estimated_records(Table::uses) > few_uses_) return contents;
    const std::atomic<bool> never = false;
    if (auto loaded = load_uses(*contents, never); !loaded) return damage(loaded.error().message);
    return contents;
  }

  // RocksDB takes a directory without CURRENT for a new database, and deletes what it finds there without a word.
  bool has_current_file() const {
    const auto names = list_directory(database_path(options_.directory));
    return names && (names->empty() || std::find(names->begin(), names->end(), "CURRENT") != names->end());
  }

  Result<std::unique_ptr<Database>> open_database() {
    OpenAttempt attempt = try_open(Recovery::strict);
    if (attempt.database) return std::move(attempt.database);
    // Of RocksDB's repairs this one is safe: it loses what the damaged part of the write-ahead log held. RepairDB is
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
    return Error{"cannot open store " + options_.directory + ": " + attempt.problem};
  }

  OpenAttempt try_open(Recovery recovery) const {
    const auto on_damage = [directory = options_.directory, &log = log_](const std::string& problem) {
      log.error("store: damaged, writes are refused until it is opened again: " + problem);
      note_damage(directory, problem);
    };
    return Database::open(database_path(options_.directory), recovery, options_.sync, on_damage);
  }

  static Status write_format(Database& database) { return database.write({{Table::meta, kFormatKey, kFormat}}); }

  Status check_format(Database& database) {
    auto format = database.get(Table::meta, kFormatKey);
    if (!format) return format.error();
    if (format->found == Found::damaged) return damage(format->problem);
    if (format->found == Found::yes && format->value == kFormat) return done();
    return damage("format is '" + format->value + "', this program's is '" + std::string(kFormat) + "'");
  }

  Error damage(const std::string& problem) {
    damaged_ = true;
    return Error{problem};
  }

  const StoreOptions& options_;
  Log& log_;
  const Clock& clock_;
  const std::uint64_t few_uses_;
  bool damaged_ = false;
};

}  // namespace

Result<std::unique_ptr<Store>> open_store_with(const StoreOptions& options, Log& log, const Clock& clock,
                                               std::uint64_t few_uses) {
  return Opening(options, log, clock, few_uses).run();
}

Result<std::unique_ptr<Store>> open_store(const StoreOptions& options, Log& log) {
  return open_store_with(options, log, system_seconds);
}

}  // namespace hipcache::store
