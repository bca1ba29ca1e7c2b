#include "compiler/hip/plan/link_plan.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/hip/jobs/bundle_jobs.h"
#include "compiler/hip/jobs/printed_jobs.h"
#include "hipcache/base/files.h"

namespace hipcache::hip {
namespace {

constexpr const char* kProgramName = "program";

Error unusual(const std::string& what) { return Error{"the compiler's plan of a link " + what}; }

constexpr const char* kFatbinName = "hip.hipfb";
constexpr const char* kSourceName = "hip.mcin";
constexpr const char* kFatbinObjectName = "hip.o";
constexpr std::size_t kLastJobs = 3;  // bundle, fatbin object, host link

using Names = std::vector<std::string>;

Names all_placed(const Names& names) {
  Names paths;
  paths.reserve(names.size());
  for (const std::string& name : names) paths.push_back(placed(name));
  return paths;
}

// Whether the path is an intermediate file that the driver named.
bool is_intermediate(std::string_view path, std::string_view directory) {
  return path.size() > directory.size() + 1 && is_within(path, directory) &&
         path.find("/../") == std::string_view::npos && !path.ends_with("/..");
}

class LinkReader {
 public:
  LinkReader(const std::string& source, const compiler::Invocation& invocation, const std::string& directory)
      : source_(source), invocation_(invocation), directory_(directory) {}

  Result<std::vector<Step>> steps(const std::vector<Job>& jobs);

 private:
  Status take_part(const Job& job);
  Status take_unbundle(const Job& job);
  Status take_device(const Job& job);
  Status take_bundle(const Job& bundle, const Job& object);
  Status take_host(const Job& job);

  std::size_t step_for(const UnbundleJob& job);
  Status make(const std::string& path, const std::string& name);
  Result<Names> made(const std::vector<std::string>& paths) const;

