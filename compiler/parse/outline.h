// SPDX-License-Identifier: GPL-3.0-or-later
// The outline of a D text, from its tokens alone: names are not resolved, and nothing is reported
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sonde {

struct ProbeDescription;

/// Whether a text that is typed line by line is complete.
enum class Completeness : uint8_t {
  Whole,      ///< or wrong in a way that no further line can correct
  Inside,     ///< inside of brackets or a comment, or after a comma
  NeedsBody,  ///< a description, perhaps with a predicate: the braces may come on the next line
};
Completeness is_complete(std::string_view text);

/// The text before the first predicate or body, which messages use as its name.
std::string_view specifier_of(std::string_view text);

/// How many clauses end before byte `offset` of the text.
size_t clauses_up_to(std::string_view text, size_t offset);
/// If the text ends in a member's name, or behind "." or "->": the text with `member` as that name, ended so that it can be
/// checked. What the member is of makes a statement of its own, and what is open is closed. Otherwise empty.
///   BEGIN /curpsinfo->pr_ps    becomes    BEGIN { curpsinfo->MEMBER; }
std::string with_member(std::string_view text, std::string_view member);

/// The value of a macro variable, named without its $: "1", "module". None: it stays as it is written.
using KnownMacros = std::function<std::optional<std::string>(std::string_view)>;

/// The descriptions of all clauses, with the macro variables that are known replaced.
std::vector<ProbeDescription> descriptions_of(std::string_view text, const KnownMacros& known = {});

/// Whether a description may contain a process number: pid42:::entry, or pid$1:::entry.
bool names_process(std::string_view text, const KnownMacros& known = {});

}  // namespace sonde
