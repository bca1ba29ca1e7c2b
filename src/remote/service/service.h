// Serves the daemon: reads its questions and publications from the channel, and sends the answers as they come.
#ifndef HIPCACHE_SRC_REMOTE_SERVICE_SERVICE_H
#define HIPCACHE_SRC_REMOTE_SERVICE_SERVICE_H

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "hipcache/protocol/remote_messages.h"
#include "remote/tiers/tiers.h"
#include "remote/tiers/work_pool.h"

namespace hipcache::remote {

class Service {
 public:
  static constexpr std::size_t kReaders = 24;       // look-ups at once
  static constexpr std::size_t kQuestions = 8'192;  // that wait
  static constexpr std::size_t kWriters = 8;
  static constexpr std::size_t kPublications = 1'024;

  explicit Service(protocol::Channel& channel) : channel_(channel) {}

  // Returns when the daemon has closed the channel, or sent something that is no message. Calls to servers may still
  // run then: the process ends without waiting for them.
  void run();

 private:
  void take(const protocol::RemoteConfigure& configure);
  void take(const protocol::RemoteQuestions& questions);
  void take(protocol::RemoteStage stage);
  void take(protocol::RemotePublish publish);
  void take(const protocol::RemoteAskStatistics& ask);
  template <typename Unexpected>
  void take(const Unexpected&) {}

  protocol::RemoteAnswer answer_to(const protocol::RemoteQuestion& question);
  void send(const protocol::RemoteMessage& message);

  protocol::Channel& channel_;
  std::mutex sending_;
  std::unique_ptr<Tiers> tiers_ =
      std::make_unique<Tiers>(std::vector<std::unique_ptr<Tier>>(), std::make_shared<const Trust>());
  std::map<std::uint64_t, std::vector<RemoteBlob>> staged_;  // by publication
  WorkPool readers_{kReaders, kQuestions};                   // declared last: their work uses the others
  WorkPool writers_{kWriters, kPublications};
};

}  // namespace hipcache::remote

#endif
