#include "cli/doctor/find_compilers.h"

#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "hipcache/base/files.h"
#include "hipcache/launcher/compiler.h"

namespace hipcache::cli {

namespace {

constexpr std::size_t kBeginning = 4096;  // holds the program headers of every usual linker
constexpr auto kOtherCaches = std::to_array<std::string_view>({"ccache", "sccache", "distcc", "icecc", "buildcache"});

template <typename T>
bool take(std::string_view bytes, std::size_t at, T& into) {
  if (at > bytes.size() || bytes.size() - at < sizeof into) return false;
  std::memcpy(&into, bytes.data() + at, sizeof into);
  return true;
}

// Programs of 32 bits are not looked into.
ProgramKind kind_of_elf(std::string_view bytes) {
  Elf64_Ehdr header{};
  if (!take(bytes, 0, header) || header.e_ident[EI_CLASS] != ELFCLASS64) return ProgramKind::other;
  for (std::size_t index = 0; index < header.e_phnum; ++index) {
    Elf64_Phdr segment{};
    if (!take(bytes, header.e_phoff + index * sizeof segment, segment)) return ProgramKind::other;
    if (segment.p_type == PT_INTERP) return ProgramKind::dynamic;
  }
  return ProgramKind::static_elf;
}

constexpr std::uint64_t kLargestFile = 256u << 20;
constexpr const char* kDatabase = "compile_commands.json";
constexpr const char* kCMakeCache = "CMakeCache.txt";

// A HIP compile needs neither headers nor libraries of ROCm with these.
const Words kHipAlone{"-x", "hip", "--offload-arch=gfx906", "-nogpuinc", "-nogpulib"};

bool is_hipcc(std::string_view program) { return base_name(program).starts_with("hipcc"); }

bool is_clang(std::string_view program) { return base_name(program).find("clang") != std::string_view::npos; }

// "gcc-12", "clang", "mpicc"; not "g++" or "mpicxx".
bool names_c_compiler(std::string_view path) {
  std::string_view name = base_name(path);
  if (const auto last = name.find_last_not_of("0123456789.-"); last != std::string_view::npos)
    name = name.substr(0, last + 1);
  return name.ends_with("cc") || name.ends_with("clang");
}

Subject subject_of(const std::string& compiler, Language language) {
  Subject subject{.words = {compiler}, .language = language};
  if (language != Language::hip) return subject;
  subject.is_extra = true;
  if (is_hipcc(compiler))
    subject.words.emplace_back("--offload-arch=gfx906");
  else
    subject.words.insert(subject.words.end(), kHipAlone.begin(), kHipAlone.end());
  return subject;
}

void add(std::vector<Subject>& all, const Subject& subject) {
  const auto is_same = [&](const Subject& known) { return known.words == subject.words; };
  if (all.size() < kMostCompilers && std::none_of(all.begin(), all.end(), is_same)) all.push_back(subject);
}

// C++, and HIP where the compiler may know it. Not every clang has AMD's back end.
void add_program(std::vector<Subject>& all, const std::string& compiler) {
  if (is_hipcc(compiler)) return add(all, subject_of(compiler, Language::hip));
  add(all, subject_of(compiler, language_of({compiler})));
  if (is_clang(compiler)) add(all, subject_of(compiler, Language::hip));
}

void warn_of_other_cache(const std::string& place, const std::string& cache, Findings& findings) {
  findings.warning(place + " puts " + cache + " before the compiler; put hipcache in its place");
}

// Of PATH, in the order in which they are tried; for each the newest version first.
constexpr auto kNames = std::to_array<std::string_view>({"clang++", "amdclang++", "hipcc", "g++"});

struct Name {
  std::size_t rank = kNames.size();
  int version = 0;  // 0: none, which comes first
  std::string text;
  bool operator<(const Name& other) const {
    if (rank != other.rank) return rank < other.rank;
    return (version == 0 ? std::numeric_limits<int>::max() : version) >
           (other.version == 0 ? std::numeric_limits<int>::max() : other.version);
  }
};

// "clang++-19"; nothing for names of other programs.
std::optional<Name> compiler_named(std::string_view text) {
  Name name{.text = std::string(text)};
  if (const auto dash = text.rfind('-'); dash != std::string_view::npos) {
    const auto parsed = std::from_chars(text.data() + dash + 1, text.data() + text.size(), name.version);
    if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || name.version <= 0) return std::nullopt;
    text = text.substr(0, dash);
  }
  name.rank = static_cast<std::size_t>(std::find(kNames.begin(), kNames.end(), text) - kNames.begin());
  return name.rank < kNames.size() ? std::optional(name) : std::nullopt;
}

void add_names_in(const std::string& directory, std::vector<Name>& names) {
  const std::unique_ptr<DIR, int (*)(DIR*)> opened(opendir(directory.c_str()), closedir);
  if (opened == nullptr) return;
  while (const dirent* entry = readdir(opened.get())) {
    const std::optional<Name> name = compiler_named(entry->d_name);
    const auto is_same = [&](const Name& known) { return known.text == name->text; };
    if (name && std::none_of(names.begin(), names.end(), is_same)) names.push_back(*name);
  }
}

std::vector<Subject> compilers_of_machine(const config::Lookup& variable) {
  std::vector<Name> names;
  std::istringstream path(variable("PATH").value_or(""));
  for (std::string directory; std::getline(path, directory, ':');)
    if (!directory.empty()) add_names_in(directory, names);
  std::sort(names.begin(), names.end());
  std::vector<Subject> all;
  for (const Name& name : names) {
    const std::size_t before = all.size();
    add_program(all, name.text);
    for (std::size_t at = before; at < all.size(); ++at) all[at].is_extra = all[at].is_extra || name.version > 0;
  }
  for (const std::string& root : {variable("ROCM_PATH").value_or(""), std::string("/opt/rocm")})
    for (const char* name : {"amdclang++", "hipcc"})
      if (!root.empty() && access((root + "/bin/" + name).c_str(), X_OK) == 0) add_program(all, root + "/bin/" + name);
  return all;
}

Words words_of_entry(const nlohmann::json& entry) {
  Words words;
  if (!entry.is_object()) return words;
  if (const auto arguments = entry.find("arguments"); arguments != entry.end() && arguments->is_array()) {
    for (const auto& argument : *arguments)
      if (argument.is_string()) words.push_back(argument.get<std::string>());
  } else if (const auto command = entry.find("command"); command != entry.end() && command->is_string()) {
    words = words_of(command->get<std::string>());
  }
  return words;
}

std::string text_of(const std::string& path) {
  const Result<std::string> text = read_file(path, kLargestFile);
  return text ? *text : "";
}

}  // namespace

