#include "fuzz/oracle/compile.h"

#include <algorithm>
#include <filesystem>

namespace hipcache::fuzz {
namespace {

namespace fs = std::filesystem;
using integration::operator+;

// Puts paths in.
class Rendering {
 public:
  Rendering(const Compile& compile, std::string root) : compile_(compile), root_(std::move(root)) {}

  std::string word(const std::string& written) const {
    const std::size_t from = written.find('{');
    if (from == std::string::npos) return written;
    const std::size_t to = written.find('}', from);
    return written.substr(0, from) + path(written.substr(from + 1, to - from - 1)) + written.substr(to + 1);
  }

  Arguments option(const Option& written) const {
    Arguments rendered;
    for (const std::string& each : written) rendered.push_back(word(each));
    return rendered;
  }

  Arguments options(const std::vector<Option>& written) const {
    Arguments rendered;
    for (const Option& each : written) rendered = rendered + option(each);
    return rendered;
  }

 private:
  std::string path(const std::string& name) const {
    if (name.empty()) return root_;
    if (compile_.absolute) return root_ + "/" + name;
    if (compile_.directory == ".") return name;
    return fs::path(name).lexically_relative(compile_.directory).string();
  }

  const Compile& compile_;
  const std::string root_;
};

Arguments arch_words(const Compile& compile) {
  if (!compile.archs_in_one_word || compile.archs.empty()) return integration::archs(compile.archs);
  std::string all;
  for (const std::string& arch : compile.archs) all += (all.empty() ? "" : ",") + arch;
  return integration::archs({all});
}

// The usual beginning, with device libraries of the compile's own choice.
Arguments beginning(const integration::Compiler& compiler) {
  Arguments words = compiler.hip();
  std::erase_if(words, [](const std::string& word) { return word.starts_with("--rocm-device-lib-path="); });
  return words;
}

}  // namespace

integration::Request request_for(const Compile& compile, const integration::Compiler& compiler,
                                 const std::string& root) {
  const Rendering rendering(compile, root);
  Arguments command = beginning(compiler) + rendering.option(compile.library) + arch_words(compile) +
                      rendering.options(compile.includes) + rendering.options(compile.flags) +
                      rendering.option(compile.depfile) + Arguments{"-c", rendering.word("{" + compile.source + "}")};
  if (!compile.output.empty()) command = command + Arguments{"-o", rendering.word("{" + compile.output + "}")};
  Variables variables;
  for (const auto& [name, value] : compile.environment) variables[name] = rendering.word(value);
  return {command, compile.directory == "." ? root : root + "/" + compile.directory, variables};
}

}  // namespace hipcache::fuzz
