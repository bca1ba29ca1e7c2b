#include "inputs/rules/path_class.h"

#include <algorithm>
#include <array>

#include "hipcache/base/files.h"
#include "hipcache/base/text.h"

namespace hipcache::inputs {

using namespace std::string_view_literals;

bool is_installed(std::string_view path) { return path.starts_with("/usr/") || path.starts_with("/opt/"); }

bool is_toolchains_own(const std::string& place, const Roots& roots) {
  constexpr std::array kOwn = {"/lib/"sv,   "/lib64/"sv, "/libexec/"sv, "/include/"sv, "/bin/"sv,
                               "/share/"sv, "/llvm/"sv,  "/amdgcn/"sv,  "/hip/"sv};
  const Root* around = roots.around(place);
  if (around == nullptr || around->mark != kToolchainMark) return false;
  const std::string path = roots.real_spelling(place);
  return holds_prefix_of(kOwn, std::string_view(path).substr(around->path.size()));
}

bool is_named_as_source(std::string_view path) {
  constexpr std::array kEndings = {"h"sv,   "hh"sv,  "hpp"sv, "hxx"sv, "h++"sv, "H"sv,    "c"sv,   "cc"sv,   "cpp"sv,
                                   "cxx"sv, "c++"sv, "C"sv,   "hip"sv, "cu"sv,  "cuh"sv,  "inl"sv, "inc"sv,  "ipp"sv,
                                   "tpp"sv, "tcc"sv, "txx"sv, "icc"sv, "ixx"sv, "cppm"sv, "def"sv, "impl"sv, "hin"sv};
  const std::string_view name = base_name(path);
  const std::size_t dot = name.rfind('.');
  return dot != name.npos && holds(kEndings, name.substr(dot + 1));
}

namespace {

// One pass, because each record of a trace is checked several times.
bool is_normal(std::string_view path) {
  for (std::size_t at = 1; at < path.size(); ++at)
    if (path[at - 1] == '/' && (path[at] == '/' || path[at] == '.')) return false;
  return true;
}

// Paths that a process may use without their becoming inputs, each with its reason. Other paths in /proc and /dev are
// asked about like any path. A process's own part of /proc, and devices and pipes that were read, are refused.
constexpr auto kNoInputs = std::to_array<std::string_view>({
    "/dev/null",       // holds nothing, keeps nothing
    "/dev/zero",       // always holds the same
    "/dev/full",       // always holds the same
    "/dev/tty",        // written to; a program that reads it asks its user
    "/dev/urandom",    // random: any value is as right as another
    "/dev/random",     // random
    "/proc/self/exe",  // the program, which is an input under its own name
    "/proc/cpuinfo",   // the processor: part of the key if an option uses it (-march=native)
    "/proc/meminfo",   // decides only how much memory a compiler uses, or how often it collects garbage
    "/proc/stat",      // the number of processors, for threads
});

// The normal spelling: `path` itself, or made in `room`.
std::string_view spelled_normally(std::string_view path, std::string& room) {
  if (is_normal(path)) return path;
  room = normal_path(path);
  return room;
}

}  // namespace

bool is_inherited_descriptor(std::string_view path) {
  return is_within(path, "/dev/fd") || path == "/dev/stdin" || path == "/dev/stdout" || path == "/dev/stderr";
}

PathClassifier::PathClassifier(const std::string& own_directory)
    : spelled_(normal_path(own_directory)), real_(real_path(own_directory)) {}

PathClass PathClassifier::of(std::string_view absolute) const {
  std::string room;
  const std::string_view path = spelled_normally(absolute, room);
  if (is_within(path, spelled_) || is_within(path, real_)) return PathClass::own;
  if (std::find(kNoInputs.begin(), kNoInputs.end(), path) != kNoInputs.end()) return PathClass::system;
  return is_of_a_process(path) || is_inherited_descriptor(path) ? PathClass::process : PathClass::input;
}

bool is_own_descriptor(std::string_view absolute) {
  constexpr std::string_view kOwn = "/proc/self/fd";
  if (!is_within(absolute, kOwn)) return false;
  absolute.remove_prefix(std::min(kOwn.size() + 1, absolute.size()));
  return absolute.find_first_not_of("0123456789") == std::string_view::npos;
}

bool tells_of_processors(std::string_view absolute) {
  std::string room;
  const std::string_view path = spelled_normally(absolute, room);
  return is_within(path, "/sys/devices/system/cpu") || is_within(path, "/sys/devices/system/node");
}

bool reads_descriptor(const std::string& absolute) {
  if (is_inherited_descriptor(normal_path(absolute)) || leads_to_descriptor(absolute)) return true;
  return leads_to_descriptor(join_path(real_path(std::string(directory_name(absolute))), base_name(absolute)));
}

bool is_sink(std::string_view absolute) {
  constexpr std::array<std::string_view, 5> kSinks = {"/dev/null", "/dev/tty", "/dev/full", "/dev/stdout",
                                                      "/dev/stderr"};
  std::string room;
  const std::string_view path = spelled_normally(absolute, room);
  return std::find(kSinks.begin(), kSinks.end(), path) != kSinks.end() || is_within(path, "/dev/pts");
}

}  // namespace hipcache::inputs
