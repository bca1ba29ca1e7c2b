// The report of a build for programs. Fields keep their meaning.
//
// Names of files, messages of compilers and URLs are hostile: none can leave its place and become markup, a script or
// another field. Bytes that are not UTF-8 are replaced. docs/report.md shows the form.
#ifndef HIPCACHE_REPORT_JSON_H
#define HIPCACHE_REPORT_JSON_H

#include <string>

#include "hipcache/report/summary.h"

namespace hipcache::report {

std::string to_json(const Summary& summary);

}  // namespace hipcache::report

#endif
