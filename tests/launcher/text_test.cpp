#include "launcher/text.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <thread>

#include "hipcache/base/files.h"

namespace hipcache {
namespace {

constexpr int kGivenUp = 20'000;  // milliseconds without a byte

struct Pipe {
  Pipe() {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    reader = UniqueFd(ends[0]);
    writer = UniqueFd(ends[1]);
  }
  bool is_full() const {
    pollfd room{.fd = writer.get(), .events = POLLOUT, .revents = 0};
    return poll(&room, 1, 0) == 0;
  }
  UniqueFd reader, writer;
};

std::string read_all(int from, std::size_t size) {
  std::string text;
  char piece[4096];
  while (text.size() < size) {
    pollfd readable{.fd = from, .events = POLLIN, .revents = 0};
    if (poll(&readable, 1, kGivenUp) == 0) return text;
    const ssize_t got = read(from, piece, sizeof piece);
    if (got > 0) text.append(piece, static_cast<std::size_t>(got));
  }
  return text;
}

TEST(LaunchText, WaitsForRoomInAPipeThatAnotherProcessMadeNonBlocking) {
  Pipe pipe;
  const std::string text(1 << 20, 't');  // more than a pipe holds
  bool is_written = false;
  std::thread writing([&] { is_written = launch_write(pipe.writer.get(), text.data(), text.size()); });
  while (!pipe.is_full()) std::this_thread::yield();
  EXPECT_EQ(read_all(pipe.reader.get(), text.size()), text);
  writing.join();
  EXPECT_TRUE(is_written);
}

TEST(LaunchText, ADescriptorWithoutRoomForGoodIsAnError) {
  const UniqueFd full(open("/dev/full", O_WRONLY | O_CLOEXEC));
  EXPECT_FALSE(launch_write(full.get(), "text", 4));
  EXPECT_EQ(errno, ENOSPC);
}

}  // namespace
}  // namespace hipcache
