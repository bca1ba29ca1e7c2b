#include "compiler/hip/jobs/plan_validator.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/hip/jobs/bundle_jobs.h"
#include "hipcache/base/files.h"
#include "hipcache/base/result.h"

namespace hipcache::hip {
namespace {

using compiler::Cc1Role;

Error unusual(const std::string& what) { return Error{"the compiler's plan " + what}; }

// Follows the intermediate files from job to job, in the driver's order. Each is made once, in the temporary directory,
// and read once, by a later job.
class FileFlow {
 public:
  // `directory`: the driver's temporary directory, absolute, without a trailing slash.
  explicit FileFlow(std::string directory) : directory_(std::move(directory)) {}

  Status write(const std::string& path);
  Status read(const std::string& path);

  // REQUIRES: all jobs were passed in. Error: no job reads a file that was made.
  Status finish() const;

  // The files written elsewhere, in order: the user's outputs.
  const std::vector<std::string>& users() const { return users_; }

 private:
  // Whether the path is an intermediate file that the driver named.
  bool is_intermediate(const std::string& path) const;

  std::string directory_;
  std::set<std::string> made_;
  std::set<std::string> unread_;
  std::vector<std::string> users_;
};

Status FileFlow::write(const std::string& path) {
  if (is_intermediate(path)) {
    if (!made_.insert(path).second) return unusual("makes " + path + " twice");
    unread_.insert(path);
    return done();
  }
  if (std::find(users_.begin(), users_.end(), path) != users_.end()) return unusual("writes " + path + " twice");
  users_.push_back(path);
  return done();
}

Status FileFlow::read(const std::string& path) {
  return unread_.erase(path) == 1 ? done() : unusual("reads " + path + ", which no job has made for it");
}

Status FileFlow::finish() const {
  return unread_.empty() ? done() : unusual("makes " + *unread_.begin() + " for nobody");
}

bool FileFlow::is_intermediate(const std::string& path) const {
  return path.size() > directory_.size() + 1 && is_within(path, directory_) && path.find("/../") == std::string::npos &&
         !path.ends_with("/..");
}

// Sorts the jobs one by one.
class ShapeReader {
 public:
  ShapeReader(bool then_links, const std::string& directory) : then_links_(then_links), directory_(directory) {
    unit_.is_linked = then_links;
  }

  Status take(const Job& job) {
    if (plan_.link) return unusual("goes on after its link");
    if (then_links_ && after_device_ && is_unbundle_job(job)) return take_archive(job);
    const bool after_device = std::exchange(after_device_, false);
    if (is_frontend_job(job)) return take_compile(job);
    if (then_links_ && is_complete()) return take_host_link(job);
    if (is_link_job(job) && after_device) return take_link(job);
    if (is_bundle_job(job) && !unit_.bundle) return take_bundle(read_bundle_job(job));
    if (is_package_job(job) && !unit_.bundle) return take_bundle(read_package_job(job));
    if (is_linker_wrapper_job(job) && may_wrap()) return take_wrap(job);
    return unusual("has a job in an unknown place, of " + job[0]);
  }

  // `asked_for` names the devices if there is no bundle.
  Result<ValidatedPlan> finish(const std::vector<compiler::ArchId>& asked_for) {
    if (then_links_ && !plan_.link) return unusual("links nothing");
    plan_.units.push_back(std::move(unit_));
    for (UnitJobs& unit : plan_.units)
      if (Status finished = finish(unit, asked_for); !finished) return finished.error();
    return std::move(plan_);
  }

 private:
  static Status finish(UnitJobs& unit, const std::vector<compiler::ArchId>& asked_for) {
    if (unit.devices.empty()) return !unit.host || unit.bundle ? unusual("compiles for no device") : done();
    std::vector<compiler::ArchId> archs = unit.bundle ? unit.bundle->archs : asked_for;
    // No arch was asked for: the compiler chose its default.
    if (archs.empty() && unit.devices.size() == 1) archs.push_back({unit.devices[0].compile.target_cpu});
    if (unit.wrap && !unit.host) return unusual("wraps code for no host");
    if (archs.size() != unit.devices.size()) return unusual("has more or fewer devices than targets");
    for (std::size_t i = 0; i < archs.size(); ++i) unit.devices[i].arch = archs[i];
    return done();
  }

