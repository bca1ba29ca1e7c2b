// Which proxy leads to a server, by the rules of curl. gRPC has rules of its own: other variables, no NO_PROXY in
// capitals, no "*" and no address/bits. One set of rules counts for all kinds of servers.
//
//   http_proxy (in small letters only), https_proxy, HTTPS_PROXY, all_proxy, ALL_PROXY; no_proxy, NO_PROXY
//
// Pure.
#ifndef HIPCACHE_SRC_REMOTE_TRANSPORT_PROXY_H
#define HIPCACHE_SRC_REMOTE_TRANSPORT_PROXY_H

#include <functional>
#include <string>
#include <string_view>

namespace hipcache::remote {

// The value of a variable of the environment, or "".
using VariableOf = std::function<std::string(const char* name)>;
VariableOf variables_of_process();

// As the variable has it; "" if the server is asked without one. `host`: IPv6 without brackets.
std::string proxy_for(bool is_tls, const std::string& host, const VariableOf& variable);

// Whether a list such as "localhost,.corp.example,10.0.0.0/8" or "*" has the host.
bool is_without_proxy(std::string_view list, const std::string& host);

}  // namespace hipcache::remote

#endif
