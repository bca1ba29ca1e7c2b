#include "daemon/request/wrappers.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "hipcache/base/files.h"
#include "hipcache/base/text.h"
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

// Commands of one kind ask a wrapper for the same things, as far as is known. hipcc without an architecture is decided
// before.
std::string kind_of(const Request& request) {
  return request.invocation.route == compiler::Route::planned ? "planned" : "opaque";
}

// Commands of hipcc that a trace cannot have whole.
bool is_untraceable_hipcc(const Request& request) {
  const compiler::Invocation& invocation = request.invocation;
  if (!compiler::names_hipcc(request.compiler)) return false;
  return invocation.driver.links || invocation.driver.then_links ||
         invocation.opaque.making == compiler::Making::link || !names_arch(request);
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

void note_wrapper(const Request& request, Wrappers& wrappers) {
  wrappers.note_program(request.compiler, kind_of(request));
}

namespace {

// "from MODULE import main", "from MODULE.__main__ import main".
bool imports_from(std::string_view line, std::string_view module) {
  constexpr std::string_view kFrom = "from ";
  line.remove_prefix(kFrom.size());
  if (!line.starts_with(module)) return false;
  line.remove_prefix(module.size());
  return line.starts_with(" import ") || line.starts_with(".__main__ import ");
}

}  // namespace

bool imports_only(std::string_view script, std::string_view module) {
  if (!script.starts_with("#!") || script.find("__import__") != std::string_view::npos) return false;
  bool found = false;
  while (!script.empty()) {
    const std::size_t end = std::min(script.find('\n'), script.size());
    const std::string_view line = trimmed(script.substr(0, end));
    script.remove_prefix(std::min(end + 1, script.size()));
    if (line.starts_with("import ") && line != "import re" && line != "import sys") return false;
    if (!line.starts_with("from ")) continue;
    if (!imports_from(line, module)) return false;
    found = true;
  }
  return found;
}

bool only_starts_by_python(const Request& request) {
  constexpr std::uint64_t kScriptLimit = 4096;
  const compiler::Invocation& invocation = request.invocation;
  const std::string& module = invocation.opaque.python_module;
  if (module.empty()) return false;
  if (invocation.opaque.by_python_module) return true;
  const Result<std::string> script = read_file(request.compiler, kScriptLimit);
  return script && imports_only(*script, module);
}

namespace {

constexpr std::uint64_t kScriptLimit = 1u << 20;

bool asks_for_more_than_a_trace_has(const std::string& program) {
  if (!inputs::is_script(program)) return false;
  const Result<std::string> text = read_file(program, kScriptLimit);
  if (!text) return true;
  const bool is_perl = text->substr(0, text->find('\n')).find("perl") != std::string::npos;
  return !is_perl || !inputs::is_traceable_perl(*text);
}

std::string key_of(const std::string& program, const std::string& kind) { return program + '\0' + kind; }

}  // namespace

bool Wrappers::is_script(const std::string& program) {
  const Result<Digest> content = file_system_.content(program);
  if (!content) return false;
  {
    const std::lock_guard lock(mutex_);
    const auto known = texts_.find(program);
    if (known != texts_.end() && known->second.content == *content) return known->second.is_script;
  }
  const bool is_script = asks_for_more_than_a_trace_has(program);
  const std::lock_guard lock(mutex_);
  if (texts_.size() >= kMost) texts_.clear();
  texts_[program] = {*content, is_script};
  return is_script;
}

void Wrappers::note_program(const std::string& program, const std::string& kind) {
  const Result<Digest> content = file_system_.content(program);
  if (!content) return;
  const std::lock_guard lock(mutex_);
  if (noted_.size() >= kMost) noted_.clear();
  noted_[key_of(program, kind)] = *content;
}

bool Wrappers::is_noted(const std::string& program, const std::string& kind) {
  Digest noted;
  {
    const std::lock_guard lock(mutex_);
    const auto found = noted_.find(key_of(program, kind));
    if (found == noted_.end()) return false;
    noted = found->second;
  }
  const Result<Digest> content = file_system_.content(program);
  return content && *content == noted;
}

}  // namespace hipcache::daemon