  // Whether the unit has all that a linker needs of it.
  bool is_complete() const { return unit_.host && (unit_.bundle || unit_.devices.empty()); }

  Status take_compile(const Job& job) {
    Result<FrontendJob> compile = read_frontend_job(job);
    if (!compile) return compile.error();
    if (then_links_ && is_complete() && compile->source != unit_.host->source) begin_unit();
    if (unit_.host || (compile->is_device && unit_.bundle)) return unusual("has a compile after the host's");
    after_device_ = compile->is_device;
    if (compile->is_device) {
      unit_.devices.push_back({{}, *std::move(compile), {}});
    } else {
      unit_.host = *std::move(compile);
      unit_.host_is_last = unit_.bundle.has_value();
    }
    return done();
  }

  void begin_unit() {
    plan_.units.push_back(std::exchange(unit_, {}));
    unit_.is_linked = true;
    unit_.number = plan_.units.size();
  }

  Status take_link(const Job& job) {
    Result<LinkJob> link = read_link_job(job);
    if (!link) return link.error();
    unit_.devices.back().link = *std::move(link);
    return done();
  }

  Status take_archive(const Job& job) {
    Result<UnbundleJob> archive = read_unbundle_job(job);
    if (!archive) return archive.error();
    if (archive->outputs.size() != 1) return unusual("takes more than one device's code from " + archive->input);
    unit_.devices.back().archives.push_back(*std::move(archive));
    return done();
  }

  Status take_host_link(const Job& job) {
    Result<HostLinkJob> link = read_host_link_job(job, directory_, is_wrapper_option);
    if (!link) return link.error();
    plan_.link = *std::move(link);
    return done();
  }

  Status take_bundle(const Result<BundleJob>& bundle) {
    if (!bundle) return bundle.error();
    unit_.bundle = *bundle;
    return done();
  }

  bool may_wrap() const { return unit_.bundle && unit_.bundle->is_package && !unit_.host && !unit_.wrap; }

  Status take_wrap(const Job& job) {
    Result<LinkerWrapperJob> wrap = read_linker_wrapper_job(job);
    if (!wrap) return wrap.error();
    unit_.wrap = *std::move(wrap);
    return done();
  }

