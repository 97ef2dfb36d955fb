// SPDX-License-Identifier: GPL-3.0-or-later
// The outline of a D text, from its tokens alone: names are not resolved, and nothing is reported
#pragma once

#include <cstdint>
#include <string_view>

namespace sonde {

/// Whether a text that is typed line by line is complete.
enum class Completeness : uint8_t {
  Whole,      ///< or wrong in a way that no further line can correct
  Inside,     ///< inside of brackets or a comment, or after a comma
  NeedsBody,  ///< a description, perhaps with a predicate: the braces may come on the next line
};
Completeness is_complete(std::string_view text);

/// The text before the first predicate or body, which messages use as its name.
std::string_view specifier_of(std::string_view text);

/// Whether a description may contain a process number: pid42:::entry, or pid$1:::entry.
bool names_process(std::string_view text);

}  // namespace sonde