  const std::string& source_;
  const compiler::Invocation& invocation_;
  const std::string& directory_;
  std::vector<Step> unbundles_;
  std::map<std::vector<std::string>, std::size_t> unbundle_of_;  // by its key
  std::vector<Step> devices_;                                    // without their archs until the bundle job is read
  std::vector<Step> rest_;
  std::map<std::string, std::string> names_;  // names of intermediate files, by the driver's paths
};

Result<std::vector<Step>> LinkReader::steps(const std::vector<Job>& jobs) {
  if (jobs.size() < kLastJobs + 2) return unusual("has " + std::to_string(jobs.size()) + " jobs");
  const std::size_t last = jobs.size() - kLastJobs;
  for (std::size_t i = 0; i < last; ++i)
    if (Status taken = take_part(jobs[i]); !taken) return taken.error();
  if (Status taken = take_bundle(jobs[last], jobs[last + 1]); !taken) return taken.error();
  if (Status taken = take_host(jobs[last + 2]); !taken) return taken.error();

  std::vector<Step> steps = std::move(unbundles_);
  std::move(devices_.begin(), devices_.end(), std::back_inserter(steps));
  std::move(rest_.begin(), rest_.end(), std::back_inserter(steps));
  return steps;
}

Status LinkReader::take_part(const Job& job) {
  if (is_unbundle_job(job)) return take_unbundle(job);
  if (is_link_job(job)) return take_device(job);
  return unusual("runs " + job[0] + " before the bundler");
}

Status LinkReader::take_unbundle(const Job& job) {
  const Result<UnbundleJob> unbundle = read_unbundle_job(job);
  if (!unbundle) return unbundle.error();
  if (is_within(unbundle->input, directory_)) return unusual("takes a file of its own apart");
  const Step& step = unbundles_[step_for(*unbundle)];
  for (std::size_t i = 0; i < unbundle->outputs.size(); ++i)
    if (Status named = make(unbundle->outputs[i], step.outputs[i].name); !named) return named;
  return done();
}

// Like the driver's names, the name contains the input's name, because linkers mention it in messages.
std::size_t LinkReader::step_for(const UnbundleJob& job) {
  const std::string name = std::string(base_name(job.input)) + "-" + std::to_string(unbundles_.size());
  Names names;
  for (std::size_t i = 0; i < job.outputs.size(); ++i) names.push_back(name + "-" + std::to_string(i) + ".o");
  Step step = unbundle_step(job, names);
  const auto [known, is_new] = unbundle_of_.try_emplace(step.keyed.front(), unbundles_.size());
  if (is_new) unbundles_.push_back(std::move(step));
  return known->second;
}

Status LinkReader::take_device(const Job& job) {
  const Result<LinkJob> link = read_link_job(job);
  if (!link) return link.error();
  if (link->dwo_directory != 0) return unusual("splits the debug information of its devices");
  Names paths;
  for (const std::size_t at : link->inputs) paths.push_back(job[at]);
  Result<Names> inputs = made(paths);
  if (!inputs) return inputs.error();
  const std::string name = "device-" + std::to_string(devices_.size()) + ".out";
  if (Status named = make(job[link->output], name); !named) return named;
  Step& step = devices_.emplace_back();
  step.kind = StepKind::device;
  step.prints_temporary_paths = true;
  step.outputs = {{kCodeObject, name, ""}};
  step.commands = {link_command(*link, all_placed(*inputs), placed(name))};
  step.keyed = {link_command(*link, std::vector<std::string>(paths.size(), "<part>"), "<code object>").argv};
  step.inputs = *std::move(inputs);
  return done();
}

// The archs come from the bundler's target list.
Status LinkReader::take_bundle(const Job& bundle_job, const Job& object_job) {
  if (!is_bundle_job(bundle_job) || !is_fatbin_object_job(object_job))
    return unusual("does not end with bundler, assembler and linker");
  const Result<BundleJob> bundle = read_bundle_job(bundle_job);
  if (!bundle) return bundle.error();
  const Result<FatbinObjectJob> object = read_fatbin_object_job(object_job);
  if (!object) return object.error();
  if (bundle->host != BundledHost::without_file || bundle->type != "o") return unusual("bundles more than its devices");
  Result<Names> inputs = made(bundle->inputs);
  if (!inputs) return inputs.error();
  if (inputs->size() != devices_.size()) return unusual("has more or fewer devices than targets");
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    if (devices_[i].outputs[0].name != (*inputs)[i]) return unusual("does not bundle its devices in their order");
    devices_[i].arch = bundle->archs[i];
  }

  const Result<std::string> source = fatbin_source_with(source_, bundle->output, placed(kFatbinName));
  if (!source) return source.error();
  if (Status named = make(bundle->output, kFatbinName); !named) return named;
  if (Status named = make(object_job[object->input], kSourceName); !named) return named;
  if (Status named = make(object_job[object->output], kFatbinObjectName); !named) return named;
  Step& step = rest_.emplace_back();
  step.kind = StepKind::bundle;
  step.prints_temporary_paths = true;
  step.outputs = {{kFatbinObjectRole, kFatbinObjectName, ""}};
  step.files = {{kSourceName, *source}};
  step.commands = {bundle_command(*bundle, {all_placed(*inputs), "", placed(kFatbinName)}),
                   fatbin_object_command(*object, placed(kSourceName), placed(kFatbinObjectName))};
  step.keyed = {bundle_command(*bundle, {Names(inputs->size(), "<code object>"), "", "<fatbin>"}).argv,
                fatbin_object_command(*object, "<source>", "<object>").argv,
                {*source}};
  step.inputs = *std::move(inputs);
  return done();
}

Status LinkReader::take_host(const Job& job) {
  const Result<HostLinkJob> link = read_host_link_job(job, directory_, is_wrapper_option);
  if (!link) return link.error();
  if (job[link->output] != invocation_.object)
    return unusual("writes " + job[link->output] + " instead of " + invocation_.object);
  Names paths;
  for (const std::size_t at : link->inputs) paths.push_back(job[at]);
  Result<Names> inputs = made(paths);
  if (!inputs) return inputs.error();
  if (std::find(inputs->begin(), inputs->end(), kFatbinObjectName) == inputs->end())
    return unusual("does not link the devices' code into the program");
  rest_.push_back(host_link_step(*link, *inputs));
  return done();
}

// Each intermediate file is made by one job. `name` is the name by which later jobs read it.
Status LinkReader::make(const std::string& path, const std::string& name) {
  if (!is_intermediate(path, directory_)) return unusual("writes " + path + " outside of the temporary directory");
  if (!names_.try_emplace(path, name).second) return unusual("writes " + path + " twice");
  return done();
}

Result<Names> LinkReader::made(const std::vector<std::string>& paths) const {
  Names names;
  for (const std::string& path : paths) {
    const auto name = names_.find(path);
    if (name == names_.end()) return unusual("reads " + path + ", which none of its jobs makes");
    names.push_back(name->second);
  }
  return names;
}

// REQUIRES: is_wrapped_link({job}). `directory`: the driver's temporary directory.
Result<std::vector<Step>> read_wrapped_link(const Job& job, const compiler::Invocation& invocation,
                                            const std::string& directory) {
  for (const std::string& argument : job)
    if (splits_debug_information(argument)) return unusual("splits the debug information of its devices");
  const Result<HostLinkJob> link = read_host_link_job(job, directory, is_wrapper_option);
  if (!link) return link.error();
  if (job[link->output] != invocation.object)
    return unusual("writes " + job[link->output] + " instead of " + invocation.object);
  if (!link->inputs.empty()) return unusual("reads " + job[link->inputs[0]] + ", which none of its jobs makes");
  return std::vector{host_link_step(*link, {})};
}

}  // namespace

