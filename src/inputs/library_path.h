// Where a program or library says that the libraries lie that it needs: DT_RPATH and DT_RUNPATH of its ELF file.
//
// The loader looks there before it looks into its cache, and the tracer sees what it found, not where it looked first.
#ifndef HIPCACHE_INPUTS_LIBRARY_PATH_H
#define HIPCACHE_INPUTS_LIBRARY_PATH_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hipcache::inputs {

// The lists as they are in the file, parted by ':', with tokens like $ORIGIN. None for what is no ELF file of this
// machine, or a damaged one: the loader would not have loaded that either.
std::vector<std::string> library_paths_of(const std::string& file);

// The names of the libraries that an ELF file needs (DT_NEEDED and its kin), as they are in the file. Nothing where the
// file cannot be read to the end: then it may need any.
std::optional<std::vector<std::string>> libraries_needed_by(const std::string& file);

// The directories that a list (or LD_LIBRARY_PATH) names to an object in the directory `origin`. An empty entry is the
// working directory; where a token depends on how the loader was built, all of its values are named.
std::vector<std::string> directories_in(std::string_view list, std::string_view origin);

}  // namespace hipcache::inputs

#endif
