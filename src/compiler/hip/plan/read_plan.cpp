#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/hip/codegen/preamble.h"
#include "compiler/hip/codegen/proofs.h"
#include "compiler/hip/codegen/split_codegen.h"
#include "compiler/hip/jobs/bundle_jobs.h"
#include "compiler/hip/jobs/link_jobs.h"
#include "compiler/hip/jobs/plan_validator.h"
#include "compiler/hip/jobs/printed_jobs.h"
#include "compiler/hip/plan/link_plan.h"
#include "hipcache/base/files.h"
#include "hipcache/compiler/hip/fatbin_splice.h"
#include "hipcache/compiler/hip/plan.h"

namespace hipcache::hip {
namespace {

using compiler::Cc1Role;

Error unusual(const std::string& what) { return Error{"the compiler's plan " + what}; }

// Makes the steps of a plan from its jobs: replaces the names of intermediate files, and removes from the key what
// cannot affect an output.

constexpr const char* kHost = "host";
constexpr const char* kFatbin = "fatbin.hipfb";
constexpr const char* kPackage = "package.out";
constexpr const char* kPackageStem = "package";
constexpr const char* kPlaceholder = "placeholder.hipfb";
constexpr const char* kFrontEnding = ".front.bc";

// Keeps the driver's file name extension: the packager derives the kind of an image from it, and clang 23 uses ".s" for
// textual IR there.
std::string product_ending(const DeviceJobs& device) {
  for (const Emits emits : {Emits::object, Emits::bitcode, Emits::ir, Emits::assembly})
    if (device.product().ends_with(ending_of(emits))) return ending_of(emits);
  return ending_of(device.compile.emits);
}

// The name of a unit's file: the units share a directory.
std::string of_unit(const UnitJobs& shape, const std::string& name) {
  return shape.number == 0 ? name : std::to_string(shape.number) + "-" + name;
}

std::string stem_of(const UnitJobs& shape, const DeviceJobs& device) { return of_unit(shape, file_name(device.arch)); }

// The bitcode for the wrapper gets a name like the wrapper's own, because linkers may mention it.
std::string product_name(const UnitJobs& shape, const DeviceJobs& device) {
  if (shape.wrap) return name_in_wrapper(kPackageStem, device.arch);
  return stem_of(shape, device) + (device.link ? ".out" : product_ending(device));
}

std::string host_name(const UnitJobs& shape) { return of_unit(shape, kHost) + ending_of(shape.host->emits); }

// The code of a library's archive for one device.
std::string archive_name(const UnitJobs& shape, const DeviceJobs& device, std::size_t at) {
  return stem_of(shape, device) + "-" + std::to_string(at) + "-" + std::string(base_name(device.archives[at].input));
}

std::vector<std::string> archive_names(const UnitJobs& shape, const DeviceJobs& device) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < device.archives.size(); ++at) names.push_back(archive_name(shape, device, at));
  return names;
}

// The output of a job that no other job reads is the user's.
bool is_last(const UnitJobs& shape, StepKind kind) {
  if (shape.is_linked) return false;
  if (kind == StepKind::device) return !shape.bundle;
  if (!shape.bundle || !shape.host) return true;
  return shape.host_is_last == (kind == StepKind::host);
}

StepOutput output_of(const UnitJobs& shape, StepKind kind, const char* role, std::string name,
                     const std::string& path) {
  return {role, std::move(name), is_last(shape, kind) ? path : ""};
}

// Only the code generator writes split debug information and stack usage.
bool is_written(const FrontendJob& job, const SideFile& file) {
  return file.role == Cc1Role::depfile || job.emits == Emits::object || job.emits == Emits::assembly;
}

bool writes(const FrontendJob& job, const SideFile& file) {
  const std::string* path = job.side_file(file.role);
  return path != nullptr && *path == file.path && is_written(job, file);
}

