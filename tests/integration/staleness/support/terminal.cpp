#include "integration/staleness/support/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>

#include "hipcache/base/process.h"

extern char** environ;

namespace hipcache::integration {
namespace {

std::vector<std::string> environment_with(const Variables& variables) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (!variables.contains(std::string(*entry).substr(0, std::string(*entry).find('='))))
      environment.push_back(*entry);
  for (const auto& [name, value] : variables)
    if (!value.empty()) environment.push_back(name + "=" + value);
  return environment;
}

std::string waiting_in(int descriptor) {
  std::string text;
  for (pollfd ready{descriptor, POLLIN, 0}; poll(&ready, 1, 0) == 1;) {
    char bytes[4096];
    const ssize_t got = read(descriptor, bytes, sizeof bytes);
    if (got <= 0) break;
    text.append(bytes, static_cast<std::size_t>(got));
  }
  return text;
}

}  // namespace

Terminal::Terminal(unsigned short columns, unsigned short rows) : ours_(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
  EXPECT_TRUE(ours_ && grantpt(ours_.get()) == 0 && unlockpt(ours_.get()) == 0);
  theirs_ = UniqueFd(open(ptsname(ours_.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
  EXPECT_TRUE(static_cast<bool>(theirs_));
  const winsize size{rows, columns, 0, 0};
  EXPECT_EQ(ioctl(theirs_.get(), TIOCSWINSZ, &size), 0);
  termios settings{};
  EXPECT_EQ(tcgetattr(theirs_.get(), &settings), 0);
  settings.c_oflag &= ~static_cast<tcflag_t>(OPOST);
  EXPECT_EQ(tcsetattr(theirs_.get(), TCSANOW, &settings), 0);
}

Shown Terminal::run(const Arguments& argv, const std::string& directory, const Variables& variables,
                    const std::string& streams) const {
  const UniqueFd null(open("/dev/null", O_RDWR | O_CLOEXEC));
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  const UniqueFd reader(ends[0]);
  UniqueFd writer(ends[1]);
  const auto stream = [&](char number, int other) {
    return streams.find(number) == std::string::npos ? other : theirs_.get();
  };
  const Result<pid_t> pid = spawn({.program = "/usr/bin/env",
                                   .argv = Arguments{"env", "-C", directory} + argv,
                                   .environment = environment_with(variables),
                                   .stdin_fd = stream('0', null.get()),
                                   .stdout_fd = stream('1', writer.get()),
                                   .stderr_fd = stream('2', writer.get())});
  EXPECT_TRUE(pid.ok());
  if (!pid) return {};
  const Result<ExitStatus> ended = wait_for(*pid);
  writer = UniqueFd();
  return {ended ? ended->exit_code : -1, waiting_in(ours_.get()), waiting_in(reader.get())};
}

}  // namespace hipcache::integration
