// A fake compiler for one architecture and no host. Its driver has a frontend job and a link, and prints them for -###
// as clang does. Its output is the source without comments, and its back end takes processor time. Words in the source
// make it behave in ways that no clang does.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "integration/support/compilers/hidden_file.h"

namespace {

using Arguments = std::vector<std::string>;

// Half as long again as a back end must take for the codegen split to pay.
constexpr long kBackEndMilliseconds = 600;
constexpr long kTextMilliseconds = 100;  // of the wrapper header

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

std::string after(const Arguments& argv, const std::string& option) {
  const auto at = std::find(argv.begin(), argv.end(), option);
  return at == argv.end() || at + 1 == argv.end() ? "" : at[1];
}

std::string starting_with(const Arguments& argv, const std::string& prefix) {
  const auto at = std::find_if(argv.begin(), argv.end(), [&](const auto& one) { return one.starts_with(prefix); });
  return at == argv.end() ? "" : *at;
}

bool has(const Arguments& argv, const std::string& word) {
  return std::find(argv.begin(), argv.end(), word) != argv.end();
}

// Only options for warnings may follow the source.
std::string source_of(const Arguments& argv) {
  const auto last = std::find_if(argv.rbegin(), argv.rend(), [](const auto& one) { return !one.starts_with("-"); });
  return last == argv.rend() ? "" : *last;
}

void take_time(long milliseconds) {
  volatile unsigned long work = 0;
  rusage used{};
  do {
    for (int i = 0; i < 1'000'000; ++i) work = work + 1;
    getrusage(RUSAGE_SELF, &used);
  } while (used.ru_utime.tv_sec * 1000 + used.ru_utime.tv_usec / 1000 < milliseconds);
}

int fail(const char* why) {
  std::cerr << "error: " << why << "\n";
  return 1;
}

std::string hidden() {
  char text[64];
  hidden_read("hidden", text, sizeof text);
  return text;
}

// Removes comments.
std::string front_end(const std::string& source) {
  std::istringstream in(source);
  std::string code, line;
  while (std::getline(in, line))
    if (!line.starts_with("//")) code += line + "\n";
  return code;
}

// A precompiled header of clang's without a declaration, and its depfile.
int make_header(const Arguments& argv) {
  write(after(argv, "-o"), std::string("CPCH\x21\x10\0\0\1\0\0\0\0\0\0\0", 16));
  write(after(argv, "-dependency-file"), "preamble: /dev/null\n");
  return 0;
}

// A driver that runs the frontend within itself measures no time.
int frontend(const Arguments& argv, bool takes_time) {
  if (has(argv, "-emit-pch")) return make_header(argv);
  if (has(argv, "-include")) take_time(kTextMilliseconds);
  const bool from_bitcode = after(argv, "-x") == "ir";
  const bool to_bitcode = has(argv, "-emit-llvm-bc");
  const std::string input = read(source_of(argv));
  const auto says = [&](const char* word) { return input.find(word) != std::string::npos; };
  if (says("wrong") || (says("fails-with-header") && has(argv, "-include-pch"))) return fail("in the source");
  if (!from_bitcode) {
    if (says("warn")) std::cerr << "warning: of the front end\n";
    if (says("front-says-more") && to_bitcode) std::cerr << "warning: apart\n";
    if (says("front-fails") && to_bitcode) return fail("no bitcode");
    if (says("front-crashes") && to_bitcode) std::abort();
  }
  std::string code = from_bitcode ? input : front_end(input);
  if (says("hidden") && !from_bitcode) code += hidden();
  if (says("differs-each-time")) code += std::to_string(getpid());
  if (says("differs-with-header") && has(argv, "-include-pch")) code += "differs";
  if (!to_bitcode) {
    if (takes_time) take_time(kBackEndMilliseconds);
    if (says("back-says")) std::cerr << "warning: of the back end\n";
    if (says("back-fails") && from_bitcode) return fail("no object");
    if (says("back-crashes") && from_bitcode) std::abort();
    if (says("differs") && from_bitcode) code += "differs";
  }
  write(after(argv, "-o"), code);
  return 0;
}

int link(const Arguments& argv) {
  write(after(argv, "-o"), "linked: " + read(argv[argv.size() - 2]));
  return 0;
}

std::string self() {
  char path[PATH_MAX] = {};
  return readlink("/proc/self/exe", path, sizeof path - 1) > 0 ? path : "";
}

std::vector<Arguments> jobs(const Arguments& argv) {
  const char* directory = std::getenv("TMPDIR");
  const std::string object =
      std::string(directory != nullptr ? directory : "/tmp") + "/a-" + std::to_string(getpid()) + ".o";
  // No clang chooses by a name.
  const std::string level = after(argv, "-o") == "fast.o" ? "-O3" : starting_with(argv, "-O");
  Arguments compile{self(),
                    "-cc1",
                    "-triple",
                    "amdgcn-amd-amdhsa",
                    "-emit-obj",
                    "-fcuda-is-device",
                    "-target-cpu",
                    "gfx906",
                    level.empty() ? "-O0" : level,
                    starting_with(argv, "-cuid="),
                    "-o",
                    object};
  if (has(argv, "-DWRAPPED")) compile.insert(compile.end(), {"-include", "__clang_hip_runtime_wrapper.h"});
  compile.insert(compile.end(), {"-x", "hip", "a.hip"});
  return {compile,
          {self(), "-flavor", "gnu", "-m", "elf64_amdgpu", "-shared", "--whole-archive", "-o", after(argv, "-o"),
           object, "--no-whole-archive"}};
}

int drive(const Arguments& argv) {
  const std::vector<Arguments> all = jobs(argv);
  if (has(argv, "-###")) {
    for (const Arguments& job : all) {
      for (const std::string& argument : job) std::cerr << " \"" << argument << '"';
      std::cerr << '\n';
    }
    return 0;
  }
  int exit_code = frontend(all[0], false);
  if (exit_code == 0) exit_code = link(all[1]);
  unlink(after(all[0], "-o").c_str());
  if (exit_code != 0) unlink(after(argv, "-o").c_str());
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments(argv, argv + argc);
  if (has(arguments, "-cc1")) return frontend(arguments, true);
  if (has(arguments, "-flavor")) return link(arguments);
  return drive(arguments);
}
