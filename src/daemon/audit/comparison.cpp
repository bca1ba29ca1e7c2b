#include "daemon/audit/comparison.h"

#include <algorithm>

#include "daemon/request/step_kinds.h"

namespace hipcache::daemon {

namespace {

Part part_of(const char* what, const std::string& text) {
  return {.what = what, .place = "", .digest = digest_of(text), .size = text.size(), .text = text};
}

Part part_of(const cache::Output& output) {
  return {.what = output.name,
          .place = output.place,
          .digest = output.blob,
          .size = output.size,
          .executable = output.executable};
}

void add_list(Hasher& hasher, const std::vector<std::string>& list) {
  hasher.field(list.size());
  for (const std::string& item : list) hasher.field(item);
}

void add_commands(Hasher& hasher, const std::vector<hip::StepCommand>& commands) {
  hasher.field(commands.size());
  for (const hip::StepCommand& command : commands) add_list(hasher.field(command.program), command.argv);
}

Digest digest_of_step(const hip::Step& step) {
  Hasher hasher("step of a plan");
  hasher.field(static_cast<std::uint64_t>(step.kind)).field(step.arch.name).field(step.depfile).field(step.unproven);
  add_commands(hasher, step.commands);
  hasher.field(step.keyed.size());
  for (const std::vector<std::string>& keyed : step.keyed) add_list(hasher, keyed);
  add_list(hasher, step.inputs);
  hasher.field(step.outputs.size());
  for (const hip::StepOutput& output : step.outputs)
    hasher.field(output.role).field(output.name).field(output.place).field(output.fatbin).field(output.beside ? 1 : 0);
  hasher.field(step.files.size());
  for (const hip::StepFile& file : step.files) hasher.field(file.name).field(file.bytes).field(file.verbatim ? 1 : 0);
  if (!step.split_codegen) return hasher.finish();
  const hip::SplitCodegen& split = *step.split_codegen;
  add_commands(hasher, {split.front, split.both});
  add_commands(hasher, split.back);
  return hasher.field(digest_of_step(*split.proof)).finish();
}

// The number keeps the order, and tells steps of one name apart.
void add_steps(const std::string& job, const std::vector<hip::Step>& steps, std::vector<Part>& parts) {
  for (std::size_t at = 0; at < steps.size(); ++at)
    parts.push_back({.what = job + std::to_string(at + 1) + " (" + label_of(steps[at]) + ")",
                     .place = "",
                     .digest = digest_of_step(steps[at])});
}

const Part* same_part(const std::vector<Part>& in, const Part& as) {
  const auto found =
      std::find_if(in.begin(), in.end(), [&](const Part& one) { return one.what == as.what && one.place == as.place; });
  return found == in.end() ? nullptr : &*found;
}

std::string shown(const std::optional<Part>& side) { return side ? side->digest.shown() : "none"; }

}  // namespace

std::vector<Part> parts_of(const cache::ActionResult& result) {
  std::vector<Part> parts;
  for (const cache::Output& output : result.outputs) parts.push_back(part_of(output));
  parts.push_back(part_of("stdout", result.stdout_text));
  parts.push_back(part_of("stderr", result.stderr_text));
  return parts;
}

std::vector<Part> parts_of(const hip::Plan& plan) {
  std::vector<Part> parts{part_of("stderr", plan.driver_stderr), part_of("look options", plan.look_options)};
  add_steps("job ", plan.steps, parts);
  if (plan.deferred_fatbin) {
    add_steps("job with deferred fatbin ", plan.deferred_fatbin->steps, parts);
    add_steps("proof ", {plan.deferred_fatbin->proof}, parts);
  }
  if (plan.question) add_steps("question ", {*plan.question}, parts);
  return parts;
}

std::vector<DifferentPart> differences_of(const std::vector<Part>& stored, const std::vector<Part>& made) {
  std::vector<DifferentPart> differences;
  for (const Part& part : stored) {
    const Part* now = same_part(made, part);
    if (now == nullptr)
      differences.push_back({part, std::nullopt});
    else if (part.digest != now->digest || part.executable != now->executable)
      differences.push_back({part, *now});
  }
  for (const Part& part : made)
    if (same_part(stored, part) == nullptr) differences.push_back({std::nullopt, part});
  return differences;
}

std::string to_text(const DifferentPart& difference, const std::string& place) {
  return difference.part().what + (place.empty() ? "" : " " + place) + " (stored " + shown(difference.stored) +
         ", made now " + shown(difference.made) + ")";
}

}  // namespace hipcache::daemon
