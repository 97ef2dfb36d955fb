// SPDX-License-Identifier: GPL-3.0-or-later
// The D library: what every script may use without including anything.
//
// Constants are a table. Types, inlines and translators are D texts, here or in the folder of the provider whose
// arguments they describe. Each is compiled when a name that it defines is first used, so a script pays only for what
// it uses.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sonde {

struct LibraryConstant {
  std::string_view name;
  int64_t value;
};

std::span<const LibraryConstant> library_constants();  ///< sorted by name
const LibraryConstant* find_constant(std::string_view name);

struct LibraryPart {
  std::string_view file;  ///< for messages: "procfs.d"
  std::string_view text;
  bool foreign = false;  ///< from a plug-in: it may have errors
};

std::span<const LibraryPart> library_parts();
/// Adds a plug-in's text, for all later sessions of this process; `file` names it in messages.
void add_library_part(const std::string& file, const std::string& text);
/// The texts that add_library_part() has added, in order.
std::vector<const LibraryPart*> added_library_parts();
const LibraryPart* part_that_defines(std::string_view name);

}  // namespace sonde
