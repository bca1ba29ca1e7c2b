#include "daemon/request/wrappers.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "daemon/request/python_start.h"
#include "hipcache/base/files.h"
#include "hipcache/compiler/driver_name.h"
#include "hipcache/compiler/option_facts.h"
#include "hipcache/inputs/script.h"

namespace hipcache::daemon {

namespace {

bool names_arch(const Request& request) {
  const char* variable = request.from.variable("HCC_AMDGPU_TARGET");
  const std::vector<std::string>& words = request.invocation.expanded;
  return (variable != nullptr && *variable != '\0') ||
         std::any_of(words.begin(), words.end(),
                     [](std::string_view word) { return compiler::option_has(word, compiler::facts::names_arch); });
}

// Commands of hipcc that a trace cannot have whole.
bool is_untraceable_hipcc(const Request& request) {
  const compiler::Invocation& invocation = request.invocation;
  if (!compiler::names_hipcc(request.compiler)) return false;
  return invocation.driver.links || invocation.driver.then_links ||
         invocation.opaque.making == compiler::Making::link || !names_arch(request);
}

bool asks_for_more_than_a_trace_has(const std::string& program) {
  constexpr std::uint64_t kScriptLimit = 1u << 20;
  if (!inputs::is_script(program)) return false;
  const Result<std::string> text = read_file(program, kScriptLimit);
  if (!text) return true;
  const bool is_perl = text->substr(0, text->find('\n')).find("perl") != std::string::npos;
  return !is_perl || !inputs::is_traceable_perl(*text);
}

// Commands of one kind ask a wrapper for the same things, as far as is known. hipcc without an architecture is decided
// before.
std::string noted_as(const Request& request) {
  const bool is_planned = request.invocation.route == compiler::Route::planned;
  return request.compiler + '\0' + (is_planned ? "planned" : "opaque");
}

}  // namespace

bool is_run_of_wrapper(const Request& request, const std::vector<std::string>& ran) {
  const std::string typed = real_path(request.compiler);
  if (inputs::is_script(typed)) return true;
  const bool is_traced = std::find(ran.begin(), ran.end(), typed) != ran.end();
  return is_traced && std::any_of(ran.begin(), ran.end(), [&](const std::string& program) {
           return program != typed && (compiler::names_driver(program) || base_name(program) == "hipcache");
         });
}

bool Wrappers::runs_each_time(const Request& request) {
  if (is_untraceable_hipcc(request) || is_noted(request)) return true;
  return is_script(request.compiler) && !only_starts_by_python(request);
}

// Whether the program's text says that it runs each time.
bool Wrappers::is_script(const std::string& program) {
  const Result<Digest> content = file_system_.content(program);
  if (!content) return false;
  const std::optional<Known> known = texts_.find(program);
  if (known && known->content == *content) return known->is_script;
  const bool is_script = asks_for_more_than_a_trace_has(program);
  texts_.add(program, {*content, is_script});
  return is_script;
}

void Wrappers::note(const Request& request) {
  if (const Result<Digest> content = file_system_.content(request.compiler)) noted_.add(noted_as(request), *content);
}

bool Wrappers::is_noted(const Request& request) {
  const std::optional<Digest> noted = noted_.find(noted_as(request));
  if (!noted) return false;
  const Result<Digest> content = file_system_.content(request.compiler);
  return content && *content == *noted;
}

}  // namespace hipcache::daemon
