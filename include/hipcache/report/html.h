// The report of a build as one page that needs nothing beside it: no network, no other file.
//
// Names of files, messages of compilers and URLs are hostile: none can leave its place and become markup, a script or
// another field. Bytes that are not UTF-8 are replaced. docs/report.md shows the form.
#ifndef HIPCACHE_REPORT_HTML_H
#define HIPCACHE_REPORT_HTML_H

#include <string>

#include "hipcache/report/build.h"
#include "hipcache/report/summary.h"

namespace hipcache::report {

std::string to_html(const Build& build, const Summary& summary);

}  // namespace hipcache::report

#endif
