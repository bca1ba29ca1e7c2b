#include "compiler/hip/plan/wrapper_jobs.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <utility>

#include "compiler/hip/jobs/bundle_jobs.h"
#include "hipcache/base/digest.h"
#include "hipcache/base/files.h"
#include "hipcache/compiler/hip/plan.h"

namespace hipcache::hip {
namespace {

constexpr std::size_t kChance = 6;  // hexadecimal digits in LLVM's names of temporary files
constexpr std::size_t kMaxWords = 65536;

Error unusual(const std::string& what) { return Error{"the linker wrapper's list of jobs " + what}; }

// The position of the random digits in "fatbin.hipfb.amdgcn.gfx906-37deae.img".
std::optional<std::size_t> chance_in(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot < kChance + 1 || name[dot - kChance - 1] != '-') return std::nullopt;
  const std::size_t at = dot - kChance;
  return name.substr(at, kChance).find_first_not_of("0123456789abcdef") == std::string_view::npos ? std::optional(at)
                                                                                                  : std::nullopt;
}

Result<Job> words_of(std::string_view line) {
  const std::size_t quote = line.size() > 2 ? line.find('"', 2) : std::string_view::npos;
  if (!line.starts_with(" \"/") || quote == std::string_view::npos) return unusual("has a line that is no job");
  Job words{std::string(line.substr(2, quote - 2))};
  line.remove_prefix(quote + 1);
  while (!line.empty()) {
    if (line.front() != ' ' || words.size() == kMaxWords) return unusual("has a job without an end");
    const std::size_t end = std::min(line.find(' ', 1), line.size());
    words.emplace_back(line.substr(1, end - 1));
    line.remove_prefix(end);
  }
  return words;
}

Result<std::vector<Job>> jobs_in(std::string_view printed) {
  if (printed.size() > kMaxPrintedBytes) return unusual("is too long");
  if (printed.find('\0') != std::string_view::npos || printed.find(kDirectory) != std::string_view::npos)
    return unusual("has what is reserved");
  std::vector<Job> jobs;
  while (!printed.empty()) {
    const std::size_t end = printed.find('\n');
    if (end == std::string_view::npos) return unusual("is cut off");
    Result<Job> job = words_of(printed.substr(0, end));
    if (!job) return job.error();
    if (jobs.size() == kMaxJobs) return unusual("is too long");
    jobs.push_back(*std::move(job));
    printed.remove_prefix(end + 1);
  }
  return jobs;
}

void replace_directory(std::string& word, const std::string& directory) {
  const std::string from = directory + "/";
  const std::string to = std::string(kDirectory) + "/";
  for (std::size_t at = word.find(from); at != std::string::npos; at = word.find(from, at + to.size()))
    word.replace(at, from.size(), to);
}

bool is_intermediate(const std::string& word) {
  return word.starts_with(std::string(kDirectory) + "/") &&
         word.find('/', std::string_view(kDirectory).size() + 1) == std::string::npos;
}

// A number in place of the random digits, because inputs may differ only in those.
std::string numbered(std::size_t index) {
  std::string digits = std::to_string(index % 1000000);
  return std::string(kChance - digits.size(), '0') + digits;
}

// A whole word that names an intermediate file is an input, or the output if it follows -o. Other words that contain
// such a name are compared unchanged.
Result<BackEndJob> back_end_of(Job words, const std::string& directory) {
  BackEndJob result{.job = std::move(words)};
  if (!base_name(result.job[0]).starts_with("clang")) return unusual("has a job of no compiler");
  for (std::size_t i = 1; i < result.job.size(); ++i) {
    std::string& word = result.job[i];
    replace_directory(word, directory);
    const std::optional<std::size_t> chance = chance_in(word);
    if (!is_intermediate(word) || !chance) continue;
    const bool is_input = result.job[i - 1] != "-o";
    word.replace(*chance, kChance, is_input ? numbered(result.inputs.size()) : numbered(0));
    if (is_input) {
      result.inputs.push_back(i);
    } else if (std::exchange(result.output, i) != 0) {
      return unusual("has a job with two outputs");
    }
  }
  if (result.inputs.empty() || result.output == 0) return unusual("has a job without input or output");
  return result;
}

std::string name_of(const std::string& placed) { return placed.substr(std::string_view(kDirectory).size() + 1); }

void add_text(std::string& bytes, std::string_view text) { bytes.append(text).push_back('\0'); }

// Adds a name without its random digits, and the prepared file.
void add_file(std::string& bytes, char kind, const std::string& name) {
  const std::size_t chance = *chance_in(name);
  add_text(bytes, kind + name.substr(0, chance));
  add_text(bytes, name.substr(chance + kChance));
  add_text(bytes, name);
}

const Step* front_end_of(const std::vector<Step>& steps, const std::string& bitcode) {
  const auto front = std::find_if(steps.begin(), steps.end(), [&](const Step& step) {
    return step.is_front_end && step.outputs.front().name == bitcode;
  });
  return front == steps.end() ? nullptr : &*front;
}

Step back_end_step(const BackEndJob& job, const Step& front) {
  const std::string image = name_of(job.job[job.output]);
  Step step;
  step.kind = StepKind::back_end;
  step.arch = front.arch;
  step.commands = {{job.job[0], job.job}};
  step.keyed = {job.job};
  step.outputs = {{kCodeObject, image, ""}, {kSaid, image + ".said", ""}};
  step.inputs = {front.outputs.front().name};
  step.starts_others = true;
  return step;
}

Result<std::vector<Step>> back_end_steps(const std::vector<BackEndJob>& jobs, const std::vector<Step>& steps) {
  std::vector<Step> result;
  for (const BackEndJob& job : jobs) {
    const Step* front = job.inputs.size() == 1 ? front_end_of(steps, name_of(job.job[job.inputs[0]])) : nullptr;
    if (front == nullptr) return unusual("has a job for none of the devices");
    const auto is_same = [&](const Step& other) {
      return other.inputs == std::vector{front->outputs.front().name} ||
             other.outputs.front().name == name_of(job.job[job.output]);
    };
    if (std::any_of(result.begin(), result.end(), is_same)) return unusual("has two jobs for one device");
    result.push_back(back_end_step(job, *front));
  }
  return result;
}

// REQUIRES: there is a step of that kind, which runs the wrapper.
void put_before(StepKind kind, std::vector<Step>& steps, const std::vector<Step>& back_ends,
                const std::string& answers) {
  const auto wrapper = std::find_if(steps.begin(), steps.end(), [&](const Step& step) { return step.kind == kind; });
  wrapper->files.push_back({kAnswers, answers});
  wrapper->back_ends.clear();
  for (const Step& step : back_ends) {
    wrapper->files.insert(wrapper->files.end(), step.files.begin(), step.files.end());
    for (const StepOutput& output : step.outputs) wrapper->inputs.push_back(output.name);
  }
  steps.insert(wrapper, back_ends.begin(), back_ends.end());
}

// A command that the wrapper would have started, with its input files.
struct Captured {
  Job words;
  std::vector<std::pair<std::size_t, std::string_view>> files;  // index of a word, and its file's bytes
};

class CapturedReader {
 public:
  explicit CapturedReader(std::string_view bytes) : left_(bytes) {}