// Adds the files that a compile writes besides its output. If the host writes the same file, a device's copy is not an
// output, unless the host's may be missing. If several devices write it, the user gets the last one's. The copies of
// the others stay outputs, so that a device's key does not depend on later devices.
void add_side_files(Step& step, const UnitJobs& shape, const FrontendJob& job, const std::string& beside) {
  for (const SideFile& file : job.side_files) {
    if (!is_written(job, file)) continue;
    const std::string name = beside + ending_of(file.role);
    if (file.role == Cc1Role::depfile) step.depfile = name;
    const bool may_be_missing = file.role == Cc1Role::stack_usage;
    if (job.is_device && shape.host && writes(*shape.host, file) && !may_be_missing) continue;
    const std::vector<const FrontendJob*> compiles = shape.compiles();
    const auto last =
        std::find_if(compiles.rbegin(), compiles.rend(), [&](const auto* other) { return writes(*other, file); });
    step.outputs.push_back({.role = role_name(file.role),
                            .name = name,
                            .place = *last == &job || may_be_missing ? file.path : "",
                            .beside = true,
                            .may_be_missing = may_be_missing});
  }
}

bool has_depfile(const Step& step) {
  return std::any_of(step.outputs.begin(), step.outputs.end(),
                     [](const StepOutput& output) { return output.role == kDepfile; });
}

// Bitcode packs text into bits; assembly and IR escape it.
bool hides_names(const FrontendJob& job, bool is_linked) {
  const bool is_compressed = job.compresses_debug_information && job.records_paths;
  return job.hashes_names || is_compressed || (job.emits != Emits::object && !is_linked);
}

// Only if the code object is the step's only output.
void add_split_codegen(Step& step, const DeviceJobs& device, const std::string& name, const std::string& object) {
  if (step.outputs.size() != 1) return;
  const std::string bitcode = name + kFrontEnding;
  std::optional<SplitCodegen> split_codegen =
      split_codegen_of(device, {placed(bitcode), object, placed(name), placed(step.outputs.front().name)});
  if (!split_codegen) return;
  std::optional<Step> proof = split_codegen_proof(device);
  if (!proof) return;
  split_codegen->proof = std::make_shared<const Step>(std::move(*proof));
  split_codegen->bitcode = bitcode;
  step.split_codegen = std::move(split_codegen);
}

Step device_step(const UnitJobs& shape, const DeviceJobs& device) {
  const std::string name = stem_of(shape, device);
  const std::string object = placed(device.link ? name + ending_of(device.compile.emits) : product_name(shape, device));
  const bool keeps_depfile = !shape.host;
  Step step;
  step.kind = StepKind::device;
  step.arch = device.arch;
  step.source = device.compile.source;
  step.is_front_end = shape.wrap.has_value();
  step.outputs = {output_of(shape, StepKind::device, kCodeObject, product_name(shape, device), device.product())};
  add_side_files(step, shape, device.compile, name);
  step.commands = {frontend_command(device.compile, {object, placed(name), ""})};
  step.keyed = {frontend_key(device.compile, keeps_depfile ? std::set{Cc1Role::depfile} : std::set<Cc1Role>{})};
  if (device.link) {
    step.inputs = archive_names(shape, device);
    std::vector<std::string> linked = {object}, keyed = {"<object>"};
    for (const std::string& archive : step.inputs) linked.push_back(placed(archive));
    keyed.resize(linked.size(), "<part>");
    step.commands.push_back(link_command(*device.link, linked, placed(product_name(shape, device))));
    step.keyed.push_back(link_command(*device.link, keyed, "<code object>").argv);
  }
  step.hashes_names = hides_names(device.compile, device.link.has_value());
  step.preamble = preamble_of(device.compile, device.arch, name, has_depfile(step));
  if (!shape.wrap && step.inputs.empty()) add_split_codegen(step, device, name, object);
  return step;
}

void add_wrap(Step& step, const LinkerWrapperJob& wrap) {
  step.commands.push_back(linker_wrapper_command(wrap, placed(kPackage), placed(kFatbin)));
  step.keyed.push_back(without_job_count(linker_wrapper_command(wrap, "<package>", "<fatbin>").argv));
  step.starts_others = true;
}

