#include "client/steps/jobserver.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

namespace hipcache::client {
namespace {

constexpr int kAgainMs = 20;  // between two checks whether the client's own place is free, or the wait is over

// The last option counts, as in make.
std::string_view option_of(std::string_view flags) {
  std::string_view value;
  for (const std::string_view name : {"--jobserver-fds=", "--jobserver-auth="})
    if (const std::size_t at = flags.rfind(name); at != std::string_view::npos) value = flags.substr(at + name.size());
  return value.substr(0, value.find(' '));
}

std::string_view make_flags(const std::vector<std::string>& environment) {
  constexpr std::string_view kName = "MAKEFLAGS=";
  for (const std::string& variable : environment)
    if (variable.starts_with(kName)) return std::string_view(variable).substr(kName.size());
  return {};
}

std::optional<int> number_of(std::string_view text) {
  int number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

// make may have closed its pipe, and the number may belong to another file.
bool is_pipe(int fd) {
  struct stat status{};
  return fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode);
}

// Reopens the pipe: O_NONBLOCK on the inherited descriptor would affect make, too.
UniqueFd open_anew(int fd, int flags) {
  if (!is_pipe(fd)) return UniqueFd();
  return UniqueFd(open(("/proc/self/fd/" + std::to_string(fd)).c_str(), flags | O_NONBLOCK | O_CLOEXEC));
}

struct Ends {
  UniqueFd reader;
  UniqueFd writer;
  std::vector<int> inherited;
};

Ends open_ends(std::string_view option) {
  constexpr std::string_view kFifo = "fifo:";
  if (option.starts_with(kFifo)) {
    const std::string path(option.substr(kFifo.size()));
    Ends ends{UniqueFd(open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC)), UniqueFd(), {}};
    if (ends.reader && is_pipe(ends.reader.get())) ends.writer = open_anew(ends.reader.get(), O_WRONLY);
    return ends;
  }
  const std::size_t comma = option.find(',');
  if (comma == std::string_view::npos) return {};
  const std::optional<int> reader = number_of(option.substr(0, comma));
  const std::optional<int> writer = number_of(option.substr(comma + 1));
  if (!reader || !writer) return {};
  return {open_anew(*reader, O_RDONLY), open_anew(*writer, O_WRONLY), {*reader, *writer}};
}

}  // namespace

Jobserver::Jobserver(const std::vector<std::string>& environment) {
  Ends ends = open_ends(option_of(make_flags(environment)));
  if (!ends.reader || !ends.writer) return;
  reader_ = std::move(ends.reader);
  writer_ = std::move(ends.writer);
  inherited_ = std::move(ends.inherited);
}

bool Jobserver::take_own() {
  const std::lock_guard lock(mutex_);
  return std::exchange(own_is_free_, false);
}

Jobserver::Place Jobserver::take(const std::function<bool()>& is_over) {
  if (!reader_) return {nullptr, kOwnPlace};
  for (;;) {
    if (take_own()) return {this, kOwnPlace};
    unsigned char token = 0;
    const ssize_t got = read(reader_.get(), &token, 1);
    if (got == 1) return {this, token};
    const bool may_come = got < 0 && (errno == EAGAIN || errno == EINTR);
    if (!may_come || is_over()) return {nullptr, kOwnPlace};
    pollfd tokens{.fd = reader_.get(), .events = POLLIN, .revents = 0};
    poll(&tokens, 1, kAgainMs);
  }
}

// make asks for the same byte that was read.
void Jobserver::give_back(int token) {
  if (token == kOwnPlace) {
    const std::lock_guard lock(mutex_);
    own_is_free_ = true;
    return;
  }
  const auto byte = static_cast<unsigned char>(token);
  while (write(writer_.get(), &byte, 1) < 0 && errno == EINTR) {
  }
}

}  // namespace hipcache::client
