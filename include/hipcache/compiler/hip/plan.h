// The plan of a HIP compile, or of a link of relocatable device code. Read from what the user's own
// driver prints for -###.
//
// The driver's temporary names are replaced by names in the request's directory. Only jobs of known
// kinds, with files that pass between them in known ways, become a plan. Anything else is an error,
// and the compile is passed through. docs/internals/plan.md has the rules.
#ifndef HIPCACHE_COMPILER_HIP_PLAN_H
#define HIPCACHE_COMPILER_HIP_PLAN_H

#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/result.h"
#include "hipcache/compiler/invocation.h"
#include "hipcache/compiler/plan.h"
#include "hipcache/compiler/step.h"

namespace hipcache::hip {

// The contract's types, under the names that they have among HIP's functions.
using compiler::DeferredFatbin;
using compiler::kAnswers;
using compiler::kBundle;
using compiler::kCaptured;
using compiler::kCodeObject;
using compiler::kDepfile;
using compiler::kDirectory;
using compiler::kFatbinObjectRole;
using compiler::kObject;
using compiler::kPortableDepfile;
using compiler::kPortableGccDepfile;
using compiler::kProgram;
using compiler::kSaid;
using compiler::kThen;
using compiler::Plan;
using compiler::SplitCodegen;
using compiler::Step;
using compiler::StepCommand;
using compiler::StepFile;
using compiler::StepKind;
using compiler::StepOutput;

// Who is given the CUID of a compile: the driver by -cuid=, or, if it would ignore that, each
// frontend by -Xclang. Nobody, if the compiler itself would use no id: the host's object then names
// the fatbin's symbols without one, and what it is linked with must do the same.
enum class IdFor { driver, frontends, nobody };

// The driver command whose output read_plan understands: the user's argv with the CUID (of a
// compile) and -### added.
std::vector<std::string> probe_arguments(const compiler::Invocation& invocation, const std::string& cuid,
                                         IdFor id_for = IdFor::driver);

// The words that probe_arguments adds to the user's argv.
std::vector<std::string> probe_words(const compiler::Invocation& invocation, const std::string& cuid, IdFor id_for);

// The option by which the driver hands SOURCE_DATE_EPOCH to each frontend.
inline constexpr const char* kSourceDateOption = "-source-date-epoch";

// Whether the driver printed messages of its own beside the plan, or something that is no plan.
bool has_messages(std::string_view printed);

// Whether the plan is valid for another date as well: no job has the option twice, since one of two
// would be the user's own.
bool may_take_another_date(std::string_view printed);

// `printed` is the driver's standard error; `temporary_directory` is the TMPDIR that it ran with.
// `source_date` replaces the date that the driver took from SOURCE_DATE_EPOCH. Empty: the variable
// is unset now or is no date, and the plan stays as it is. REQUIRES: the variable is set now if and
// only if it was set when the driver ran.
Result<Plan> read_plan(std::string printed, const compiler::Invocation& invocation,
                       const std::string& temporary_directory, std::string_view source_date = {});

// Whether both plans run the same commands on the same files, and print the same.
bool are_same_plan(const Plan& one, const Plan& other);

// Gives each back end that the wrapper would start a step of its own. `printed` is the output of
// the plan's question, which ran in `directory`. After an error the plan is unchanged. REQUIRES:
// plan.question.
//
// The bundle's step still runs the wrapper. When the wrapper starts a program with the same
// arguments and input contents as one of these steps, that step's outputs are its answer. Any other
// program runs as usual, so a wrong prediction here costs time but never correctness.
// Rejected: running the bundler ourselves from the list of jobs, since the wrapper might do
// something else than it says. Passing each program that the wrapper starts to the daemon, since
// the wrapper starts the back ends one after the other.
Status take_back_ends(Plan& plan, std::string_view printed, const std::string& directory);

// The same for a link, from what its question left in kCaptured. If the wrapper starts no compiler,
// the plan stays as it is.
Status take_captured(Plan& plan, std::string_view captured);

// Whether the two files of DeferredFatbin::proof show that the fatbin may be put in afterwards.
bool is_deferred_fatbin_proof(std::string_view with_fatbin, std::string_view with_placeholder);

// Whether the two files of SplitCodegen::proof show that the back end may run by itself.
bool is_split_codegen_proof(std::string_view as_one, std::string_view in_two);

// argv with kDirectory replaced.
std::vector<std::string> in_directory(const std::vector<std::string>& argv, const std::string& directory);

}  // namespace hipcache::hip

#endif
