// Whether storing the result of a link or of an archiver is worthwhile.
//
// The problem: a compile takes seconds and makes a few hundred kilobytes; a link may take 20 ms and make 200 MB. In an
// edit-and-link cycle, each such result is used once. The choice: a result must save enough time for its size. A large
// output that replaces another file comes from such a cycle, so the command runs alone, without trace and copy. A clean
// build starts without outputs, so its links are stored. Rejected: a setting (users do not know these numbers); storing
// at the second run (a clean build would have to run twice before it hits).
#ifndef HIPCACHE_SRC_DAEMON_RUN_LINK_WORTH_H
#define HIPCACHE_SRC_DAEMON_RUN_LINK_WORTH_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/request/request_context.h"
#include "daemon/request/step.h"
#include "daemon/run/output_recorder.h"
#include "hipcache/compiler/invocation.h"
#include "hipcache/inputs/path_set_builder.h"
#include "hipcache/inputs/written_outputs.h"
#include "hipcache/trace/record.h"

namespace hipcache::daemon {

// Reasons against storing an archive, read from its bytes.

// Whether a member's header holds a time or an owner. Archivers write these unless they are told, or built, to omit
// them, and then archives of equal members differ. Also true if the bytes are not an archive of GNU's or LLVM's format.
bool holds_times(std::string_view archive);

// Reasons against storing the result of a link or of an archiver, in addition to those for any opaque compile: size,
// random names and numbers, times in archives.

// What a run wrote, by its trace.
struct WrittenFiles {
  const std::vector<trace::Record>& records;
  const std::vector<inputs::WrittenOutput>& files;
  std::uint64_t updated_as = 0;  // identity of the request's `updated` file just before the run (trace/seen.h); 0: none
};

// The absolute path of a link's output; empty if the command is no link.
std::string linked_file(const Request& request);

// Which files the command may read before it writes them.
inputs::ReadAndWritten read_and_written(const Request& request);

// Of any command, and of a plan's step: whether what it wrote is larger than kOutputLimit, or of an opaque command not
// worth its time. Called before the files are read, because they may be large. Keeps the answer for the next such
// request.
std::optional<inputs::Refusal> too_large(const StepState& state, const std::vector<std::string>& paths,
                                         const RequestContext& context);

// Nothing for compiles.
std::optional<inputs::Refusal> refusal_of_link(const WrittenFiles& written, const std::vector<CollectedOutput>& made,
                                               const StepContext& context);

// What an earlier run of a command showed: the next one runs by itself, without trace and copy. Kept in the store for a
// day, then the command is tried again. The note belongs to the command, whatever its source contains: an edit hardly
// changes what a link costs, or which files a compiler leaves.

// Notes why the command is to run by itself.
void note_runs_alone(const RequestContext& context, const compiler::Uncacheable& why);

// What was noted, if anything. Costs one store lookup.
std::optional<compiler::Uncacheable> noted_to_run_alone(const RequestContext& context);

inline constexpr std::uint64_t kAlwaysWorth = 1u << 20;            // bytes that are always worth storing
inline constexpr std::uint64_t kBytesPerSavedSecond = 256u << 20;  // allowance for larger results
inline constexpr std::uint64_t kPartOfCache = 50;          // a result may take one part in this many of the cache
inline constexpr std::uint64_t kUsualObject = 512u << 20;  // of a compile: always worth storing
inline constexpr std::uint64_t kLargeOutput = 16u << 20;   // no command that replaces a larger file is cached

// `bytes`: the size of all files that the command made in `duration_us`. `max_size`: of the cache; 0: no limit.
bool is_worth_storing(std::uint64_t bytes, std::uint64_t duration_us, std::uint64_t max_size);

// Why the command is passed through before it runs: it replaces a large file. Nothing for compiles. Costs one `stat`.
std::optional<compiler::Uncacheable> not_worth_running(const RequestContext& context);

}  // namespace hipcache::daemon

#endif