Step bundle_step(const UnitJobs& shape) {
  const BundleJob& bundle = *shape.bundle;
  const bool has_host = bundle.host == BundledHost::with_file;
  const std::string name = is_last(shape, StepKind::bundle) ? "bundle." + bundle.type : of_unit(shape, kFatbin);
  Step step;
  step.kind = StepKind::bundle;
  step.outputs = {output_of(shape, StepKind::bundle, kBundle, name, bundle.output)};
  BundleNames names{{}, has_host ? placed(host_name(shape)) : "", placed(shape.wrap ? kPackage : name)};
  for (const DeviceJobs& device : shape.devices) {
    step.inputs.push_back(product_name(shape, device));
    if (shape.wrap) step.back_ends.push_back(device.arch);
    names.inputs.push_back(placed(step.inputs.back()));
  }
  if (has_host) step.inputs.push_back(host_name(shape));
  step.starts_others = has_host && bundle.type == "o";
  const auto command = bundle.is_package ? package_command : bundle_command;
  step.commands = {command(bundle, names)};
  const std::vector<std::string> unnamed(names.inputs.size(), "<device>");
  step.keyed = {command(bundle, {unnamed, "<host>", "<bundle>"}).argv};
  if (shape.wrap) add_wrap(step, *shape.wrap);
  return step;
}

Step host_step(const UnitJobs& shape) {
  const FrontendJob& host = *shape.host;
  const std::string name = host_name(shape);
  const std::string stem = of_unit(shape, kHost);
  const std::string fatbin = of_unit(shape, kFatbin);
  Step step;
  step.kind = StepKind::host;
  step.source = host.source;
  step.outputs = {output_of(shape, StepKind::host, kObject, name, host.output)};
  add_side_files(step, shape, host, stem);
  if (host.fatbin) step.inputs = {fatbin};
  step.commands = {frontend_command(host, {placed(name), placed(stem), placed(fatbin)})};
  step.hashes_names = hides_names(host, false);
  step.preamble = preamble_of(host, {}, stem, has_depfile(step));
  step.keyed = {frontend_key(host, {Cc1Role::depfile})};
  return step;
}

// The host step with a deferred fatbin: a placeholder is compiled in, and the fatbin replaces it in the object
// afterwards.
Step deferred_host_step(const UnitJobs& shape) {
  Step step = host_step(shape);
  step.outputs.front().fatbin = of_unit(shape, kFatbin);
  step.inputs.clear();
  step.files = {{kPlaceholder, std::string(kPlaceholderFatbin)}};
  step.commands = {
      frontend_command(*shape.host, {placed(host_name(shape)), placed(of_unit(shape, kHost)), placed(kPlaceholder)})};
  step.keyed.front().emplace_back(kPlaceholderFatbin);
  return step;
}

// The step that asks the linker wrapper for its jobs, if there is a wrapper. The images are empty, because the jobs are
// the same for any images. REQUIRES: check_plan() accepted the shape.
std::optional<Step> question_of(const UnitJobs& shape) {
  if (!shape.wrap) return std::nullopt;
  Step step;
  step.kind = StepKind::question;
  const std::vector<std::string> empty(shape.devices.size(), "/dev/null");
  step.commands = {package_command(*shape.bundle, {empty, "", placed(kPackage)}),
                   dry_run_command(*shape.wrap, placed(kPackage), placed(kFatbin))};
  for (const StepCommand& command : step.commands) step.keyed.push_back(command.argv);
  step.prints_temporary_paths = true;
  return step;
}

// With the steps that they read from before them.
std::vector<Step> device_steps(const UnitJobs& shape) {
  std::vector<Step> steps;
  for (const DeviceJobs& device : shape.devices)
    for (std::size_t at = 0; at < device.archives.size(); ++at)
      steps.push_back(unbundle_step(device.archives[at], {archive_name(shape, device, at)}));
  for (const DeviceJobs& device : shape.devices) steps.push_back(device_step(shape, device));
  return steps;
}

// In the driver's order.
std::vector<Step> steps_of(const UnitJobs& shape) {
  std::vector<Step> steps = device_steps(shape);
  if (shape.host && !shape.host_is_last) steps.push_back(host_step(shape));
  if (shape.bundle) steps.push_back(bundle_step(shape));
  if (shape.host && shape.host_is_last) steps.push_back(host_step(shape));
  return steps;
}

std::vector<Step> deferred_steps_of(const UnitJobs& shape) {
  std::vector<Step> steps = device_steps(shape);
  steps.push_back(deferred_host_step(shape));
  steps.push_back(bundle_step(shape));
  return steps;
}

