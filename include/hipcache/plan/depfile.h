// Depfiles as clang writes them, and the form of them that is good in another checkout.
//
// The problem: a build that names its files absolutely (CMake) has its checkout in every depfile. The choice: store the
// names with the base directory replaced, and write the depfile anew, as clang would. clang breaks lines by length
// (DependencyFileGenerator::outputDependencyFile, the form of GCC 10 and later), so it takes more than a replacement of
// text. Proved by looking: a depfile that is not, byte for byte, what is written here for its own names has no portable
// form.
#ifndef HIPCACHE_PLAN_DEPFILE_H
#define HIPCACHE_PLAN_DEPFILE_H

#include <optional>
#include <string>
#include <string_view>

#include "hipcache/base/base_directory.h"

namespace hipcache::plan {

// Nothing if the depfile is of another form, or shows the base directory where it cannot be replaced.
std::optional<std::string> portable_depfile(std::string_view depfile, const BaseDirectory& base);

// What the compiler would have written here. Nothing for what is no portable depfile.
std::optional<std::string> local_depfile(std::string_view portable, const BaseDirectory& base);

}  // namespace hipcache::plan

#endif
