// The data of the page's timeline, which its script draws.
#ifndef HIPCACHE_SRC_REPORT_PAGE_DATA_H
#define HIPCACHE_SRC_REPORT_PAGE_DATA_H

#include <cstddef>
#include <map>
#include <string>

#include "hipcache/report/summary.h"

namespace hipcache::report {

// The files of src/report/page, as part of the program: a report needs no file beside hipcache-client.

extern const char* const kPageHtml;  // with places {{name}}
extern const char* const kPageCss;
extern const char* const kPageJs;

struct PageData {
  std::string json;                              // may stand within <script>
  std::map<const void*, std::string> slice_ids;  // by the step (events::StepEvent): what the page calls its slice
};

PageData page_data_of(const Build& build, const Timeline& timeline);

}  // namespace hipcache::report

#endif
