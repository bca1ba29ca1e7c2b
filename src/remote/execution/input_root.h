// The input root of an action: a Merkle tree of Directory messages, as the Remote Execution API wants it.
//
// The tree is made as the daemon lists it, and nothing is resolved: a link stays a link, every directory that a path
// names exists, and "." and ".." are errors. Rejected: normalising. A compiler that walks "12/../../include" wants the
// directory "12" to exist, and a link on the way leads elsewhere than the spelling says.
//
// Pure functions. Bounded by the constants below.
#ifndef HIPCACHE_SRC_REMOTE_EXECUTION_INPUT_ROOT_H
#define HIPCACHE_SRC_REMOTE_EXECUTION_INPUT_ROOT_H

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "hipcache/base/result.h"
#include "hipcache/protocol/remote_messages.h"
#include "remote/reapi/blob_stream.h"

namespace hipcache::remote {

inline constexpr std::size_t kMostInputs = 60'000;  // files, directories and links
inline constexpr std::size_t kDeepest = 128;        // names in a path

struct InputRoot {
  BlobName root;
  std::map<std::string, std::string> directories;  // encoded, by their hash; the root among them
};

// `names`: of each input that is a file, at the input's place. The working directory exists in the tree.
// An error names the path: one that is not absolute or not UTF-8, has an empty name, "." or "..", comes twice with
// different meanings, or leads through a file or a link.
Result<InputRoot> make_input_root(std::span<const protocol::ExecuteInput> inputs, std::span<const BlobName> names,
                                  const std::string& working_directory);

// Protobuf's texts are.
bool is_utf8(std::string_view text);

}  // namespace hipcache::remote

#endif
