#include "daemon/server/limits.h"

#include <algorithm>
#include <string>

#include "hipcache/base/files.h"

namespace hipcache::daemon {

namespace {

// RocksDB keeps 256 files open (rocks_options.cpp). The rest is for its logs and for the daemon itself.
constexpr rlim_t kOwn = 256 + 64;

// A connection, the files of running steps, and the larger outputs of one reply. A reply with very many outputs needs
// more for a moment; a session that gets no descriptor is passed through.
constexpr rlim_t kOfASession = 8;
constexpr rlim_t kFewestSessions = 8;

// RocksDB's write-ahead log and value files grow to 64 MiB (rocks_options.cpp), plus one value.
constexpr rlim_t kFileSize = 256 << 20;

}  // namespace

void raise_limits() {
  for (const auto resource : {RLIMIT_NOFILE, RLIMIT_AS, RLIMIT_DATA, RLIMIT_FSIZE, RLIMIT_CPU, RLIMIT_NPROC}) {
    rlimit limits{};
    if (getrlimit(resource, &limits) != 0 || limits.rlim_cur == limits.rlim_max) continue;
    limits.rlim_cur = limits.rlim_max;
    setrlimit(resource, &limits);
  }
}

Result<unsigned> sessions_within(rlim_t descriptors) {
  constexpr rlim_t kFewest = kOwn + kFewestSessions * kOfASession;
  if (descriptors < kFewest)
    return Error{"this process may open " + std::to_string(descriptors) + " files and needs " +
                     std::to_string(kFewest) + ": raise the hard limit (ulimit -Hn)",
                 ErrorCode::resources};
  return static_cast<unsigned>(std::min<rlim_t>((descriptors - kOwn) / kOfASession, kMaxSessions));
}

Result<unsigned> allowed_sessions() {
  rlimit limits{};
  if (getrlimit(RLIMIT_NOFILE, &limits) != 0) return system_error("cannot ask for", "the limit of open files");
  return sessions_within(limits.rlim_cur);
}

Status check_file_size(rlim_t bytes) {
  if (bytes >= kFileSize) return Unit{};
  return Error{"this process may write files of " + std::to_string(bytes >> 10) + " KiB and needs " +
                   std::to_string(kFileSize >> 10) + " KiB: raise the hard limit (ulimit -Hf)",
               ErrorCode::resources};
}

Status check_allowed_file_size() {
  rlimit limits{};
  if (getrlimit(RLIMIT_FSIZE, &limits) != 0) return system_error("cannot ask for", "the limit of a file's size");
  return check_file_size(limits.rlim_cur);
}

}  // namespace hipcache::daemon
