#include "plan/steps.h"

#include <algorithm>
#include <set>
#include <string>

namespace hipcache::plan {
namespace {

using command::Cc1Role;

constexpr const char* kHost = "host";
constexpr const char* kFatbin = "fatbin.hipfb";
constexpr const char* kCodeObjectRole = "code-object";
constexpr const char* kFatbinRole = "fatbin";

std::string placed(const std::string& name) { return std::string(kDirectory) + "/" + name; }

std::string file_name(const command::ArchId& arch) {
  std::string name = arch.name;
  std::replace(name.begin(), name.end(), ':', '.');
  return name;
}

std::string product_name(const DeviceJobs& device) {
  return file_name(device.arch) + (device.link ? ".out" : ending_of(device.compile.emits));
}

std::string host_name(const FrontendJob& host) { return std::string(kHost) + ending_of(host.emits); }

// What is not read by another job is the user's.
bool is_last(const Shape& shape, StepKind kind) {
  if (kind == StepKind::device) return !shape.bundle;
  if (!shape.bundle || !shape.host) return true;
  return shape.host_is_last == (kind == StepKind::host);
}

StepOutput output_of(const Shape& shape, StepKind kind, const char* role, std::string name, const std::string& path) {
  const bool is_users = is_last(shape, kind);
  return {is_users ? kObject : role, std::move(name), is_users ? path : ""};
}

// What a compile writes into the directory besides its output. `stays`: nobody writes the same file later.
void add_side_files(Step& step, const FrontendJob& job, const std::string& beside, bool is_output, bool stays) {
  const std::string* depfile = job.side_file(Cc1Role::depfile);
  if (depfile == nullptr) return;
  step.depfile = beside + ending_of(Cc1Role::depfile);
  if (is_output) step.outputs.push_back({role_name(Cc1Role::depfile), step.depfile, stays ? *depfile : ""});
}

// Bitcode packs its text by bits, assembly and IR escape it.
bool hides_names(const FrontendJob& job, bool is_linked) {
  return job.hashes_names || (job.emits != Emits::object && !is_linked);
}

// Without a host, the last device's depfile is the user's. The others' are outputs all the same, so that a device's key
// does not depend on whether others come after it.
Step device_step(const Shape& shape, const DeviceJobs& device) {
  const std::string name = file_name(device.arch);
  const std::string object = placed(name + ending_of(device.compile.emits));
  const bool keeps_depfile = !shape.host;
  Step step;
  step.kind = StepKind::device;
  step.arch = device.arch;
  step.outputs = {output_of(shape, StepKind::device, kCodeObjectRole, product_name(device), device.product())};
  add_side_files(step, device.compile, name, keeps_depfile, &device == &shape.devices.back());
  step.commands = {frontend_command(device.compile, {object, placed(name), ""})};
  step.keyed = {frontend_key(device.compile, keeps_depfile ? std::set{Cc1Role::depfile} : std::set<Cc1Role>{})};
  if (device.link) {
    step.commands.push_back(link_command(*device.link, {object}, placed(product_name(device))));
    step.keyed.push_back(link_command(*device.link, {"<object>"}, "<code object>").argv);
  }
  step.hashes_names = hides_names(device.compile, device.link.has_value());
  return step;
}

Step bundle_step(const Shape& shape) {
  const BundleJob& bundle = *shape.bundle;
  const bool has_host = bundle.host == BundledHost::with_file;
  const std::string name = is_last(shape, StepKind::bundle) ? "bundle." + bundle.type : kFatbin;
  Step step;
  step.kind = StepKind::bundle;
  step.outputs = {output_of(shape, StepKind::bundle, kFatbinRole, name, bundle.output)};
  BundleNames names{{}, has_host ? placed(host_name(*shape.host)) : "", placed(name)};
  for (const DeviceJobs& device : shape.devices) {
    step.inputs.push_back(product_name(device));
    names.inputs.push_back(placed(step.inputs.back()));
  }
  if (has_host) step.inputs.push_back(host_name(*shape.host));
  step.starts_others = has_host && bundle.type == "o";
  step.commands = {bundle_command(bundle, names)};
  const std::vector<std::string> unnamed(names.inputs.size(), "<device>");
  step.keyed = {bundle_command(bundle, {unnamed, "<host>", "<bundle>"}).argv};
  return step;
}

Step host_step(const Shape& shape) {
  const FrontendJob& host = *shape.host;
  const std::string name = host_name(host);
  Step step;
  step.kind = StepKind::host;
  step.outputs = {output_of(shape, StepKind::host, "host-object", name, host.output)};
  add_side_files(step, host, kHost, true, true);
  if (host.fatbin) step.inputs = {kFatbin};
  step.commands = {frontend_command(host, {placed(name), placed(kHost), placed(kFatbin)})};
  step.hashes_names = hides_names(host, false);
  step.keyed = {frontend_key(host, {Cc1Role::depfile})};
  return step;
}

}  // namespace

std::vector<Step> steps_of(const Shape& shape) {
  std::vector<Step> steps;
  for (const DeviceJobs& device : shape.devices) steps.push_back(device_step(shape, device));
  if (shape.host && !shape.host_is_last) steps.push_back(host_step(shape));
  if (shape.bundle) steps.push_back(bundle_step(shape));
  if (shape.host && shape.host_is_last) steps.push_back(host_step(shape));
  return steps;
}

}  // namespace hipcache::plan
