// The digest of bytes that arrive in pieces; equal to digest_of over all of them. One thread at a
// time.
#ifndef HIPCACHE_BASE_PIECEWISE_DIGEST_H
#define HIPCACHE_BASE_PIECEWISE_DIGEST_H

#include <memory>
#include <string_view>

#include "hipcache/base/digest.h"

namespace hipcache {

class PiecewiseDigest {
 public:
  PiecewiseDigest();
  ~PiecewiseDigest();
  PiecewiseDigest(const PiecewiseDigest&) = delete;
  PiecewiseDigest& operator=(const PiecewiseDigest&) = delete;

  void add(std::string_view piece);
  Digest finish() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace hipcache

#endif
