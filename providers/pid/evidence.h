// SPDX-License-Identifier: GPL-3.0-or-later
// What the debug information says of places that a calling convention gives, and of copies whose parameters gcc changed
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "providers/pid/calling_convention.h"

namespace sonde::pid {

enum class Word : uint8_t { Silent, Agrees, Disagrees };

/// What DWARF says of the place `convention` of a parameter.
Word compare(const CParameter& parameter, const ValuePlace& convention, uint8_t argument, bool go);

/// Where DWARF puts it at the first instruction; not known: it speaks of another one.
ValuePlace told_place(const CParameter& parameter, uint64_t size, uint8_t argument);

/// The places of all parameters by DWARF alone, if it `counts`; `why`: the reason of those that are unknown.
std::vector<ValuePlace> told_places(CTypes& types, const CFunction& function, const std::string& why, bool counts);

/// Whether gcc has only put constants into this copy (.constprop): it has its result, and of its other parameters all.
bool is_only_specialized(std::string_view symbol);

/// The same of a copy that gcc has made with other parameters, and what the calling convention says of those that it
/// has kept.
std::vector<ValuePlace> places_of_copy(CTypes& types, const CFunction& function, std::string_view symbol,
                                       const std::string& why, bool told_counts);

/// Those of the places `all` that are sure in a function that clang has optimized and whose code this is. It does not
/// pass what the function does not use; of functions that one unit calls it may have left out parameters.
std::vector<ValuePlace> places_in_clangs(CTypes& types, const CFunction& function, std::vector<ValuePlace> all,
                                         std::span<const uint8_t> code);

}  // namespace sonde::pid
