// The messages between the daemon and hipcache-remote, the process that talks to shared caches. On
// the wire they have protobuf's encoding (src/protocol/remote_messages.cpp lists the fields), in a
// frame of channel.h.
//
// The daemon sends RemoteConfigure first, then questions and publications in any order, without
// waiting for the answers. Each question gets one RemoteAnswer and each publication one
// RemotePublished, in any order, in bounded time. Either side may end at any time; then the other
// one has its answer: nothing was found, nothing was written.
//
// It may also send RemoteExecute: run a command on an engine of remote execution. Each gets exactly one
// RemoteExecuted, in bounded time, and RemoteExecuteEvents before it. RemoteCancel hastens it.
//
// A blob of more than kContentLimit bytes travels as a sealed memory file, one to a message. The
// messages are apart from those of clients (messages.h), because the two sides are always of one
// version: the daemon starts hipcache-remote from its own directory.
#ifndef HIPCACHE_PROTOCOL_REMOTE_MESSAGES_H
#define HIPCACHE_PROTOCOL_REMOTE_MESSAGES_H

#include <chrono>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "hipcache/base/digest.h"
#include "hipcache/base/result.h"
#include "hipcache/protocol/channel.h"

namespace hipcache::protocol {

// A path set in the list under an action key, with the states for which a result is known.
struct RemotePathSet {
  Digest id;
  std::string bytes;                // encoded questions (hipcache/inputs/path_set.h)
  std::vector<std::uint64_t> tags;  // of result keys, newest first: remote_tag()
  bool operator==(const RemotePathSet&) const = default;
};

// What the list says of a result key: its first eight bytes.
std::uint64_t remote_tag(const Digest& result_key);

struct RemoteBlob {
  Digest digest;
  std::string bytes;
  bool operator==(const RemoteBlob&) const = default;
};

// In an archive. Blobs as by default in shared caches; records are encoded results and path sets, which
// a list and a message must hold.
inline constexpr std::uint64_t kLargestBlob = 256u << 20;
inline constexpr std::uint64_t kLargestRecord = 6u << 20;

struct RemoteResult {
  std::string action;             // encoded cache::ActionResult
  std::vector<RemoteBlob> blobs;  // the small ones
  bool operator==(const RemoteResult&) const = default;
};

// --- daemon to hipcache-remote ---

struct RemoteConfigure {
  std::vector<std::string> urls;          // with secrets; in the order in which they are asked
  std::vector<std::string> trusted_keys;  // config::parse_trusted_key
  std::string signing_key;                // a path, or empty
  std::string execute;                    // URL of the engine, with secrets; empty: none
};

enum class RemoteKey : std::uint32_t { list = 0, result = 1, blob = 2 };

struct RemoteQuestion {
  std::uint64_t id = 0;
  RemoteKey kind = RemoteKey::list;
  Digest key;
  std::uint64_t size = 0;  // of a blob
  std::uint32_t skip = 0;  // for a list: how many tiers not to ask, because they have been asked
};

// Independent of each other; asked at once.
struct RemoteQuestions {
  std::vector<RemoteQuestion> questions;
};

// A blob of the publication of that number; sent before it.
struct RemoteStage {
  std::uint64_t publication = 0;
  RemoteBlob blob;
};

// Write the staged blobs, the result and the path set, in this order.
struct RemotePublish {
  std::uint64_t publication = 0;
  Digest key;         // of the action
  Digest result_key;  // H(action key, path set, state)
  std::string action;
  RemotePathSet path_set;  // without tags: the result key is the only one
};

struct RemoteAskStatistics {
  std::uint64_t id = 0;
  bool zero = false;  // set the counts to zero after the answer
};

enum class ExecuteInputKind : std::uint32_t { file = 0, directory = 1, link = 2 };

// Something that the command finds on the worker. The input root is the machine's root "/".
struct ExecuteInput {
  std::string path;  // absolute, without "." and ".."
  ExecuteInputKind kind = ExecuteInputKind::file;
  std::string target;  // of a link
  bool is_executable = false;
  std::string source;    // a file that has the bytes; empty: `contents` are the bytes
  std::string contents;  // small: a message has at most kMessageLimit bytes
  // In hexadecimal. If both are given, they are trusted until the file is sent, which hashes it again. Else
  // hipcache-remote hashes the file.
  std::string sha256;
  std::uint64_t size = 0;
};

struct RemoteExecute {
  std::uint64_t id = 0;
  std::vector<std::string> argv;
  std::vector<std::string> environment;  // "NAME=value"
  std::string working_directory;         // absolute
  std::vector<ExecuteInput> inputs;
  std::vector<std::string> outputs;   // paths relative to the working directory
  std::vector<std::string> platform;  // "name=value", beside the properties of the engine's URL
  std::uint64_t deadline_ms = 0;      // from the start of the execution
  std::uint64_t queue_limit_ms = 0;   // in a queue, before a worker takes it
  std::string output_directory;       // absolute; exists; outputs are written into it, under names of RemoteExecuted
};

struct RemoteCancel {
  std::uint64_t id = 0;  // of the RemoteExecute
};

// What the engine can do, for --doctor.
struct RemoteEngineQuestion {
  std::uint64_t id = 0;
};

// --- hipcache-remote with an archive, and daemon, over a connection that began with a ControlRequest ---
//
// The daemon begins with RemoteConfigure without URLs: what results are signed and checked with.
// Export: the program sends RemoteSelect. The daemon sends RemoteTally with the number of results,
// each result as RemoteStage and RemotePublish, and RemoteTally at the end. Import: the program
// sends blobs and results in the same form; the daemon answers each RemotePublish with
// RemotePublished, whose error ends the import, and the program's RemoteTally with one of its own.

struct RemoteSelect {
  std::vector<std::string> archs;  // empty: all
  std::uint64_t used_since = 0;    // seconds since the epoch
};

struct RemoteTally {
  std::uint64_t results = 0;   // to come, written or stored
  std::uint64_t known = 0;     // import: that were there already
  std::uint64_t left_out = 0;  // export: gone meanwhile; import: refused
  std::string error;           // why it ended before all were done, or were taken
};

// --- hipcache-remote to daemon ---

// What was asked for, if `found`.
struct RemoteAnswer {
  std::uint64_t id = 0;
  bool found = false;
  bool failed = false;              // not found, but a tier that did not answer may have it
  std::uint32_t asked = 0;          // of a list: how many tiers have been asked; further ones may know more
  std::vector<RemotePathSet> list;  // newest first
  RemoteResult result;
  std::string blob;
};

struct RemotePublished {
  std::uint64_t publication = 0;
  std::string error;  // of the tiers that did not take it; empty: all did
};

struct RemoteTier {
  std::string url;    // without secrets
  std::string state;  // "ok", "not asked: ...": why, and for how long
  std::uint64_t hits = 0, misses = 0, errors = 0;
  std::uint64_t not_signed = 0, untrusted = 0;  // results among the misses that no trusted key has signed
  std::uint64_t written = 0, write_errors = 0;  // values
  std::uint64_t bytes_read = 0, bytes_written = 0;
  std::uint64_t median_us = 0;   // of the last look-ups
  std::uint64_t writing = 0;     // values that are being written now
  std::uint64_t bytes_sent = 0;  // of values, also of those that are not yet written; never zeroed
  std::string write_trouble;     // why the last write failed; empty since one succeeded
  bool operator==(const RemoteTier&) const = default;
};

struct RemoteStatistics {
  std::uint64_t id = 0;
  std::vector<RemoteTier> tiers;
};

// A line for the daemon's log: hipcache-remote has none.
struct RemoteNote {
  bool is_warning = false;
  std::string text;
};

enum class ExecuteState : std::uint32_t { queued = 0, executing = 1 };

// What the engine says of an execution that has not ended, whenever it changes. `executing` begins with a worker's
// taking it, so it counts the staging of the inputs. What the engine leaves open is `executing`.
struct RemoteExecuteEvent {
  std::uint64_t id = 0;
  ExecuteState state = ExecuteState::queued;
};

enum class ExecuteOutcome : std::uint32_t {
  done = 0,         // the command ran: exit_code, texts and outputs are its own
  refused = 1,      // the engine does not take it (permission, no such instance, inputs or limits that it refuses)
  unavailable = 2,  // no engine, or it is not asked now
  lost = 3,         // the engine lost the action, an input or an output
  expired = 4,      // no worker took it within the queue's limit
  overdue = 5,      // it ran for longer than its deadline
  cancelled = 6,
  failed = 7,  // anything else: an input that cannot be read, an answer that makes no sense
};

// An output that the command made. One that it did not make is missing from the list.
struct ExecuteOutput {
  std::string path;  // as it was asked for
  std::string file;  // holds the bytes, executable if the output is; in the output directory. The daemon removes it
  std::uint64_t size = 0;
  std::string sha256;  // in hexadecimal; of the bytes in the file
};

// An input file that hipcache-remote has hashed.
struct HashedInput {
  std::string path;  // ExecuteInput::source
  std::string sha256;
  std::uint64_t size = 0;
};

struct RemoteExecuted {
  std::uint64_t id = 0;
  ExecuteOutcome outcome = ExecuteOutcome::failed;
  std::string detail;  // one line for people; empty if done
  std::int32_t exit_code = 0;
  std::string stdout_text;
  std::string stderr_text;
  std::vector<ExecuteOutput> outputs;
  std::vector<HashedInput> hashed;
  std::string worker;            // its name, if the engine gives one
  std::uint64_t queue_us = 0;    // from the engine's taking the action to the worker's
  std::uint64_t staging_us = 0;  // from the worker's taking it to the start of the command
  std::uint64_t execution_us = 0;
  std::uint64_t upload_us = 0;  // of the outputs, by the worker
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
};

struct RemoteEngineAnswer {
  std::uint64_t id = 0;
  bool ok = false;      // it answers, executes, and takes SHA-256
  std::string detail;   // why not; or what it offers
  std::string version;  // of the API
};

// The order is on the wire: add new kinds at the end.
using RemoteMessage =
    std::variant<RemoteConfigure, RemoteQuestions, RemoteStage, RemotePublish, RemoteAskStatistics, RemoteAnswer,
                 RemotePublished, RemoteStatistics, RemoteNote, RemoteSelect, RemoteTally, RemoteExecute, RemoteCancel,
                 RemoteExecuteEvent, RemoteExecuted, RemoteEngineQuestion, RemoteEngineAnswer>;

// The message's bytes. `bulk` gets a blob that is too large for them, if there is one.
std::string encode(const RemoteMessage& message, const std::string** bulk);
Result<RemoteMessage> decode_remote(const std::string& bytes, const std::string* bulk);

Status send(Channel& channel, const RemoteMessage& message, std::chrono::milliseconds deadline);
Result<RemoteMessage> receive_remote(Channel& channel, std::chrono::milliseconds deadline);

}  // namespace hipcache::protocol

#endif