  bool at_end() const { return left_.empty(); }

  Result<Captured> next() {
    Captured captured;
    const std::optional<std::string_view> program = text();
    for (std::optional<std::string_view> word = text(); program && word; word = text()) {
      if (*word == ".") return captured.words.empty() ? damaged() : Result<Captured>(std::move(captured));
      if (word->empty() || captured.words.size() == kMaxWords || (word->front() != '=' && word->front() != '<'))
        return damaged();
      captured.words.emplace_back(captured.words.empty() ? *program : word->substr(1));
      if (word->front() == '=') continue;
      const std::optional<std::string_view> bytes = file();
      if (!bytes) return damaged();
      captured.files.emplace_back(captured.words.size() - 1, *bytes);
    }
    return damaged();
  }

 private:
  static Result<Captured> damaged() { return unusual("is damaged"); }

  std::optional<std::string_view> text() {
    const std::size_t end = left_.find('\0');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view found = left_.substr(0, end);
    left_.remove_prefix(end + 1);
    return found;
  }

  std::optional<std::string_view> file() {
    const std::optional<std::string_view> digits = text();
    std::size_t size = 0;
    if (!digits ||
        std::from_chars(digits->data(), digits->data() + digits->size(), size).ptr != digits->data() + digits->size() ||
        size > left_.size())
      return std::nullopt;
    const std::string_view bytes = left_.substr(0, size);
    left_.remove_prefix(size);
    return bytes;
  }

