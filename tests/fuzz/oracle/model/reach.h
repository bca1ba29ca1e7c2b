// Which files of a tree are headers, and which a compile may read.
#ifndef HIPCACHE_TESTS_FUZZ_ORACLE_MODEL_REACH_H
#define HIPCACHE_TESTS_FUZZ_ORACLE_MODEL_REACH_H

#include <cstddef>
#include <string>
#include <vector>

#include "fuzz/oracle/model/tree.h"

namespace hipcache::fuzz {

using Names = std::vector<std::string>;

bool is_header(const std::string& name);
std::size_t number_of(const std::string& header);

// Files and links that are headers.
Names headers_of(const Tree& tree);

// Files that the source may read, as far as names tell: itself, and all headers of names that such files hold.
Names reached_from(const Tree& tree, const std::string& source);

}  // namespace hipcache::fuzz

#endif
