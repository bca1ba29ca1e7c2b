// TLS over another stream.
//
// The server's certificate and host are always checked; no option turns that off. A server of TLS 1.3 sends session
// tickets when nobody asked for anything: read() takes them, and reports nothing moved. A server of TLS 1.3 that
// demands a certificate also refuses only after the handshake: then the first read fails and says so, and a write that
// finds the connection closed looks for the reason among what the server has sent.
#ifndef HIPCACHE_SRC_REMOTE_TRANSPORT_TLS_STREAM_H
#define HIPCACHE_SRC_REMOTE_TRANSPORT_TLS_STREAM_H

#include <chrono>
#include <memory>
#include <string>

#include "remote/transport/socket_stream.h"

namespace hipcache::remote {

// What a TLS connection trusts and shows: authorities, our certificate and its key.
//
// The files are read for each connection, so a renewed certificate or authority is used at the next connection.
// Rejected: one context for a tier, which would have to watch three files in order to spare half a millisecond of a
// handshake. Without `ca_file` the system's authorities are trusted (authorities.h). A key with a passphrase is an
// error: nobody is there who could be asked.
struct TlsSettings {
  std::string host;  // a name or an address that the server's certificate must have; IPv6 without brackets
  std::string ca_file, client_certificate, client_key;  // may be empty
};

// Shakes hands, at most until then. A failure names the file that cannot be used.
OpenedStream open_tls(std::unique_ptr<ByteStream> below, const TlsSettings& settings,
                      std::chrono::steady_clock::time_point until);

}  // namespace hipcache::remote

#endif
