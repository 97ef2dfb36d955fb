// SPDX-License-Identifier: GPL-3.0-or-later
// The texts of the D library, and which text defines a name
//
//   providers/*/*.d, compiler/library/*.d --> embed.cmake --> texts.inc --> kParts --> kNames, at compile time
//   texts of plug-ins --> add_library_part() --> added()
//
// A text is loaded when one of its names is used. The library's own names take precedence: a plug-in cannot redefine
// them.
#include "compiler/library/library.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <string>

#include "compiler/library/definitions.h"

namespace sonde {
namespace {

constexpr std::array kParts = std::to_array<LibraryPart>({
#include "compiler/library/texts.inc"
});

/// A name, and the part that defines it.
struct DefinedName {
  std::string_view name;
  size_t part = 0;
};

constexpr void each_name(const auto& visit) {
  for (size_t part = 0; part < kParts.size(); part++)
    each_definition(kParts[part].text, [&](std::string_view name) { visit(DefinedName{name, part}); });
}

consteval size_t count_names() {
  size_t count = 0;
  each_name([&](const DefinedName&) { count++; });
  return count;
}

/// Sorted at compile time, because the parser looks up every identifier.
constexpr auto kNames = [] {
  std::array<DefinedName, count_names()> all{};
  size_t at = 0;
  each_name([&](const DefinedName& one) { all[at++] = one; });
  std::ranges::sort(all,
                    [](const auto& a, const auto& b) { return a.name != b.name ? a.name < b.name : a.part < b.part; });
  return all;
}();

/// The texts of plug-ins.
struct Added {
  struct Text {
    std::string file, text;
    LibraryPart part;
  };
  std::deque<Text> texts;  // parts point into them
  std::map<std::string_view, const LibraryPart*> names;
};

Added& added() {
  static Added all;
  return all;
}

}  // namespace

std::span<const LibraryPart> library_parts() { return kParts; }

void add_library_part(const std::string& file, const std::string& text) {
  Added::Text& kept = added().texts.emplace_back(file, text);
  kept.part = {kept.file, kept.text, true};
  each_definition(kept.text, [&](std::string_view name) { added().names.emplace(name, &kept.part); });
}

std::vector<const LibraryPart*> added_library_parts() {
  std::vector<const LibraryPart*> parts;
  for (const Added::Text& text : added().texts) parts.push_back(&text.part);
  return parts;
}

const LibraryPart* part_that_defines(std::string_view name) {
  const auto at = std::ranges::lower_bound(kNames, name, {}, &DefinedName::name);
  if (at != kNames.end() && at->name == name) return &kParts[at->part];
  const auto brought = added().names.find(name);
  return brought != added().names.end() ? brought->second : nullptr;
}

}  // namespace sonde
