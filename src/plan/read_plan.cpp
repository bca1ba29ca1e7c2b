#include <algorithm>
#include <string_view>
#include <utility>

#include "hipcache/base/files.h"
#include "hipcache/plan/plan.h"
#include "plan/bundle_job.h"
#include "plan/device_job.h"
#include "plan/frontend_job.h"
#include "plan/printed_jobs.h"

namespace hipcache::plan {
namespace {

constexpr const char* kFatbinName = "fatbin.hipfb";
constexpr const char* kHostName = "host.o";
constexpr const char* kHostDepfileName = "host.d";

Error unusual(const std::string& what) { return Error{"the compiler's plan " + what}; }

std::string placed(const std::string& name) { return std::string(kDirectory) + "/" + name; }

std::string file_name(const command::ArchId& arch) {
  std::string name = arch.name;
  std::replace(name.begin(), name.end(), ':', '.');
  return name;
}

// The jobs of a plan of the known shape, apart.
struct DeviceJobs {
  FrontendJob compile;
  LinkJob link;
};

struct Shape {
  std::vector<DeviceJobs> devices;
  BundleJob bundle;
  FrontendJob host;
};

Result<DeviceJobs> read_device(const Job& compile, const Job& link) {
  if (!is_frontend_job(compile) || !is_link_job(link))
    return unusual("has a device that is not compiled and then linked");
  Result<FrontendJob> frontend = read_frontend_job(compile);
  if (!frontend) return frontend.error();
  Result<LinkJob> lld = read_link_job(link);
  if (!lld) return lld.error();
  return DeviceJobs{*std::move(frontend), *std::move(lld)};
}

// cc1, lld, cc1, lld, ..., bundler, cc1.
Result<Shape> read_shape(const std::vector<Job>& jobs) {
  if (jobs.size() < 4 || jobs.size() % 2 != 0) return unusual("has " + std::to_string(jobs.size()) + " jobs");
  const Job& bundle_job = jobs[jobs.size() - 2];
  const Job& host_job = jobs.back();
  if (!is_bundle_job(bundle_job) || !is_frontend_job(host_job))
    return unusual("does not end with bundler and host compile");
  Result<BundleJob> bundle = read_bundle_job(bundle_job);
  if (!bundle) return bundle.error();
  Result<FrontendJob> host = read_frontend_job(host_job);
  if (!host) return host.error();
  Shape shape{{}, *std::move(bundle), *std::move(host)};
  for (std::size_t i = 0; i + 2 < jobs.size(); i += 2) {
    Result<DeviceJobs> device = read_device(jobs[i], jobs[i + 1]);
    if (!device) return device.error();
    shape.devices.push_back(*std::move(device));
  }
  return shape;
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

// Whether the driver made the name up for its own use: below the temporary directory, and nowhere else.
bool is_passage(std::string_view path, std::string_view directory) {
  return path.size() > directory.size() + 1 && is_within(path, directory) &&
         path.find("/../") == std::string_view::npos && !path.ends_with("/..");
}

// What every compile of the plan has in common.
Status check_source(const FrontendJob& job, const command::Invocation& invocation) {
  if (job.source != invocation.source) return unusual("compiles " + job.source + " instead of " + invocation.source);
  if (!job.main_file.empty() && job.main_file != base_name(invocation.source)) {
    return unusual("has the main file " + job.main_file + " instead of " + invocation.source);
  }
  if (job.depfile && job.depfile != invocation.depfile)
    return unusual("writes the depfile " + *job.depfile + " unasked");
  return done();
}

bool is_for(const FrontendJob& job, const command::ArchId& arch) {
  return job.target_cpu == arch.name.substr(0, arch.name.find(':'));
}

// Each file of passage is made by one job and read by the next.
Status check_device(const DeviceJobs& device, const command::ArchId& arch, const std::string& linked,
                    const command::Invocation& invocation, const std::string& directory) {
  if (Status same = check_source(device.compile, invocation); !same) return same;
  if (!device.compile.is_device || device.compile.fatbin) return unusual("compiles the host in place of " + arch.name);
  if (!is_for(device.compile, arch))
    return unusual("compiles " + device.compile.target_cpu + " in place of " + arch.name);
  const std::string& object = device.compile.output;
  const std::string& output = device.link.job[device.link.output];
  if (device.link.job[device.link.input] != object) return unusual("does not link the object of " + arch.name);
  if (output != linked) return unusual("does not bundle the code object of " + arch.name);
  if (!is_passage(object, directory) || !is_passage(output, directory) || object == output) {
    return unusual("writes files of " + arch.name + " outside of the temporary directory");
  }
  return done();
}

Status check_host(const Shape& shape, const command::Invocation& invocation, const std::string& directory) {
  if (Status same = check_source(shape.host, invocation); !same) return same;
  if (shape.host.is_device) return unusual("has no host compile");
  if (shape.host.fatbin != shape.bundle.output) return unusual("does not include the fatbin into the host's object");
  if (!is_passage(shape.bundle.output, directory))
    return unusual("writes the fatbin outside of the temporary directory");
  if (shape.host.output != invocation.object) {
    return unusual("writes " + shape.host.output + " instead of " + invocation.object);
  }
  if (shape.host.depfile != invocation.depfile) return unusual("does not write the depfile that was asked for");
  return done();
}

// A driver that ignores -cuid= says so in a warning that the user's own command does not give, and takes an id that the
// arch list is part of.
Status check_cuid(const Shape& shape, const command::Invocation& invocation) {
  const std::string& cuid = shape.host.cuid;
  bool same = invocation.user_cuid || !cuid.empty();
  for (const DeviceJobs& device : shape.devices) same = same && device.compile.cuid == cuid;
  return same ? done() : unusual("does not have one id of the translation unit throughout");
}

Status check_shape(const Shape& shape, const command::Invocation& invocation, const std::string& directory) {
  if (shape.devices.size() != shape.bundle.archs.size()) return unusual("has more or fewer devices than targets");
  for (std::size_t i = 0; i < shape.devices.size(); ++i) {
    Status checked =
        check_device(shape.devices[i], shape.bundle.archs[i], shape.bundle.inputs[i], invocation, directory);
    if (!checked) return checked;
  }
  if (Status checked = check_cuid(shape, invocation); !checked) return checked;
  return check_host(shape, invocation, directory);
}

Step device_step(const DeviceJobs& device, const command::ArchId& arch) {
  const std::string name = file_name(arch);
  Step step;
  step.kind = StepKind::device;
  step.arch = arch;
  step.outputs = {{"code-object", name + ".out", ""}};
  if (device.compile.depfile) step.depfile = name + ".d";
  const std::string object = placed(name + ".o");
  step.commands = {frontend_command(device.compile, {object, placed(step.depfile), ""}),
                   link_command(device.link, object, placed(step.outputs[0].name))};
  step.hashes_names = device.compile.hashes_names;
  step.keyed = {frontend_key(device.compile), link_command(device.link, "<object>", "<code object>").argv};
  return step;
}

Step bundle_step(const BundleJob& bundle) {
  Step step;
  step.kind = StepKind::bundle;
  step.outputs = {{"fatbin", kFatbinName, ""}};
  std::vector<std::string> inputs;
  for (const command::ArchId& arch : bundle.archs) {
    step.inputs.push_back(file_name(arch) + ".out");
    inputs.push_back(placed(step.inputs.back()));
  }
  step.commands = {bundle_command(bundle, inputs, placed(kFatbinName))};
  const std::vector<std::string> unnamed(inputs.size(), "<code object>");
  step.keyed = {bundle_command(bundle, unnamed, "<fatbin>").argv};
  return step;
}

Step host_step(const FrontendJob& host) {
  Step step;
  step.kind = StepKind::host;
  step.outputs = {{kObject, kHostName, host.output}};
  if (host.depfile) {
    step.depfile = kHostDepfileName;
    step.outputs.push_back({kDepfile, kHostDepfileName, *host.depfile});
  }
  step.inputs = {kFatbinName};
  step.commands = {frontend_command(host, {placed(kHostName), placed(step.depfile), placed(kFatbinName)})};
  step.hashes_names = host.hashes_names;
  step.keyed = {frontend_key(host)};
  return step;
}

// A name of passage in a place where none is known would be left to point into the probe's directory.
Status check_replaced(const Plan& plan, const std::string& directory) {
  for (const Step& step : plan.steps) {
    for (const StepCommand& command : step.commands) {
      for (const std::string& argument : command.argv) {
        if (argument.find(directory + "/") != std::string::npos)
          return unusual("names a temporary file in " + argument);
      }
    }
  }
  return done();
}

}  // namespace

Result<Plan> read_plan(const std::string& printed, const command::Invocation& invocation,
                       const std::string& temporary_directory) {
  std::string directory = temporary_directory;
  while (!directory.empty() && directory.back() == '/') directory.pop_back();
  if (directory.empty() || directory.front() != '/')
    return Error{"the temporary directory " + temporary_directory + " is not absolute"};
  Result<PrintedJobs> jobs = read_printed_jobs(printed);
  if (!jobs) return jobs.error();
  if (Status checked = check_programs(jobs->jobs); !checked) return checked.error();
  Result<Shape> shape = read_shape(jobs->jobs);
  if (!shape) return shape.error();
  if (Status checked = check_shape(*shape, invocation, directory); !checked) return checked.error();

  Plan plan;
  plan.driver_stderr = std::move(jobs->diagnostics);
  for (std::size_t i = 0; i < shape->devices.size(); ++i) {
    plan.steps.push_back(device_step(shape->devices[i], shape->bundle.archs[i]));
  }
  plan.steps.push_back(bundle_step(shape->bundle));
  plan.steps.push_back(host_step(shape->host));
  if (Status checked = check_replaced(plan, directory); !checked) return checked.error();
  return plan;
}

}  // namespace hipcache::plan