bool may_defer(const UnitJobs& shape) {
  return shape.host && shape.host->fatbin && shape.host_is_last && shape.host->emits == Emits::object;
}

// The steps of each unit, then the link.
template <typename StepsOfUnit>
std::vector<Step> steps_with(const StepsOfUnit& steps_of_unit, const ValidatedPlan& shape) {
  std::vector<Step> steps;
  for (const UnitJobs& unit : shape.units) {
    std::vector<Step> of_unit = steps_of_unit(unit);
    for (Step& step : of_unit)
      if (shape.units.size() > 1) step.unit = unit.compiles().front()->source;
    std::move(of_unit.begin(), of_unit.end(), std::back_inserter(steps));
  }
  if (!shape.link) return steps;
  std::vector<std::string> objects;
  for (const UnitJobs& unit : shape.units) objects.push_back(host_name(unit));
  steps.push_back(host_link_step(*shape.link, objects));
  return steps;
}

// The steps with a deferred fatbin, if a host's object contains a fatbin. Units whose host needs another proof than the
// first one's keep the driver's order. REQUIRES: check_plan() accepted the shape.
std::optional<DeferredFatbin> deferred_fatbin_of(const ValidatedPlan& shape) {
  const auto first = std::find_if(shape.units.begin(), shape.units.end(), may_defer);
  if (first == shape.units.end()) return std::nullopt;
  Step proof = deferred_fatbin_proof(*first->host);
  const auto steps_of_unit = [&](const UnitJobs& unit) {
    return may_defer(unit) && deferred_fatbin_proof(*unit.host).keyed == proof.keyed ? deferred_steps_of(unit)
                                                                                     : steps_of(unit);
  };
  std::vector<Step> steps = steps_with(steps_of_unit, shape);
  return DeferredFatbin{.steps = std::move(steps), .proof = std::move(proof)};
}

Status check_programs(const std::vector<Job>& jobs) {
  for (const Job& job : jobs) {
    if (job[0].find('/') == std::string::npos) return unusual("runs " + job[0] + ", which the compiler has not found");
    for (const std::string& argument : job) {
      if (argument.find(kDirectory) != std::string::npos) return unusual("has an argument that is reserved");
    }
  }
  return done();
}

// Fails if a command still names an intermediate file of the driver: it would point into the probe's directory.
Status check_replaced(const std::vector<Step>& steps, const std::string& directory) {
  for (const Step& step : steps) {
    for (const StepCommand& command : step.commands) {
      for (const std::string& argument : command.argv) {
        if (argument.find(directory + "/") != std::string::npos)
          return unusual("names a temporary file in " + argument);
      }
    }
  }
  return done();
}

// Fails if the driver warns that it ignores the CUID: the user's own command would not print that warning.
Status check_id_used(const std::string& diagnostics, const compiler::Invocation& invocation) {
  const bool ignored = !invocation.driver.user_cuid && diagnostics.find("'-cuid=") != std::string::npos;
  return ignored ? unusual("has no use for the id of the translation unit") : done();
}

std::ptrdiff_t dates_in(const Job& job) { return std::count(job.begin(), job.end(), kSourceDateOption); }

void replace_dates(std::vector<Job>& jobs, std::string_view date) {
  for (Job& job : jobs) {
    const auto option = std::find(job.begin(), job.end(), kSourceDateOption);
    if (dates_in(job) == 1 && std::next(option) != job.end()) *std::next(option) = date;
  }
}

// The driver gives all sources the id that it was given.
Status give_ids(std::vector<Job>& jobs, const SourceIds& ids) {
  if (ids.of_source.empty()) return done();
  for (Job& job : jobs) {
    if (!is_frontend_job(job)) continue;
    const Result<FrontendJob> compile = read_frontend_job(job);
    if (!compile) return compile.error();
    const auto id = ids.of_source.find(compile->source);
    if (id == ids.of_source.end()) return unusual("compiles " + compile->source + " unasked");
    std::replace(job.begin(), job.end(), "-cuid=" + ids.given, "-cuid=" + id->second);
  }
  return done();
}

