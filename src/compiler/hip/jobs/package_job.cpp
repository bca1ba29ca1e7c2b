#include "compiler/hip/jobs/package_job.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace hipcache::hip {
namespace {

constexpr std::size_t kOutput = 2;  // the program, "-o", the output, the images
constexpr std::size_t kFirstImage = 3;
constexpr std::string_view kFile = "--image=file=";
constexpr std::string_view kArch = ",triple=amdgcn-amd-amdhsa,arch=";
constexpr std::string_view kKind = ",kind=hip";
constexpr std::string_view kFeature = ",feature=";

Error unusual(const std::string& what) { return Error{"the compiler's plan has a package job " + what}; }

// An image is "--image=file=F,triple=amdgcn-amd-amdhsa,arch=gfx90a:xnack+,kind=hip,feature=+xnack". The packager opens
// only the file; it copies the other values into its output as text.
Status take_image(BundleJob& result, std::string_view argument) {
  const auto arch = argument.find(kArch);
  const auto kind = argument.find(kKind);
  if (!argument.starts_with(kFile) || arch == std::string_view::npos || kind == std::string_view::npos || kind < arch)
    return unusual("with the argument " + std::string(argument));
  const std::string_view file = argument.substr(kFile.size(), arch - kFile.size());
  const std::string_view features = argument.substr(kind + kKind.size());
  if (file.empty() || file.find(',') != std::string_view::npos ||
      !(features.empty() || (features.starts_with(kFeature) && features.find("file=") == std::string_view::npos)))
    return unusual("with the argument " + std::string(argument));
  const compiler::ArchId id{std::string(argument.substr(arch + kArch.size(), kind - arch - kArch.size()))};
  if (!is_arch_name(id.name)) return unusual("for the arch " + id.name);
  if (std::find(result.archs.begin(), result.archs.end(), id) != result.archs.end())
    return unusual("with the arch " + id.name + " twice");
  result.archs.push_back(id);
  result.inputs.emplace_back(file);
  return done();
}

std::string image_of(std::string_view argument, const std::string& input) {
  return std::string(kFile) + input + std::string(argument.substr(argument.find(kArch)));
}

}  // namespace

bool is_package_job(const Job& job) {
  return job.size() > kFirstImage && job[1] == "-o" && job[kFirstImage].starts_with("--image=");
}

Result<BundleJob> read_package_job(const Job& job) {
  BundleJob result;
  result.job = job;
  result.is_package = true;
  result.output = job[kOutput];
  for (std::size_t i = kFirstImage; i < job.size(); ++i)
    if (Status taken = take_image(result, job[i]); !taken) return taken.error();
  return result;
}

StepCommand package_command(const BundleJob& job, const BundleNames& names) {
  std::vector<std::string> argv = job.job;
  argv[kOutput] = names.output;
  for (std::size_t i = 0; i < names.inputs.size(); ++i)
    argv[kFirstImage + i] = image_of(argv[kFirstImage + i], names.inputs[i]);
  return {job.job[0], std::move(argv)};
}

}  // namespace hipcache::hip
