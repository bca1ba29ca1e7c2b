#include "daemon/opaque/wrapper_request.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "daemon/opaque/python_start.h"
#include "daemon/shared/wrappers.h"
#include "hipcache/base/files.h"
#include "hipcache/base/holds.h"
#include "hipcache/compiler/driver_name.h"
#include "hipcache/inputs/script.h"

namespace hipcache::daemon {
namespace {

bool names_arch(const Request& request) {
  constexpr auto kOptions = std::to_array<std::string_view>({"--offload-arch=", "-offload-arch=", "--amdgpu-target=",
                                                             "-amdgpu-target=", "--cuda-gpu-arch=", "--offload-arch"});
  const char* variable = request.from.variable("HCC_AMDGPU_TARGET");
  const std::vector<std::string>& words = request.invocation.expanded;
  return (variable != nullptr && *variable != '\0') ||
         std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return holds_prefix_of(kOptions, word); });
}

// Commands of one kind ask a wrapper for the same things, as far as is known. hipcc without an architecture is decided
// before.
std::string kind_of(const Request& request) {
  return request.invocation.route == compiler::Route::planned ? "planned" : "opaque";
}

// Commands of hipcc that a trace cannot have whole.
bool is_untraceable_hipcc(const Request& request) {
  const compiler::Invocation& invocation = request.invocation;
  if (!compiler::names_hipcc(request.compiler)) return false;
  return invocation.links || invocation.making == compiler::Making::link || !names_arch(request);
}

}  // namespace

bool runs_each_time(const Request& request, Wrappers& wrappers) {
  if (is_untraceable_hipcc(request) || wrappers.is_noted(request.compiler, kind_of(request))) return true;
  return wrappers.is_script(request.compiler) && !only_starts_by_python(request);
}

bool is_run_of_wrapper(const Request& request, const std::vector<std::string>& ran) {
  const std::string typed = real_path(request.compiler);
  if (inputs::is_script(typed)) return true;
  const bool is_traced = std::find(ran.begin(), ran.end(), typed) != ran.end();
  return is_traced && std::any_of(ran.begin(), ran.end(), [&](const std::string& program) {
           return program != typed && (compiler::names_driver(program) || base_name(program) == "hipcache");
         });
}

void note_wrapper(const Request& request, Wrappers& wrappers) { wrappers.note(request.compiler, kind_of(request)); }

}  // namespace hipcache::daemon
