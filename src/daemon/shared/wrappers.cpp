#include "daemon/shared/wrappers.h"

#include "hipcache/base/files.h"
#include "hipcache/inputs/script.h"

namespace hipcache::daemon {
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

void Wrappers::note(const std::string& program, const std::string& kind) {
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
