// Whether the engine of remote execution answers, takes actions, and has workers with this machine's toolchain.
//
// The problem: an engine that is dead, has no worker, or has another image costs a build nothing but the hope, so
// nobody notices. The choice: one small action that runs the compiler's programs with `--version` under the trace
// library, as a real step runs them. The trace that comes back has the digest of each program and library, which are
// compared with those of here. Rejected: the digests of a tool such as sha256sum, which an image may lack; a compile,
// which takes seconds and says less about what is wrong.
//
// The daemon is not asked: the engine is the one that the user's settings name.
#ifndef HIPCACHE_SRC_CLI_DOCTOR_CHECK_ENGINE_H
#define HIPCACHE_SRC_CLI_DOCTOR_CHECK_ENGINE_H

#include <string>
#include <vector>

#include "cli/doctor/findings.h"
#include "hipcache/config/execute_url.h"
#include "hipcache/protocol/remote_messages.h"
#include "hipcache/trace/record.h"

namespace hipcache::cli {

// Asks the engine that is set. REQUIRES: check_programs and check_compilers have run.
void check_engine(Examination& examination);

// The programs of the device's jobs, in what `clang -###` prints.
Words device_programs_in(const std::string& jobs);

// The action that runs these programs.
protocol::RemoteExecute small_action(const Words& programs, const std::string& trace_library,
                                     const std::string& output_directory);

// What the engine says that it can do.
Finding finding_on(const protocol::RemoteEngineAnswer& answer, const config::ExecuteUrl& url);

// What came of the action; `traced`: its trace.
std::vector<Finding> findings_on(const protocol::RemoteExecuted& executed, const Words& programs,
                                 const std::vector<trace::Record>& traced, const config::ExecuteUrl& url);

}  // namespace hipcache::cli

#endif
