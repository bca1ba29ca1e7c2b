// What remains of a finding when its project is gone: a directory with all that somebody needs who looks into it.
//
//   report                    what differs, the walk, the daemon's log
//   commands                  the commands of the step, as a shell takes them
//   before                    the project as it was when they ran
//   by-hipcache, by-compiler  the files that differ from then, and what was printed
#ifndef HIPCACHE_TESTS_FUZZ_ORACLE_EVIDENCE_H
#define HIPCACHE_TESTS_FUZZ_ORACLE_EVIDENCE_H

#include <string>
#include <vector>

#include "integration/support/oracle.h"

namespace hipcache::fuzz {

// Returns the directory.
std::string keep_evidence(const std::string& report, const std::vector<integration::Request>& requests,
                          const integration::Comparison& comparison);

// A line as a shell would take it.
std::string line_of(const integration::Request& request);

}  // namespace hipcache::fuzz

#endif