std::string look_options_of(const ValidatedPlan& shape) {
  std::vector<std::string> lines;
  for (const FrontendJob* compile : shape.compiles()) lines.push_back(look_options_of(*compile));
  if (std::all_of(lines.begin(), lines.end(), [&](const std::string& line) { return line == lines.front(); }))
    lines.resize(std::min<std::size_t>(lines.size(), 1));
  std::string all;
  for (const std::string& line : lines) all += line + '\n';
  return all;
}

std::set<std::vector<std::string>> relocatable_options(const ValidatedPlan& shape) {
  const std::vector<const FrontendJob*> compiles = shape.compiles();
  std::set<std::vector<std::string>> lists;
  if (std::any_of(compiles.begin(), compiles.end(), [](const auto* compile) { return compile->is_relocatable; }))
    for (const FrontendJob* compile : compiles) lists.insert(reading_options(*compile));
  return lists;
}

Result<Plan> read_compile(const std::vector<Job>& jobs, const compiler::Invocation& invocation,
                          const std::string& directory) {
  Result<ValidatedPlan> shape = read_validated_plan(jobs, invocation, directory);
  if (!shape) return shape.error();
  if (Status checked = check_plan(*shape, invocation, directory); !checked) return checked.error();
  return Plan{.steps = steps_with([](const UnitJobs& unit) { return steps_of(unit); }, *shape),
              .driver_stderr = "",
              .deferred_fatbin = deferred_fatbin_of(*shape),
              .question = question_of(shape->units.front()),
              .look_options = look_options_of(*shape),
              .relocatable = relocatable_options(*shape)};
}

Result<Plan> read_link(const std::vector<Job>& jobs, const std::string& fatbin_source,
                       const compiler::Invocation& invocation, const std::string& directory) {
  Result<std::vector<Step>> steps = read_link_steps(jobs, fatbin_source, invocation, directory);
  if (!steps) return steps.error();
  Plan plan{.steps = *std::move(steps), .driver_stderr = ""};
  if (is_wrapped_link(jobs)) plan.question = question_of_link(plan.steps.front());
  return plan;
}

}  // namespace

bool has_messages(std::string_view printed) {
  const Result<PrintedJobs> jobs = read_printed_jobs(printed);
  return !jobs || !jobs->diagnostics.empty();
}

bool names_by_inode(std::string_view printed) {
  const Result<PrintedJobs> jobs = read_printed_jobs(printed);
  return jobs && std::any_of(jobs->jobs.begin(), jobs->jobs.end(), [](const Job& job) {
           const auto is_id = [](const std::string& word) { return word.starts_with("-cuid="); };
           return is_frontend_job(job) && std::find(job.begin(), job.end(), "-fgpu-rdc") != job.end() &&
                  std::none_of(job.begin(), job.end(), is_id);
         });
}

bool may_take_another_date(std::string_view printed) {
  const Result<PrintedJobs> jobs = read_printed_jobs(printed);
  return jobs && std::none_of(jobs->jobs.begin(), jobs->jobs.end(), [](const Job& job) { return dates_in(job) > 1; });
}

Result<Plan> read_plan(std::string printed, const compiler::Invocation& invocation,
                       const std::string& temporary_directory, std::string_view source_date, const SourceIds& ids) {
  std::string directory = temporary_directory;
  while (!directory.empty() && directory.back() == '/') directory.pop_back();
  if (directory.empty() || directory.front() != '/')
    return Error{"the temporary directory " + temporary_directory + " is not absolute"};
  const std::string fatbin_source = invocation.driver.links ? take_fatbin_source(printed) : "";
  Result<PrintedJobs> jobs = read_printed_jobs(printed);
  if (!jobs) return jobs.error();
  if (!source_date.empty()) replace_dates(jobs->jobs, source_date);
  if (Status checked = check_programs(jobs->jobs); !checked) return checked.error();
  if (Status checked = check_id_used(jobs->diagnostics, invocation); !checked) return checked.error();
  if (Status given = give_ids(jobs->jobs, ids); !given) return given.error();
  Result<Plan> plan = invocation.driver.links ? read_link(jobs->jobs, fatbin_source, invocation, directory)
                                              : read_compile(jobs->jobs, invocation, directory);
  if (!plan) return plan.error();
  plan->driver_stderr = std::move(jobs->diagnostics);
  if (Status checked = check_replaced(plan->steps, directory); !checked) return checked.error();
  return plan;
}

}  // namespace hipcache::hip
