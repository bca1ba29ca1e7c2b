// What two names of a checkout have in common, as a question about a third one (Question::name_likeness).
//
// Problem: a device step made the same under two names of its checkout. So its code does not use what differs between
// them. It may use what they share: a length, or the first characters of a text that it cuts off.
// Choice: the result serves a name that shares the same. For each of a root's two names the question says whether its
// length counts, how many of its first characters, and how many of its last components.
//
// Not seen: code that uses single characters in the middle of a name, at which both happen to be equal.
#ifndef HIPCACHE_INPUTS_NAME_LIKENESS_H
#define HIPCACHE_INPUTS_NAME_LIKENESS_H

#include <optional>
#include <string>
#include <string_view>

#include "hipcache/base/roots.h"
#include "hipcache/inputs/path_set.h"

namespace hipcache::inputs {

// The question for what the two have in common. Nothing if they are one name, or if their requests used other names
// (Root::form).
std::optional<Observation> likeness_of(const Root& one, const Root& other);

// The answer of a root. `question`: what follows the mark in the question's name. Never fails, whatever the text.
std::string shared_parts(const Root& root, std::string_view question);

// The mark in the question's name, and what follows it.
std::string_view mark_of_likeness(std::string_view name);
std::string_view parts_of_likeness(std::string_view name);

}  // namespace hipcache::inputs

#endif
