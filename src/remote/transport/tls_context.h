// What a TLS connection trusts and shows: authorities, our certificate and its key.
//
// The files are read for each connection, so a renewed certificate or authority is used at the next connection.
// Rejected: one context for a tier, which would have to watch three files in order to spare half a millisecond of a
// handshake. Without `ca_file` the system's authorities are trusted (authorities.h). A key with a passphrase is an
// error: nobody is there who could be asked.
#ifndef HIPCACHE_SRC_REMOTE_TRANSPORT_TLS_CONTEXT_H
#define HIPCACHE_SRC_REMOTE_TRANSPORT_TLS_CONTEXT_H

#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <variant>

#include "remote/layout/backend.h"

namespace hipcache::remote {

struct TlsSettings {
  std::string host;  // a name or an address that the server's certificate must have; IPv6 without brackets
  std::string ca_file, client_certificate, client_key;  // may be empty
};

struct FreeTlsContext {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
using TlsContext = std::unique_ptr<SSL_CTX, FreeTlsContext>;

// TLS 1.2 or later. A failure names the file that cannot be used. Thread-safe.
std::variant<TlsContext, Failure> make_tls_context(const TlsSettings& settings);

// Takes what OpenSSL put into this thread's queue of errors: "no start line", "No such file or directory".
std::string take_tls_error();

}  // namespace hipcache::remote

#endif
