#include "compiler/hip/codegen/proof_step.h"

#include <utility>

namespace hipcache::hip {

using compiler::Cc1Role;

bool is_of_project(Cc1Role role) {
  return is_of_text(role) || role == Cc1Role::main_file || role == Cc1Role::cuid || role == Cc1Role::look;
}

Step proof_step(StepKind kind, std::vector<StepCommand> commands, const char* source) {
  Step step;
  step.kind = kind;
  step.is_proof = true;
  step.commands = std::move(commands);
  for (const StepCommand& command : step.commands) step.keyed.push_back(command.argv);
  step.keyed.push_back({source});
  step.files = {{kProofSource, source}};
  return step;
}

}  // namespace hipcache::hip
