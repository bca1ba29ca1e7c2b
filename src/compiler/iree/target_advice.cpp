#include "compiler/iree/target_advice.h"

#include <algorithm>
#include <string_view>

#include "compiler/iree/iree_options.h"

namespace hipcache::compiler {
namespace {

// What the arguments say of targets.
struct Targets {
  bool has_device = false;    // any device or back end is named
  std::string gpu;            // the first device that needs a GPU named: "hip", "amdgpu", "rocm"
  bool has_local = false;     // the device "local" is named
  bool has_backends = false;  // for the device "local"
  bool has_gpu_name = false;
  bool stops_early = false;  // before or without making executables
};

// "local" of "local", "a=local" and "local[0]".
std::string_view device_in(std::string_view value) {
  value = value.substr(0, value.find('['));
  const auto equals = value.rfind('=');
  return equals == std::string_view::npos ? value : value.substr(equals + 1);
}

void take_device(std::string_view device, Targets& targets) {
  targets.has_device = true;
  targets.has_local = targets.has_local || device == "local";
  if (targets.gpu.empty() && (device == "hip" || device == "amdgpu" || device == "rocm")) targets.gpu = device;
}

void take(std::string_view name, std::string_view value, Targets& targets) {
  if (name == "iree-hal-target-device") {
    take_device(device_in(value), targets);
  } else if (name == "iree-hal-target-backends") {
    targets.has_backends = true;
    take_device(value, targets);
  } else if (name == "iree-hal-local-target-device-backends") {
    targets.has_backends = true;
  } else if (name == "iree-hip-target" || name == "iree-rocm-target" || name == "iree-rocm-target-chip") {
    targets.has_gpu_name = true;
  } else if (name == "compile-to" || name == "compile-mode" || name == "compile-from") {
    targets.stops_early = true;
  }
}

Targets targets_of(const std::vector<std::string>& arguments) {
  Targets targets;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const IreeOption option = iree_option(arguments[i]);
    if (option.name.empty()) continue;
    const std::string_view next = i + 1 < arguments.size() ? std::string_view(arguments[i + 1]) : "";
    take(option.name, option.value.value_or(next), targets);
  }
  return targets;
}

}  // namespace

std::string target_advice(const std::vector<std::string>& arguments) {
  const Targets targets = targets_of(arguments);
  if (targets.has_local && !targets.has_backends)
    return "the device \"local\" needs a back end: --iree-hal-local-target-device-backends=llvm-cpu (or vmvx)";
  if (!targets.gpu.empty() && !targets.has_gpu_name)
    return "\"" + targets.gpu +
           "\" needs the name of a GPU: --iree-rocm-target=gfx942 (--iree-hip-target= in older versions)";
  if (!targets.has_device && !targets.stops_early)
    return "no device is named; unless the module names its own: --iree-hal-target-device=hip, amdgpu or local";
  return "";
}

}  // namespace hipcache::compiler