  bool then_links_;
  const std::string& directory_;
  ValidatedPlan plan_;
  UnitJobs unit_;  // the one that is being read
  bool after_device_ = false;
};

Status check_source(const FrontendJob& job, const std::string& source, const compiler::Invocation& invocation) {
  if (job.source != source) return unusual("compiles " + job.source + " instead of " + source);
  if (!job.main_file.empty() && job.main_file != base_name(source)) {
    return unusual("has the main file " + job.main_file + " instead of " + source);
  }
  const std::string* depfile = job.side_file(Cc1Role::depfile);
  if (depfile != nullptr && *depfile != invocation.depfile)
    return unusual("writes the depfile " + *depfile + " unasked");
  return done();
}

bool is_for(const FrontendJob& job, const compiler::ArchId& arch) {
  return job.target_cpu == arch.name.substr(0, arch.name.find(':'));
}

Status check_device(const DeviceJobs& device) {
  if (device.compile.fatbin) return unusual("compiles the host in place of " + device.arch.name);
  if (!is_for(device.compile, device.arch))
    return unusual("compiles " + device.compile.target_cpu + " in place of " + device.arch.name);
  return done();
}

// The side files of a unit, by their paths.
using SideFiles = std::map<std::string, Cc1Role>;

// Each side file has a name of its own, except that all compiles of a source may write the same one in turn. `others`:
// the names that are sources or the object.
Result<SideFiles> side_files_of(const UnitJobs& unit, const std::vector<std::string>& others) {
  SideFiles roles;
  for (const FrontendJob* job : unit.compiles()) {
    for (const SideFile& file : job->side_files) {
      const bool is_other = std::find(others.begin(), others.end(), file.path) != others.end();
      if (is_other || roles.emplace(file.path, file.role).first->second != file.role)
        return unusual("writes " + file.path + " as two things");
    }
  }
  return roles;
}

std::vector<std::string> sources_of(const compiler::Invocation& invocation) {
  std::vector<std::string> sources = {invocation.source};
  sources.insert(sources.end(), invocation.other_sources.begin(), invocation.other_sources.end());
  return sources;
}

// The units are those of the command's sources, in its order, and no two write the same file.
Status check_units(const ValidatedPlan& shape, const compiler::Invocation& invocation) {
  const std::vector<std::string> sources = sources_of(invocation);
  if (shape.units.size() != sources.size()) return unusual("compiles more or fewer sources than were given");
  std::vector<std::string> others = sources;
  others.push_back(invocation.object);
  SideFiles written;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const UnitJobs& unit = shape.units[i];
    for (const FrontendJob* job : unit.compiles()) {
      if (Status same = check_source(*job, sources[i], invocation); !same) return same;
      if (job->is_relocatable && sources.size() > 1) return unusual("makes relocatable code of several sources");
    }
    if (unit.wrap && sources.size() > 1) return unusual("wraps the code of several sources");
    Result<SideFiles> files = side_files_of(unit, others);
    if (!files) return files.error();
    written.merge(*files);
    if (!files->empty()) return unusual("writes " + files->begin()->first + " for two sources");
  }
  return done();
}

Status check_compiles(const UnitJobs& shape, const compiler::Invocation& invocation) {
  for (const DeviceJobs& device : shape.devices)
    if (Status checked = check_device(device); !checked) return checked;
  // The last compile's depfile is the one that remains.
  if (invocation.depfile && shape.compiles().back()->side_file(Cc1Role::depfile) == nullptr)
    return unusual("does not write the depfile that was asked for");
  return done();
}

// A driver that ignores -cuid= derives an id that depends on the list of archs. It also prints a warning that the
// user's own command would not print. In a compile for the host only, it uses no id and prints no warning.
Status check_cuid(const UnitJobs& shape, const compiler::Invocation& invocation) {
  const std::vector<const FrontendJob*> compiles = shape.compiles();
  const std::string& cuid = compiles.front()->cuid;
  const bool same = std::all_of(compiles.begin(), compiles.end(), [&](const auto* job) { return job->cuid == cuid; });
  if (!same || (cuid.empty() && !invocation.driver.user_cuid && !shape.devices.empty()))
    return unusual("does not have one id of the translation unit throughout");
  if (cuid.empty() && compiles.front()->is_relocatable)
    return unusual("has relocatable code that is named by the source's inode");
  return done();
}

Status follow_devices(FileFlow& flow, const UnitJobs& shape) {
  for (const DeviceJobs& device : shape.devices) {
    if (Status written = flow.write(device.compile.output); !written) return written;
    for (const UnbundleJob& archive : device.archives)
      if (Status written = flow.write(archive.outputs[0]); !written) return written;
    if (!device.link) continue;
    if (device.link->inputs.size() != 1 + device.archives.size()) return unusual("has a device link of several inputs");
    if (device.link->job[device.link->inputs[0]] != device.compile.output)
      return unusual("does not link the object of " + device.arch.name);
    if (device.link->dwo_directory != 0 && device.compile.emits != Emits::object)
      return unusual("splits the debug information of " + device.arch.name + " at link time");
    for (const std::size_t input : device.link->inputs)
      if (Status read = flow.read(device.link->job[input]); !read) return read;
    if (Status written = flow.write(device.product()); !written) return written;
  }
  return done();
}

Status follow_bundle(FileFlow& flow, const UnitJobs& shape) {
  const BundleJob& bundle = *shape.bundle;
  for (std::size_t i = 0; i < bundle.inputs.size(); ++i) {
    if (bundle.inputs[i] != shape.devices[i].product())
      return unusual("does not bundle the code of " + bundle.archs[i].name);
    if (Status read = flow.read(bundle.inputs[i]); !read) return read;
  }
  if (bundle.host == BundledHost::with_file) {
    if (!shape.host || shape.host->output != bundle.host_input) return unusual("does not bundle the host's object");
    if (Status read = flow.read(bundle.host_input); !read) return read;
  }
  if (Status written = flow.write(bundle.output); !written || !shape.wrap) return written;
  if (shape.wrap->job[shape.wrap->input] != bundle.output) return unusual("does not wrap what it packages");
  if (Status read = flow.read(bundle.output); !read) return read;
  return flow.write(shape.fatbin());
}

Status follow_host(FileFlow& flow, const UnitJobs& shape) {
  if (shape.host->fatbin) {
    if (!shape.bundle || *shape.host->fatbin != shape.fatbin())
      return unusual("does not include the fatbin into the host's object");
    if (Status read = flow.read(*shape.host->fatbin); !read) return read;
  }
  return flow.write(shape.host->output);
}

// REQUIRES: the plan has a link.
Status follow_link(FileFlow& flow, const ValidatedPlan& shape) {
  const HostLinkJob& link = *shape.link;
  if (!link.unknown_option.empty()) return unusual("links with " + link.unknown_option);
  if (link.inputs.size() != shape.units.size()) return unusual("links something else than the host's objects");
  for (std::size_t i = 0; i < shape.units.size(); ++i) {
    const FrontendJob& host = *shape.units[i].host;
    if (host.emits != Emits::object) return unusual("has the linker make the host's code");
    if (host.output != link.job[link.inputs[i]]) return unusual("does not link the objects in their order");
    if (Status read = flow.read(host.output); !read) return read;
  }
  return flow.write(link.job[link.output]);
}

// For "src/a.hip": "a-hip-amdgcn-amd-amdhsa-gfx906.s", "a.hip-hip-amdgcn-amd-amdhsa.hipfb".
bool is_named_after(const std::string& path, const std::string& source) {
  const std::string_view name = base_name(source);
  const std::string_view stem = name.substr(0, name.rfind('.'));
  return path.find('/') == std::string::npos && path.size() > stem.size() && path.starts_with(stem) &&
         (path[stem.size()] == '-' || path[stem.size()] == '.') && path != name;
}

Status check_users_files(const FileFlow& flow, const compiler::Invocation& invocation) {
  if (invocation.driver.names_outputs) {
    for (const std::string& path : flow.users())
      if (!is_named_after(path, invocation.source)) return unusual("writes " + path + " unasked");
    return flow.users().empty() ? unusual("writes nothing") : done();
  }
  for (const std::string& path : flow.users())
    if (path != invocation.object) return unusual("writes " + path + " instead of " + invocation.object);
  return flow.users().size() == 1 ? done() : unusual("does not write " + invocation.object);
}

Status follow_unit(FileFlow& flow, const UnitJobs& shape) {
  if (Status followed = follow_devices(flow, shape); !followed) return followed;
  if (shape.host && !shape.host_is_last)
    if (Status followed = follow_host(flow, shape); !followed) return followed;
  if (shape.bundle)
    if (Status followed = follow_bundle(flow, shape); !followed) return followed;
  return shape.host && shape.host_is_last ? follow_host(flow, shape) : done();
}

Status check_flow(const ValidatedPlan& shape, const compiler::Invocation& invocation, const std::string& directory) {
  FileFlow flow(directory);
  for (const UnitJobs& unit : shape.units)
    if (Status followed = follow_unit(flow, unit); !followed) return followed;
  if (shape.link)
    if (Status followed = follow_link(flow, shape); !followed) return followed;
  if (Status finished = flow.finish(); !finished) return finished;
  return check_users_files(flow, invocation);
}

}  // namespace

