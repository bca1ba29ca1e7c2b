// Converts sizes, durations and booleans between the texts that users write and numbers. Each error
// says what the text is and what it should be, without the key: the caller knows where the text
// came from. Options of the command line use them as well. Pure functions.
#ifndef HIPCACHE_CONFIG_VALUES_H
#define HIPCACHE_CONFIG_VALUES_H

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/result.h"

namespace hipcache::config {

// "500M", "1.5GiB", "20 gb", "0". k, M, G and T are powers of 1000, or of 1024 with "i", as in
// ccache. Without a unit: bytes.
Result<std::uint64_t> parse_size(std::string_view text);
std::string format_size(std::uint64_t bytes);

// "600" (seconds), "90s", "10m", "2h", "1d".
Result<std::chrono::seconds> parse_duration(std::string_view text);
std::string format_duration(std::chrono::seconds duration);

// "1", "true", "yes", "on"; "0", "false", "no", "off"; in any case.
Result<bool> parse_boolean(std::string_view text);

Result<unsigned> parse_count(std::string_view text);

// "0.01", "1", "1e-4": a part of the whole.
Result<double> parse_share(std::string_view text);
std::string format_share(double share);

// "077", "7": a umask, in octal digits.
Result<unsigned> parse_umask(std::string_view text);
std::string format_umask(unsigned mask);

// Separated by commas or spaces; URLs contain neither unescaped.
std::vector<std::string> parse_list(std::string_view text);
std::string format_list(const std::vector<std::string>& list);

// Separated by commas only, because directory names may contain blanks. Blanks around a name are
// removed.
std::vector<std::string> parse_directories(std::string_view text);

// Separated by colons, as in PATH, or by commas, as list items from the file are. No base
// directory's name can contain either.
std::vector<std::string> parse_path_list(std::string_view text);
std::string format_path_list(const std::vector<std::string>& list);

}  // namespace hipcache::config

#endif
