// What real compilers printed for -###, kept in fixtures/plans: recorded in /build with TMPDIR=/tmp/probe and
// -cuid=0123456789abcdef.
#ifndef HIPCACHE_TESTS_COMPILER_HIP_RECORDED_PLANS_H
#define HIPCACHE_TESTS_COMPILER_HIP_RECORDED_PLANS_H

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "hipcache/compiler/hip/plan.h"
#include "hipcache/compiler/invocation.h"

namespace hipcache::hip::testing {

inline constexpr const char* kRecordedDirectory = "/tmp/probe";

// "clang-19-O2" is the file O2.txt in the compiler's folder clang-19.
std::string recorded(const std::string& name);

// In which order that compiler takes gfx906 and gfx1030: by letters, and since clang 23 by number.
std::array<std::string, 2> arch_order(std::string_view compiler);

// a.hip to a.o; with a depfile a.d if asked.
compiler::Invocation invocation_of_a(bool depfile = false);

// A failed expectation and an empty plan if it is refused.
Plan accepted(const std::string& printed, const compiler::Invocation& invocation);

// The error's message, or "accepted".
std::string refusal(const std::string& printed, const compiler::Invocation& invocation);

// `text` with the first `from` replaced; a failed expectation if there is none.
std::string replaced(std::string text, const std::string& from, const std::string& to);

// An edit of a plan that is accepted without it.
struct Edit {
  const char* from;
  const char* to;
  const char* message;  // a part of the error
};

// Expects the plan to be accepted, and refused for what was edited.
void expect_refused(const std::string& printed, const compiler::Invocation& invocation, const Edit& edit);

// Expects the plan to be refused when it is cut off anywhere.
void expect_refused_in_part(const std::string& printed, const compiler::Invocation& invocation);

}  // namespace hipcache::hip::testing

#endif
