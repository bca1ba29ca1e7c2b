// One element's text out of the small XML answers of S3, STS and Azure.
//
// hipcache reads six of them: an error's code and region, and three keys with their end. Each is the text of one
// element without markup or entities. So the element is searched for by name; what does not look like that is nothing,
// which is a failure that is still a miss. Rejected: an XML parser, for input that a server of any kind may send. Pure
// functions.
#ifndef HIPCACHE_SRC_REMOTE_OBJECTS_XML_TEXT_H
#define HIPCACHE_SRC_REMOTE_OBJECTS_XML_TEXT_H

#include <string>
#include <string_view>

namespace hipcache::remote {

// The text of the first <name>...</name>; empty if there is none, or if it holds markup, entities or blanks.
std::string xml_text(std::string_view document, std::string_view name);

// The text if it is a code that may be shown: at most 64 letters and digits. Else empty.
std::string shown_code(const std::string& text);

// The code of an error of S3, STS or Azure, such as AccessDenied; may be shown.
std::string error_code_of(std::string_view document);

}  // namespace hipcache::remote

#endif
