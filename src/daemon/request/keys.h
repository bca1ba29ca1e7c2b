// The keys of requests and steps: digests of what is run. Path sets cover what a step reads. Only the content of a
// request's source is in a key as well, so that sources with one command do not share a list of path sets.
#ifndef HIPCACHE_SRC_DAEMON_REQUEST_KEYS_H
#define HIPCACHE_SRC_DAEMON_REQUEST_KEYS_H

#include <optional>
#include <string>
#include <vector>

#include "daemon/request/request.h"
#include "hipcache/base/digest.h"
#include "hipcache/cache/action_cache.h"
#include "hipcache/compiler/hip/plan.h"

namespace hipcache::daemon {

// The key of a request. The archs count as a sorted set, because the driver sorts them, too. The working directory of a
// split compile counts, because the plan depends on it.
//
// `source`: the digest of the tokens of the request's only source (request.h: tokens_of_source), or nothing. It gives
// each source of one command a list of path sets of its own, and proves nothing: the path set asks for the source as
// for any file (docs/internals/proof.md, "The source in the key"). Rejected: longer lists, because a miss computes a
// state for each path set.
cache::ActionKey request_key(const Request& request, const std::optional<Digest>& source);

// The key of the request's command, whatever its source contains. The miss history has an opaque compile under it, so
// that an edited source is another input of the same command.
cache::ActionKey command_key(const Request& request);

// The key of the driver's -###: the arguments as given, in their order.
cache::ActionKey probe_key(const Request& request, const std::vector<std::string>& arguments);

// The key of one step: its commands, the digests of its inputs from earlier steps, and the roles of its outputs. The
// results of two steps with one key are interchangeable.
cache::ActionKey step_key(const Request& request, const hip::Step& step, const std::vector<Digest>& inputs);

// The key of a back end run for that bitcode (plan.h, SplitCodegen).
cache::ActionKey back_key(const Request& request, const hip::SplitCodegen& split_codegen, const Digest& bitcode);

// The key under which it is noted that a command runs by itself (run/link_worth.h).
Digest run_note_key(const cache::ActionKey& command);

// The key of the group of device steps that the request's steps belong to (shared/split_codegen_worth.h): one compiler
// in one build directory, or in one working directory if there is no build directory.
Digest cost_group_key(const Request& request);

// The key of the request's miss history: its object, which checkouts of one base directory share.
Digest output_key(const Request& request);

// Names the second list of that history: of compiles of a source with this name and content (tell/explainer.h).
Digest source_key(const Request& request, const std::string& name, const Digest& content);

}  // namespace hipcache::daemon

#endif
