// SPDX-License-Identifier: GPL-3.0-or-later
// What a D text is, by its tokens alone: nothing is known of its names, and nothing is reported
#pragma once

#include <cstdint>
#include <string_view>

namespace sonde {

/// How complete a text is that is typed line by line.
enum class Completeness : uint8_t {
  Whole,      ///< or so wrong that no further line can make it right
  Inside,     ///< inside of brackets or a comment, or after a comma
  NeedsBody,  ///< a description, perhaps with a predicate: the braces may come on the next line
};
Completeness is_complete(std::string_view text);

/// What is before the first predicate or body: messages name the text so.
std::string_view specifier_of(std::string_view text);

/// Whether a description may name a process by its number: pid42:::entry, or pid$1:::entry.
bool names_process(std::string_view text);

}  // namespace sonde
