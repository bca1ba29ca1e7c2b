#include "fuzz/oracle/model/compile.h"

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

std::string language_of(const std::string& source) {
  if (source.ends_with(".asm")) return "assembler";
  return source.ends_with(".txt") ? "c++-cpp-output" : "c++";
}

// The usual beginning, with device libraries of the compile's own choice.
Arguments beginning(const Compile& compile, const integration::Compiler& compiler) {
  if (compile.driver == "g++") return {"g++", "-std=c++17"};
  if (compile.driver != kHip) return {compiler.program(), "-std=c++17"};
  Arguments words = compiler.hip();
  std::erase_if(words, [](const std::string& word) { return word.starts_with("--rocm-device-lib-path="); });
  return words;
}

// What g++ has no word for.
bool is_of_clang(const Option& option) {
  static const std::array<std::string, 7> kClangs{"-Xarch_",       "-fno-caret", "-fcolor", "-fgpu-",
                                                  "-ferror-limit", "--config",   "--rocm"};
  return std::any_of(kClangs.begin(), kClangs.end(),
                     [&](const std::string& start) { return !option.empty() && option[0].starts_with(start); });
}

std::vector<Option> options_for(const Compile& compile, std::vector<Option> options) {
  if (compile.driver == "g++") std::erase_if(options, is_of_clang);
  return options;
}

// Of a HIP compile alone.
Arguments device_words(const Compile& compile, const Rendering& rendering) {
  if (compile.driver != kHip) return {};
  return rendering.option(compile.library) + arch_words(compile);
}

}  // namespace

integration::Request request_for(const Compile& compile, const integration::Compiler& compiler,
                                 const std::string& root) {
  const Rendering rendering(compile, root);
  Arguments command = beginning(compile, compiler) + device_words(compile, rendering) +
                      rendering.options(compile.includes) + rendering.options(options_for(compile, compile.flags)) +
                      rendering.option(compile.depfile) + compile.stage;
  if (compile.driver != kHip) command = command + Arguments{"-x", language_of(compile.source)};
  command.push_back(rendering.word("{" + compile.source + "}"));
  if (!compile.output.empty()) command = command + Arguments{"-o", rendering.word("{" + compile.output + "}")};
  Variables variables;
  for (const auto& [name, value] : compile.environment) variables[name] = rendering.word(value);
  return {command, compile.directory == "." ? root : root + "/" + compile.directory, variables};
}

}  // namespace hipcache::fuzz
