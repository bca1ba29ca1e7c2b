// Converts depfiles to a portable form that serves other checkouts and other names of the object,
// and back.
//
// Problem: a build with absolute file names (CMake) has its checkout's path in every depfile, and
// each depfile names the object as its target.
// Choice: store the names with the base directory and the target replaced, and write the depfile
// anew as the compiler would. Replacing text is not enough, because compilers break lines by
// length: clang in DependencyFileGenerator::outputDependencyFile, gcc (10 and later) in libcpp's
// make_write_name. A depfile has a portable form only if this code, given its names, writes it byte
// for byte. A short depfile is the same in both compilers' forms, so the caller says which compiler
// wrote it.
#ifndef HIPCACHE_COMPILER_HIP_DEPFILE_H
#define HIPCACHE_COMPILER_HIP_DEPFILE_H

#include <optional>
#include <string>
#include <string_view>

#include "hipcache/base/roots.h"

namespace hipcache::hip {

enum class DepfileForm { clang, gcc };

// The form of a portable depfile, by the role of the output; nothing for any other role.
std::optional<DepfileForm> portable_form(std::string_view role);

// `target`: the only target that the depfile may have, which is left out; "" keeps the targets as
// they are. Returns nothing if the depfile has another form or other targets, or shows the base
// directory where it cannot be replaced.
std::optional<std::string> portable_depfile(std::string_view depfile, const Roots& roots,
                                            DepfileForm form = DepfileForm::clang, const std::string& target = "");

// The depfile that the compiler would have written here, with that target. Nothing if `portable` is
// no portable depfile.
std::optional<std::string> local_depfile(std::string_view portable, const Roots& roots,
                                         DepfileForm form = DepfileForm::clang, const std::string& target = "");

// The depfile that clang would have written had it read the text of a precompiled header in the place of the header.
// `depfile`: what it wrote with the header, for that source. `of_header`: what it wrote when it made the header, of an
// empty source, which it names first. Nothing if one of the two has another form.
std::optional<std::string> depfile_without_header(std::string_view depfile, std::string_view of_header,
                                                  const std::string& header, std::string_view source);

}  // namespace hipcache::hip

#endif
