#include "compiler/hip/jobs/fatbin_object_job.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "hipcache/base/files.h"

namespace hipcache::hip {
namespace {

constexpr std::string_view kBegin = "#       HIP Object Generator\n";
constexpr std::string_view kInclude = "  .incbin \"";
constexpr std::array<std::string_view, 7> kDirectives = {"  .protected ", "  .type ", "  .section ", "  .globl ",
                                                         "  .p2align ",   "  .zero ", "  .set "};

Error unusual(const std::string& what) { return Error{"the compiler's plan has a fatbin object " + what}; }

// The line from `at` on, with its newline.
std::string_view line_at(std::string_view text, std::size_t at) {
  const auto end = text.find('\n', at);
  return text.substr(at, end == std::string_view::npos ? end : end + 1 - at);
}

bool is_label(std::string_view line) { return line.starts_with("__hip_") && line.ends_with(":\n"); }

bool is_of_source(std::string_view line) { return line.starts_with('#') || line.starts_with("  .") || is_label(line); }

bool is_known(std::string_view line) {
  const auto starts = [line](std::string_view directive) { return line.starts_with(directive); };
  return line.starts_with('#') || is_label(line) || std::any_of(kDirectives.begin(), kDirectives.end(), starts);
}

}  // namespace

std::string take_fatbin_source(std::string& printed) {
  const std::size_t begin = printed.find(kBegin);
  if (begin == std::string::npos || (begin > 0 && printed[begin - 1] != '\n')) return "";
  std::size_t end = begin;
  while (end < printed.size() && is_of_source(line_at(printed, end))) end += line_at(printed, end).size();
  std::string source = printed.substr(begin, end - begin);
  printed.erase(begin, end - begin);
  return source;
}

Result<std::string> fatbin_source_with(const std::string& source, const std::string& fatbin,
                                       const std::string& replacement) {
  const std::string include = std::string(kInclude) + fatbin + "\"\n";
  std::string result;
  bool included = false;
  for (std::size_t at = 0; at < source.size();) {
    const std::string_view line = line_at(source, at);
    at += line.size();
    if (line == include && !included) {
      included = true;
      result.append(kInclude).append(replacement).append("\"\n");
    } else if (is_known(line)) {
      result += line;
    } else {
      return unusual("with the line " + std::string(line));
    }
  }
  if (!included) return unusual("without the fatbin");
  return result;
}

bool is_fatbin_object_job(const Job& job) {
  const auto language = std::find(job.begin(), job.end(), "-x");
  const bool assembles = language != job.end() && language + 1 != job.end() && language[1] == "assembler";
  return assembles || base_name(job[0]).starts_with("llvm-mc");
}

Result<FatbinObjectJob> read_fatbin_object_job(const Job& job) {
  FatbinObjectJob result{job, 0, 0};
  for (std::size_t i = 1; i < job.size(); ++i) {
    const bool has_next = i + 1 < job.size();
    if (has_next && (job[i] == "-triple" || job[i] == "-target" || job[i] == "-x")) {
      ++i;
    } else if (job[i] == "-o" && has_next && result.output == 0) {
      result.output = ++i;
    } else if (job[i].starts_with('/') && result.input == 0) {
      result.input = i;
    } else if (job[i] != "--filetype=obj" && job[i] != "-c") {
      return unusual("made with the argument " + job[i]);
    }
  }
  if (result.input == 0 || result.output == 0) return unusual("of no input or output");
  return result;
}

StepCommand fatbin_object_command(const FatbinObjectJob& job, const std::string& input, const std::string& output) {
  std::vector<std::string> argv = job.job;
  argv[job.input] = input;
  argv[job.output] = output;
  return {job.job[0], std::move(argv)};
}

}  // namespace hipcache::hip
