#include <algorithm>
#include <string_view>

#include "hipcache/compiler/hip/plan.h"

namespace hipcache::hip {
std::vector<std::string> probe_words(const compiler::Invocation& invocation, const std::string& cuid, IdFor id_for) {
  std::vector<std::string> added;
  if (!invocation.user_cuid && !invocation.links && id_for != IdFor::nobody) {
    if (id_for == IdFor::frontends) added.emplace_back("-Xclang");
    added.push_back("-cuid=" + cuid);
  }
  if (invocation.links) added.emplace_back("-fhip-dump-offload-linker-script");
  added.emplace_back("-###");
  return added;
}

std::vector<std::string> probe_arguments(const compiler::Invocation& invocation, const std::string& cuid,
                                         IdFor id_for) {
  const std::vector<std::string> added = probe_words(invocation, cuid, id_for);
  std::vector<std::string> arguments = invocation.argv;
  // Everything after "--" is a file, so the words go before it. A "--" inside a response file is not found: then the
  // probe fails, and the request has no plan.
  const auto place = std::find(arguments.begin(), arguments.end(), "--");
  arguments.insert(place, added.begin(), added.end());
  return arguments;
}

std::vector<std::string> in_directory(const std::vector<std::string>& argv, const std::string& directory) {
  const std::string_view token = kDirectory;
  std::vector<std::string> result;
  result.reserve(argv.size());
  for (const std::string& argument : argv) {
    std::string replaced;
    std::size_t from = 0;
    for (auto at = argument.find(token); at != std::string::npos; at = argument.find(token, from)) {
      replaced.append(argument, from, at - from).append(directory);
      from = at + token.size();
    }
    result.push_back(replaced.append(argument, from, std::string::npos));
  }
  return result;
}

namespace {

bool are_same(const StepCommand& one, const StepCommand& other) {
  return one.program == other.program && one.argv == other.argv;
}

bool are_same(const std::vector<StepCommand>& one, const std::vector<StepCommand>& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const StepCommand& a, const StepCommand& b) { return are_same(a, b); });
}

bool are_same(const Step& one, const Step& other);

bool are_same(const std::optional<SplitCodegen>& one, const std::optional<SplitCodegen>& other) {
  if (!one || !other) return one.has_value() == other.has_value();
  return are_same(one->front, other->front) && are_same(one->back, other->back) && are_same(one->both, other->both) &&
         are_same(*one->proof, *other->proof);
}

bool are_same(const Step& one, const Step& other) {
  return one.kind == other.kind && one.arch == other.arch && are_same(one.commands, other.commands) &&
         one.keyed == other.keyed && one.outputs == other.outputs && one.depfile == other.depfile &&
         one.inputs == other.inputs && one.files == other.files && one.unproven == other.unproven &&
         are_same(one.split_codegen, other.split_codegen);
}

bool are_same(const std::vector<Step>& one, const std::vector<Step>& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const Step& a, const Step& b) { return are_same(a, b); });
}

bool are_same(const std::optional<Step>& one, const std::optional<Step>& other) {
  if (!one || !other) return one.has_value() == other.has_value();
  return are_same(*one, *other);
}

bool are_same(const std::optional<DeferredFatbin>& one, const std::optional<DeferredFatbin>& other) {
  if (!one || !other) return one.has_value() == other.has_value();
  return are_same(one->steps, other->steps) && are_same(one->proof, other->proof);
}

}  // namespace

bool are_same_plan(const Plan& one, const Plan& other) {
  return one.driver_stderr == other.driver_stderr && one.look_options == other.look_options &&
         are_same(one.steps, other.steps) && are_same(one.deferred_fatbin, other.deferred_fatbin) &&
         are_same(one.question, other.question);
}

}  // namespace hipcache::hip
