// Where a program or library says that its libraries lie: DT_RPATH and DT_RUNPATH of its ELF file.
//
// The loader looks there before it looks into its cache. The tracer sees what the loader found, not where it looked
// first.
#ifndef HIPCACHE_SRC_INPUTS_LOADER_LIBRARY_PATH_H
#define HIPCACHE_SRC_INPUTS_LOADER_LIBRARY_PATH_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hipcache::inputs {

// The lists as they are in the file: separated by ':', with tokens like $ORIGIN. Empty if the file is damaged or no ELF
// file of this machine; the loader would not have loaded it either.
std::vector<std::string> library_paths_of(const std::string& file);

// The names of the libraries that an ELF file needs (DT_NEEDED, DT_AUXILIARY, DT_FILTER), as they are in the file.
// nullopt if the file cannot be read completely: then it may need any library.
std::optional<std::vector<std::string>> libraries_needed_by(const std::string& file);

// The directories that a list (or LD_LIBRARY_PATH) means for an object in the directory `origin`. An empty entry is the
// working directory. If a token's value depends on how the loader was built, the result has all its values.
std::vector<std::string> directories_in(std::string_view list, std::string_view origin);

}  // namespace hipcache::inputs

#endif
