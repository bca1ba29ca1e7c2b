#include "hipcache/base/log.h"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "hipcache/base/text.h"

// Header-only on purpose: Debian has no static archives of spdlog and fmt, and the client is
// static.

namespace hipcache {

namespace {

std::string more_like(std::string_view line, std::uint64_t count) {
  return std::to_string(count) + " more of: " + std::string(line);
}

}  // namespace

std::vector<std::string> LogLimit::admit(std::string_view line, Time now) {
  if (now - window_ >= kWindow) {
    window_ = now;
    lines_ = 0;
  }
  const auto known = seen_.find(line);
  if (known != seen_.end() && now - known->second.written < kWindow) {
    ++known->second.left_out;
    return {};
  }
  if (lines_ >= kLinesInAWindow) {
    ++left_out_;
    return {};
  }
  ++lines_;
  std::vector<std::string> written;
  if (const std::uint64_t count = std::exchange(left_out_, 0); count != 0)
    written.push_back(std::to_string(count) + " more lines were left out");
  if (known == seen_.end()) {
    if (seen_.size() >= kRemembered) forget_oldest();
    seen_.emplace(line, Seen{.written = now});
  } else {
    if (known->second.left_out != 0) written.push_back(more_like(line, known->second.left_out));
    known->second = {.written = now};
  }
  written.emplace_back(line);
  return written;
}

std::vector<std::string> LogLimit::rest() {
  std::vector<std::string> written;
  for (const auto& [line, seen] : seen_)
    if (seen.left_out != 0) written.push_back(more_like(line, seen.left_out));
  if (left_out_ != 0) written.push_back(std::to_string(left_out_) + " more lines were left out");
  return written;
}

void LogLimit::forget_oldest() {
  const auto oldest = std::min_element(seen_.begin(), seen_.end(), [](const auto& left, const auto& right) {
    return left.second.written < right.second.written;
  });
  left_out_ += oldest->second.left_out;
  seen_.erase(oldest);
}

namespace {

constexpr std::size_t kMaxBytes = 16u << 20;
constexpr std::size_t kOldFiles = 1;

spdlog::level::level_enum level_of(Log::Level level) {
  switch (level) {
    case Log::Level::debug:
      return spdlog::level::debug;
    case Log::Level::info:
      return spdlog::level::info;
    case Log::Level::warning:
      return spdlog::level::warn;
    case Log::Level::error:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

spdlog::sink_ptr make_sink(const std::string& path) {
  if (path == "stderr") return std::make_shared<spdlog::sinks::stderr_sink_mt>();
  return std::make_shared<spdlog::sinks::rotating_file_sink_mt>(path, kMaxBytes, kOldFiles);
}

}  // namespace

struct Log::Sink {
  spdlog::logger logger;
  std::mutex mutex;  // guards `limit`
  LogLimit limit;

  explicit Sink(const std::string& path) : logger("hipcache", make_sink(path)) {}

  void write(Level level, std::string_view line) {
    logger.log(level_of(level), spdlog::string_view_t(line.data(), line.size()));
  }
};

Log::Log() = default;
Log::~Log() {
  if (sink_ == nullptr) return;
  for (const std::string& line : sink_->limit.rest()) sink_->write(Level::warning, line);
}

Log::Log(const std::string& path, Level threshold) {
  if (path.empty()) return;
  try {
    sink_ = std::make_unique<Sink>(path);
    sink_->logger.set_pattern("%Y-%m-%dT%H:%M:%S.%f %P %l %v");
    sink_->logger.set_level(level_of(threshold));
    sink_->logger.flush_on(spdlog::level::debug);
    sink_->logger.set_error_handler([](const std::string&) {});
  } catch (const std::exception&) {
    sink_ = nullptr;  // a log that cannot be written is dropped silently
  }
}

// Info and debug lines, which a user asked for, are all written. Warnings and errors are limited,
// because trouble may repeat a hundred times a second.
void Log::write(Level level, std::string_view line) {
  if (sink_ == nullptr) return;
  const std::string shown = readable(line);
  if (level < Level::warning) return sink_->write(level, shown);
  std::vector<std::string> lines;
  {
    const std::scoped_lock lock(sink_->mutex);
    lines = sink_->limit.admit(shown, std::chrono::steady_clock::now());
  }
  for (const std::string& admitted : lines) sink_->write(level, admitted);
}

bool Log::takes(Level level) const { return sink_ != nullptr && sink_->logger.should_log(level_of(level)); }

}  // namespace hipcache
