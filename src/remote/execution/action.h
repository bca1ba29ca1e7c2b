// What the daemon wants to run, as the messages of the Remote Execution API: Command, Action and the input root.
//
// Equal requests give equal bytes: environment, outputs and properties are sorted, as the API wants it. The action is
// never cached by the engine, because hipcache proves each run by what it read, and keeps results itself.
//
// The input root is a Merkle tree of Directory messages. It is made as the daemon lists it, and nothing is resolved: a
// link stays a link, every directory that a path names exists, and "." and ".." are errors. Rejected: normalising. A
// compiler that walks "12/../../include" wants the directory "12" to exist, and a link on the way leads elsewhere than
// the spelling says.
//
// Pure, except for the files that are hashed and read. Bounded by the constants below.
#ifndef HIPCACHE_SRC_REMOTE_EXECUTION_ACTION_H
#define HIPCACHE_SRC_REMOTE_EXECUTION_ACTION_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/result.h"
#include "hipcache/protocol/remote_messages.h"
#include "remote/reapi/blobs.h"

namespace hipcache::remote {

inline constexpr std::size_t kMostInputs = 60'000;      // files, directories and links
inline constexpr std::size_t kMostInputFiles = 20'000;  // of them
inline constexpr std::uint64_t kMostInputBytes = 512u << 20;
inline constexpr std::size_t kDeepest = 128;  // names in a path

// One name for each input; empty for directories and links. Hashes the files that come without a digest, and adds them
// to `hashed`. The daemon remembers digests of files with their stamps, so most come with one. A file that changed
// since is found when it is sent. If it is not sent, because the server has it, the action runs with what the daemon
// named.
Result<std::vector<BlobName>> name_input_files(std::span<const protocol::ExecuteInput> inputs,
                                               std::vector<protocol::HashedInput>& hashed);

// The bytes of a file, which are those of that name.
Result<std::string> read_input_file(const protocol::ExecuteInput& input, const BlobName& name);

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

struct PreparedAction {
  std::vector<BlobName> names;  // of the inputs that are files, at the input's place
  InputRoot root;
  std::string command;  // encoded
  std::string action;   // encoded
  BlobName command_name;
  BlobName action_name;
};

// `properties`: "name=value", beside those of the request. An error names what is wrong with the request.
Result<PreparedAction> prepare_action(const protocol::RemoteExecute& asked, const std::vector<std::string>& properties,
                                      std::vector<protocol::HashedInput>& hashed);

}  // namespace hipcache::remote

#endif
