// A store in a directory of its own, a clock that ticks with every use, and a log that can be read.
#ifndef HIPCACHE_TESTS_STORE_STORE_FIXTURE_H
#define HIPCACHE_TESTS_STORE_STORE_FIXTURE_H

#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>

#include "hipcache/base/files.h"
#include "hipcache/base/own_directory.h"
#include "store/database.h"
#include "store/rocks_store.h"
#include "store/versions.h"

namespace hipcache::store {

inline constexpr std::uint64_t kKiB = 1024;
inline constexpr std::uint64_t kMiB = 1024 * kKiB;

// Bytes that no compression makes smaller, the same for the same seed.
inline std::string noise(std::uint64_t seed, std::size_t size) {
  std::mt19937_64 engine(seed);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(engine() & 0xff);
  return bytes;
}

inline Digest key_of(std::string_view name) { return digest_of(name); }

class StoreTest : public ::testing::Test {
 protected:
  StoreTest() {
    std::string pattern = ::testing::TempDir() + "hipcache-store-XXXXXX";
    root_ = mkdtemp(pattern.data());
    options_.directory = join_path(root_, "store");
    log_ = std::make_unique<Log>(log_path());
  }
  ~StoreTest() override {
    close();
    EXPECT_TRUE(remove_tree(root_));
  }

  std::string log_path() const { return join_path(root_, "log"); }
  std::string log_text() const {
    auto text = read_file(log_path(), 16 * kMiB);
    return text ? *text : std::string();
  }
  // The directory of this version's store, and of its database.
  std::string version_path() const { return join_path(options_.directory, version_directory()); }
  std::string database_path() const { return join_path(version_path(), kDatabase); }
  OwnDirectory version_opened() const {
    auto opened = OwnDirectory::open(version_path());
    if (!opened) throw std::runtime_error(opened.error().message);
    return std::move(*opened);
  }
  OpenAttempt open_database(bool sync) const {
    auto directory = OwnDirectory::open(database_path());
    if (!directory) throw std::runtime_error(directory.error().message);
    return Database::open(std::move(*directory), Recovery::strict, sync, [](const std::string&) {});
  }
  std::uint64_t disk_use() const { return allocated_bytes(options_.directory); }

  Result<std::unique_ptr<LocalStore>> try_open() {
    return open_store_with(options_, *log_, [ticks = ticks_] { return ++*ticks; });
  }
  // Ends the test, as failed, if it cannot.
  void open() {
    close();
    auto opened = try_open();
    if (!opened) throw std::runtime_error(opened.error().message);
    store_ = std::move(*opened);
  }
  void close() { store_.reset(); }

  // The value, or nothing; an error fails the test.
  std::optional<std::string> blob(const Digest& digest) {
    auto found = store_->blob(digest);
    EXPECT_TRUE(found) << found.error().message;
    return found ? *found : std::nullopt;
  }
  std::optional<std::string> action(std::string_view name) {
    auto found = store_->action(key_of(name));
    EXPECT_TRUE(found) << found.error().message;
    return found ? *found : std::nullopt;
  }
  Digest put_blob(std::string_view bytes) {
    auto put = store_->put_blob(bytes);
    EXPECT_TRUE(put) << put.error().message;
    return put ? *put : Digest{};
  }
  void put_action(std::string_view name, std::string_view value) {
    auto put = store_->put_action(key_of(name), value);
    EXPECT_TRUE(put) << put.error().message;
  }

  std::string root_;
  StoreOptions options_;
  std::unique_ptr<Log> log_;
  std::unique_ptr<LocalStore> store_;
  std::shared_ptr<std::atomic<std::uint32_t>> ticks_ = std::make_shared<std::atomic<std::uint32_t>>(1000);
};

}  // namespace hipcache::store

#endif
