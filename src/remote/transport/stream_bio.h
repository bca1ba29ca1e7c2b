// A stream as OpenSSL's BIO, so that TLS sends and receives through it.
//
// Rejected: OpenSSL's own BIO of a socket, which sends with SIGPIPE.
#ifndef HIPCACHE_SRC_REMOTE_TRANSPORT_STREAM_BIO_H
#define HIPCACHE_SRC_REMOTE_TRANSPORT_STREAM_BIO_H

#include <openssl/bio.h>

#include "remote/transport/byte_stream.h"

namespace hipcache::remote {

// What a BIO uses; outlives it.
struct BioStream {
  ByteStream* stream = nullptr;
  Transfer last{Transfer::State::moved};  // what became of the last read or write
};

// Null without memory.
BIO* make_stream_bio(BioStream& below);

}  // namespace hipcache::remote

#endif