Step unbundle_step(const UnbundleJob& job, const Names& names) {
  Step step;
  step.kind = StepKind::unbundle;
  step.subject = job.subject;
  step.starts_others = true;
  step.prints_temporary_paths = true;
  for (std::size_t i = 0; i < names.size(); ++i) step.outputs.push_back({"part " + std::to_string(i), names[i], ""});
  step.commands = {unbundle_command(job, all_placed(names))};
  step.keyed = {unbundle_command(job, Names(names.size(), "<part>")).argv};
  return step;
}

Step host_link_step(const HostLinkJob& job, const Names& inputs) {
  Step step;
  step.kind = StepKind::link;
  step.prints_temporary_paths = true;
  step.outputs = {{kProgram, kProgramName, job.job[job.output]}};
  step.commands = {host_link_command(job, all_placed(inputs), placed(kProgramName))};
  step.keyed = {without_job_count(host_link_command(job, Names(inputs.size(), "<part>"), "<program>").argv)};
  step.starts_others = job.is_wrapped;
  step.unproven = job.unknown_option;
  step.inputs = inputs;
  return step;
}

bool is_wrapped_link(const std::vector<Job>& jobs) {
  return jobs.size() == 1 && base_name(jobs[0][0]).starts_with("clang-linker-wrapper");
}

std::optional<Step> question_of_link(const Step& link) {
  const std::vector<std::string>& argv = link.commands.front().argv;
  const auto names_arch = [](const std::string& argument) { return argument.starts_with("--should-extract="); };
  if (std::none_of(argv.begin(), argv.end(), names_arch)) return std::nullopt;
  Step step;
  step.kind = StepKind::question;
  step.commands = link.commands;
  step.commands.front().argv = without_job_count(argv);  // jobs at once would write the answer together
  step.keyed = link.keyed;
  step.outputs = {{kCaptured, kCaptured, ""}};
  step.files = {{kCaptured, ""}};
  step.prints_temporary_paths = true;
  return step;
}

Result<std::vector<Step>> read_link_steps(const std::vector<Job>& jobs, const std::string& fatbin_source,
                                          const compiler::Invocation& invocation, const std::string& directory) {
  if (is_wrapped_link(jobs)) return read_wrapped_link(jobs[0], invocation, directory);
  return LinkReader(fatbin_source, invocation, directory).steps(jobs);
}

}  // namespace hipcache::hip
