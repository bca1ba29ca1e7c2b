// What the daemon wants to run, as the messages of the Remote Execution API: Command, Action and the input root.
//
// Equal requests give equal bytes: environment, outputs and properties are sorted, as the API wants it. The action is
// never cached by the engine, because hipcache proves each run by what it read, and keeps results itself.
//
// Pure, except for the files that are hashed.
#ifndef HIPCACHE_SRC_REMOTE_EXECUTION_ACTION_H
#define HIPCACHE_SRC_REMOTE_EXECUTION_ACTION_H

#include <string>
#include <vector>

#include "hipcache/base/result.h"
#include "hipcache/protocol/remote_messages.h"
#include "remote/execution/input_root.h"
#include "remote/reapi/blob_stream.h"

namespace hipcache::remote {

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
