#include "cli/flush.h"

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

namespace hipcache::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPause{100};

struct Progress {
  std::uint64_t waiting = 0;
  std::uint64_t written = 0;
  std::uint64_t failed = 0;
  std::string error;
};

Result<Progress> ask(const Control& control) {
  const Result<std::string> text = control.ask(protocol::ControlKind::flush);
  if (!text) return text.error();
  const nlohmann::json json = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return Error{"the daemon's reply is not understood; hipcache --stop-server ends it"};
  const auto number = [&](const char* name) -> std::uint64_t {
    return json.contains(name) && json[name].is_number_unsigned() ? json[name].get<std::uint64_t>() : 0;
  };
  Progress progress{number("waiting"), number("written"), number("failed"), {}};
  if (json.contains("error") && json["error"].is_string()) progress.error = json["error"].get<std::string>();
  return progress;
}

std::string results(std::uint64_t count) { return std::to_string(count) + (count == 1 ? " result" : " results"); }

Result<std::string> conclude(const Progress& progress) {
  if (progress.failed > 0)
    return Error{results(progress.failed) + " could not be written to a shared cache: " + progress.error};
  return std::string("Nothing waits for a shared cache\n");
}

}  // namespace

Result<std::string> flush(const Control& control) {
  const bool shows = isatty(STDERR_FILENO) == 1;
  const Clock::time_point start = Clock::now();
  Clock::time_point moved = start;
  std::uint64_t waiting = 0;
  for (;;) {
    const Result<Progress> progress = ask(control);
    if (!progress) return progress.error();
    if (shows && (progress->waiting > 0 || waiting > 0))
      std::fprintf(stderr, "\r\033[K%s",
                   progress->waiting == 0 ? "" : (results(progress->waiting) + " to write").c_str());
    if (progress->waiting == 0) return conclude(*progress);
    const Clock::time_point now = Clock::now();
    if (progress->waiting != waiting) moved = now;
    waiting = progress->waiting;
    if (now - moved >= kFlushStandstill || now - start >= kFlushLimit)
      return Error{results(waiting) + " still wait for a shared cache after " +
                   std::to_string(std::chrono::duration_cast<std::chrono::seconds>(now - start).count()) +
                   " s; hipcache --show-stats shows its state"};
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace hipcache::cli
