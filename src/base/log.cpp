#include "hipcache/base/log.h"

// Header-only on purpose: Debian has no static archives of spdlog and fmt, and the client is static.
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <exception>

namespace hipcache {
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
};

Log::Log() = default;
Log::~Log() = default;

Log::Log(const std::string& path, Level threshold) {
  if (path.empty()) return;
  try {
    sink_ = std::make_unique<Sink>(Sink{spdlog::logger("hipcache", make_sink(path))});
    sink_->logger.set_pattern("%Y-%m-%dT%H:%M:%S.%f %P %l %v");
    sink_->logger.set_level(level_of(threshold));
    sink_->logger.flush_on(spdlog::level::debug);
    sink_->logger.set_error_handler([](const std::string&) {});
  } catch (const std::exception&) {
    sink_ = nullptr;  // a log that cannot be written is no log
  }
}

void Log::write(Level level, std::string_view line) {
  if (sink_ == nullptr) return;
  sink_->logger.log(level_of(level), spdlog::string_view_t(line.data(), line.size()));
}

bool Log::takes(Level level) const { return sink_ != nullptr && sink_->logger.should_log(level_of(level)); }

}  // namespace hipcache
