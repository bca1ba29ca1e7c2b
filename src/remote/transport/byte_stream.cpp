#include "remote/transport/byte_stream.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>

namespace hipcache::remote {

bool wait_for(const ByteStream& stream, Transfer::State state, std::chrono::steady_clock::time_point until) {
  using std::chrono::milliseconds;
  const short event = state == Transfer::State::wants_write ? POLLOUT : POLLIN;
  for (;;) {
    const auto left = std::chrono::ceil<milliseconds>(until - std::chrono::steady_clock::now()).count();
    pollfd waited{stream.fd(), event, 0};
    const int ready = poll(&waited, 1, static_cast<int>(std::clamp<decltype(left)>(left, 0, 1 << 30)));
    if (ready >= 0 || errno != EINTR) return ready > 0;
  }
}

}  // namespace hipcache::remote
