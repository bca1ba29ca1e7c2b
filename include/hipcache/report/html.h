// The report of a build as one page that needs nothing beside it: no network, no other file.
//
// Names of files, messages of compilers and URLs are hostile: none can leave its place and become markup, a script or
// another field. Bytes that are not UTF-8 are replaced. docs/report.md shows the form.
#ifndef HIPCACHE_REPORT_HTML_H
#define HIPCACHE_REPORT_HTML_H

#include <string>

#include "hipcache/report/summary.h"

namespace hipcache::report {

// The report of a build for programs. Fields keep their meaning.
//
// Names of files, messages of compilers and URLs are hostile: none can leave its place and become markup, a script or
// another field. Bytes that are not UTF-8 are replaced. docs/report.md shows the form.

std::string to_json(const Summary& summary);

// The report of a build for the summary of a CI job.
//
// Names of files, messages of compilers and URLs are hostile: none can leave its place and become markup, a script or
// another field. Bytes that are not UTF-8 are replaced. docs/report.md shows the form.

std::string to_markdown(const Summary& summary);

// The report of a build as trace events, for Perfetto and chrome://tracing: a process for each track.
//
// Names of files, messages of compilers and URLs are hostile: none can leave its place and become markup, a script or
// another field. Bytes that are not UTF-8 are replaced. docs/report.md shows the form.

std::string to_trace(const Build& build);

std::string to_html(const Build& build, const Summary& summary);

}  // namespace hipcache::report

#endif
