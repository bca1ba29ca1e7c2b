// The URL of an engine of remote execution: `execute` in docs/configuration.md.
//
//   grpcs://engine.example:8980/main?ca_file=/etc/engine.pem&property=pool:gfx9&trusted=true
//
// The server's part is the URL of a REAPI tier (remote_url.h) with the options that say how to reach it. The others say
// which workers are asked for and what their results are worth. Rejected: an engine as one of the tiers, with an
// option: a tier is asked for results, and most engines serve as both.
//
// Touches neither network nor files. No error shows a secret.
#ifndef HIPCACHE_CONFIG_EXECUTE_URL_H
#define HIPCACHE_CONFIG_EXECUTE_URL_H

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/result.h"
#include "hipcache/config/remote_url.h"

namespace hipcache::config {

struct ExecuteUrl {
  std::string text;                           // as it was set, with secrets: what parse_execute_url takes
  RemoteUrl server;                           // of kind grpc; `shown` has all options
  std::vector<std::string> properties;        // "name=value", which a worker must offer; in the URL's order
  bool sends_toolchain = false;               // a worker must also offer the digest of each step's toolchain
  bool is_trusted = false;                    // what a worker made may be published and signed
  std::chrono::milliseconds min_cost{1'000};  // a step that is expected to take less time runs here
  double audit = 0.01;                        // share of results that are made here as well, and compared
};

// An error names the URL, its bad part, and what to write instead.
Result<ExecuteUrl> parse_execute_url(std::string_view text);

}  // namespace hipcache::config

#endif
