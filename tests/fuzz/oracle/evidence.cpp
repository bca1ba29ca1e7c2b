#include "fuzz/oracle/evidence.h"

namespace hipcache::fuzz {
namespace {

using integration::Ended;

void write_printed(const support::Scratch& scratch, const std::string& by, const std::vector<Ended>& ended) {
  for (std::size_t i = 0; i < ended.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    scratch.write(by + "/standard-output-" + number, ended[i].out);
    scratch.write(by + "/standard-error-" + number, ended[i].err);
  }
}

}  // namespace

std::string keep_evidence(const std::string& report, const std::vector<integration::Request>& requests,
                          const integration::Comparison& comparison) {
  support::Scratch scratch;
  scratch.keep();
  scratch.write("report", report);
  std::string commands;
  for (const integration::Request& request : requests) commands += "(" + line_of(request) + ")\n";
  scratch.write("commands", commands);
  integration::write_out(scratch / "before", comparison.before);
  integration::write_out(scratch / "by-hipcache", comparison.by_cache);
  integration::write_out(scratch / "by-compiler", comparison.by_compiler);
  write_printed(scratch, "by-hipcache", comparison.cached);
  write_printed(scratch, "by-compiler", comparison.alone);
  return scratch.path();
}

std::string line_of(const integration::Request& request) {
  std::string line = "cd " + request.directory + " &&";
  for (const auto& [name, value] : request.variables) line += " " + name + "='" + value + "'";
  for (const std::string& word : request.command) line += " " + word;
  return line;
}

}  // namespace hipcache::fuzz
