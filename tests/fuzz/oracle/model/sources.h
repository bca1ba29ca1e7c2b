// Texts of random headers and sources whose object shows what was read, in which order, how often and under which
// macros.
//
// Every text compiles wherever it is included and however often: each inclusion defines variables of new names
// (__COUNTER__). Header N includes only headers of higher numbers, so that includes end. A missing header is an
// error in some places and a matter of __has_include in most.
#ifndef HIPCACHE_TESTS_FUZZ_ORACLE_MODEL_SOURCES_H
#define HIPCACHE_TESTS_FUZZ_ORACLE_MODEL_SOURCES_H

#include <cstddef>
#include <string>
#include <vector>

#include "fuzz/oracle/model/random.h"

namespace hipcache::fuzz {

inline constexpr std::size_t kHeaders = 6;
inline constexpr std::size_t kFlags = 4;  // macros FLAG_0 ... that command lines define

std::string header_name(std::size_t number);
std::string header_text(Random& random, std::size_t number);
std::string source_text(Random& random);

// The text with one number changed, of the same size; the text itself if it holds none.
std::string with_another_number(Random& random, const std::string& text);

// The macro that clang defines when it compiles for the arch.
std::string macro_of(const std::string& arch);

}  // namespace hipcache::fuzz

#endif
