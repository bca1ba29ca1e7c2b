#include "cli/doctor/check_daemon.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "hipcache/client/daemon_link.h"
#include "hipcache/config/daemon_settings.h"
#include "hipcache/protocol/messages.h"

namespace hipcache::cli {
namespace {

std::string without_prefix(const std::string& message) {
  constexpr std::string_view kBefore = "hipcache: error: ";
  return message.starts_with(kBefore) ? message.substr(kBefore.size()) : message;
}

void check_settings_in_use(Examination& examination) {
  const client::DaemonLink link(*examination.settings, client::Timeouts());
  const auto unused = config::unused_settings(examination.variable, link.daemon_settings());
  if (!unused) return;
  for (const config::UnusedSetting& setting : *unused) examination.findings.warning(config::describe(setting));
}

void measure_store(Examination& examination) {
  const Result<Ran> shown =
      run_program({*examination.hipcache, "--show-stats", "--format", "json"}, examination.environment);
  if (!shown || shown->exit_code != 0) return;
  const auto json = nlohmann::json::parse(shown->out, nullptr, /*allow_exceptions=*/false);
  const auto size = nlohmann::json::json_pointer("/store/bytes_on_disk");
  if (json.contains(size) && json[size].is_number_unsigned()) examination.store_bytes = json[size].get<std::uint64_t>();
}

}  // namespace

void check_daemon(Examination& examination) {
  Findings& findings = examination.findings;
  if (!examination.settings || !examination.has_directory || !examination.hipcache) return;
  const Result<Ran> started = run_program({*examination.hipcache, "--start-server"}, examination.environment);
  if (!started || started->exit_code != 0) {
    findings.error("the daemon does not start: " +
                   (started ? without_prefix(first_line(started->err)) : started.error().message));
    return;
  }
  if (first_line(started->out) != "hipcached " + protocol::build_id()) {
    findings.error("the daemon is of another version: " + first_line(started->out) +
                   "; hipcache --stop-server ends it");
    return;
  }
  findings.ok("the daemon answers");
  check_settings_in_use(examination);
  measure_store(examination);
}

}  // namespace hipcache::cli
