// BLAKE3 by LLVM's support library. The only place that knows whose BLAKE3 it is.
//
// LLVM's C interface, because its objects need nothing but libc: a program that digests links some 50 kB of it and
// nothing else of LLVM. Rejected: the library of the algorithm's authors (Debian 12 does not have it).
#ifndef HIPCACHE_SRC_BASE_BLAKE3_H
#define HIPCACHE_SRC_BASE_BLAKE3_H

#include <llvm-c/blake3.h>

#include <string_view>

#include "hipcache/base/digest.h"

namespace hipcache {

class Blake3 {
 public:
  Blake3() { llvm_blake3_hasher_init(&state_); }

  void add(std::string_view bytes) { llvm_blake3_hasher_update(&state_, bytes.data(), bytes.size()); }

  Digest finish() const {
    static_assert(Digest::kSize == LLVM_BLAKE3_OUT_LEN);
    Digest digest;
    llvm_blake3_hasher_finalize(&state_, digest.octets.data(), digest.octets.size());
    return digest;
  }

 private:
  llvm_blake3_hasher state_;
};

}  // namespace hipcache

#endif