std::vector<const FrontendJob*> UnitJobs::compiles() const {
  std::vector<const FrontendJob*> all;
  for (const DeviceJobs& device : devices) all.push_back(&device.compile);
  if (host) all.push_back(&*host);
  return all;
}

std::vector<const FrontendJob*> ValidatedPlan::compiles() const {
  std::vector<const FrontendJob*> all;
  for (const UnitJobs& unit : units)
    for (const FrontendJob* compile : unit.compiles()) all.push_back(compile);
  return all;
}

Result<ValidatedPlan> read_validated_plan(const std::vector<Job>& jobs, const compiler::Invocation& invocation,
                                          const std::string& directory) {
  ShapeReader reader(invocation.driver.then_links, directory);
  for (const Job& job : jobs)
    if (Status taken = reader.take(job); !taken) return taken.error();
  return reader.finish(invocation.archs);
}

Status check_plan(const ValidatedPlan& shape, const compiler::Invocation& invocation, const std::string& directory) {
  if (Status checked = check_units(shape, invocation); !checked) return checked;
  for (const UnitJobs& unit : shape.units) {
    if (Status checked = check_compiles(unit, invocation); !checked) return checked;
    if (Status checked = check_cuid(unit, invocation); !checked) return checked;
  }
  return check_flow(shape, invocation, directory);
}

}  // namespace hipcache::hip
