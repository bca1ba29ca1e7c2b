#include "inputs/rules/ast_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <string_view>

#include "hipcache/base/files.h"

namespace hipcache::inputs {

Compares compares_of_file(const std::string& path, LacksTimes lacks_times) {
  constexpr std::string_view kMagic = "CPCH";
  constexpr std::size_t kHead = 4u << 20;  // has the list of headers
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  std::array<char, kMagic.size()> magic{};
  if (!file || ::pread(file.get(), magic.data(), magic.size(), 0) != static_cast<ssize_t>(magic.size()) ||
      std::string_view(magic.data(), magic.size()) != kMagic)
    return Compares::nothing;
  if (lacks_times == nullptr) return Compares::sizes_and_times;
  std::string head(kHead, '\0');
  const ssize_t got = ::pread(file.get(), head.data(), head.size(), 0);
  head.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return lacks_times(head) ? Compares::sizes : Compares::sizes_and_times;
}

}  // namespace hipcache::inputs
