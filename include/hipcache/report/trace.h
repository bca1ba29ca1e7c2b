// The report of a build as trace events, for Perfetto and chrome://tracing: a process for each track.
//
// Names of files, messages of compilers and URLs are hostile: none can leave its place and become markup, a script or
// another field. Bytes that are not UTF-8 are replaced. docs/report.md shows the form.
#ifndef HIPCACHE_REPORT_TRACE_H
#define HIPCACHE_REPORT_TRACE_H

#include <string>

#include "hipcache/report/build.h"

namespace hipcache::report {

std::string to_trace(const Build& build);

}  // namespace hipcache::report

#endif
