// The addresses of a host, in bounded time.
//
// Problem: getaddrinfo() waits as long as the system's resolver likes, up to half a minute if no name server answers.
// libcurl resolves in a thread as well, but joins it when a request is given up.
// Choice: names are resolved in a thread of their own, which is left behind when the time is over. Addresses need none.
// Rejected: getaddrinfo_a(), which uses threads as well, and whose request must outlive a cancel that fails.
//
// Thread-safe.
#ifndef HIPCACHE_SRC_REMOTE_TRANSPORT_ADDRESSES_H
#define HIPCACHE_SRC_REMOTE_TRANSPORT_ADDRESSES_H

#include <netdb.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "remote/layout/backend.h"

namespace hipcache::remote {

struct FreeAddresses {
  void operator()(addrinfo* first) const { freeaddrinfo(first); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;  // a list

// At least one, in the order in which they are to be tried. `host`: a name or an address, IPv6 without brackets.
std::variant<Addresses, Failure> addresses_of(const std::string& host, std::uint16_t port,
                                              std::chrono::steady_clock::time_point until);

// Whether the host is an address, for which nobody is asked.
bool is_numeric_host(const std::string& host);

// As numbers, IPv6 in brackets.
std::vector<std::string> texts_of(const Addresses& addresses);

}  // namespace hipcache::remote

#endif
