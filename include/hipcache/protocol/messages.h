// The messages between client and daemon, as plain structs. On the wire they have protobuf's
// encoding; src/protocol/messages.cpp lists the fields and their numbers.
//
// The daemon leads, the client follows. After CompileRequest the client runs each RunStep that it
// receives, reports each with StepDone, and ends with the Finish or PassThrough that it receives.
// Steps may run at the same time. docs/internals/protocol.md has a diagram.
#ifndef HIPCACHE_PROTOCOL_MESSAGES_H
#define HIPCACHE_PROTOCOL_MESSAGES_H

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "hipcache/base/result.h"
#include "hipcache/launcher/frame.h"
#include "hipcache/protocol/explanation.h"

namespace hipcache::protocol {

inline constexpr std::uint32_t kVersion = HIPCACHE_PROTOCOL_VERSION;

// A daemon that has sent nothing for kKeepWaitingInterval sends KeepWaiting. A client that receives
// nothing for kSilenceLimit, while none of its own steps runs, gives the daemon up (for the first
// reply: hipcache/client/timeouts.h).
inline constexpr std::chrono::seconds kKeepWaitingInterval{5};
inline constexpr std::chrono::seconds kSilenceLimit{60};

// Identifies the file system that a process sees; a daemon that sees another one cannot prove
// anything about it.
struct MountView {
  std::uint64_t mount_namespace = 0;  // inode of /proc/self/ns/mnt
  std::uint64_t root_device = 0;
  std::uint64_t root_inode = 0;
  bool operator==(const MountView&) const = default;
};

// --- client to daemon, first message of a connection ---

struct CompileRequest {
  std::string build;                     // of the client: hipcache::protocol::build_id()
  std::vector<std::string> argv;         // the compiler and its arguments, as typed
  std::vector<std::string> environment;  // NAME=value; never stored, never logged
  std::string working_directory;         // getcwd(): physical
  MountView mount_view;
  std::uint32_t umask = 0;
  std::string streams;  // of launch_describe_streams (hipcache/launcher/request.h)
  // PWD is another name of the working directory. The client looks, because a name such as /proc/self/cwd leads
  // elsewhere in another process.
  bool pwd_leads_here = false;
  // --plan: reply with PlanReport, run only the probe.
  bool plan_only = false;
  // --explain: reply with Explanation, run only the probe.
  bool explain = false;
  // Make the wrapper headers that jobs of this command wait for, in idle time; compile nothing. Reply with Finish
  // without outputs.
  bool headers_only = false;
};

// flush: replies at once with what waits for shared caches, as JSON. export_results, import_results:
// after the reply the connection speaks the messages of remote_messages.h.
enum class ControlKind : std::uint32_t {
  ping = 0,
  stats = 1,
  zero_stats = 2,
  clear = 3,
  cleanup = 4,
  stop = 5,
  flush = 6,
  export_results = 7,
  import_results = 8
};
struct ControlRequest {
  std::string build;
  ControlKind kind = ControlKind::ping;
};

// --- client to daemon, later ---

struct StepDone {
  std::uint32_t step = 0;
  std::int32_t exit_code = 0;  // of the last command run
  // Index into RunStep::commands; meaningful if exit_code != 0.
  std::uint32_t failed_command = 0;
  // CLOCK_REALTIME_COARSE before the first command: the race guard compares with it.
  std::uint64_t started_ns = 0;
  std::uint64_t duration_us = 0;
  std::uint64_t processor_us = 0;  // of all commands
  std::uint64_t peak_bytes = 0;    // of the command that took the most memory
  std::string spawn_error;         // not empty: a command could not be started
  std::string stdout_text;         // everything that the commands printed, in order
  std::string stderr_text;
  // Not empty: why the texts are incomplete, or why the run says nothing about the source.
  std::string doubt;
  // Part of standard output may have come after part of standard error. If the client's two are one file, stdout_text
  // has both in their order.
  bool mixed = false;
  // Not on the wire. Made by the daemon of a worker's answer: the step is taken only if its result can be recorded.
  bool is_of_worker = false;
};

// --- daemon to client ---

struct PassThrough {
  // Of the fixed list in compiler/reason.h, or of the daemon's own.
  std::string reason;
  // Not empty: the compiler is a wrapper, which runs with this library preloaded. The library puts
  // hipcache before the compilers that the wrapper starts (src/trace/preload/front.c).
  std::string wrapper_library;
};

struct Command {
  std::string program;  // absolute
  std::vector<std::string> argv;
};

// Run the commands in order; stop at the first that fails. StepDone reports what they print.
struct RunStep {
  std::uint32_t step = 0;
  std::string directory;  // the request's temporary directory; TMPDIR of the commands
  std::vector<Command> commands;
  std::string trace_path;
  std::string trace_library;
};

// One file to put in place.
struct PlacedOutput {
  std::string path;  // as in argv: relative to the client's directory
  // Write to an existing file, which keeps its mode and other names, instead of replacing it.
  bool in_place = false;
  bool executable = false;  // a new file gets the mode of a program
  // Its bytes. Absent: they come as a descriptor; descriptors are in the order of the outputs that
  // have one.
  std::optional<std::string> content;
  // An empty file is written to, as by in_place; any other is replaced. Assemblers and linkers of
  // binutils do so.
  bool in_place_if_empty = false;
};

// Limit for all contents of a message together, in bytes. Larger contents travel as descriptors: a
// message then never waits for room in a socket, and the kernel moves the bytes.
inline constexpr std::size_t kContentLimit = 128u << 10;

// Limit for what a step may print, in bytes: both texts travel in one message. A compile that
// prints more runs without the cache.
inline constexpr std::size_t kTextLimit = 8u << 20;

struct Finish {
  std::int32_t exit_code = 0;
  std::string stdout_text;
  std::string stderr_text;
  std::vector<PlacedOutput> outputs;
  // Paths that the compiler would have removed (a failed compile's object).
  std::vector<std::string> removed;
  // The client is to send the same command again as headers_only, from a process of its own. Never set if no step ran.
  bool wants_headers = false;
};

struct PlanStep {
  std::string name;  // "device gfx906", "bundle", "host"
  std::string key;   // hex
  bool stored = false;
  std::uint64_t inputs = 0;   // observations in the stored path set; 0 if none
  bool is_sent = false;       // to the engine, while this machine is busy
  std::string not_sent = {};  // else, if others may be: why not; empty if it is stored
};
struct PlanReport {
  // Not empty: the command passes through, or if there are steps, it is not split.
  std::string reason;
  std::string detail = {};  // the option or file that is the reason
  std::string cuid;
  std::string request_key;
  bool request_stored = false;
  std::vector<PlanStep> steps;
  std::string not_sent = {};  // why no step is sent to an engine; empty if nobody wants it to be
  std::string at_once = {};   // how many steps run at once, if something else than the processors says so
};

struct ControlReply {
  std::string error;  // empty: done
  // For stats: the snapshot as JSON (stats/counters.h); else a line for the user.
  std::string text;
};

struct VersionMismatch {
  std::string daemon_build;
};

struct Busy {
  std::string reason;
};

// The client has nothing to do yet: another client runs the step, or all job slots are taken. Sent
// after every kKeepWaitingInterval of silence, so that a client can tell a waiting daemon from a
// dead one.
struct KeepWaiting {};

// Stop the step of that number: its result has come from elsewhere. The client kills its commands and sends StepDone as
// for any step. If the step has ended by itself before, the message does nothing.
struct StopStep {
  std::uint32_t step = 0;
};

// The order is on the wire: add new kinds at the end.
using Message = std::variant<CompileRequest, ControlRequest, StepDone, PassThrough, RunStep, Finish, PlanReport,
                             ControlReply, VersionMismatch, Busy, KeepWaiting, Explanation, StopStep>;

// Version of the program and of the protocol; must be equal on both sides.
std::string build_id();

// The bytes of a message without framing, and back: separate from the socket so that they can be
// fuzzed.
std::string encode(const Message& message);
Result<Message> decode(const std::string& bytes);

}  // namespace hipcache::protocol

#endif
