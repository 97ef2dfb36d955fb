// SPDX-License-Identifier: GPL-3.0-or-later
// The texts of the D library, and who defines which name
//
//   providers/*/*.d, compiler/library/*.d --> embed.cmake --> texts.inc --> kParts
//
// The names decide when a text is loaded; embed.cmake reads them off the texts.
#include "compiler/library/library.h"

#include <algorithm>
#include <array>

namespace sonde {
namespace {

constexpr std::array kParts = std::to_array<LibraryPart>({
#include "compiler/library/texts.inc"
});

/// A name of a part's list, and the part.
struct DefinedName {
  std::string_view name;
  size_t part = 0;
};

constexpr void each_name(const auto& visit) {
  for (size_t part = 0; part < kParts.size(); part++) {
    const std::string_view list = kParts[part].names;
    for (size_t begin = 1, end; begin < list.size(); begin = end + 1) {
      end = list.find('|', begin);
      visit(DefinedName{list.substr(begin, end - begin), part});
    }
  }
}

consteval size_t count_names() {
  size_t count = 0;
  each_name([&](const DefinedName&) { count++; });
  return count;
}

/// Sorted when this is compiled: the parser asks of each identifier that it meets.
constexpr auto kNames = [] {
  std::array<DefinedName, count_names()> all{};
  size_t at = 0;
  each_name([&](const DefinedName& one) { all[at++] = one; });
  std::ranges::sort(all,
                    [](const auto& a, const auto& b) { return a.name != b.name ? a.name < b.name : a.part < b.part; });
  return all;
}();

}  // namespace

std::span<const LibraryPart> library_parts() { return kParts; }

const LibraryPart* part_that_defines(std::string_view name) {
  const auto at = std::ranges::lower_bound(kNames, name, {}, &DefinedName::name);
  return at != kNames.end() && at->name == name ? &kParts[at->part] : nullptr;
}

}  // namespace sonde
