// What users write as a size, a duration or a boolean, turned into numbers; and numbers into what they would write.
// Each error is "what it is, and what it should be", without the key: the caller knows where the text came from.
#ifndef HIPCACHE_SRC_CONFIG_VALUES_H
#define HIPCACHE_SRC_CONFIG_VALUES_H

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/base/result.h"

namespace hipcache::config {

// "500M", "1.5GiB", "20 gb", "0"; k, M, G and T are powers of 1000, with "i" of 1024, as ccache has it. Without a unit:
// bytes.
Result<std::uint64_t> parse_size(std::string_view text);
std::string format_size(std::uint64_t bytes);

// "600" (seconds), "90s", "10m", "2h", "1d".
Result<std::chrono::seconds> parse_duration(std::string_view text);
std::string format_duration(std::chrono::seconds duration);

// "1", "true", "yes", "on"; "0", "false", "no", "off"; in any case.
Result<bool> parse_boolean(std::string_view text);

Result<unsigned> parse_count(std::string_view text);

// "077", "7": a umask, in octal digits.
Result<unsigned> parse_umask(std::string_view text);
std::string format_umask(unsigned mask);

// Separated by commas or spaces, as URLs contain neither unescaped.
std::vector<std::string> parse_list(std::string_view text);
std::string format_list(const std::vector<std::string>& list);

// Separated by commas alone: the name of a directory may contain blanks. Those around it do not belong to it.
std::vector<std::string> parse_directories(std::string_view text);

// Separated by colons, as in PATH; in the file by commas, as the items of its lists are. Neither can be in the name of
// a base directory.
std::vector<std::string> parse_path_list(std::string_view text);
std::string format_path_list(const std::vector<std::string>& list);

}  // namespace hipcache::config

#endif
