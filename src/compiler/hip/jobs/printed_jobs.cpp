#include "compiler/hip/jobs/printed_jobs.h"

#include <algorithm>
#include <array>
#include <utility>

#include "hipcache/compiler/hip/plan.h"

namespace hipcache::hip {
namespace {

constexpr std::array<std::string_view, 5> kBanner = {
    "Target: ", "Thread model: ", "InstalledDir: ", "Build config: ", "Configuration file: "};

// Printed before a job that the driver runs in its own process, which it does only for a single job.
constexpr std::string_view kInProcess = " (in-process)\n";

bool is_banner(std::string_view line) {
  if (line.starts_with("clang version ") || line.find(" clang version ") != std::string_view::npos) return true;
  return std::any_of(kBanner.begin(), kBanner.end(), [&](std::string_view start) { return line.starts_with(start); });
}

// The line without colour escape sequences.
std::string without_colour(std::string_view line) {
  std::string plain;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line.substr(i).starts_with("\x1b[")) {
      const auto end = line.find('m', i);
      if (end == std::string_view::npos) break;
      i = end;
    } else {
      plain += line[i];
    }
  }
  return plain;
}

// Matches "clang++-19: warning: ...". A line is not a warning if the part before the colon has a blank.
bool is_warning(std::string_view line) {
  const std::string plain = without_colour(line);
  const auto end = plain.find(": ");
  if (end == std::string::npos || end == 0 || plain.find(' ') < end) return false;
  const std::string_view rest = std::string_view(plain).substr(end + 2);
  return rest.starts_with("warning: ") || rest.starts_with("note: ");
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool at_end() const { return at_ == text_.size(); }
  bool at_job() const { return text_.substr(at_).starts_with(" \""); }

  // REQUIRES: at_job()
  Result<Job> job() {
    Job words;
    while (at_job()) {
      at_ += 2;
      Result<std::string> word = rest_of_word();
      if (!word) return word.error();
      words.push_back(*std::move(word));
    }
    if (at_end() || text_[at_] != '\n')
      return Error{"the compiler's -### printed a job that does not end with its line"};
    ++at_;
    if (words[0].empty()) return Error{"the compiler's -### printed a job without a program"};
    return words;
  }

  // The line with its newline, if it has one.
  std::string_view line() {
    const auto end = text_.find('\n', at_);
    const auto next = end == std::string_view::npos ? text_.size() : end + 1;
    const std::string_view found = text_.substr(at_, next - at_);
    at_ = next;
    return found;
  }

 private:
  Result<std::string> rest_of_word() {
    std::string word;
    for (; at_ < text_.size(); ++at_) {
      char c = text_[at_];
      if (c == '"') {
        ++at_;
        return word;
      }
      if (c == '\\') {
        if (++at_ == text_.size()) break;
        c = text_[at_];
        if (c != '"' && c != '\\' && c != '$') return Error{"the compiler's -### printed an unknown escape in a job"};
      }
      if (c == '\0') return Error{"the compiler's -### printed a null byte in a job"};
      word += c;
    }
    return Error{"the compiler's -### printed a job with an open quote"};
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::string shortened(std::string_view line) {
  while (!line.empty() && line.back() == '\n') line.remove_suffix(1);
  return without_colour(line.substr(0, 200));
}

}  // namespace

Result<PrintedJobs> read_printed_jobs(std::string_view printed) {
  if (printed.size() > kMaxPrintedBytes) return Error{"the compiler's -### printed too much"};
  PrintedJobs result;
  bool in_process = false;
  Reader reader(printed);
  while (!reader.at_end()) {
    if (reader.at_job()) {
      Result<Job> job = reader.job();
      if (!job) return job.error();
      if (result.jobs.size() == kMaxJobs) return Error{"the compiler's -### printed too many jobs"};
      result.jobs.push_back(*std::move(job));
      continue;
    }
    const std::string_view line = reader.line();
    if (line == kInProcess) {
      in_process = true;
    } else if (is_warning(line)) {
      result.diagnostics += line;
    } else if (!is_banner(line)) {
      return Error{"the compiler's -### printed a line that is not understood: " + shortened(line)};
    }
  }
  if (in_process && result.jobs.size() != 1) return Error{"the compiler's -### printed one of several jobs as its own"};
  return result;
}

std::string placed(const std::string& name) { return std::string(kDirectory) + "/" + name; }

std::string file_name(const compiler::ArchId& arch) {
  std::string name = arch.name;
  std::replace(name.begin(), name.end(), ':', '.');
  return name;
}

}  // namespace hipcache::hip
