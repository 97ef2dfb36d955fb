// SPDX-License-Identifier: GPL-3.0-or-later
// args[] of probes that Sonde does not have: scripts that name them compile under -Z
//
// If there is a probe, its provider describes the arguments. These rows stand in for probes that only DTrace has.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace sonde {

struct DeclaredArguments {
  std::string_view provider;
  std::string_view names;  ///< of probes, each between blanks; empty: all others
  std::array<std::string_view, 6> types;
};

inline constexpr std::array kDeclaredArguments = std::to_array<DeclaredArguments>({
    {"sched", " dequeue ", {"lwpsinfo_t *", "psinfo_t *", "cpuinfo_t *", "int"}},
    {"sched", " enqueue ", {"lwpsinfo_t *", "psinfo_t *", "cpuinfo_t *"}},
    {"sched", " tick ", {"lwpsinfo_t *", "psinfo_t *"}},
    {"sched", "", {}},
});

/// The type of args[index]: empty if the probe has no such argument, nothing if its arguments are not known.
inline std::optional<std::string_view> declared_argument(std::string_view provider, std::string_view name,
                                                         size_t index) {
  for (const DeclaredArguments& row : kDeclaredArguments) {
    if (row.provider != provider) continue;
    const auto at = name.empty() ? row.names.npos : row.names.find(name);
    const bool named = at != row.names.npos && at > 0 && row.names[at - 1] == ' ' && row.names[at + name.size()] == ' ';
    if (row.names.empty() || named) return index < row.types.size() ? row.types[index] : std::string_view();
  }
  return std::nullopt;
}

}  // namespace sonde
