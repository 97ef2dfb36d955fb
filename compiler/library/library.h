// SPDX-License-Identifier: GPL-3.0-or-later
// The D library: what every script may use without including anything.
//
// Constants are a table. Types, inlines and translators are D texts, here or in the folder of the provider whose arguments they
// describe, each compiled when a name that it defines is first met: a script that uses none pays for none.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

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
  bool foreign = false;  ///< of a plug-in: it may be wrong
};

std::span<const LibraryPart> library_parts();
/// A plug-in's text; `file` names it for messages. It is there from now on, in every session of this process.
void add_library_part(const std::string& file, const std::string& text);
const LibraryPart* part_that_defines(std::string_view name);

}  // namespace sonde