  std::string_view left_;
};

// The arch in the command's -mcpu=, for statistics and messages.
std::string arch_in(const Job& job) {
  constexpr std::string_view kCpu = "-mcpu=";
  const auto cpu =
      std::find_if(job.begin(), job.end(), [&](const std::string& word) { return word.starts_with(kCpu); });
  return cpu == job.end() ? "" : cpu->substr(kCpu.size());
}

Result<Step> back_end_step(const BackEndJob& job, const Captured& captured) {
  Step step;
  step.kind = StepKind::back_end;
  step.arch = {arch_in(job.job)};
  if (!is_arch_name(step.arch.name)) return unusual("has a job for no device");
  const std::string image = name_of(job.job[job.output]);
  step.commands = {{job.job[0], job.job}};
  step.keyed = {job.job, {}};
  step.outputs = {{kCodeObject, image, ""}, {kSaid, image + ".said", ""}};
  step.starts_others = true;
  for (const auto& [word, bytes] : captured.files) {
    if (std::find(job.inputs.begin(), job.inputs.end(), word) == job.inputs.end())
      return unusual("has a job with a file that is no input");
    step.files.push_back({name_of(job.job[word]), std::string(bytes), true});
    step.keyed.back().push_back(digest_of(bytes).hex());
  }
  return step;
}

}  // namespace

Result<std::vector<BackEndJob>> read_back_end_jobs(std::string_view printed, const std::string& directory) {
  Result<std::vector<Job>> jobs = jobs_in(printed);
  if (!jobs) return jobs.error();
  if (jobs->size() < 2) return unusual("has no jobs");
  jobs->pop_back();
  std::vector<BackEndJob> result;
  for (Job& job : *jobs) {
    Result<BackEndJob> back_end = back_end_of(std::move(job), directory);
    if (!back_end) return back_end.error();
    result.push_back(*std::move(back_end));
  }
  return result;
}

std::string answer_to(const BackEndJob& job, const std::string& said) {
  std::string bytes;
  add_text(bytes, job.job[0]);
  for (std::size_t i = 0; i < job.job.size(); ++i) {
    if (i == job.output) {
      add_file(bytes, '>', job.job[i]);
    } else if (std::find(job.inputs.begin(), job.inputs.end(), i) != job.inputs.end()) {
      add_file(bytes, '<', job.job[i]);
    } else {
      add_text(bytes, "=" + job.job[i]);
    }
  }
  add_text(bytes, ".");
  add_text(bytes, said);
  return bytes;
}

Status take_back_ends(Plan& plan, std::string_view printed, const std::string& directory) {
  const Result<std::vector<BackEndJob>> jobs = read_back_end_jobs(printed, directory);
  if (!jobs) return jobs.error();
  const Result<std::vector<Step>> back_ends = back_end_steps(*jobs, plan.steps);
  if (!back_ends) return back_ends.error();
  const auto fronts =
      std::count_if(plan.steps.begin(), plan.steps.end(), [](const Step& step) { return step.is_front_end; });
  if (static_cast<std::size_t>(fronts) != back_ends->size()) return unusual("has more or fewer jobs than devices");
  std::string answers;
  for (std::size_t i = 0; i < jobs->size(); ++i)
    answers += answer_to((*jobs)[i], std::string(kDirectory) + "/" + (*back_ends)[i].outputs.back().name);
  put_before(StepKind::bundle, plan.steps, *back_ends, answers);
  if (plan.deferred_fatbin) put_before(StepKind::bundle, plan.deferred_fatbin->steps, *back_ends, answers);
  return done();
}

Status take_captured(Plan& plan, std::string_view captured) {
  std::vector<Step> back_ends;
  std::set<std::string> names;
  std::string answers;
  for (CapturedReader reader(captured); !reader.at_end();) {
    Result<Captured> program = reader.next();
    if (!program) return program.error();
    if (program->files.empty()) continue;
    Result<BackEndJob> job = back_end_of(program->words, kDirectory);
    if (!job) return job.error();
    if (job->inputs.size() != program->files.size()) return unusual("has a job with an input that is empty");
    Result<Step> step = back_end_step(*job, *program);
    if (!step) return step.error();
    for (const StepFile& file : step->files)
      if (!names.insert(file.name).second) return unusual("has two jobs for one file");
    if (!names.insert(step->outputs.front().name).second) return unusual("has two jobs that make one file");
    answers += answer_to(*job, std::string(kDirectory) + "/" + step->outputs.back().name);
    back_ends.push_back(*std::move(step));
  }
  if (!back_ends.empty()) put_before(StepKind::link, plan.steps, back_ends, answers);
  return done();
}

}  // namespace hipcache::hip
