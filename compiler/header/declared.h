// SPDX-License-Identifier: GPL-3.0-or-later
// What programs with probes are built with: `sonde -h` and `sonde -G`
//
//   FILE.d --> declared_providers() --+--> header_text()   the macros, behind a copy of sdt.h's core
//                                     +--> object_file()   the counters alone
//
// The header suffices: each use of a macro brings its counter along. The object only keeps those makefiles right that link
// one, and those objects whose header came from another dtrace.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/source/diagnostic.h"
#include "runtime/base/result.h"

namespace sonde {

struct DeclaredProbe {
  std::string name;  ///< as written: request__start
  size_t arguments = 0;
};

struct DeclaredProvider {
  std::string name;
  std::vector<DeclaredProbe> probes;
};

/// What the text declares. It is complete only if nothing is reported.
std::vector<DeclaredProvider> declared_providers(const std::string& text, Diagnostics& diagnostics);

/// The name of the counter in the program: myapp_request__start_semaphore.
std::string counter_of(const DeclaredProvider& provider, const DeclaredProbe& probe);

/// A header for C and C++. `from`: the file of the declarations, whose name goes into a comment.
std::string header_text(std::span<const DeclaredProvider> providers, std::string_view from);

/// An ELF object with the counters, for the linker. `like`: the beginning of an ELF file of the machine that it is for.
/// Errors: not of 64 bits.
Result<std::string> object_file(std::span<const DeclaredProvider> providers, std::string_view like);

}  // namespace sonde
