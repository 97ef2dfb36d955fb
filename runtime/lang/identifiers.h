// SPDX-License-Identifier: GPL-3.0-or-later
// Built-in names that are younger than D 1.0, or less stable than Stable/Stable/Common: one row each.
// A program that asks for an older version (-x version) may use a younger name for its own variables.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "runtime/agg/functions.h"
#include "runtime/framework/provider.h"
#include "runtime/lang/functions.h"
#include "runtime/lang/variables.h"
#include "runtime/lang/version.h"

namespace sonde {

inline constexpr dtrace_attribute_t kStableName = {DTRACE_STABILITY_STABLE, DTRACE_STABILITY_STABLE,
                                                   DTRACE_CLASS_COMMON};
inline constexpr dtrace_attribute_t kEvolvingName = {DTRACE_STABILITY_EVOLVING, DTRACE_STABILITY_EVOLVING,
                                                     DTRACE_CLASS_COMMON};

struct IdentifierFacts {
  Version since = kOldestVersion;
  dtrace_attribute_t attributes = kStableName;
};

struct IdentifierRow {
  std::string_view name;
  IdentifierFacts facts;
};

inline constexpr std::array kIdentifiers = std::to_array<IdentifierRow>({
    {"curthread", {kOldestVersion, {DTRACE_STABILITY_STABLE, DTRACE_STABILITY_PRIVATE, DTRACE_CLASS_COMMON}}},
    {"freopen", {make_version(1, 1)}},
    {"func", {make_version(1, 2)}},
    {"getmajor", {kOldestVersion, kEvolvingName}},
    {"getminor", {kOldestVersion, kEvolvingName}},
    {"htonl", {make_version(1, 3), kEvolvingName}},
    {"htonll", {make_version(1, 3), kEvolvingName}},
    {"htons", {make_version(1, 3), kEvolvingName}},
    {"index", {make_version(1, 1)}},
    {"inet_ntoa", {make_version(1, 5)}},
    {"inet_ntoa6", {make_version(1, 5)}},
    {"inet_ntop", {make_version(1, 5)}},
    {"link_ntop", {make_version(1, 5)}},
    {"llquantize", {make_version(1, 6, 4)}},
    {"mod", {make_version(1, 2)}},
    {"ntohl", {make_version(1, 3), kEvolvingName}},
    {"ntohll", {make_version(1, 3), kEvolvingName}},
    {"ntohs", {make_version(1, 3), kEvolvingName}},
    {"print", {make_version(2, 0)}},
    {"rindex", {make_version(1, 1)}},
    {"setopt", {make_version(1, 2)}},
    {"stddev", {make_version(1, 6)}},
    {"strchr", {make_version(1, 1)}},
    {"strrchr", {make_version(1, 1)}},
    {"strstr", {make_version(1, 1)}},
    {"strtok", {make_version(1, 1)}},
    {"substr", {make_version(1, 1)}},
    {"sym", {make_version(1, 2)}},
    {"uaddr", {make_version(1, 2)}},
    {"ucaller", {make_version(1, 2)}},
    {"ufunc", {make_version(1, 2)}},
    {"umod", {make_version(1, 2)}},
    {"usym", {make_version(1, 2)}},
});
static_assert(std::ranges::is_sorted(kIdentifiers, {}, &IdentifierRow::name));
static_assert(std::ranges::all_of(kIdentifiers, [](const IdentifierRow& row) {
  auto named =
      [&](const auto&
              table) {  // find_function() and the like return addresses, which are not constants under sanitizers
        return std::ranges::any_of(table, [&](const auto& other) { return other.name == row.name; });
      };
  return named(kFunctions) || named(kVariables) || named(kAggFunctions);
}));

constexpr IdentifierFacts facts_of_builtin(std::string_view name) {
  auto at = std::ranges::lower_bound(kIdentifiers, name, {}, &IdentifierRow::name);
  return at != kIdentifiers.end() && at->name == name ? at->facts : IdentifierFacts{};
}

/// The less stable of two attributes, field by field.
constexpr dtrace_attribute_t weaker(const dtrace_attribute_t& a, const dtrace_attribute_t& b) {
  return {std::min(a.dtat_name, b.dtat_name), std::min(a.dtat_data, b.dtat_data), std::min(a.dtat_class, b.dtat_class)};
}

/// Converts "Stable/Private/Common" to attributes and back.
bool read_attributes(std::string_view text, dtrace_attribute_t& out);
std::string attributes_text(const dtrace_attribute_t& attributes);
std::string_view stability_name(dtrace_stability_t stability);
std::string_view class_name(dtrace_class_t which);

}  // namespace sonde
