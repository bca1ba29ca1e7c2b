// Why an action has no result, for the daemon: what a server, a limit or a file of ours said.
#ifndef HIPCACHE_SRC_REMOTE_EXECUTION_OUTCOME_H
#define HIPCACHE_SRC_REMOTE_EXECUTION_OUTCOME_H

#include <string>

#include "hipcache/protocol/remote_messages.h"
#include "remote/layout/backend.h"
#include "remote/reapi/methods.h"
#include "remote/reapi/rpc/connection.h"

namespace hipcache::remote {

struct NotDone {
  protocol::ExecuteOutcome outcome = protocol::ExecuteOutcome::failed;
  std::string detail;       // one line
  bool is_missing = false;  // the engine lacks a blob of the action: it may run once the blob is sent
};

// A fault of this machine, such as an input that cannot be read.
NotDone our_fault(std::string detail);

// Of a call that does not execute: about blobs or capabilities.
NotDone not_done(const Failure& failure);

// Of an execution, which ended as its call, its operation or its response says.
NotDone not_done(const RpcEnd& end);
NotDone not_done(const google::longrunning::Status& status);

}  // namespace hipcache::remote

#endif
