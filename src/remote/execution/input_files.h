// The files of an input root: their names on the server, and their bytes.
//
// The daemon remembers digests of files with their stamps, so most come with one. A file that changed since is found
// when it is sent. If it is not sent, because the server has those bytes, the action runs with what the daemon named.
#ifndef HIPCACHE_SRC_REMOTE_EXECUTION_INPUT_FILES_H
#define HIPCACHE_SRC_REMOTE_EXECUTION_INPUT_FILES_H

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hipcache/base/result.h"
#include "hipcache/protocol/remote_messages.h"
#include "remote/reapi/blob_stream.h"

namespace hipcache::remote {

inline constexpr std::size_t kMostInputFiles = 20'000;
inline constexpr std::uint64_t kMostInputBytes = 512u << 20;

// One name for each input; empty for directories and links. Hashes the files that come without a digest, and adds them
// to `hashed`.
Result<std::vector<BlobName>> name_input_files(std::span<const protocol::ExecuteInput> inputs,
                                               std::vector<protocol::HashedInput>& hashed);

// The bytes of a file, which are those of that name.
Result<std::string> read_input_file(const protocol::ExecuteInput& input, const BlobName& name);

}  // namespace hipcache::remote

#endif
