// Depfiles as compilers write them, and a form of them that serves other checkouts and other names of the object.
//
// The problem: a build that names its files absolutely (CMake) has its checkout in every depfile, and each depfile
// names the object as its target. The choice: store the names with the base directory and the target replaced, and
// write the depfile anew, as the compiler would. Compilers break lines by length, so it takes more than a replacement
// of text: clang in DependencyFileGenerator::outputDependencyFile, gcc (10 and later) in libcpp's make_write_name. A
// depfile that is not, byte for byte, what is written here for its own names has no portable form. A short depfile is
// the same in both forms, so the caller says which compiler wrote it.
#ifndef HIPCACHE_PLAN_DEPFILE_H
#define HIPCACHE_PLAN_DEPFILE_H

#include <optional>
#include <string>
#include <string_view>

#include "hipcache/base/roots.h"

namespace hipcache::plan {

enum class DepfileForm { clang, gcc };

// `target`: the one target that the depfile is expected to have, which is left out; "" keeps the targets as they are.
// Nothing if the depfile is of another form, has other targets, or shows the base directory where it cannot be
// replaced.
std::optional<std::string> portable_depfile(std::string_view depfile, const Roots& roots,
                                            DepfileForm form = DepfileForm::clang, const std::string& target = "");

// What the compiler would have written here, with that target. Nothing for what is no portable depfile.
std::optional<std::string> local_depfile(std::string_view portable, const Roots& roots,
                                         DepfileForm form = DepfileForm::clang, const std::string& target = "");

}  // namespace hipcache::plan

#endif
