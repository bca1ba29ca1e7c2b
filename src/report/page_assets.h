// The files of src/report/page, as part of the program: a report needs no file beside hipcache-client.
#ifndef HIPCACHE_SRC_REPORT_PAGE_ASSETS_H
#define HIPCACHE_SRC_REPORT_PAGE_ASSETS_H

namespace hipcache::report {

extern const char* const kPageHtml;  // with places {{name}}
extern const char* const kPageCss;
extern const char* const kPageJs;

}  // namespace hipcache::report

#endif