bool is_other_cache(std::string_view path) {
  const std::string_view name = base_name(path);
  if (std::find(kOtherCaches.begin(), kOtherCaches.end(), name) == kOtherCaches.end()) return false;
  const bool is_path = path.find('/') != std::string_view::npos;
  return !is_path || base_name(real_path(std::string(path))) != "hipcache";
}

Result<Program> program_at(const std::string& path) {
  const std::optional<std::string> real = resolved_path(path);
  if (!real) return system_error("cannot find", path);
  const UniqueFd file(open(real->c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, kBeginning> beginning{};
  const ssize_t size = file ? read(file.get(), beginning.data(), beginning.size()) : -1;
  if (size < 0) return system_error("cannot read", *real);
  const std::string_view bytes(beginning.data(), static_cast<std::size_t>(size));
  Program program{ProgramKind::other, *real};
  if (is_other_cache(program.real_path))
    program.kind = ProgramKind::other_cache;
  else if (bytes.starts_with("#!"))
    program.kind = ProgramKind::script;
  else if (bytes.starts_with(ELFMAG))
    program.kind = kind_of_elf(bytes);
  return program;
}

Language language_of(const Words& words) {
  const auto is_of_hip = [](const std::string& word) {
    return word == "hip" || word == "-xhip" || word.starts_with("--offload-arch") || word.ends_with(".hip");
  };
  if (is_hipcc(words.front()) || std::any_of(words.begin() + 1, words.end(), is_of_hip)) return Language::hip;
  return names_c_compiler(words.front()) ? Language::c : Language::cxx;
}

Words words_of(std::string_view command) {
  Words words;
  bool is_in_word = false;
  char quote = 0;
  for (std::size_t at = 0; at < command.size(); ++at) {
    const char letter = command[at];
    const bool is_blank = letter == ' ' || letter == '\t' || letter == '\n';
    if (quote == 0 && is_blank) {
      is_in_word = false;
      continue;
    }
    if (!std::exchange(is_in_word, true)) words.emplace_back();
    if (letter == quote)
      quote = 0;
    else if (quote == 0 && (letter == '"' || letter == '\''))
      quote = letter;
    else if (letter == '\\' && quote != '\'' && at + 1 < command.size())
      words.back() += command[++at];
    else
      words.back() += letter;
  }
  return words;
}

std::vector<Subject> compilers_in_database(const std::string& json, Findings& findings) {
  std::vector<Subject> all;
  const auto entries = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!entries.is_array()) {
    findings.warning(std::string(kDatabase) + " is no compilation database; write it anew");
    return all;
  }
  std::set<std::string> caches;
  for (const auto& entry : entries) {
    Words words = words_of_entry(entry);
    while (!words.empty() && (launch_is_our_name(words.front().c_str()) || is_other_cache(words.front()))) {
      if (is_other_cache(words.front())) caches.emplace(base_name(words.front()));
      words.erase(words.begin());
    }
    if (!words.empty()) add(all, subject_of(words.front(), language_of(words)));
  }
  for (const std::string& cache : caches) warn_of_other_cache(kDatabase, cache, findings);
  return all;
}

std::vector<Subject> compilers_in_cmake_cache(const std::string& text, Findings& findings) {
  std::vector<Subject> all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::string name = line.substr(0, line.find(':'));
    const auto equals = line.find('=');
    if (!name.starts_with("CMAKE_") || name.size() == line.size() || equals == std::string::npos) continue;
    const std::string value = line.substr(equals + 1);
    const std::string program = value.substr(0, value.find(';'));
    if (name.ends_with("_COMPILER_LAUNCHER") && is_other_cache(program))
      warn_of_other_cache(kCMakeCache, std::string(base_name(program)), findings);
    if (!value.starts_with('/')) continue;
    if (name == "CMAKE_HIP_COMPILER") add(all, subject_of(value, Language::hip));
    if (name == "CMAKE_CXX_COMPILER" || name == "CMAKE_C_COMPILER") add(all, subject_of(value, language_of({value})));
  }
  return all;
}

std::vector<Subject> find_compilers(const config::Lookup& variable, const std::string& directory, Findings& findings) {
  std::vector<Subject> all;
  const std::string database = text_of(join_path(directory, kDatabase));
  if (!database.empty())
    for (const Subject& subject : compilers_in_database(database, findings)) add(all, subject);
  for (const Subject& subject : compilers_in_cmake_cache(text_of(join_path(directory, kCMakeCache)), findings))
    add(all, subject);
  for (const Subject& subject : compilers_of_machine(variable)) add(all, subject);
  return all;
}

}  // namespace hipcache::cli
