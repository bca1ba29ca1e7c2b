#include "remote/archive/progress.h"

#include <unistd.h>

#include <cstdio>

namespace hipcache::remote {
namespace {

constexpr std::chrono::milliseconds kPause{100};

}  // namespace

Progress::Progress() : is_terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (is_shown_) std::fputs("\r\033[K", stderr);
}

void Progress::show(const std::string& line) {
  const auto now = std::chrono::steady_clock::now();
  if (!is_terminal_ || now - shown_ < kPause) return;
  shown_ = now;
  is_shown_ = true;
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
}

}  // namespace hipcache::remote
