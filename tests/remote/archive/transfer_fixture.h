// Two stores in memory, an archive between them, and the daemon's and the program's real code on a socket pair.
#ifndef HIPCACHE_TESTS_REMOTE_ARCHIVE_TRANSFER_FIXTURE_H
#define HIPCACHE_TESTS_REMOTE_ARCHIVE_TRANSFER_FIXTURE_H

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "daemon/remote/archive_sessions.h"
#include "hipcache/base/files.h"
#include "hipcache/cache/exchange.h"
#include "hipcache/inputs/path_set.h"
#include "remote/archive/archive_file.h"
#include "support/memory_store.h"
#include "support/scratch.h"

namespace hipcache::remote {

class TransferTest : public ::testing::Test {
 protected:
  using Serve = void (*)(protocol::Channel&, const daemon::Exchange&);

  // Runs the program's side against a daemon that has the store and was started with `settings_`.
  template <typename Program>
  auto with_daemon(Serve serve, store::LocalStore& store, const Program& program) {
    std::array<int, 2> ends{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    std::thread daemon([&] {
      protocol::Channel channel((UniqueFd(ends[0])));
      cache::MissHistory history(store, log_);
      serve(channel, {store, history, settings_, log_});
    });
    auto result = [&] {
      protocol::Channel channel((UniqueFd(ends[1])));
      return program(channel);
    }();
    daemon.join();
    return result;
  }

  Result<Exported> export_from(store::LocalStore& store, const std::string& file,
                               const protocol::RemoteSelect& select = {}, std::uint64_t max_bytes = 0) {
    const UniqueFd fd(open((scratch_ / file).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    return with_daemon(daemon::serve_export, store,
                       [&](protocol::Channel& channel) { return write_archive(channel, select, fd.get(), max_bytes); });
  }

  // The bytes of the archive; the export must succeed.
  std::string exported(store::LocalStore& store, const protocol::RemoteSelect& select = {},
                       std::uint64_t max_bytes = 0) {
    const Result<Exported> done = export_from(store, "exported", select, max_bytes);
    EXPECT_TRUE(done) << done.error().message;
    return support::read_bytes(scratch_ / "exported");
  }

  Result<Imported> import(const std::string& bytes, store::LocalStore& store) {
    const UniqueFd fd(open(scratch_.write("imported", bytes).c_str(), O_RDONLY | O_CLOEXEC));
    return with_daemon(daemon::serve_import, store,
                       [&](protocol::Channel& channel) { return read_archive(channel, fd.get()); });
  }

  struct Made {
    std::string name;                // of the action, and in all its bytes
    std::vector<std::string> steps;  // architectures and others
    std::size_t size = 100;          // of its object
    std::string place;               // where the object goes
    std::uint32_t last_use = 1;
    std::string state = "state";
    std::string header = "a.h";
    std::optional<cache::Trust> trust{};  // under which the store keeps it
  };

  // Puts a result as a compile would. Returns its key.
  Digest put(const Made& made, support::MemoryStore& store) {
    std::string object(made.size, 'x');
    for (std::size_t at = 0; at < object.size(); ++at)
      object[at] = static_cast<char>((at * 2654435761u >> 7) ^ made.name[at % made.name.size()] ^ made.state.back());
    object.insert(0, made.name + made.state);
    const auto set = std::make_shared<const inputs::PathSet>(
        std::vector<inputs::Observation>{{inputs::Question::content, "/src/" + made.header}});
    cache::ActionResult result;
    result.outputs = {{.name = "object", .blob = digest_of(object), .size = object.size(), .place = made.place}};
    result.steps = made.steps;
    const std::unique_ptr<store::Lease> lease = store.lease();
    EXPECT_TRUE(cache::accept_blob(digest_of(object), object, store, *lease));
    const Digest key = digest_of(made.name);
    const Digest result_key = digest_of(made.name + made.state + made.header);
    const Result<cache::Accepted> accepted =
        cache::accept({key, result_key, set->id(), set->encode(), result.encode()}, made.trust, store, *lease);
    EXPECT_TRUE(accepted && *accepted == cache::Accepted::stored);
    store.last_uses[result_key] = made.last_use;
    return result_key;
  }

  support::Scratch scratch_;
  support::MemoryStore from_, to_;
  config::Settings settings_;  // of the daemons
  Log log_;
};

}  // namespace hipcache::remote

#endif
